# Cameras of the kernel's vivid driver: every transport and format, injected errors, cables pulled.
import dataclasses
import functools
import itertools
import json
import os
import signal
import time
from pathlib import Path

import board
from board import Failed, need

FORMATS = ("GREY", "YUYV", "NV12", "Y16")
# Drivers that take buffers from anywhere, and those that take contiguous ones only, as capture hardware without an
# IOMMU does.
WAYS = [("scattered", "userptr"), ("scattered", "mmap"), ("scattered", "dmabuf"),
        ("contiguous", "mmap"), ("contiguous", "dmabuf")]


@dataclasses.dataclass(frozen=True)
class Pinned:
    """A vivid device and how the camera on it is configured."""

    number: int
    memory: str
    transport: str
    format: str

    @property
    def node(self):
        return f"/dev/video{self.number}"

    @property
    def picture(self):
        """What decides how vivid paints it."""
        return self.memory, self.format

    @property
    def camera(self):
        return f"camera{self.number}"


CAMERAS = [Pinned(number, memory, transport, pixel_format)
           for number, ((memory, transport), pixel_format) in enumerate(itertools.product(WAYS, FORMATS))]
FRONT = CAMERAS[0].node
CONTIGUOUS = next(camera.node for camera in CAMERAS if camera.memory == "contiguous")
# One more device lends its memory as a heap.
HEAP = f"/dev/video{len(CAMERAS)}"
HEAPS = Path("/dev/dma_heap")
DRIVER = Path("/sys/bus/platform/drivers/vivid")
# A grey ramp that stands still and shows no text: each frame has the same histogram.
STILL = {"test_pattern": 20, "osd_text_mode": 2}
# vivid's ends of frames lie in the future when it hands them out, which no clock of a camera can.
EXPOSURE_STAMPS = {"timestamp_source": 1}

plain_counts = {}


@functools.cache
def refusal():
    """What the service says against a V4L2 source; empty when it takes one."""
    file = Path("/run/v4l2.toml")
    file.write_text(camera_table("front", FRONT, "GREY", "auto"))
    try:
        board.run("glintd", "--check-config", str(file))
    except Failed as error:
        return str(error)
    return ""


def need_v4l2():
    need(not refusal(), f"this glintd takes no V4L2 source: {refusal()}")


def camera_table(name, node, pixel_format, transport, rate=25):
    controls = "\n".join(f"{control} = {value}" for control, value in (STILL | EXPOSURE_STAMPS).items())
    return f"""
[camera.{name}]
source = "v4l2:{node}"
format = "{pixel_format}"
width = 640
height = 480
rate = {rate}
transport = "{transport}"
[camera.{name}.controls]
{controls}
"""


def heaps():
    """What this kernel has: dma heaps on a PC; elsewhere what stands in for them."""
    if HEAPS.exists():
        return ["linux,cma", "reserved", "system", f"v4l2:{HEAP}"]
    return ["udmabuf", f"v4l2:{HEAP}"]


def memory_table():
    return f"[memory]\nheaps = {json.dumps(heaps())}\n"


def control(node, **values):
    board.run("v4l2-ctl", "-d", node, "-c", ",".join(f"{name}={value}" for name, value in values.items()))


def load_driver():
    allocators = [int(camera.memory == "contiguous") for camera in CAMERAS] + [1]
    board.run("modprobe", "vivid", f"n_devs={len(allocators)}", "node_types=" + ",".join(["0x1"] * len(allocators)),
              "allocators=" + ",".join(map(str, allocators)))
    board.run("udevadm", "settle")
    need(os.path.exists(HEAP), f"no {HEAP}; there are {sorted(str(n) for n in Path('/dev').glob('video*'))}")


def count_plainly():
    """The histograms by a program that has nothing of glintd's; the cameras' frames are held against them."""
    for pinned in CAMERAS:
        if pinned.picture in plain_counts:
            continue
        control(pinned.node, **STILL)
        printed = board.run("/usr/lib/glintd-board/v4l2_histogram", pinned.node, pinned.format, "640", "480", "3")
        counts = [int(word) for word in printed.split()]
        need(sum(counts) == 640 * 480, f"{pinned.node}: {sum(counts)} samples in 640x480")
        need(sum(count > 0 for count in counts) > 100, f"{pinned.node}: the picture is no ramp: {counts}")
        plain_counts[pinned.picture] = counts
        # The service has to set them by itself.
        control(pinned.node, test_pattern=0, osd_text_mode=0)


def start_all():
    """All cameras at once, each pinned to its transport."""
    need_v4l2()
    board.configure(memory_table() + "".join(
        camera_table(pinned.camera, pinned.node, pinned.format, pinned.transport, rate=1) for pinned in CAMERAS))
    board.wait_gpu(*(pinned.camera for pinned in CAMERAS))


