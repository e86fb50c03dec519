"""The pins of an emulated board's GPIO chip, seen from outside: QEMU's qtest channel drives inputs and reads registers.

A guest asks on its console with a line "@host NUMBER WORD...", and is answered there by "@guest NUMBER WORD...":

    drive OFFSET 0|1    ok, after the input has this level
    output OFFSET       out|in 0|1 CHANGES: direction, level, and how often the pin has changed since the start

Asking again does no harm, so that a guest may whose line was broken by a message of the kernel.
"""
import dataclasses
import json
import re
import socket
import threading

REQUEST = re.compile(r"@host (\d+) (\S.*)")


@dataclasses.dataclass(frozen=True)
class Chip:
    """Where it is in QEMU's tree (or its type there, when its path has no name of its own), and its registers."""

    device: str
    level: int
    direction: int


# The same chips as in guest/line_checks.py.
CHIPS = {
    "virt": Chip("pl061", 0x090303fc, 0x09030400),
    "imx8mp": Chip("/machine/soc/gpio3", 0x30220000, 0x30220004),
    "imx6q": Chip("/machine/soc/gpio3", 0x020a4000, 0x020a4004),
}


class Channel:
    """A connection that QEMU inherits as the character device NAME."""

    def __init__(self, name):
        here, self.inherited = socket.socketpair()
        self.options = ["-chardev", f"socket,id={name},fd={self.inherited.fileno()}"]
        self.file = here.makefile("rw")

    def write(self, line):
        self.file.write(line + "\n")
        self.file.flush()


class Pins:
    """Made before QEMU, which needs `options` and `inherited`."""

    def __init__(self, machine):
        self.chip = CHIPS[machine]
        self.qtest, self.qmp = Channel("qtest"), Channel("qmp")
        self.options = [*self.qtest.options, "-qtest", "chardev:qtest", "-qtest-log", "none",
                        *self.qmp.options, "-qmp", "chardev:qmp"]
        self.inherited = [channel.inherited.fileno() for channel in (self.qtest, self.qmp)]
        self.changes = {}
        self.answers = []
        self.answered = threading.Condition()

    def start(self):
        """After QEMU has been started."""
        for channel in (self.qtest, self.qmp):
            channel.inherited.close()
        threading.Thread(target=self.read_qtest, daemon=True).start()
        self.device = self.chip.device if self.chip.device.startswith("/") else self.find(self.chip.device)
        self.call(f"irq_intercept_out {self.device}")

    def find(self, device_type):
        json.loads(self.qmp.file.readline())  # its greeting
        self.execute("qmp_capabilities")
        parent = "/machine/unattached"
        children = self.execute("qom-list", path=parent)
        (name,) = [child["name"] for child in children if child["type"] == f"child<{device_type}>"]
        return f"{parent}/{name}"

    def execute(self, command, **arguments):
        self.qmp.write(json.dumps({"execute": command, "arguments": arguments}))
        while "return" not in (answer := json.loads(self.qmp.file.readline())):
            if "error" in answer:
                raise RuntimeError(f"QEMU refuses {command}: {answer['error']['desc']}")
        return answer["return"]

    def read_qtest(self):
        """Answers, and between them what pins do by themselves."""
        for line in self.qtest.file:
            words = line.split()
            with self.answered:
                if words[0] == "IRQ":
                    offset = int(words[2])
                    self.changes[offset] = self.changes.get(offset, 0) + 1
                else:
                    self.answers.append(words)
                    self.answered.notify()

    def call(self, line):
        """The words that QEMU answers behind OK."""
        self.qtest.write(line)
        with self.answered:
            if not self.answered.wait_for(lambda: self.answers, 20):
                raise RuntimeError(f"QEMU does not answer '{line}'")
            status, *words = self.answers.pop(0)
        if status != "OK":
            raise RuntimeError(f"QEMU answers '{line}' with {status} {' '.join(words)}")
        return words

    def bit(self, register, offset):
        (value,) = self.call(f"readl {register:#x}")
        return int(value, 16) >> offset & 1

    def drive(self, offset, level):
        self.call(f"set_irq_in {self.device} unnamed-gpio-in {offset} {level}")
        return "ok"

    def output(self, offset):
        direction = "out" if self.bit(self.chip.direction, offset) else "in"
        return f"{direction} {self.bit(self.chip.level, offset)} {self.changes.get(offset, 0)}"

    def answer(self, line):
        """What the guest is to be told; empty for a line that asks for nothing."""
        if not (found := REQUEST.search(line)):
            return ""
        number, request = found.groups()
        try:
            name, *arguments = request.split()
            said = {"drive": self.drive, "output": self.output}[name](*map(int, arguments))
        except (KeyError, TypeError, ValueError, RuntimeError) as error:
            said = f"cannot: {type(error).__name__} {error}"
        return f"@guest {number} {said}"
