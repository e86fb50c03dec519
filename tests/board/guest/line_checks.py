# GPIO lines of the installed service: edges from outside, the measurements that they ask for, alarms that drive pins.
import contextlib
import fcntl
import functools
import json
import os
import signal
import struct
import subprocess
import time
from pathlib import Path

import board
from board import Failed, need
from pins import EmulatedPins, SimulatedPins

LINE = "org.glintd1.Line"
ALARM = "org.glintd1.Alarm"
MACHINE = board.argument("machine")
SIMULATED = MACHINE == "pc"
# The same chips as in tests/board/pins.py; nothing else on those boards uses these lines.
CHIP = {"virt": "9030000.pl061", "imx8mp": "30220000.gpio", "imx6q": "20a4000.gpio", "pc": "glint-board"}[MACHINE]
BARRIER, LAMP, LOCK, TAKEN = 4, 5, 6, 7
NAMES = ("A", "B", "C", "D", "BARRIER", "LAMP", "LOCK", "TAKEN")  # gpio-sim's; the other chips name no lines
HOLDER = "somebody"
SIGNALS = Path("/run/board-signals")
MEAN = 126  # of a gradient of 64 columns, the same in each frame


@functools.cache
def pins():
    if not SIMULATED:
        return EmulatedPins()
    board.run("modprobe", "configfs")
    board.run("modprobe", "gpio-sim")
    made = SimulatedPins(CHIP, NAMES)
    board.run("udevadm", "settle")
    return made


def line_table(name, offset, text):
    line = NAMES[offset] if SIMULATED else str(offset)
    return f'[line.{name}]\nchip = "{CHIP}"\nline = "{line}"\n{text}\n'


def configuration():
    pattern = 'source = "test:gradient"\nwidth = 64\nheight = 48\nformat = "GREY"\nrate = 10\n'
    # The change from the CPU to the GPU would begin the streams anew, and with it lose edges.
    return ('[gpu]\nkernels = "cpu"\n'
            f'[camera.asked]\n{pattern}measure = "triggered"\n[camera.watched]\n{pattern}'
            + line_table("barrier", BARRIER, 'role = "trigger"\ncamera = "asked"\nedge = "both"')
            + line_table("lamp", LAMP, 'role = "alarm"')
            + line_table("lock", LOCK, 'role = "alarm"\nactive_low = true')
            + '[alarm.bright]\ncamera = "watched"\nstatistic = "mean"\nabove = 250\nlines = ["lamp"]\n'
            '[alarm.dark]\ncamera = "watched"\nstatistic = "mean"\nbelow = 5\nlatch = true\nlines = ["lock"]\n')


def line_path(name):
    return f"{board.ROOT}/line/{name}"


def line(name):
    return board.properties(line_path(name), LINE)


def set_threshold(alarm, value):
    board.run("busctl", "set-property", board.NAME, f"{board.ROOT}/alarm/{alarm}", ALARM, "Threshold", "d", str(value))


def wait_alarm(name, state):
    board.wait_for(f"alarm {name} is {state}",
                   lambda: board.properties(f"{board.ROOT}/alarm/{name}", ALARM)["State"] == state)


def need_level(what, offset, level):
    seen = pins().output(offset)
    need(seen == level, f"{what}: the pin's level is {seen} and not {level}")


def start_lines(more=""):
    """A service with the barrier at rest and no alarm raised."""
    pins().drive(BARRIER, 0)
    board.configure(configuration() + more)
    board.wait_for("the service serves", board.is_serving)
    board.wait_streaming("watched")
    board.wait_camera("asked", "streams", lambda now: now["State"] == "streaming", 60)
    for name in ("barrier", "lamp", "lock"):
        problem = line(name)["Problem"]
        need(not problem, f"line {name}: {problem}")
    wait_alarm("bright", "idle")
    wait_alarm("dark", "idle")


