"""CiA402 drives on a simulated bus: a slave's mailbox, process data and state machine.

The drives of a robot share one plant, so that gravity, friction and the other joints act on each.
Raw values are those of a drive with the data sheet of the robot's profile, converted here by hand
and not by dynid's factors, which are under test.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from dynid.configuration import per_joint
from dynid.simulation.build import build_plant
from dynid.simulation.derived import simulation_settings

if TYPE_CHECKING:
    from dynid.arrays import Array
    from dynid.robot.robot import Robot

CONTROL_WORD, MODE, TARGET, TORQUE_OFFSET = 0x6040, 0x6060, 0x607A, 0x60B2
ERROR_CODE, STATUS_WORD, MODE_DISPLAY, POSITION = 0x603F, 0x6041, 0x6061, 0x6064
VELOCITY, TORQUE, CURRENT = 0x606C, 0x6077, 0x6078
FORMATS = {
    **dict.fromkeys((CONTROL_WORD, ERROR_CODE, STATUS_WORD), "H"),
    **dict.fromkeys((MODE, MODE_DISPLAY), "b"),
    **dict.fromkeys((TORQUE_OFFSET, TORQUE, CURRENT), "h"),
    **dict.fromkeys((TARGET, POSITION, VELOCITY), "i"),
}
WRITABLE = {0x60C2, MODE, 0x1600, 0x1A00, 0x1C12, 0x1C13}
NO_SUCH_OBJECT, NOT_MAPPABLE = 0x06020000, 0x06040041
PRE_OPERATIONAL, OPERATIONAL = 2, 8
STATES = {
    "not ready": 0x0000,
    "switch on disabled": 0x0250,
    "ready": 0x0231,
    "switched on": 0x0233,
    "enabled": 0x0237,
    "fault reaction": 0x021F,
    "fault": 0x0218,
}
SYNCHRONOUS_POSITION = 8
WATCHDOG = 0.1  # [s] without a frame, as a sync manager's
CONNECTION_LOST, FOLLOWING_ERROR, GENERIC_ERROR = 0x7500, 0x8611, 0xFF00
AT_REST = 0.01  # [rad/s]


@dataclass
class Slave:
    """One drive: what the master wrote into it, and its state."""

    counts: float  # of 0x6064 per rad of the joint
    permille: float  # torque of the joint [N m] per permille of rated torque
    current: float  # and per permille of rated current
    appears: float  # on the bus [s]
    startup: dict[tuple[int, int], bytes] = field(default_factory=dict)
    written: dict[int, int] = field(default_factory=dict)
    state: str = "not ready"
    error: int = 0
    unheard: int = 0  # cycles since the last frame; a machine that stalls loses none
    absent: int = 0  # cycles in which it does not answer
    word: int = 0  # the last control word

    def download(self, index: int, sub: int, data: bytes) -> int:
        """Write an object, and return the abort code; 0 if it is accepted."""
        if index not in WRITABLE:
            return NO_SUCH_OBJECT
        if index in (0x1600, 0x1A00) and sub > 0:
            (entry,) = struct.unpack("<I", data)
            kind = FORMATS.get(entry >> 16)
            if kind is None or entry & 0xFF != 8 * struct.calcsize(kind):
                return NOT_MAPPABLE
        self.startup[index, sub] = data
        return 0

    def mapped(self, pdo: int) -> list[int]:
        """Return the objects of a PDO."""
        count = self.startup.get((pdo, 0), b"\0")[0]
        return [struct.unpack("<I", self.startup[pdo, sub])[0] >> 16 for sub in range(1, count + 1)]

    def layout(self, pdo: int) -> str:
        """Return the format of a PDO, in the words of ``struct``."""
        return "<" + "".join(FORMATS[index] for index in self.mapped(pdo))

    def decode(self, image: bytes) -> dict[int, int]:
        """Return the master's data by object."""
        values = struct.unpack(self.layout(0x1600), image)
        return dict(zip(self.mapped(0x1600), values, strict=True))

    def image(self, position: float, velocity: float, torque: float) -> bytes:
        """Return the data for the master."""
        values = {
            STATUS_WORD: STATES[self.state],
            ERROR_CODE: self.error,
            MODE_DISPLAY: self.written.get(MODE, 0),
            POSITION: round(position * self.counts),
            VELOCITY: round(velocity * self.counts),
            TORQUE: round(torque / self.permille),
            CURRENT: round(torque / self.current),
        }
        mapped = self.mapped(0x1A00)
        return struct.pack(self.layout(0x1A00), *(values[index] for index in mapped))

    def follow(self, *, failed: bool, moves: bool, cause: int) -> bool:
        """Run the state machine for a cycle, and return whether a fault is reset."""
        word = self.written.get(CONTROL_WORD, 0)
        rises = bool(word & 0x80 and not self.word & 0x80)
        self.word = word
        if failed:
            if self.state == "fault" and rises:
                self.state, self.error = "switch on disabled", 0
                return True
            self.error = self.error or cause
            self.state = "fault reaction" if moves else "fault"
        elif self.state in ("not ready", "fault reaction", "fault") or word & 0x82 == 0:
            self.state = "switch on disabled"
        elif self.state == "switch on disabled" and word & 0x87 == 0x06:
            self.state = "ready"
        elif self.state == "ready" and word & 0x87 == 0x07:
            self.state = "switched on"
        elif self.state == "switched on" and word & 0x8F == 0x0F:
            self.state = "enabled"
        return False


