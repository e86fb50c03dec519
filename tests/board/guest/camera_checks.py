# Cameras of the kernel's vivid driver: every transport and format, injected errors, cables pulled.
import contextlib
import functools
import os
import signal
import time
from pathlib import Path

import board
from board import Failed, Skipped, need

FORMATS = ("GREY", "YUYV", "NV12", "Y16")
# The first four take buffers from anywhere, the next four only contiguous ones, as capture hardware without an IOMMU
# does. The last lends its memory as a heap.
SCATTERED = {f"/dev/video{i}": name for i, name in enumerate(FORMATS)}
CONTIGUOUS = {f"/dev/video{i + 4}": name for i, name in enumerate(FORMATS)}
HEAP = "/dev/video8"
NODES = len(SCATTERED) + len(CONTIGUOUS) + 1
ALLOCATORS = [0] * len(SCATTERED) + [1] * (len(CONTIGUOUS) + 1)
FRONT = "/dev/video0"
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
    if refusal():
        raise Skipped(f"this glintd takes no V4L2 source: {refusal()}")


def camera_table(name, node, pixel_format, transport, rate=5):
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


def memory_table():
    return f'[memory]\nheaps = ["linux,cma", "system", "udmabuf", "v4l2:{HEAP}"]\n'


def control(node, **values):
    board.run("v4l2-ctl", "-d", node, "-c", ",".join(f"{name}={value}" for name, value in values.items()))


def load_driver():
    board.run("modprobe", "vivid", f"n_devs={NODES}", "node_types=" + ",".join(["0x1"] * NODES),
              "allocators=" + ",".join(map(str, ALLOCATORS)))
    board.run("udevadm", "settle")
    need(os.path.exists(HEAP), f"no {HEAP}; there are {sorted(str(n) for n in Path('/dev').glob('video*'))}")


def count_plainly(node, pixel_format):
    """The histogram by a program that has nothing of glintd's; the cameras' frames are held against it."""
    control(node, **STILL)
    printed = board.run("/usr/lib/glintd-board/v4l2_histogram", node, pixel_format, "640", "480", "3")
    counts = [int(word) for word in printed.split()]
    need(sum(counts) == 640 * 480, f"{sum(counts)} samples in 640x480")
    need(sum(count > 0 for count in counts) > 100, f"the picture is no ramp: {counts}")
    plain_counts[node] = counts
    # The service has to set them by itself.
    control(node, test_pattern=0, osd_text_mode=0)


def name_of(node):
    return f"camera{node.removeprefix('/dev/video')}"


def start_cameras(transports):
    """All cameras at once, each pinned to the transport that `transports` gives its node."""
    need_v4l2()
    formats = SCATTERED | CONTIGUOUS
    board.configure(memory_table() + "".join(
        camera_table(name_of(node), node, formats[node], transport) for node, transport in transports.items()))
    board.wait_gpu(*map(name_of, transports))


def serves_without_copying(node, transport):
    need_v4l2()
    name = name_of(node)
    board.wait_streaming(name)
    seen = board.camera(name)
    need(seen["Transport"] == transport, f"Transport is {seen['Transport']}: {seen['TransportLadder']}")
    need(seen["ZeroCopy"] in ("proven", "unproven"), f"ZeroCopy is {seen['ZeroCopy']}")
    counts = board.histogram(name)
    wrong = [(bin, counts[bin], plain) for bin, plain in enumerate(plain_counts[node]) if counts[bin] != plain]
    need(not wrong, f"bins that differ (bin, glintd, plain program): {wrong}")
    copied = board.camera(name)["BytesCopied"]
    need(copied == 0, f"{copied} bytes were copied")
    need(seen["TimestampSource"] == "start-of-exposure", f"TimestampSource is {seen['TimestampSource']}")
    return f"ZeroCopy {seen['ZeroCopy']}"


def userptr_needs_contiguous_memory():
    """A transport that the driver cannot have is an error of that camera and not replaced by another."""
    need_v4l2()
    node = next(iter(CONTIGUOUS))
    board.configure(camera_table("front", node, "GREY", "userptr"))
    state = board.wait_for("the camera fails", lambda: failed_state("front"))
    need(state["TransportLadder"], "TransportLadder is empty")
    return str(state["TransportLadder"])


def failed_state(name):
    seen = board.camera(name)
    return seen if seen["State"] == "failed" else None


# --- one camera that is maltreated -----------------------------------------------------------------


def start_front():
    need_v4l2()
    board.configure(memory_table() + camera_table("front", FRONT, "GREY", "userptr", rate=25))
    board.wait_gpu("front")
    board.wait_streaming("front")


def counters():
    seen = board.camera("front")
    return {name: seen[name] for name in ("FramesCaptured", "FramesLost", "FramesCorrupt")}


def need_healed():
    """The camera serves, by the same transport, what the plain program has counted."""
    board.wait_streaming("front")
    seen = board.camera("front")
    need(seen["Transport"] == "userptr", f"Transport has become {seen['Transport']}: {seen['TransportLadder']}")
    need(board.histogram("front") == plain_counts[FRONT], "the histogram is another than before")
    need(seen["BytesCopied"] == 0, f"{seen['BytesCopied']} bytes were copied")


