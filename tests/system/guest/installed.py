# glintd as cmake --install leaves it: boot, sandbox, bus, watchdog, crashes, restarts.
import json
import os
import re
from pathlib import Path

import board
import service_checks
from board import Failed, need

HISTORY = Path("/var/lib/glintd/gpu-history")
LAYER = "OPENCL_LAYERS=/usr/lib/glintd/glint-layer.so"
RAMP = service_checks.RAMP
# Faults begin when the GPU has served this many frames.
SERVED = 20


def manager(name):
    return board.properties(board.ROOT, board.MANAGER)[name]


def journal(since):
    """Of the service, from a cursor that mark() gave."""
    return board.run("journalctl", "--after-cursor", since, "-u", board.UNIT, "-o", "cat")


def mark():
    board.run("journalctl", "--sync")
    return board.run("journalctl", "-n", "0", "--show-cursor").split("cursor:", 1)[1].strip()


def need_in_journal(since, *texts):
    board.run("journalctl", "--sync")
    log = journal(since)
    for text in texts:
        need(text in log, f"no '{text}' in the journal: {log}")


# --- started and shown -----------------------------------------------------------------------------


def tells_when_it_is_ready():
    """Whoever is ordered after the service finds it on the bus: systemd has waited for READY=1."""
    kind, access, started = board.unit("Type", "NotifyAccess", "SubState")
    need((kind, access, started) == ("notify", "main", "running"), f"it is {kind}, {access}, {started}")
    board.run("systemctl", "restart", board.UNIT)
    board.properties(board.ROOT, board.MANAGER)  # at once


def status_tells_of_cameras_and_gpu():
    board.wait_for("STATUS tells of the camera and the GPU",
                   lambda: board.unit("StatusText") == f"1 of 1 cameras streaming; on {manager('GpuName')}")
    return board.unit("StatusText")


# --- locked in -------------------------------------------------------------------------------------


def process_has_no_privileges():
    pid = board.main_pid()
    status = dict(line.split(":\t", 1) for line in Path(f"/proc/{pid}/status").read_text().splitlines())
    wanted = {"NoNewPrivs": "1", "Seccomp": "2", **{f"Cap{kind}": "0" * 16 for kind in ("Inh", "Prm", "Eff", "Bnd", "Amb")}}
    found = {name: status[name] for name in wanted}
    need(found == wanted, f"it has {found}, not {wanted}")
    for space in ("net", "ipc", "mnt", "uts"):
        own, first = (os.readlink(f"/proc/{process}/ns/{space}") for process in (pid, 1))
        need(own != first, f"its {space} name space is that of process 1")


def sandbox_holds():
    report = Path("/var/lib/glintd/sandbox.json")
    with board.drop_in(f"ExecStartPre=/usr/bin/python3 /usr/lib/glintd-checks/try_sandbox.py {report}"):
        board.run("systemctl", "restart", board.UNIT)
    wrong = json.loads(report.read_text())
    report.unlink()
    need(not wrong, "in the sandbox it " + "; it ".join(wrong))


def example_takes_down_one_fence():
    example = Path("/usr/share/doc/glintd/examples/driver-makes-code.conf")
    before = settings()
    with board.drop_in(*example.read_text().split("[Service]\n", 1)[1].splitlines()):
        after = settings()
    differ = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
    need(differ - {"DropInPaths"} == {"MemoryDenyWriteExecute"}, f"it changes {sorted(differ)}")


def settings():
    """Of the unit; lists in an order that does not change."""
    lines = board.run("systemctl", "show", board.UNIT).splitlines()
    return {name: sorted(value.split()) for name, _, value in (line.partition("=") for line in lines)}


def device_rules_are_installed():
    rules = Path("/usr/lib/udev/rules.d/70-glintd.rules").read_text()
    groups = set(re.findall(r'GROUP="(\w+)"', rules))
    members = {line.split(":")[0] for line in Path("/etc/group").read_text().splitlines()
               if "glintd" in line.split(":")[3].split(",")}
    need(groups == members, f"the rules give nodes to {sorted(groups)}, glintd is in {sorted(members)}")


