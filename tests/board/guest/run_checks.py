# run_checks.py MODULE...: runs the modules' CHECKS, each with its limit, and prints one line for each: PASS, FAIL or
# SKIP, name, seconds, detail.
# On the command line of the kernel, or in a container of systemd, board.only=REGEX leaves out all whose name does not
# match, and from board.limit=SECONDS of the monotonic clock on the rest fails, so that there is an end with a journal.
import importlib
import re
import signal
import sys
import time

import board
from board import Failed, Skipped


def too_late(*_):
    raise TimeoutError


def verdict_of(check, limit):
    signal.alarm(limit)
    try:
        return "PASS", check() or ""
    except Skipped as reason:
        return "SKIP", str(reason)
    except Failed as finding:
        return "FAIL", str(finding)
    except TimeoutError:
        return "FAIL", f"not done within {limit} s"
    except Exception as error:  # a check that breaks must not take the others with it
        return "FAIL", f"{type(error).__name__}: {error}"
    finally:
        signal.alarm(0)


def wanted():
    pattern = board.argument("only")
    checks = [check for module in sys.argv[1:] for check in importlib.import_module(module).CHECKS]
    return [check for check in checks if re.search(pattern, check[0])]


def main():
    signal.signal(signal.SIGALRM, too_late)
    failures = 0
    end = float(board.argument("limit"))
    for name, check, limit in wanted():
        started = time.monotonic()
        left = int(end - started)
        verdict, detail = verdict_of(check, min(limit, left)) if left > 0 else ("FAIL", "no time was left for it")
        failures += verdict == "FAIL"
        print(f"{verdict} {name} {time.monotonic() - started:.1f} s {' '.join(detail.split())}".rstrip())
    return 1 if failures else 0


sys.exit(main())
