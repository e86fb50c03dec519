# What the checks need of the guest: commands, the bus, the service, conditions to wait for.
import contextlib
import json
import os
import pwd
import re
import shutil
import subprocess
import time
from pathlib import Path

UNIT = "glintd.service"
NAME = "org.glintd1"
ROOT = "/org/glintd1"
MANAGER = "org.glintd1.Manager"
CAMERA = "org.glintd1.Camera"
CONFIG = Path("/etc/glintd/glintd.toml")
DROP_IN = Path("/run/systemd/system/glintd.service.d/board.conf")


class Failed(Exception):
    """A check's finding: what was wanted, what was seen."""


class Skipped(Exception):
    """Why a check cannot be run here."""


def need(condition, text):
    if not condition:
        raise Failed(text)


def run(*command):
    """Standard output of a command; its standard error is the finding when it fails."""
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode != 0:
        raise Failed(f"{' '.join(command)}: status {done.returncode}: {(done.stderr or done.stdout).strip()}")
    return done.stdout


def argument(name):
    """What board.NAME= says on the command line of the kernel, or of a container's systemd; empty without it."""
    words = Path("/proc/cmdline").read_text() + " " + Path("/proc/1/cmdline").read_text().replace("\0", " ")
    found = re.search(rf"board\.{name}=(\S+)", words)
    return found.group(1) if found else ""


def wait_for(what, condition, limit=60.0):
    """Asks until `condition` gives something true, and returns that. A call that fails counts as not yet."""
    end = time.monotonic() + limit
    last = None
    while time.monotonic() < end:
        try:
            if value := condition():
                return value
        except Failed as error:
            last = error
        time.sleep(0.1)
    raise Failed(f"not within {limit:.0f} s: {what}" + (f"; last: {last}" if last else ""))


# --- the bus ---------------------------------------------------------------------------------------


def camera_path(camera):
    return f"{ROOT}/camera/{camera}"


def call(path, interface, member, signature="", *arguments, user=None):
    """The values that a method returns; `user` calls it in the name of somebody without groups."""
    command = ["busctl", "--json=short", "call", NAME, path, interface, member]
    if user:
        command = ["setpriv", f"--reuid={user}", f"--regid={pwd.getpwnam(user).pw_gid}", "--clear-groups", *command]
    if signature:
        command += [signature, *map(str, arguments)]
    answer = run(*command)
    return json.loads(answer)["data"] if answer.strip() else []


def properties(path, interface):
    (values,) = call(path, "org.freedesktop.DBus.Properties", "GetAll", "s", interface)
    return {name: value["data"] for name, value in values.items()}


def camera(name):
    return properties(camera_path(name), CAMERA)


def histogram(name):
    """Counts of the first channel."""
    *_, channels = call(camera_path(name), CAMERA, "GetHistogram", "s", "frame")
    return channels[0][1]


# --- the service -----------------------------------------------------------------------------------


def unit(*names):
    shown = run("systemctl", "show", UNIT, "-p", ",".join(names))
    found = dict(line.split("=", 1) for line in shown.splitlines())
    return found[names[0]] if len(names) == 1 else [found[name] for name in names]


def main_pid():
    return int(unit("MainPID"))


def is_serving():
    return unit("ActiveState") == "active" and bool(properties(ROOT, MANAGER))


def configure(text):
    """Starts the service anew with this configuration and without memories of a failing GPU."""
    run("systemctl", "stop", UNIT)
    CONFIG.write_text(text)
    Path("/var/lib/glintd/gpu-history").unlink(missing_ok=True)
    run("systemctl", "reset-failed", UNIT)
    run("systemctl", "start", UNIT)


def wait_camera(name, what, condition, limit):
    """Until `condition` holds of the camera's properties; a failure tells how the camera is."""
    try:
        wait_for(f"camera {name} {what}", lambda: condition(camera(name)), limit)
    except Failed as error:
        now = camera(name)
        raise Failed(f"{error}; {now['State']}, {now['Transport']}, {now['TransportLadder']}") from None


def wait_streaming(*names, limit=60):
    """Until every camera streams and has measured two more frames."""
    for name in names:
        frames = camera(name)["FramesProcessed"] + 2
        wait_camera(name, "streams and measures",
                    lambda now: now["State"] == "streaming" and now["FramesProcessed"] >= frames, limit)


def wait_gpu(*names, limit=90):
    """Until the GPU measures the frames of these cameras."""

    def on_gpu(now):
        sets = {operator: variant_set for operator, _, variant_set, *_ in now["Variants"]}
        return sets.get("histogram", "cpu") != "cpu"

    for name in names:
        wait_camera(name, "is measured by the GPU", on_gpu, limit)


def kill_service(number):
    """Sends a signal to the main process and waits until systemd has started another one that serves."""
    before = main_pid()
    os.kill(before, number)
    wait_for("another main process", lambda: main_pid() not in (0, before))
    wait_for("the new process serves", is_serving)


@contextlib.contextmanager
def drop_in(*settings):
    """Settings of the unit's [Service] section for as long as the block lasts."""
    DROP_IN.parent.mkdir(parents=True, exist_ok=True)
    DROP_IN.write_text("[Service]\n" + "\n".join(settings) + "\n")
    run("systemctl", "daemon-reload")
    try:
        yield
    finally:
        shutil.rmtree(DROP_IN.parent)
        run("systemctl", "daemon-reload")


# --- traces ----------------------------------------------------------------------------------------


def open_files(pid):
    found = []
    for fd in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(OSError):
            found.append(os.readlink(fd))
    return found


def holders(node):
    """Processes that have a device open."""
    found = set()
    for process in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if process.name.isdigit() and node in open_files(process.name):
                found.add(int(process.name))
    return found


def traces():
    """All that a process of glintd could leave behind, without what names a process."""
    user = pwd.getpwnam("glintd").pw_uid
    files = []
    for folder in ("/dev/shm", "/run/glintd", "/var/lib/glintd", "/var/cache/glintd", "/tmp", "/var/tmp"):
        for path in Path(folder).rglob("*"):
            with contextlib.suppress(OSError):
                if path.stat().st_uid == user:
                    # PoCL keeps one of its temporary files as long as it is loaded; the next start removes it.
                    files.append(re.sub(r"/tempfile_\w+", "/tempfile_N", str(path)))
                elif UNIT in path.name:
                    files.append(re.sub(f"{UNIT}-.*", UNIT, str(path)))
    processes = [p.name for p in Path("/proc").iterdir() if p.name.isdigit() and p.stat().st_uid == user]
    kinds = sorted(re.sub(r"\d+", "N", name) for name in open_files(main_pid()))
    return {"files": sorted(files), "processes": len(processes), "open": kinds}


def need_same_traces(before):
    """Nothing has come or gone since `before`; what a service that has just started still opens may come."""

    def differences():
        now = traces()
        found = [
            f"{kind}: was {before[kind]}, is {now[kind]}" if kind == "processes"
            else f"{kind}: more {sorted(set(now[kind]) - set(before[kind]))}, fewer {sorted(set(before[kind]) - set(now[kind]))}"
            for kind in before
            if now[kind] != before[kind]
        ]
        return found

    with contextlib.suppress(Failed):
        wait_for("the same traces as before", lambda: not differences(), 20)
    need(not (found := differences()), "; ".join(found))