def start_again():
    path = board.camera_path("front")
    board.call(path, board.CAMERA, "Stop")
    with contextlib.suppress(Failed):  # the injected error may be its answer
        board.call(path, board.CAMERA, "Start")


def controls_are_set():
    """Over the bus as by v4l2-ctl; a value that the driver does not take is refused."""
    need_v4l2()
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
    need_v4l2()
    before = counters()
    control(FRONT, inject_v4l2_buf_flag_error=1)
    board.wait_for("FramesCorrupt rises", lambda: counters()["FramesCorrupt"] > before["FramesCorrupt"])
    need_healed()
    after = counters()
    need(after["FramesCorrupt"] == before["FramesCorrupt"] + 1, f"one corrupt frame: {before}, then {after}")


def gaps_are_counted():
    need_v4l2()
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


def failing_call(error):
    """One call of a running stream, or of its start, that fails once."""
    need_v4l2()
    control(FRONT, **{error: 1})
    if error != "inject_vidioc_qbuf_error":
        start_again()
    need_healed()


def fatal_error_is_survived():
    need_v4l2()
    control(FRONT, inject_fatal_streaming_error=1)
    time_until_served = time.monotonic()
    need_healed()
    return f"served again after {time.monotonic() - time_until_served:.1f} s"


def disconnected_camera_comes_back():
    need_v4l2()
    control(FRONT, disconnect=1)
    started = time.monotonic()
    need_healed()
    return f"served again after {time.monotonic() - started:.1f} s"


def unplugged_camera_comes_back():
    need_v4l2()
    (DRIVER / "unbind").write_text("vivid.0")
    need(not os.path.exists(FRONT), f"{FRONT} is still there")
    board.wait_for("State is absent", lambda: board.camera("front")["State"] == "absent")
    need(not board.holders(FRONT + " (deleted)"), f"{board.holders(FRONT + ' (deleted)')} still hold {FRONT}")
    (DRIVER / "bind").write_text("vivid.0")
    started = time.monotonic()
    need_healed()
    return f"served again after {time.monotonic() - started:.1f} s"


def sequence_may_wrap():
    """The driver's 32-bit count starts 128 below its end; that is not a loss of four milliards of frames."""
    need_v4l2()
    control(FRONT, wrap_sequence_number=1)
    try:
        start_again()
        need_healed()
        before = counters()
        board.wait_for("200 frames", lambda: counters()["FramesCaptured"] > before["FramesCaptured"] + 200)
    finally:
        control(FRONT, wrap_sequence_number=0)
    after = counters()
    lost = after["FramesLost"] - before["FramesLost"]
    need(lost < 200, f"{lost} lost frames in 200")
    need_healed()
    return f"{lost} lost"


def timestamps_may_wrap():
    need_v4l2()
    control(FRONT, wrap_timestamp=1)
    try:
        start_again()
        need_healed()
        before = counters()
        # vivid's clock starts 16 s before its end.
        board.wait_for("20 s of frames", lambda: counters()["FramesCaptured"] > before["FramesCaptured"] + 20 * 25, 90)
    finally:
        control(FRONT, wrap_timestamp=0)
    need_healed()
    start_again()
    need_healed()


def killed_while_streaming():
    need_v4l2()
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


def round_of(title, transports):
    yield (f"camera.{title}", functools.partial(start_cameras, transports), 150)
    for node, transport in transports.items():
        allocator = "contiguous" if node in CONTIGUOUS else "scattered"
        pixel_format = (SCATTERED | CONTIGUOUS)[node]
        yield (f"camera.{allocator}.{transport}.{pixel_format}",
               functools.partial(serves_without_copying, node, transport), 90)


CHECKS = [
    ("camera.driver", load_driver, 60),
    *((f"camera.plain.{node.removeprefix('/dev/')}", functools.partial(count_plainly, node, pixel_format), 60)
      for node, pixel_format in (SCATTERED | CONTIGUOUS).items()),
    *round_of("own_memory", dict.fromkeys(SCATTERED, "userptr") | dict.fromkeys(CONTIGUOUS, "dmabuf")),
    *round_of("drivers_memory", dict.fromkeys(SCATTERED | CONTIGUOUS, "mmap")),
    *round_of("heaps", dict.fromkeys(SCATTERED, "dmabuf")),
    ("camera.contiguous.userptr", userptr_needs_contiguous_memory, 60),
    ("camera.front", start_front, 150),
    ("camera.controls", controls_are_set, 60),
    ("camera.error_flag", error_flag_is_counted, 90),
    ("camera.gaps", gaps_are_counted, 90),
    *((f"camera.{error}", functools.partial(failing_call, error), 90)
      for error in ("inject_vidioc_qbuf_error", "inject_vidioc_streamon_error", "inject_vidioc_reqbufs_error")),
    ("camera.fatal_error", fatal_error_is_survived, 90),
    ("camera.disconnect", disconnected_camera_comes_back, 90),
    ("camera.unplug", unplugged_camera_comes_back, 90),
    ("camera.sequence", sequence_may_wrap, 150),
    ("camera.timestamps", timestamps_may_wrap, 200),
    ("camera.killed", killed_while_streaming, 180),
    ("camera.stopped", stopped_it_holds_nothing, 60),
]