class Slaves:
    """The drives of a robot.

    Args:
        robot: with a data sheet, and simulation settings.
        rate: cycles per second [Hz].
    """

    def __init__(self, robot: Robot, rate: float) -> None:
        n = len(robot.joints)
        simulation = simulation_settings(robot)
        self._rate = rate
        self.plant = build_plant(robot, control_rate=rate, seed=0)
        self.plant.reset(per_joint(simulation.home, n, "home"))
        appears = per_joint(simulation.operational_after, n, "operational_after")
        self.slaves = [Slave(*row, one) for row, one in zip(_sheet(robot), appears, strict=True)]
        self._target = self.plant.position
        self._offset = np.zeros(n)
        self.time = 0.0  # since activation, in cycles of the bus [s]

    def answers(self, slave: Slave) -> bool:
        """Return whether a slave takes part in this cycle."""
        return self.time >= slave.appears and slave.absent == 0

    def exchange(self, sent: list[dict[int, int]]) -> list[tuple[int, int, bytes]]:
        """Run one cycle, and return whether each slave answered, its AL state, and its data."""
        for slave, written in zip(self.slaves, sent, strict=True):
            if self.answers(slave):
                slave.unheard = 0
                slave.written = written
            else:
                slave.unheard += 1
        self._step()
        position, velocity, torque = self.plant.position, self.plant.velocity, self.plant.torque
        found = []
        for j, slave in enumerate(self.slaves):
            there = self.answers(slave)
            data = slave.image(position[j], velocity[j], torque[j])
            found.append((int(there), OPERATIONAL if there else PRE_OPERATIONAL, data))
            slave.absent = max(slave.absent - 1, 0)
        return found

    def lose(self) -> None:
        """Run a cycle whose frame is lost."""
        for slave in self.slaves:
            slave.unheard += 1
        self.plant.lose_frames(1)
        self._step()

    def _step(self) -> None:
        """Run drives and bodies for a cycle.

        Each frame is a cycle of the drives, however late it is, as the control law expects.
        """
        self.time += 1.0 / self._rate
        velocity = self.plant.velocity
        for j, slave in enumerate(self.slaves):
            if slave.unheard > WATCHDOG * self._rate and slave.state == "enabled":
                self.plant.fail_drive(j)
                slave.error = CONNECTION_LOST
            if self.time < slave.appears:
                continue
            follows = self.plant.fault.drive == j and self.plant.fault.reason.name != "injected"
            reset = slave.follow(
                failed=self.plant.failed(j),
                moves=abs(velocity[j]) > AT_REST,
                cause=FOLLOWING_ERROR if follows else GENERIC_ERROR,
            )
            if reset:
                self.plant.clear_drive(j)
            self._command(j, slave)
        self.plant.step(self._target, self._offset)

    def _command(self, j: int, slave: Slave) -> None:
        if slave.state != "enabled":
            self._target[j] = self.plant.position[j]
            self._offset[j] = 0.0
        elif slave.written.get(MODE) == SYNCHRONOUS_POSITION:
            self._target[j] = slave.written[TARGET] / slave.counts
            self._offset[j] = slave.written[TORQUE_OFFSET] * slave.permille


def _sheet(robot: Robot) -> Array:
    """Return counts per rad, and torque per permille of rated torque and current, of each drive."""
    drives, n = robot.drives, len(robot.joints)

    def values(name: str) -> Array:
        return per_joint(getattr(drives, name), n, name)

    gear = values("gear_ratio")
    counts = values("encoder_counts") * gear / (2 * math.pi)
    permille = values("rated_torque") * gear / 1000
    current = values("rated_current_ma") / 1000 * values("torque_constant") * gear / 1000
    return np.column_stack([counts, permille, current])
