# Runs inside the service's sandbox, before it: tries what must not work and what must, and writes down which did
# as it must not. Usage: try_sandbox.py REPORT
import json
import mmap
import os
import signal
import socket
import subprocess
import sys

def write_to(folder):
    path = os.path.join(folder, "glintd-was-here")
    with open(path, "w"):
        pass
    os.unlink(path)

def make_setuid_program():
    path = os.path.join(os.environ["STATE_DIRECTORY"], "program")
    try:
        with open(path, "w"):
            os.chmod(path, 0o4755)
    finally:
        os.unlink(path)

def call_bus():
    bus = socket.socket(socket.AF_UNIX)
    bus.connect("/run/dbus/system_bus_socket")

FORBIDDEN = {
    "write to /etc": lambda: write_to("/etc"),
    "write to /usr": lambda: write_to("/usr/lib/glintd"),
    "write to /var/lib": lambda: write_to("/var/lib"),

    "open a device that is not listed": lambda: os.open("/dev/net/tun", os.O_RDWR),
    "look into /root": lambda: os.listdir("/root"),
    "look into /home": lambda: os.listdir("/home"),
    "see process 1": lambda: os.stat("/proc/1/status"),
    "open an IPv4 socket": lambda: socket.socket(socket.AF_INET),
    "open an IPv6 socket": lambda: socket.socket(socket.AF_INET6),
    "open a netlink socket": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW),
    "become root": lambda: os.setuid(0),
    "gain root by a setuid program": lambda: subprocess.run(
        ["setpriv", "--reuid=0", "true"], check=True, stderr=subprocess.DEVNULL),
    "make a setuid program": make_setuid_program,
    "make a name space": lambda: subprocess.run(["unshare", "--user", "true"], check=True, stderr=subprocess.DEVNULL),
    "be scheduled in real time": lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)),
    "make code in memory": lambda: mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC),
    "signal process 1": lambda: os.kill(1, signal.SIGCONT),
    "change the clock": lambda: __import__("time").clock_settime(0, 0),
}
ALLOWED = {
    "write to its state": lambda: write_to(os.environ["STATE_DIRECTORY"]),
    "write to its cache": lambda: write_to(os.environ["CACHE_DIRECTORY"]),
    "write to its runtime folder": lambda: write_to(os.environ["RUNTIME_DIRECTORY"]),
    "write to its /tmp": lambda: write_to("/tmp"),
    "be in its cache": lambda: write_to("."),
    "reach the bus": call_bus,
    "read /proc/cpuinfo": lambda: open("/proc/cpuinfo").close(),
}

def reason(attempt):
    """Why it did not work; empty: it did."""
    try:
        attempt()
    except (OSError, subprocess.CalledProcessError) as error:
        return str(error)
    return ""

wrong = [f"could {what}" for what, attempt in FORBIDDEN.items() if not reason(attempt)]
wrong += [f"could not {what}: {why}" for what, attempt in ALLOWED.items() if (why := reason(attempt))]
with open(sys.argv[1], "w") as report:
    json.dump(wrong, report)
