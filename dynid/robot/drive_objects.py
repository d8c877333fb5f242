"""Objects of a CiA402 drive that slave files use, and which of them a robot's settings need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dynid.robot.drives import Drives


@dataclass(frozen=True)
class DriveObject:
    """An object: its type in ethercat_driver, and its name in CiA402-2."""

    index: int
    type: str
    name: str

    @property
    def bits(self) -> int:
        """Length of the value."""
        return int(self.type.removeprefix("u").removeprefix("int"))

    def __str__(self) -> str:
        return f"0x{self.index:04X} ({self.name})"


CONTROL_WORD = DriveObject(0x6040, "uint16", "control word")
STATUS_WORD = DriveObject(0x6041, "uint16", "status word")
ERROR_CODE = DriveObject(0x603F, "uint16", "error code")
MODE = DriveObject(0x6060, "int8", "mode of operation")
MODE_DISPLAY = DriveObject(0x6061, "int8", "mode of operation display")
POSITION = DriveObject(0x6064, "int32", "position actual value")
VELOCITY = DriveObject(0x606C, "int32", "velocity actual value")
TARGET_TORQUE = DriveObject(0x6071, "int16", "target torque")
TORQUE = DriveObject(0x6077, "int16", "torque actual value")
CURRENT = DriveObject(0x6078, "int16", "current actual value")
TARGET_POSITION = DriveObject(0x607A, "int32", "target position")
TORQUE_OFFSET = DriveObject(0x60B2, "int16", "torque offset")
FOLLOWING_ERROR = DriveObject(0x60F4, "int32", "following error actual value")
PERIOD = DriveObject(0x60C2, "uint8", "interpolation time period")

MODES = {"csp": 8, "cst": 10}
"""Modes of operation, 0x6060: cyclic synchronous position and torque."""

DRIVE_STATES = {"status_word": STATUS_WORD, "error_code": ERROR_CODE, "mode_display": MODE_DISPLAY}
"""State interfaces of every drive, besides its joint's motion."""


def measured_effort(drives: Drives) -> DriveObject:
    """Return the object of the measured effort."""
    return TORQUE if drives.feedback == "torque" else CURRENT


def commanded(drives: Drives) -> tuple[DriveObject, ...]:
    """Return the objects in the RxPDO."""
    if drives.mode == "cst":
        return (CONTROL_WORD, TARGET_TORQUE, MODE)
    return (CONTROL_WORD, TARGET_POSITION, TORQUE_OFFSET, MODE)


def measured(drives: Drives) -> tuple[DriveObject, ...]:
    """Return the objects in the TxPDO."""
    optional = (FOLLOWING_ERROR,) if drives.following_error else ()
    motion = (POSITION, VELOCITY, measured_effort(drives), *optional)
    return (STATUS_WORD, *motion, ERROR_CODE, MODE_DISPLAY)


def interfaces(drives: Drives) -> tuple[dict[int, str], dict[int, str]]:
    """Return the command interface and the state interface of each object that has one."""
    commands = {
        TARGET_POSITION.index: "position",
        TORQUE_OFFSET.index: "effort",
        TARGET_TORQUE.index: "effort",
    }
    states = {
        POSITION.index: "position",
        VELOCITY.index: "velocity",
        measured_effort(drives).index: "effort",
        FOLLOWING_ERROR.index: "following_error",
        **{state.index: name for name, state in DRIVE_STATES.items()},
    }
    sent = {entry.index for entry in commanded(drives)}
    received = {entry.index for entry in measured(drives)}
    return (
        {index: name for index, name in commands.items() if index in sent},
        {index: name for index, name in states.items() if index in received},
    )
