# glintd as a service of this system: boot, bus, policy, signals, restarts.
import os
import pwd
import signal
import stat
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import board
from board import Failed, need

RAMP = Path(__file__).with_name("glintd.toml").read_text()
# What 70-glintd.rules is for.
GROUPS = {"video*": "video", "media*": "video", "dma_heap/*": "video", "udmabuf": "video", "gpiochip*": "gpio",
          "dri/renderD*": "render"}
RAMP_BIN = 600  # 512 columns hold each of 256 values twice, in each of 300 rows
DENIED = "Access denied"


def system_is_up():
    state = board.wait_for("the end of the boot", lambda: boot_state() not in ("initializing", "starting") and boot_state())
    failed = board.run("systemctl", "--failed", "--plain", "--no-legend")
    need(state == "running", f"the system is {state}: {failed}")


def boot_state():
    # Its status is 1 as long as the system is not up, which is no failure here.
    return board.run("sh", "-c", "systemctl is-system-running || true").strip()


def starts_at_boot():
    board.wait_for("the service is active", lambda: board.unit("ActiveState") == "active", 120)
    pid = board.main_pid()
    status = Path(f"/proc/{pid}/status").read_text().splitlines()
    ids = next(line.split()[1:] for line in status if line.startswith("Uid:"))
    user = str(pwd.getpwnam("glintd").pw_uid)
    need(ids == [user] * 4, f"glintd's user is {user}, the process has {ids}")
    need(board.unit("NRestarts") == "0", f"it was started {board.unit('NRestarts')} times more")
    return f"pid {pid}, user {user}"


def nodes_have_their_groups():
    nodes = {node: group for pattern, group in GROUPS.items() for node in Path("/dev").glob(pattern)}
    if not nodes:
        raise board.Skipped("there is none of the nodes")
    wrong = [f"{node} {node.group()}" for node, group in nodes.items() if node.group() != group]
    need(not wrong, f"of another group: {', '.join(wrong)}")
    for node in nodes:
        unit = board.run("systemd-escape", "--path", "--suffix=device", str(node)).strip()
        need(board.run("systemctl", "show", unit, "-P", "ActiveState").strip() == "active", f"{unit} is not active")
    return " ".join(sorted(node.name for node in nodes))


def status_is_shown():
    shown = board.run("glintctl", "status")
    need("ramp" in shown and "streaming" in shown, f"no camera ramp that streams in: {shown}")


def introspection_is_as_installed():
    """Each method, signal and property of the installed descriptions is there with its type; nothing else is."""
    for path, name in ((board.ROOT, board.MANAGER), (board.camera_path("ramp"), board.CAMERA)):
        (text,) = board.call(path, "org.freedesktop.DBus.Introspectable", "Introspect")
        source = Path(f"/usr/share/dbus-1/interfaces/{name}.xml").read_text()
        live, installed = members(text, name), members(source, name)
        need(live == installed, f"{name}: {sorted(live ^ installed)}")


def members(xml, interface):
    root = ElementTree.fromstring(xml.split("?>\n", 1)[-1] if xml.startswith("<?xml") else xml)
    (found,) = [i for i in root.iter("interface") if i.get("name") == interface]
    return {
        (item.tag, item.get("name"), item.get("type") or "".join(arg.get("type") for arg in item.findall("arg")))
        for item in found
        if item.tag != "annotation"
    }


def ramp_is_counted():
    board.wait_streaming("ramp")
    counts = board.histogram("ramp")
    need(counts == [RAMP_BIN] * 256, f"each of 256 bins should be {RAMP_BIN}: {counts}")


