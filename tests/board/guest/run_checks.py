# Runs the checks, each with its limit, and prints one line for each: PASS, FAIL or SKIP, name, seconds, detail.
# On the kernel's command line, board.only=REGEX leaves out all whose name does not match, and board.limit=SECONDS
# after the boot the rest fails, so that there is an end with a journal.
import re
import signal
import sys
import time
from pathlib import Path

import camera_checks
import service_checks
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


def argument(name):
    found = re.search(rf"board\.{name}=(\S+)", Path("/proc/cmdline").read_text())
    return found.group(1) if found else ""


def wanted():
    pattern = argument("only")
    return [check for check in service_checks.CHECKS + camera_checks.CHECKS if re.search(pattern, check[0])]


def main():
    signal.signal(signal.SIGALRM, too_late)
    failures = 0
    end = float(argument("limit"))
    for name, check, limit in wanted():
        started = time.monotonic()
        left = int(end - started)  # the monotonic clock begins with the boot
        verdict, detail = verdict_of(check, min(limit, left)) if left > 0 else ("FAIL", "no time was left for it")
        failures += verdict == "FAIL"
        print(f"{verdict} {name} {time.monotonic() - started:.1f} s {' '.join(detail.split())}".rstrip())
    return 1 if failures else 0


sys.exit(main())
