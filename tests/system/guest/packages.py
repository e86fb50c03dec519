# glintd's Debian packages: installed, upgraded, removed, purged, as an administrator does it.
import os
import subprocess
from pathlib import Path

import board
import service_checks
from board import Failed, need

DEBS = Path("/job/debs")
PACKAGES = ("glint-bench-dbgsym", "glintctl-dbgsym", "glintd-dbgsym", "glint-bench", "glintctl", "glintd-dev", "glintd")
TUNING = Path("/var/lib/glintd/tuning.toml")
# Where dpkg and the system write about everything they do.
ELSEWHERE = ("/var/lib/dpkg", "/var/log", "/var/cache/ldconfig", "/var/cache/debconf", "/var/lib/systemd/random-seed",
             "/var/lib/systemd/timers", "/var/lib/systemd/catalog", "/var/tmp", "/etc/ld.so.cache")


def files():
    found = set()
    for top in ("/etc", "/usr", "/var"):
        for folder, folders, names in os.walk(top):
            folders[:] = [name for name in folders if os.path.join(folder, name) not in ELSEWHERE]
            found |= {os.path.join(folder, name) for name in folders + names}
    # Copies that are made when users are.
    return {path for path in found if path not in ELSEWHERE and not path.endswith(("passwd-", "group-", "shadow-"))}


BEFORE = files()


def dpkg(*arguments):
    done = subprocess.run(["dpkg", *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"})
    need(done.returncode == 0, f"dpkg {' '.join(arguments)}: status {done.returncode}: {done.stdout}")
    need(not (audit := board.run("dpkg", "--audit")), audit)
    lines = [line for line in done.stdout.splitlines() if "warning: downgrading" not in line]
    need(not any("warning" in line or "ailed" in line for line in lines), f"dpkg {' '.join(arguments)}: {lines}")


def install(release):
    # As apt does it.
    dpkg("--auto-deconfigure", "--install", *map(str, DEBS.glob(f"*-{release}_*deb")))
    version = board.run("dpkg-query", "--show", "--showformat=${Version}", "glintd")
    need(version.endswith(f"-{release}"), f"version {version} is installed, not -{release}")


def is_enabled(unit):
    return board.run("sh", "-c", f"systemctl is-enabled {unit} || true").strip()


def installs_and_starts():
    need(len(list(DEBS.glob("*-1_*deb"))) == 7, f"the packages are {sorted(path.name for path in DEBS.iterdir())}")
    install(1)
    board.wait_for("the service is there", board.is_serving)
    need(is_enabled("glintd") == "enabled", f"it is {is_enabled('glintd')}")
    need(is_enabled("glint-tune") == "disabled", f"the tuner is {is_enabled('glint-tune')}")
    service_checks.starts_at_boot()
    failed = board.run("systemctl", "--failed", "--plain", "--no-legend")
    need(not failed, f"failed units: {failed}")
    return board.unit("StatusText")


def serves():
    board.CONFIG.parent.mkdir()
    board.CONFIG.write_text(service_checks.RAMP)
    board.run("systemctl", "restart", board.UNIT)
    service_checks.ramp_is_counted()
    service_checks.strangers_may_only_read()
    board.run("glint-bench", "--version")
    # In the sandbox, as its user: 1 is the layout's version.
    opened = board.run("busctl", "call", "org.glintd1", board.camera_path("ramp"), "org.glintd1.Camera", "OpenStream", "s", "raw")
    need(opened.startswith("hhu ") and opened.split()[-1] == "1", f"OpenStream gives {opened}")
    need("streaming" in board.run("glintctl", "list"), "glintctl sees no camera that streams")


def symbols_fit():
    """A debugger finds them by the program's build id."""
    for program in ("glintd", "glintctl", "glint-tune", "glint-bench"):
        notes = board.run("readelf", "--notes", f"/usr/bin/{program}")
        number = notes.split("Build ID: ")[1].split()[0]
        symbols = f"/usr/lib/debug/.build-id/{number[:2]}/{number[2:]}.debug"
        need(".debug_info" in board.run("readelf", "--section-headers", symbols), f"{symbols} of {program} has none")


def upgrade_restarts_and_keeps():
    TUNING.write_text("")
    pid = board.main_pid()
    install(2)
    board.wait_for("the service is there", board.is_serving)
    need(board.main_pid() != pid, "the old program still runs")
    service_checks.ramp_is_counted()
    need(TUNING.exists(), f"{TUNING} is lost")


def upgrade_respects_who_has_disabled_it():
    board.run("systemctl", "disable", "--now", board.UNIT)
    install(1)
    need((is_enabled("glintd"), board.unit("ActiveState")) == ("disabled", "inactive"),
         f"it is {is_enabled('glintd')} and {board.unit('ActiveState')}")
    board.run("systemctl", "enable", "--now", board.UNIT)
    install(2)
    board.wait_for("the service is there", board.is_serving)


def removal_stops_and_keeps():
    pid = board.main_pid()
    dpkg("--remove", *PACKAGES)
    need(not os.path.exists(f"/proc/{pid}"), f"process {pid} is still there")
    need(board.unit("LoadState") in ("not-found", "masked"), f"the unit is {board.unit('LoadState')}")
    try:
        board.properties(board.ROOT, board.MANAGER)
    except Failed:
        pass
    else:
        raise Failed("the name is still on the bus")
    need(TUNING.exists() and board.CONFIG.exists(), "what was written is lost")
    # Back again, from the version whose one package held client and interfaces, it is as it was.
    dpkg("--install", str(DEBS / "before_the_split.deb"))
    install(2)
    need("glintctl" in board.run("dpkg", "--search", "/usr/bin/glintctl").split(":")[0], "glintctl has not taken its file over")
    board.wait_for("the service is there", board.is_serving)
    service_checks.ramp_is_counted()


def purge_leaves_nothing():
    dpkg("--purge", *PACKAGES)
    now = files()
    need(now == BEFORE, f"left over: {sorted(now - BEFORE)}; lost: {sorted(BEFORE - now)}")
    need("glintd" in Path("/etc/passwd").read_text(), "its number is free for somebody else")


# Name, function, limit in seconds.
CHECKS = [
    ("packages.install", installs_and_starts, 60),
    ("packages.serve", serves, 60),
    ("packages.symbols", symbols_fit, 30),
    ("packages.upgrade", upgrade_restarts_and_keeps, 60),
    ("packages.disabled", upgrade_respects_who_has_disabled_it, 60),
    ("packages.remove", removal_stops_and_keeps, 60),
    ("packages.purge", purge_leaves_nothing, 60),
]