# --- stopped and started ---------------------------------------------------------------------------


def stops_within_a_second():
    board.wait_gpu("ramp")
    return service_checks.stops_at_once(1)


def reload_applies_what_has_changed():
    """The frames of the camera that stays are not interrupted; a bad file is refused and changes nothing."""
    board.wait_streaming("ramp")
    pid, before = board.main_pid(), board.camera("ramp")
    try:
        board.CONFIG.write_text(RAMP + RAMP.replace("camera.ramp", "camera.second"))
        board.run("systemctl", "reload", board.UNIT)
        board.wait_streaming("ramp", "second")
        after = board.camera("ramp")
        need(after["FramesProcessed"] > before["FramesProcessed"], "the counters of camera ramp began anew")
        need(after["FramesLost"] == before["FramesLost"], f"{after['FramesLost']} frames were lost")
        board.CONFIG.write_text("[camera.ramp]\nsource = 7\n")
        since = mark()
        try:
            board.run("systemctl", "reload", board.UNIT)
        except Failed:
            pass
        else:
            raise Failed("a bad file was taken")
        need_in_journal(since, "glintd.toml:2:")
        board.wait_streaming("ramp", "second")
        need(board.main_pid() == pid, f"process {pid} became {board.main_pid()}")
    finally:
        board.CONFIG.write_text(RAMP)
    board.run("systemctl", "reload", board.UNIT)
    (objects,) = board.call(board.ROOT, "org.freedesktop.DBus.ObjectManager", "GetManagedObjects")
    need(board.camera_path("second") not in objects, f"camera second is still there: {sorted(objects)}")


# --- when the GPU fails ----------------------------------------------------------------------------


def end_in_cpu_mode(fault, *settings, saying):
    """With a GPU that fails at every start: two ends, then a service that measures on the CPU and says why."""
    since = mark()
    try:
        with board.drop_in(f"Environment={LAYER} GLINT_LAYER_PROFILE=gc2000 GLINT_LAYER_FAULTS={fault}", *settings):
            board.configure(RAMP)
            restarts = int(board.unit("NRestarts"))
            board.wait_for("two restarts and then the CPU",
                           lambda: int(board.unit("NRestarts")) == restarts + 2 and manager("Degraded"), 60)
            board.wait_streaming("ramp")
            service_checks.ramp_is_counted()
            reason = manager("DegradedReason")
            need("ended 2 times in a row" in reason, f"the reason is: {reason}")
            board.wait_for("STATUS says so", lambda: f"the CPU measures: {reason}" in board.unit("StatusText"))
            need_in_journal(since, saying, f"the CPU measures: {reason}")
            need(int(board.unit("NRestarts")) == restarts + 2, f"it was restarted again: {board.unit('NRestarts')}")
    finally:
        board.configure(RAMP)
    # Without the fault, and asked to, it takes the GPU again.
    board.wait_gpu("ramp")


def gpu_that_blocks_a_call_is_left_to_the_watchdog():
    # 10 s as shipped, twice.
    end_in_cpu_mode(f"clFlush@clSetEventCallback:{SERVED}=block", "WatchdogSec=3s",
                    saying="Watchdog timeout (limit 3s)!")


def gpu_that_never_ends_a_frame_ends_the_service():
    since = mark()
    end_in_cpu_mode(f"clEnqueueNDRangeKernel@clSetEventCallback:{SERVED}=hang",
                    saying="the GPU has not finished a frame for 2000 ms; the service restarts")
    explained = board.run("journalctl", "--after-cursor", since, "-u", board.UNIT, "-x")
    need("Subject: The GPU hangs" in explained, f"journalctl -x does not explain it: {explained}")


def crash_loop_ends_on_the_cpu():
    end_in_cpu_mode(f"clEnqueueNDRangeKernel@clSetEventCallback:{SERVED}=kill",
                    saying="Main process exited, code=killed, status=9/KILL")