class Signals:
    """The signals of the service from when the block begins, each as (path, member, arguments)."""

    def __enter__(self):
        with SIGNALS.open("w") as file:
            self.monitor = subprocess.Popen(
                ["busctl", "--json=short", "monitor", f"--match=type='signal',sender='{board.NAME}'"],
                stdout=file, stderr=subprocess.PIPE, text=True)
        said = self.monitor.stderr.readline()
        need("Monitoring" in said, f"busctl does not monitor: {said}")
        return self

    def __exit__(self, *_):
        self.monitor.terminate()
        self.monitor.wait()

    def all(self, path, member):
        *complete, _ = SIGNALS.read_text().split("\n")  # the last line may still be under way
        seen = map(json.loads, complete)
        return [one["payload"]["data"] for one in seen if (one["path"], one["member"]) == (path, member)]

    def edges(self):
        return {sequence: (stamp, rising) for stamp, rising, sequence in self.all(line_path("barrier"), "Edge")}

    def answers(self):
        """Of measurements that an edge has asked for: edge's number, frame's time."""
        measured = self.all(board.camera_path("asked"), "Measured")
        return [(edge, stamp) for _, stamp, _, _, name, edge, *_ in measured if name == "barrier"]


def outputs_begin_inactive():
    """The pins' levels before the service has them are 0; the one that is active low must become 1."""
    before = [] if SIMULATED else [pins().changes(offset) for offset in (LAMP, LOCK)]
    start_lines()
    need_level("an idle alarm", LAMP, 0)
    need_level("an idle alarm, active low", LOCK, 1)
    if SIMULATED:
        return "taken"
    changes = [pins().changes(offset) - count for offset, count in zip((LAMP, LOCK), before)]
    need(changes == [0, 1], f"the pins have changed {changes} times; 0 and 1 would do")
    return "no change of level beside the wanted one"


def edges_are_told():
    start_lines()
    count, slowest = 20, 0
    with Signals() as signals:
        for number in range(1, count + 1):
            rising = number % 2 == 1
            before = time.monotonic_ns()
            pins().drive(BARRIER, int(rising))
            stamp, said = board.wait_for(f"the signal Edge {number}", lambda: signals.edges().get(number), 20)
            after = time.monotonic_ns()
            need(said == rising, f"edge {number}: rising is {said}")
            need(before <= stamp <= after, f"edge {number} at {stamp}, which is not from {before} to {after}")
            slowest = max(slowest, after - before)
            if number <= 2:
                need(line("barrier")["Active"] == rising, f"after edge {number} Active is not {rising}")
    seen = line("barrier")
    need((seen["Edges"], seen["EdgesMissed"]) == (count, 0), f"{count} edges: {seen}")
    return f"{count} edges, told within {slowest / 1e6:.0f} ms, EdgesMissedExact {seen['EdgesMissedExact']}"


def edges_ask_for_measurements():
    """First one by one, each of which must be answered; then faster than frames come."""
    start_lines()
    single, fast = 6, 20
    with Signals() as signals:
        for number in range(1, single + 1):
            pins().drive(BARRIER, number % 2)
            board.wait_for(f"the answer to edge {number}", lambda: number in dict(signals.answers()), 20)
        answered, missed = trigger_counters()
        need((answered, missed) == (single, 0), f"of {single} edges {answered} were answered and {missed} missed")
        for number in range(single + 1, single + fast + 1):
            pins().drive(BARRIER, number % 2)
        board.wait_for("every edge is answered or missed", lambda: sum(trigger_counters()) >= single + fast)
        answered, missed = trigger_counters()
        board.wait_for("every answer is signalled", lambda: len(signals.answers()) >= answered)
        answers, edges = signals.answers(), signals.edges()
    need(answered + missed == line("barrier")["Edges"] == single + fast,
         f"{single + fast} edges: {answered} answered, {missed} missed, {line('barrier')}")
    numbers = [number for number, _ in answers]
    need(len(numbers) == answered and numbers == sorted(set(numbers)), f"{answered} were answered, signalled: {numbers}")
    early = [number for number, stamp in answers if number in edges and stamp < edges[number][0]]
    need(not early, f"frames that began before their edge: {early}")
    processed = board.camera("asked")["FramesProcessed"]
    need(processed == answered, f"{processed} frames were measured for {answered} edges")
    return f"{single} one by one; of {fast} more {answered - single} were answered and {missed} missed"


