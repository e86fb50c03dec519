#!/usr/bin/env python3
"""Boots a root file system in a container of systemd-nspawn, shows what the checks in it say, writes it down.

usage: boot.py SUITE TREE OUT_FOLDER LIMIT_S ONLY

The tree has system-checks@SUITE.service. It stays as it is: changes go to memory and are forgotten. OUT_FOLDER, /job
in the container, gets results.txt, results.xml (JUnit), console.log and journal.txt. ONLY is a regular expression for
the names of checks; empty: all. Exit status 0: the container came to its end and no check failed; 1: something failed;
3: it did not come to its end within LIMIT_S seconds.
"""
import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "board"))
from results import RESULT, failed, summary, write_junit

# What the container gets to end by itself and to write its journal.
GRACE_S = 20


def command(suite, tree, out, deadline, only):
    return [
        "systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "--private-network", "--volatile=overlay",
        "--resolv-conf=off", "--timezone=off", "--link-journal=no",
        f"--bind={out}:/job", "--directory", tree, "--boot", "--console=read-only",
        "systemd.show_status=0", f"systemd.wants=system-checks@{suite}.service",
        f"board.limit={deadline}", f"board.only={only}",
    ]


def follow(container, file, deadline):
    """Prints results as they come and returns them all; stops the container when it is too late."""
    results, rest, position = [], "", 0
    while True:
        ended = container.poll() is not None
        with open(file) as lines:
            lines.seek(position)
            rest += lines.read()
            position = lines.tell()
        *complete, rest = rest.split("\n")
        for line in complete:
            print(line, flush=True)
            if found := RESULT.match(line):
                results.append(found.groups())
        if ended:
            return results
        if time.monotonic() > deadline:
            container.kill()
        time.sleep(0.1)


def remove_groups():
    """What systemd-nspawn makes for itself and the container, where no systemd cleans up; others' are not empty."""
    for hierarchy in ("/sys/fs/cgroup", "/sys/fs/cgroup/unified", "/sys/fs/cgroup/systemd"):
        for group in ("payload", "supervisor"):
            for folder, *_ in os.walk(os.path.join(hierarchy, group), topdown=False):
                with contextlib.suppress(OSError):
                    os.rmdir(folder)


def main():
    suite, tree, out, limit, only = sys.argv[1:]
    out = Path(out)
    file = out / "results.txt"
    file.write_text("")
    started = time.monotonic()
    deadline = started + float(limit)
    with open(out / "console.log", "wb") as console:
        container = subprocess.Popen(command(suite, tree, out, deadline - GRACE_S, only), stdin=subprocess.DEVNULL,
                                     stdout=console, stderr=subprocess.STDOUT)
        results = follow(container, file, deadline)
    remove_groups()
    ended = (out / "journal.txt").exists()
    write_junit(out / "results.xml", f"system.{suite}", results, ended)
    print(f"{suite}: {summary(results)}; the container ran for {time.monotonic() - started:.0f} s")
    if not ended:
        print(f"The container did not come to its end within {limit} s; look at {out / 'console.log'}")
        return 3
    return 0 if results and not failed(results) else 1


sys.exit(main())
