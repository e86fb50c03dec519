# Drives a GPIO chip's pins from outside and looks at them: the host does it for QEMU's chips, sysfs for gpio-sim's.
import itertools
import os
import select
import termios
import time
from pathlib import Path

from board import Failed, need

CONSOLE = "/dev/console"
CONFIGFS = Path("/sys/kernel/config/gpio-sim/glint")


class EmulatedPins:
    """Asks the host on the console (tests/board/pins.py)."""

    def __init__(self):
        self.numbers = itertools.count(1)
        self.console = os.open(CONSOLE, os.O_RDWR | os.O_NOCTTY)
        settings = termios.tcgetattr(self.console)
        settings[3] &= ~termios.ECHO
        termios.tcsetattr(self.console, termios.TCSANOW, settings)

    def ask(self, *words):
        number = next(self.numbers)
        # A message of the kernel may break a line, so a request is made more than once.
        for _ in range(3):
            os.write(self.console, f"@host {number} {' '.join(map(str, words))}\n".encode())
            answer = self.answer_to(str(number), 10)
            if answer:
                need(answer[0] != "cannot:", " ".join(answer))
                return answer
        raise Failed(f"the host does not answer '{words}'")

    def answer_to(self, number, limit):
        end = time.monotonic() + limit
        while select.select([self.console], [], [], max(0, end - time.monotonic()))[0]:
            words = os.read(self.console, 4096).decode(errors="replace").split()
            if words[:2] == ["@guest", number]:
                return words[2:]
        return []

    def drive(self, offset, level):
        self.ask("drive", offset, level)

    def output(self, offset):
        direction, level, _ = self.ask("output", offset)
        need(direction == "out", f"pin {offset} is an input")
        return int(level)

    def changes(self, offset):
        """How often an output has changed since the machine was switched on."""
        return int(self.ask("output", offset)[2])


class SimulatedPins:
    """A chip of the kernel's gpio-sim, which is made here."""

    def __init__(self, label, names):
        bank = CONFIGFS / "bank"
        bank.mkdir(parents=True)
        (bank / "num_lines").write_text(str(len(names)))
        (bank / "label").write_text(label)
        for offset, name in enumerate(names):
            line = bank / f"line{offset}"
            line.mkdir()
            (line / "name").write_text(name)
        (CONFIGFS / "live").write_text("1")
        device, chip = ((folder / name).read_text().strip() for folder, name in
                        ((CONFIGFS, "dev_name"), (bank, "chip_name")))
        self.chip = Path("/sys/devices/platform") / device / chip

    def pull(self, offset):
        return self.chip / f"sim_gpio{offset}" / "pull"

    def drive(self, offset, level):
        self.pull(offset).write_text("pull-up" if level else "pull-down")

    def output(self, offset):
        return int((self.chip / f"sim_gpio{offset}" / "value").read_text())