def trigger_counters():
    seen = board.camera("asked")
    return seen["TriggersAnswered"], seen["TriggersMissed"]


def interrupt_thread():
    """The kernel's for the barrier, the only input."""
    return int(board.run("pgrep", "-x", "irq/[0-9]+-glintd"))


def burst_is_whole():
    """A thousand edges a second for ten seconds. One that comes late is followed by the next ones the faster."""
    start_lines()
    # On one processor the thread that takes an interrupt comes before the next edge; on two it may come after it, and
    # the chip would make one of both, as any does.
    for thread in (os.getpid(), interrupt_thread()):
        os.sched_setaffinity(thread, {0})
    count, latest = 10_000, 0
    pull = os.open(pins().pull(BARRIER), os.O_WRONLY)
    try:
        started = time.monotonic_ns()
        for number in range(count):
            late = time.monotonic_ns() - (started + number * 1_000_000)
            latest = max(latest, late)
            if late < 0:
                time.sleep(-late / 1e9)
            os.pwrite(pull, b"pull-down" if number % 2 else b"pull-up", 0)
        took = (time.monotonic_ns() - started) / 1e9
    finally:
        os.close(pull)
        os.sched_setaffinity(0, range(os.cpu_count()))
    with contextlib.suppress(Failed):
        board.wait_for("the last edge", lambda: line("barrier")["Edges"] >= count, 10)
    seen = line("barrier")
    need((seen["Edges"], seen["EdgesMissed"], seen["EdgesMissedExact"]) == (count, 0, True), f"{count} edges: {seen}")
    board.wait_for("every edge is answered or missed", lambda: sum(trigger_counters()) == count)
    answered, missed = trigger_counters()
    return (f"{count / took:.0f} edges a second, at most {latest / 1e6:.1f} ms late; "
            f"{answered} answered, {missed} came before the same frame as another")


def alarms_drive_pins():
    start_lines()
    before = 0 if SIMULATED else pins().changes(LAMP)
    set_threshold("bright", MEAN - 10)
    wait_alarm("bright", "raised")
    need_level("a raised alarm", LAMP, 1)
    need(line("lamp")["Active"], "the line of a raised alarm is not Active")
    set_threshold("bright", MEAN + 10)
    wait_alarm("bright", "idle")
    need_level("an alarm that is over", LAMP, 0)
    if not SIMULATED:
        need((changes := pins().changes(LAMP) - before) == 2, f"on and off are {changes} changes of level")
    set_threshold("dark", MEAN + 10)
    wait_alarm("dark", "raised")
    need_level("a raised alarm, active low", LOCK, 0)
    set_threshold("dark", MEAN - 10)
    wait_alarm("dark", "latched")
    need_level("a latched alarm, active low", LOCK, 0)
    board.call(f"{board.ROOT}/alarm/dark", ALARM, "Acknowledge")
    wait_alarm("dark", "idle")
    need_level("an acknowledged alarm, active low", LOCK, 1)
    log = board.run("journalctl", "-u", board.UNIT, "-o", "cat", "GLINT_ALARM=dark")
    need("alarm dark is raised" in log, f"the journal does not tell of the alarm: {log}")


def raise_both():
    set_threshold("bright", MEAN - 10)
    set_threshold("dark", MEAN + 10)
    for alarm, offset, level in (("bright", LAMP, 1), ("dark", LOCK, 0)):
        wait_alarm(alarm, "raised")
        need_level(f"alarm {alarm}", offset, level)