def serves_without_copying(pinned):
    need_v4l2()
    name = pinned.camera
    board.wait_streaming(name)
    seen = board.camera(name)
    need(seen["Transport"] == pinned.transport, f"Transport is {seen['Transport']}: {seen['TransportLadder']}")
    need(seen["ZeroCopy"] in ("proven", "unproven"), f"ZeroCopy is {seen['ZeroCopy']}")
    counts = board.histogram(name)
    plain = plain_counts[pinned.picture]
    wrong = [(bin, *pair) for bin, pair in enumerate(zip(counts, plain)) if pair[0] != pair[1]]
    need(not wrong, f"bins that differ (bin, glintd, plain program): {wrong}")
    copied = board.camera(name)["BytesCopied"]
    need(copied == 0, f"{copied} bytes were copied")
    need(seen["TimestampSource"] == "start-of-exposure", f"TimestampSource is {seen['TimestampSource']}")
    return f"ZeroCopy {seen['ZeroCopy']}"


def userptr_needs_contiguous_memory():
    """A transport that the driver cannot have is an error of that camera and not replaced by another."""
    need_v4l2()
    board.configure(camera_table("front", CONTIGUOUS, "GREY", "userptr"))
    board.wait_camera("front", "fails", lambda now: now["State"] == "failed", 60)
    log = board.run("journalctl", "-u", board.UNIT, "-o", "cat", "-n", "5")
    need("userptr" in log, f"the journal does not name the transport: {log}")
    return next(line for line in log.splitlines() if "userptr" in line)


# --- one camera that is maltreated -----------------------------------------------------------------


def start_front():
    need_v4l2()
    board.configure(memory_table() + camera_table("front", FRONT, "GREY", "userptr"))
    board.wait_gpu("front")
    board.wait_streaming("front")


def need_front():
    """What an earlier check has left broken must not break this one."""
    need_v4l2()
    if not is_streaming():
        start_front()


def is_streaming():
    try:
        return board.camera("front")["State"] == "streaming"
    except Failed:  # no such camera, or no service
        return False


def counters():
    seen = board.camera("front")
    return {name: seen[name] for name in ("FramesCaptured", "FramesLost", "FramesCorrupt")}


def need_healed():
    """The camera serves, by the same transport, what the plain program has counted."""
    board.wait_streaming("front")
    seen = board.camera("front")
    need(seen["Transport"] == "userptr", f"Transport has become {seen['Transport']}: {seen['TransportLadder']}")
    need(board.histogram("front") == plain_counts[CAMERAS[0].picture], "the histogram is another than before")
    need(seen["BytesCopied"] == 0, f"{seen['BytesCopied']} bytes were copied")


def start_again():
    path = board.camera_path("front")
    board.call(path, board.CAMERA, "Stop")
    board.call(path, board.CAMERA, "Start")


def controls_are_set():
    """Over the bus as by v4l2-ctl; a value that the driver does not take is refused."""
    need_front()
    path = board.camera_path("front")
    (controls,) = board.call(path, board.CAMERA, "Controls")
    known = {row[0]: row[2] for row in controls}
    for name, value in STILL.items():
        need(known.get(name) == value, f"{name} is {known.get(name)}, the configuration says {value}")
    board.call(path, board.CAMERA, "SetControl", "sx", "brightness", 100)
    try:
        shown = board.run("v4l2-ctl", "-d", FRONT, "-C", "brightness").strip()
        need(shown == "brightness: 100", f"v4l2-ctl says {shown}")
    finally:
        control(FRONT, brightness=128)
    try:
        board.call(path, board.CAMERA, "SetControl", "sx", "brightness", 256)
    except Failed as error:
        need("255" in str(error), f"what is allowed is not said: {error}")
    else:
        raise Failed("a brightness of 256 is taken")
    need_healed()


def error_flag_is_counted():
    need_front()
    before = counters()
    control(FRONT, inject_v4l2_buf_flag_error=1)
    board.wait_for("FramesCorrupt rises", lambda: counters()["FramesCorrupt"] > before["FramesCorrupt"])
    need_healed()
    after = counters()
    need(after["FramesCorrupt"] == before["FramesCorrupt"] + 1, f"one corrupt frame: {before}, then {after}")


def gaps_are_counted():
    need_front()
    before = counters()
    control(FRONT, percentage_of_dropped_buffers=50)
    try:
        board.wait_for("FramesLost rises by 10", lambda: counters()["FramesLost"] >= before["FramesLost"] + 10)
    finally:
        control(FRONT, percentage_of_dropped_buffers=0)
    need(not board.camera("front")["FramesLostEstimated"], "the count is called estimated though the driver numbers frames")
    need_healed()
    after = counters()
    lost, captured = (after[name] - before[name] for name in ("FramesLost", "FramesCaptured"))
    return f"{lost} lost, {captured} captured"


def queueing_fails_once():
    need_front()
    control(FRONT, inject_vidioc_qbuf_error=1)
    need_healed()