def gpu_takes_over():
    started = time.monotonic()
    board.wait_gpu("ramp", limit=400)
    manager = board.properties(board.ROOT, board.MANAGER)
    need(not manager["Degraded"], manager["DegradedReason"])
    before = board.camera("ramp")["FramesProcessed"]
    board.wait_for("frames measured by the GPU", lambda: board.camera("ramp")["FramesProcessed"] > before + 2)
    ramp_is_counted()
    need(board.camera("ramp")["BytesCopied"] == 0, f"{board.camera('ramp')['BytesCopied']} bytes were copied")
    return f"{manager['GpuName']} after {time.monotonic() - started:.0f} s"


def strangers_may_only_read():
    path = board.camera_path("ramp")
    board.call(path, board.CAMERA, "GetHistogram", "s", "frame", user="nobody")
    board.call(path, "org.freedesktop.DBus.Properties", "GetAll", "s", board.CAMERA, user="nobody")
    refused = [
        (path, board.CAMERA, "Stop"),
        (path, board.CAMERA, "GetFrame", "s", "raw"),
        (path, board.CAMERA, "SetBins", "u", 256),
        (path, "org.freedesktop.DBus.Properties", "Set", "ssv", board.CAMERA, "PublishIntervalUSec", "t", 0),
        (board.ROOT, board.MANAGER, "RetryGpu"),
        (board.ROOT, board.MANAGER, "Reload"),
    ]
    for arguments in refused:
        try:
            board.call(*arguments, user="nobody")
        except Failed as error:
            need(DENIED in str(error), f"{arguments[2]}: another answer than '{DENIED}': {error}")
        else:
            raise Failed(f"nobody may call {arguments[2]}")
    # Membership of the group is what opens them.
    board.run("setpriv", "--reuid=nobody", "--regid=nogroup", "--groups=glintd",
              "glintctl", "bins", "ramp", "256")


def killed_service_comes_back():
    board.wait_gpu("ramp")
    before = board.traces()
    restarts = int(board.unit("NRestarts"))
    board.kill_service(signal.SIGKILL)
    need(int(board.unit("NRestarts")) == restarts + 1, f"NRestarts went from {restarts} to {board.unit('NRestarts')}")
    board.wait_gpu("ramp")
    ramp_is_counted()
    board.need_same_traces(before)
    # A second end in a row while it uses the GPU: from now on the CPU serves, until somebody asks for the GPU.
    board.kill_service(signal.SIGKILL)
    manager = board.properties(board.ROOT, board.MANAGER)
    need(manager["Degraded"], "killed twice while using the GPU, it is not degraded")
    ramp_is_counted()
    board.call(board.ROOT, board.MANAGER, "RetryGpu")
    board.wait_gpu("ramp")


def stops_at_once(limit_s=4):
    """A second on a board; an emulated one is ten times slower, and systemctl counts too."""
    pid = board.main_pid()
    started = time.monotonic()
    board.run("systemctl", "stop", board.UNIT)
    took = time.monotonic() - started
    state, result = board.unit("ActiveState", "Result")
    need((state, result) == ("inactive", "success"), f"after stop: {state}, {result}")
    need(not os.path.exists(f"/proc/{pid}"), f"process {pid} is still there")
    need(took < limit_s, f"it took {took:.2f} s")
    return f"{took:.2f} s"


def bus_starts_it():
    need(board.unit("ActiveState") == "inactive", f"the service is {board.unit('ActiveState')}")
    board.call(board.ROOT, "org.freedesktop.DBus.Peer", "Ping")
    # The answer may come before systemd has read READY=1.
    board.wait_for("the service is active", lambda: board.unit("ActiveState") == "active")
    board.wait_streaming("ramp")


def restarts_three_times():
    board.run("systemctl", "reset-failed", board.UNIT)
    for _ in range(3):
        board.run("systemctl", "restart", board.UNIT)
        board.wait_streaming("ramp")
        ramp_is_counted()


def hangup_does_not_end_it():
    pid = board.main_pid()
    os.kill(pid, signal.SIGHUP)
    board.wait_streaming("ramp")
    need(board.main_pid() == pid, f"process {pid} became {board.main_pid()}")