def stopped_service_leaves_them_inactive():
    start_lines()
    raise_both()
    board.run("glintctl", "line", "lamp", "active")  # what was set by hand ends as well
    board.run("systemctl", "stop", board.UNIT)
    seen = [pins().output(offset) for offset in (LAMP, LOCK)]
    # gpio-sim gives a pin that nobody drives the level of its pull, which is down.
    need(seen == ([0, 0] if SIMULATED else [0, 1]), f"after the stop the pins are {seen}")
    return "gpio-sim: pulled down" if SIMULATED else "driven inactive"


def killed_service_leaves_them_as_they_are():
    with board.drop_in("Restart=no"):
        start_lines()
        raise_both()
        os.kill(board.main_pid(), signal.SIGKILL)
        board.wait_for("the service has ended", lambda: board.unit("ActiveState") == "failed")
        seen = [pins().output(offset) for offset in (LAMP, LOCK)]
        need(seen == ([0, 0] if SIMULATED else [1, 0]), f"after the kill the pins are {seen}")
        board.run("systemctl", "reset-failed", board.UNIT)
        board.run("systemctl", "start", board.UNIT)
        board.wait_for("the service serves", board.is_serving)
        need_level("after the new start", LAMP, 0)
        need_level("after the new start, active low", LOCK, 1)
    return "gpio-sim: pulled down" if SIMULATED else "driven as before"


def chip_node():
    for node in sorted(Path("/dev").glob("gpiochip*")):
        with open(node, "rb") as chip:
            info = fcntl.ioctl(chip, 0x8044B401, bytes(68))  # GPIO_GET_CHIPINFO_IOCTL: name, label, lines
        if info[32:64].rstrip(b"\0").decode() == CHIP:
            return node
    raise Failed(f"no chip has the label {CHIP}")


@contextlib.contextmanager
def held(offset):
    """The line as an input of somebody else."""
    request = bytearray(struct.pack("=I252xI64s32sIi", offset, 1, b"", HOLDER.encode(), 1, 0))
    with open(chip_node(), "rb") as chip:
        fcntl.ioctl(chip, 0xC16CB403, request)  # GPIO_GET_LINEHANDLE_IOCTL
    handle = struct.unpack_from("=i", request, len(request) - 4)[0]
    try:
        yield
    finally:
        os.close(handle)


def lines_that_cannot_be_had_are_named():
    more = (line_table("taken", TAKEN, 'role = "alarm"')
            + f'[line.nowhere]\nchip = "{CHIP}"\nline = "NOWHERE"\nrole = "trigger"\ncamera = "asked"\n')
    pins()
    with held(TAKEN):
        start_lines(more)
        problems = {name: line(name)["Problem"] for name in ("taken", "nowhere")}
        need(f'held by "{HOLDER}"' in problems["taken"], f"the holder is not named: {problems}")
        need('"NOWHERE"' in problems["nowhere"], f"the line is not named: {problems}")
        log = board.run("journalctl", "-u", board.UNIT, "-o", "cat", "-n", "50")
        for name, problem in problems.items():
            need(f"line {name}: {problem}" in log, f"not in the journal: line {name}: {problem}")
        raise_both()
    board.wait_for("the line is taken when it is free", lambda: not line("taken")["Problem"], 90)
    board.run("glintctl", "line", "taken", "active")
    need_level("a line that was set by hand", TAKEN, 1)
    return problems["taken"]


CHECKS = [
    ("line.starts", outputs_begin_inactive, 120),
    ("line.edges", edges_are_told, 120),
    ("line.triggers", edges_ask_for_measurements, 180),
    # On the other machines an edge takes the host longer, and libgpiod 1.6 has the kernel keep 16 edges.
    *([("line.burst", burst_is_whole, 180)] if SIMULATED else []),
    ("line.alarms", alarms_drive_pins, 120),
    ("line.stopped", stopped_service_leaves_them_inactive, 120),
    ("line.killed", killed_service_leaves_them_as_they_are, 180),
    ("line.refused", lines_that_cannot_be_had_are_named, 240),
]
