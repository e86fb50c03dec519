#!/usr/bin/env python3
"""Boots a machine with the checks in its image, shows what they say, writes it down.

usage: boot.py MACHINE KERNEL_FOLDER IMAGE OUT_FOLDER LIMIT_S ONLY

ONLY is a regular expression for the names of checks; empty: all. OUT_FOLDER gets console.log, qemu.log and
results.xml (JUnit). Exit status 0: the guest came to its end and no check failed; 1: something failed; 3: the guest
did not come to its end within LIMIT_S seconds.
"""
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

from pins import CHIPS, Pins
from results import RESULT, failed, summary, write_junit

# What the guest gets to end by itself and to write its journal.
GRACE_S = 30
END = re.compile(r"BOARD-END (.*)")


def machine_options(machine, kernel, image):
    """QEMU's program and options, and the kernel's console and root."""
    disk = f"format=raw,cache=unsafe,file={image}"
    if machine == "virt":
        return (
            ["qemu-system-aarch64", "-M", "virt", "-cpu", "cortex-a53", "-m", "2048", "-serial", "stdio",
             "-drive", f"if=none,id=disk,{disk}", "-device", "virtio-blk-pci,drive=disk"],
            "console=ttyAMA0 root=/dev/vda",
        )
    if machine == "pc":
        return (
            ["qemu-system-x86_64", "-M", "q35", "-cpu", "max", "-m", "2048", "-serial", "stdio",
             "-drive", f"if=none,id=disk,{disk}", "-device", "virtio-blk-pci,drive=disk"],
            "console=ttyS0 root=/dev/vda",
        )
    if machine == "imx8mp":
        return (
            ["qemu-system-aarch64", "-M", "imx8mp-evk", "-m", "2048", "-serial", "null", "-serial", "stdio",
             "-dtb", f"{kernel}/imx8mp-evk.dtb", "-drive", f"if=sd,id=card,bus=2,{disk}"],
            "console=ttymxc1,115200 root=/dev/mmcblk2",
        )
    return (
        ["qemu-system-arm", "-M", "sabrelite", "-m", "1024", "-serial", "null", "-serial", "stdio",
         "-dtb", f"{kernel}/imx6q-sabrelite.dtb",
         "-drive", f"if=none,id=card,{disk}", "-device", "sd-card,drive=card"],
        "console=ttymxc1,115200 root=/dev/mmcblk3",
    )


def command(machine, kernel, image, limit, only):
    options, append = machine_options(machine, kernel, image)
    return options + [
        "-accel", "tcg,thread=multi,tb-size=256", "-smp", "2",
        "-kernel", f"{kernel}/vmlinuz", "-initrd", f"{kernel}/initrd.gz",
        # Twenty cameras want more contiguous memory than the 16 MiB that the armhf kernel keeps for it.
        "-append", f"{append} cma=128M loglevel=3 systemd.show_status=0 board.machine={machine} "
                   f"board.limit={limit} board.only={only}",
        "-display", "none", "-monitor", "none", "-nic", "none", "-no-reboot",
    ]


def follow(qemu, pins, log):
    """Results as (verdict, name, seconds, detail), and what the guest said at its end, None if nothing."""
    results = []
    for raw in qemu.stdout:
        line = raw.decode(errors="replace").rstrip()
        log.write(line + "\n")
        log.flush()
        if found := RESULT.search(line):
            results.append(found.groups())
            print(found.group(0), flush=True)
        elif found := END.search(line):
            return results, found.group(1)
        elif pins and (answer := pins.answer(line)):
            log.write(answer + "\n")
            qemu.stdin.write(answer.encode() + b"\n")
            qemu.stdin.flush()
    return results, None


def main():
    machine, kernel, image, out, limit, only = sys.argv[1:]
    out = Path(out)
    pins = Pins(machine) if machine in CHIPS else None
    started = time.monotonic()
    with open(out / "qemu.log", "w") as errors:
        qemu = subprocess.Popen(command(machine, kernel, image, float(limit) - GRACE_S, only)
                                + (pins.options if pins else []), pass_fds=pins.inherited if pins else (),
                                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors)
    timer = threading.Timer(float(limit), qemu.kill)
    timer.start()
    try:
        if pins:
            pins.start()
        with open(out / "console.log", "w") as log:
            results, end = follow(qemu, pins, log)
    finally:
        timer.cancel()
        qemu.terminate()  # writes out what the image still lacks; on i.MX6 the guest cannot power off by itself
        qemu.wait()
    write_junit(out / "results.xml", f"board.{machine}", results, end is not None)
    print(f"{machine}: {summary(results)}; QEMU ran for {time.monotonic() - started:.0f} s")
    if end is None:
        print(f"The guest did not come to its end within {limit} s; look at {out / 'console.log'}")
        return 3
    if end != "0":
        print(f"The checks ended with: {end}")
    return 0 if end == "0" and not failed(results) and results else 1


sys.exit(main())
