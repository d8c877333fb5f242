"""A simulated EtherCAT bus: the slaves behind a fake master library (docs/drives.md).

``python3 simulated_bus.py PROFILE RATE FOLDER`` listens at FOLDER/bus.sock, takes a command a line
from its standard input, and writes FOLDER/frames.npz and FOLDER/startup.json when the master has
gone. Commands: ``lose CYCLES``, ``absent JOINT CYCLES``, ``fail JOINT``, ``push LINK NEWTONS``.
"""

from __future__ import annotations

import json
import os
import select
import socket
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
from simulated_slaves import ERROR_CODE, STATES, STATUS_WORD, TARGET, TORQUE_OFFSET, Slaves

from dynid.profile import load_robot
from dynid.robot.robot import Robot

DOWNLOAD, LAYOUT, CYCLE = 1, 2, 3
ANSWER = struct.Struct("<I")
LOST = b"\0"
LONGEST = 600.0  # [s] to end
PUSH = 0.2  # [s]


class SimulatedBus:
    """The bus in a process of its own.

    Attributes:
        environment: variables for the master.
    """

    def __init__(self, profile: Path, rate: float, folder: Path) -> None:
        folder.mkdir(parents=True)
        self._folder = folder
        command = [sys.executable, __file__, str(profile), str(rate), str(folder)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "listening\n"
        self.environment = {"FAKE_EC_HOMEDIR": str(folder)}

    def order(self, *words: object) -> None:
        """Give a command."""
        assert self._process.stdin is not None
        self._process.stdin.write(" ".join(map(str, words)) + "\n")
        self._process.stdin.flush()

    def finish(self) -> tuple[dict[str, np.ndarray], dict[str, dict[str, str]]]:
        """Return what every cycle carried, and what was written into each slave at start-up."""
        assert self._process.wait(LONGEST) == 0
        with np.load(self._folder / "frames.npz") as file:
            frames = dict(file)
        return frames, json.loads((self._folder / "startup.json").read_text())


class Line:
    """What happens on the line between the master and the slaves."""

    def __init__(self, robot: Robot, rate: float) -> None:
        self._joints = list(robot.joints)
        self.slaves = Slaves(robot, rate)
        self._sizes: list[tuple[int, int]] = []  # slave and bytes of each PDO to the slaves
        self._losing = 0
        self.frames: list[tuple[int, list[list[int]]]] = []

    def obey(self, words: list[str]) -> None:
        """Carry out a command."""
        match words:
            case ["lose", cycles]:
                self._losing = int(cycles)
            case ["absent", joint, cycles]:
                self.slaves.slaves[self._joints.index(joint)].absent = int(cycles)
            case ["fail", joint]:
                self.slaves.plant.fail_drive(self._joints.index(joint))
            case ["push", link, newtons]:
                force, none = np.full(3, float(newtons)), np.zeros(3)
                self.slaves.plant.push(link, force, none, none, 0.01, PUSH)
            case _:
                raise ValueError(f"no such command: {' '.join(words)}")

    def answer(self, message: bytes) -> bytes:
        """Return the answer to a message of the master."""
        kind, body = message[0], message[1:]
        if kind == DOWNLOAD:
            position, index, sub = struct.unpack_from("<HHB", body)
            return ANSWER.pack(self.slaves.slaves[position].download(index, sub, body[5:]))
        if kind == LAYOUT:
            rows = list(struct.iter_unpack("<IHBH", body))
            self._sizes = [(slave & 0xFFFF, size) for slave, _, output, size in rows if output]
            return ANSWER.pack(0)
        assert kind == CYCLE
        return self._cycle(body)

    def _cycle(self, body: bytes) -> bytes:
        (now,) = struct.unpack_from("<Q", body)
        images, at = [b""] * len(self._joints), 8
        for slave, size in self._sizes:
            images[slave] += body[at : at + size]
            at += size
        slaves = self.slaves.slaves
        sent = [slave.decode(image) for slave, image in zip(slaves, images, strict=True)]
        if self._losing:
            self._losing -= 1
            self.slaves.lose()
            self._note(now, sent, [0] * len(slaves))
            return LOST
        found = self.slaves.exchange(sent)
        self._note(now, sent, [there for there, _, _ in found])
        heads = b"".join(bytes((there, state)) for there, state, _ in found)
        return heads + b"".join(data for _, _, data in found)

    def _note(self, now: int, sent: list[dict[int, int]], answered: list[int]) -> None:
        row = [
            [there, values[TARGET], values[TORQUE_OFFSET], STATES[one.state], one.error]
            for one, values, there in zip(self.slaves.slaves, sent, answered, strict=True)
        ]
        self.frames.append((now, row))

    def save(self, folder: Path) -> None:
        """Write what was carried."""
        rows = np.array([row for _, row in self.frames])
        names = ("answered", f"{TARGET:04x}", f"{TORQUE_OFFSET:04x}", f"{STATUS_WORD:04x}")
        arrays = dict(zip((*names, f"{ERROR_CODE:04x}"), np.moveaxis(rows, 2, 0), strict=True))
        np.savez(folder / "frames.npz", time=np.array([time for time, _ in self.frames]), **arrays)
        startup = {
            str(position): {f"{i:04x}:{sub}": data.hex() for (i, sub), data in one.startup.items()}
            for position, one in enumerate(self.slaves.slaves)
        }
        (folder / "startup.json").write_text(json.dumps(startup))


def main() -> None:
    profile, rate, folder = sys.argv[1:]
    line = Line(load_robot(profile), float(rate))
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(str(Path(folder, "bus.sock")))
        listener.listen(1)
        print("listening", flush=True)  # noqa: T201  for the test
        master, _ = listener.accept()
    commands = b""
    with master:
        while True:
            ready, _, _ = select.select([master, 0], [], [])
            if 0 in ready:
                read = os.read(0, 4096)
                if not read:
                    break  # the test has gone
                *complete, commands = (commands + read).split(b"\n")
                for words in complete:
                    line.obey(words.decode().split())
            if master in ready:
                try:
                    message = master.recv(4096)
                    if not message:
                        break
                    master.send(line.answer(message))
                except ConnectionError:  # it has ended without reading the last answer
                    break
    line.save(Path(folder))


if __name__ == "__main__":
    main()