def start_fails_once(error, call):
    """Start may answer with the call that the driver has refused; the service tries again by itself."""
    need_front()
    control(FRONT, **{error: 1})
    try:
        start_again()
    except Failed as answer:
        need(call in str(answer), f"no {call} in the answer: {answer}")
    need_healed()


def streams_begun():
    log = board.run("journalctl", "-u", board.UNIT, "-o", "cat")
    return log.count("camera front is streaming")


def stream_ends_and_begins_anew(error):
    need_front()
    before = streams_begun()
    control(FRONT, **{error: 1})
    started = time.monotonic()
    board.wait_for("another stream", lambda: streams_begun() > before)
    need_healed()
    return f"served again after {time.monotonic() - started:.1f} s"


def unplugged_camera_comes_back():
    need_front()
    (DRIVER / "unbind").write_text("vivid.0")
    need(not os.path.exists(FRONT), f"{FRONT} is still there")
    board.wait_for("State is absent", lambda: board.camera("front")["State"] == "absent")
    need(not board.holders(FRONT + " (deleted)"), f"{board.holders(FRONT + ' (deleted)')} still hold {FRONT}")
    (DRIVER / "bind").write_text("vivid.0")
    started = time.monotonic()
    need_healed()
    return f"served again after {time.monotonic() - started:.1f} s"


def need_present_stamp():
    _, stamp, *_ = board.call(board.camera_path("front"), board.CAMERA, "GetHistogram", "s", "frame")
    age = (time.monotonic_ns() - stamp) / 1e9
    need(0 <= age < 5, f"the newest histogram is of {age:.1f} s ago")


def numbers_may_wrap():
    """The driver's 32-bit count starts 128 below its end: no loss of four milliards of frames. Its clock starts 16 s
    before its end: no time, neither before nor after."""
    need_front()
    control(FRONT, wrap_sequence_number=1, wrap_timestamp=1)
    try:
        start_again()
        need_healed()
        before = counters()
        seen = board.camera("front")["TimestampSource"]
        need(seen == "dequeue", f"TimestampSource is {seen}")
        need_present_stamp()
        board.wait_for("20 s of frames", lambda: counters()["FramesCaptured"] > before["FramesCaptured"] + 20 * 25, 90)
        need_present_stamp()
        lost = counters()["FramesLost"] - before["FramesLost"]
        need(lost < 500, f"{lost} lost frames in 500")
    finally:
        control(FRONT, wrap_sequence_number=0, wrap_timestamp=0)
    start_again()
    need_healed()
    seen = board.camera("front")["TimestampSource"]
    need(seen == "start-of-exposure", f"TimestampSource stays {seen}")
    return f"{lost} lost"


def killed_while_streaming():
    need_front()
    board.wait_gpu("front")
    need_healed()
    before = board.traces()
    board.kill_service(signal.SIGKILL)
    board.wait_gpu("front")
    need_healed()
    need(board.holders(FRONT) == {board.main_pid()}, f"{FRONT} is held by {board.holders(FRONT)}")
    board.need_same_traces(before)


def stopped_it_holds_nothing():
    board.run("systemctl", "stop", board.UNIT)
    held = {str(node): board.holders(str(node)) for node in Path("/dev").glob("video*")}
    need(not any(held.values()), f"held: {held}")
    board.run("modprobe", "-r", "vivid")  # refused as long as anything of it is in use


CHECKS = [
    ("camera.driver", load_driver, 60),
    ("camera.plain", count_plainly, 120),
    ("camera.all", start_all, 240),
    *((f"camera.{pinned.memory}.{pinned.transport}.{pinned.format}",
       functools.partial(serves_without_copying, pinned), 90) for pinned in CAMERAS),
    ("camera.contiguous.userptr", userptr_needs_contiguous_memory, 60),
    ("camera.front", start_front, 150),
    ("camera.controls", controls_are_set, 60),
    ("camera.error_flag", error_flag_is_counted, 90),
    ("camera.gaps", gaps_are_counted, 90),
    ("camera.queueing", queueing_fails_once, 90),
    ("camera.streamon", functools.partial(start_fails_once, "inject_vidioc_streamon_error", "STREAMON"), 90),
    ("camera.reqbufs", functools.partial(start_fails_once, "inject_vidioc_reqbufs_error", "REQBUFS"), 90),
    ("camera.fatal_error", functools.partial(stream_ends_and_begins_anew, "inject_fatal_streaming_error"), 90),
    ("camera.disconnect", functools.partial(stream_ends_and_begins_anew, "disconnect"), 90),
    ("camera.unplug", unplugged_camera_comes_back, 90),
    ("camera.wraps", numbers_may_wrap, 200),
    ("camera.killed", killed_while_streaming, 180),
    ("camera.stopped", stopped_it_holds_nothing, 60),
]