def hundred_kills_leave_nothing():
    """At any moment, with the GPU in use: no file, process, open file or name of the bus is left over."""
    with board.drop_in("RestartSec=10ms", "[Unit]", "StartLimitIntervalSec=0"):
        board.configure(RAMP)
        board.wait_gpu("ramp")
        before, names = board.traces(), bus_names()
        for _ in range(100):
            # Two ends in a row would leave the GPU alone.
            HISTORY.unlink(missing_ok=True)
            board.kill_service(9)
        board.wait_gpu("ramp")
        board.need_same_traces(before)
        need(bus_names() == names, f"names on the bus: were {names}, are {bus_names()}")
    board.configure(RAMP)
    board.wait_gpu("ramp")


def bus_names():
    listed = json.loads(board.run("busctl", "--json=short", "list"))
    return sorted(entry["name"] for entry in listed if "glint" in str(entry.get("unit")) and entry["name"][0] != ":")


# --- the tuner -------------------------------------------------------------------------------------


def tuner_runs_once():
    """In the same sandbox, as the same user; the service then takes what it has measured."""
    tuning = Path("/var/lib/glintd/tuning.toml")
    options = "--operator histogram --variant private_counters --size 512x300 --runs 5"
    folder = Path("/run/systemd/system/glint-tune.service.d")
    need(board.run("sh", "-c", "systemctl is-enabled glint-tune || true").strip() == "disabled", "it is enabled as shipped")
    folder.mkdir()
    (folder / "options.conf").write_text(f'[Service]\nEnvironment=GLINT_TUNE_OPTIONS="{options}"\n')
    board.run("systemctl", "daemon-reload")
    try:
        board.run("systemctl", "stop", board.UNIT)
        board.run("systemctl", "start", "glint-tune")
        need(tuning.owner() == "glintd", f"{tuning} belongs to {tuning.owner()}")
        written = tuning.stat().st_mtime_ns
        board.run("systemctl", "start", "glint-tune")
        need(tuning.stat().st_mtime_ns == written, "it has measured again")
        board.configure(RAMP)
        # It may say that the CPU is faster.
        board.wait_camera("ramp", "is measured as the tuning file says", lambda now: any(
            operator == "histogram" and str(tuning) in reason for operator, *_, reason in now["Variants"]), 60)
    finally:
        (folder / "options.conf").unlink()
        folder.rmdir()
        tuning.unlink(missing_ok=True)
        board.run("systemctl", "daemon-reload")


# Name, function, limit in seconds.
CHECKS = [
    ("installed.boot", service_checks.system_is_up, 30),
    ("installed.starts", service_checks.starts_at_boot, 30),
    ("installed.ready", tells_when_it_is_ready, 30),
    ("installed.histogram", service_checks.ramp_is_counted, 30),
    ("installed.no_privileges", process_has_no_privileges, 10),
    ("installed.sandbox", sandbox_holds, 30),
    ("installed.example", example_takes_down_one_fence, 30),
    ("installed.device_rules", device_rules_are_installed, 10),
    ("installed.stranger", service_checks.strangers_may_only_read, 30),
    ("installed.gpu", service_checks.gpu_takes_over, 120),
    ("installed.status", status_tells_of_cameras_and_gpu, 10),
    ("installed.stop", stops_within_a_second, 30),
    ("installed.activation", service_checks.bus_starts_it, 30),
    ("installed.hangup", service_checks.hangup_does_not_end_it, 30),
    ("installed.reload", reload_applies_what_has_changed, 60),
    ("installed.bad_configuration", service_checks.bad_configuration_is_not_retried, 30),
    ("installed.stuck_call", gpu_that_blocks_a_call_is_left_to_the_watchdog, 90),
    ("installed.stalled_gpu", gpu_that_never_ends_a_frame_ends_the_service, 60),
    ("installed.crash_loop", crash_loop_ends_on_the_cpu, 60),
    ("installed.killed", hundred_kills_leave_nothing, 120),
    ("installed.tuner", tuner_runs_once, 120),
]
