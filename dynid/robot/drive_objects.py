"""Types of CiA402 drives, and their objects that slave files and a robot's settings need."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, PositiveFloat

from dynid.configuration import Settings, parse, read_yaml
from dynid.errors import ConfigurationError
from dynid.files import share_directories
from dynid.robot.drives import Drives

Index = Annotated[int, Field(ge=0x1000, le=0xFFFF)]
Unsigned32 = Annotated[int, Field(ge=0, le=0xFFFFFFFF)]


class StartupValue(Settings):
    """A value that is written into the drive before it runs."""

    index: Index
    sub_index: Annotated[int, Field(ge=0, le=255)]
    type: Literal["uint8", "int8", "uint16", "int16", "uint32", "int32"]
    value: int


class DriveProfile(Settings):
    """A type of drive. ``objects`` maps entries of the data sheet to objects of the drive."""

    vendor_id: Unsigned32
    product_id: Unsigned32
    assign_activate: Annotated[int, Field(ge=0, le=0xFFFF)]
    rpdo: Index
    tpdo: Index
    encoder_counts: PositiveFloat | None = None
    sdo: tuple[StartupValue, ...] = ()
    objects: dict[str, Index] = Field(default_factory=dict)


def load_drive(name: str) -> DriveProfile:
    """Load a drive profile by name (``cdhd``) or file (``my_drive.yaml``).

    Raises:
        ConfigurationError: the profile was not found, or an entry is unknown or invalid.
    """
    path = Path(name)
    if path.suffix not in {".yaml", ".yml"}:
        folders = [root / "config" / "drives" for root in share_directories()]
        candidates = [folder / f"{name}.yaml" for folder in folders if folder.is_dir()]
        path = next((file for file in candidates if file.is_file()), path)
        if not path.suffix:
            shipped = sorted({file.stem for folder in folders for file in folder.glob("*.yaml")})
            raise ConfigurationError(
                f"drive '{name}': not shipped with dynid ({', '.join(shipped)}), and not a file "
                "that ends in .yaml."
            )
    return parse(DriveProfile, read_yaml(path), path.name)


@dataclass(frozen=True)
class DriveObject:
    """An object: its type in ethercat_driver, its name in CiA402-2, and its interface, if any."""

    index: int
    type: str
    name: str
    interface: str = ""

    @property
    def bits(self) -> int:
        """Length of the value."""
        return int(self.type.removeprefix("u").removeprefix("int"))

    def __str__(self) -> str:
        return f"0x{self.index:04X} ({self.name})"


CONTROL_WORD = DriveObject(0x6040, "uint16", "control word")
STATUS_WORD = DriveObject(0x6041, "uint16", "status word", "status_word")
ERROR_CODE = DriveObject(0x603F, "uint16", "error code", "error_code")
MODE = DriveObject(0x6060, "int8", "mode of operation")
MODE_DISPLAY = DriveObject(0x6061, "int8", "mode of operation display", "mode_display")
POSITION = DriveObject(0x6064, "int32", "position actual value", "position")
VELOCITY = DriveObject(0x606C, "int32", "velocity actual value", "velocity")
TARGET_TORQUE = DriveObject(0x6071, "int16", "target torque", "effort")
TORQUE = DriveObject(0x6077, "int16", "torque actual value", "effort")
CURRENT = DriveObject(0x6078, "int16", "current actual value", "effort")
TARGET_POSITION = DriveObject(0x607A, "int32", "target position", "position")
TORQUE_OFFSET = DriveObject(0x60B2, "int16", "torque offset", "effort")
FOLLOWING_ERROR = DriveObject(0x60F4, "int32", "following error actual value", "following_error")
PERIOD = DriveObject(0x60C2, "uint8", "interpolation time period")

MODES = {"csp": 8, "cst": 10}
"""Modes of operation, 0x6060: cyclic synchronous position and torque."""

DRIVE_STATES = tuple(one.interface for one in (STATUS_WORD, ERROR_CODE, MODE_DISPLAY))
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


def interfaces(drives: Drives) -> tuple[list[str], list[str]]:
    """Return the command interfaces and the state interfaces, those of the motion first."""
    commands = [entry.interface for entry in commanded(drives) if entry.interface]
    states = [entry.interface for entry in measured(drives)]
    return commands, sorted(states, key=lambda name: name in DRIVE_STATES)