def watchdog_replaces_a_frozen_process():
    with board.drop_in("WatchdogSec=4s"):
        board.configure(RAMP)
        board.wait_streaming("ramp")
        cursor = time.strftime("%Y-%m-%d %H:%M:%S")
        board.kill_service(signal.SIGSTOP)
        log = board.run("journalctl", "--since", cursor, "-u", board.UNIT, "-o", "cat")
        need("Watchdog timeout" in log, f"no 'Watchdog timeout' in the journal: {log}")
    board.configure(RAMP)
    board.wait_streaming("ramp")


def bad_configuration_is_not_retried():
    board.CONFIG.write_text("[camera.ramp]\nsource = 7\n")
    try:
        board.run("systemctl", "restart", board.UNIT)
    except Failed:
        pass
    state = board.wait_for("the service gives up",
                           lambda: board.unit("ActiveState") == "failed" and board.unit("ExecMainStatus", "NRestarts"))
    need(state == ["78", "0"], f"status and restarts are {state}, not 78 and 0")
    board.configure(RAMP)
    board.wait_streaming("ramp")


OPEN_DEVICE = """
import errno, os, sys
try:
    os.open(sys.argv[1], os.O_RDWR)
    said = "opened"
except OSError as error:
    said = errno.errorcode[error.errno]
with open(sys.argv[2], "w") as report:
    report.write(said)
"""


def devices_are_closed():
    """A node that everybody may open and DeviceAllow= does not name. 60 is for local use: no driver is given it,
    where 240, say, can be a class that the unit does name."""
    node, report, script = Path("/dev/glint-not-listed"), Path("/var/lib/glintd/device"), Path("/run/open_device.py")
    script.write_text(OPEN_DEVICE)
    os.mknod(node, stat.S_IFCHR, os.makedev(60, 77))
    node.chmod(0o666)
    try:
        board.run("python3", str(script), str(node), "/run/open_device")
        outside = Path("/run/open_device").read_text()
        with board.drop_in(f"ExecStartPre=/usr/bin/python3 {script} {node} {report}"):
            board.run("systemctl", "restart", board.UNIT)
        inside = report.read_text()
        need(outside in ("ENXIO", "ENODEV") and inside == "EPERM", f"outside it gives {outside}, inside {inside}")
    finally:
        for path in (node, report, script):
            path.unlink(missing_ok=True)


def unit_tests_pass():
    """Its output is progress dots, failures of several lines each, and a sum."""
    lines = board.run("sh", "-c", "cd /tmp && /usr/lib/glintd/tests/unit_tests 2>&1 || true").strip().splitlines()
    findings = [line for line in lines if line.strip(". ")]
    need(findings[-1].startswith("OK ("), "; ".join(findings))
    return findings[-1]


# Name, function, limit in seconds: an emulated CPU is ten to thirty times slower than the host's.
CHECKS = [
    ("service.boot", system_is_up, 120),
    ("service.starts", starts_at_boot, 130),
    ("service.nodes", nodes_have_their_groups, 30),
    ("service.status", status_is_shown, 30),
    ("service.introspection", introspection_is_as_installed, 30),
    ("service.histogram", ramp_is_counted, 60),
    ("service.stranger", strangers_may_only_read, 60),
    # The first boot builds PoCL's kernels now; the other CPU is idle.
    ("service.unit_tests", unit_tests_pass, 400),
    ("service.gpu", gpu_takes_over, 420),
    ("service.hangup", hangup_does_not_end_it, 60),
    ("service.killed", killed_service_comes_back, 300),
    ("service.stop", stops_at_once, 60),
    ("service.activation", bus_starts_it, 90),
    ("service.devices", devices_are_closed, 90),
    ("service.restarts", restarts_three_times, 180),
    ("service.watchdog", watchdog_replaces_a_frozen_process, 240),
    ("service.bad_configuration", bad_configuration_is_not_retried, 90),
]
