"""Slave files for ethercat_driver: one YAML file per joint, for ethercat_generic_plugins.

Keys and types are those of ethercat_driver_ros2. It sends ``factor * command + offset``, reports
``factor * raw + offset``, and casts to the type of the object. Values beyond an int16 wrap around,
so that the controller must clamp them first. Digits after the point are cut off: an offset of half
a unit would round one sign, and be up to 1.5 units off for the other, so that files have none, and
a torque offset may be one permille of the rated torque too small.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple

from pydantic import Field, PositiveFloat

from dynid.configuration import Settings, parse, read_yaml
from dynid.errors import ConfigurationError
from dynid.file_names import encoded_file_name
from dynid.files import share_directories
from dynid.robot import drives as factors

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

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
        found = [folder / f"{name}.yaml" for folder in folders if folder.is_dir()]
        path = next((file for file in found if file.is_file()), path)
        if not path.suffix:
            shipped = sorted({file.stem for folder in folders for file in folder.glob("*.yaml")})
            raise ConfigurationError(
                f"drive '{name}': not shipped with dynid ({', '.join(shipped)}), and not a file "
                "that ends in .yaml."
            )
    return parse(DriveProfile, read_yaml(path), path.name)


CYCLIC_SYNCHRONOUS_POSITION = 8
"""Mode of operation, 0x6060."""

DRIVE_STATES = {
    "status_word": (0x6041, "uint16"),
    "error_code": (0x603F, "uint16"),
    "mode_display": (0x6061, "int8"),
}
"""State interfaces besides a joint's motion: object and type of each."""

_KEEPS_COUNTS = 1 + 2.0**-49
"""Factor on position commands: a count that was read and is sent back is not cut to the one before.

It is above the rounding errors of both conversions (four of 2^-53), and less than 1e-5 counts.
"""

_PERIOD = 0x60C2
_EXPONENTS = (-3, -4, -5, -6)  # of ten: [s], as in 0x60C2:2


class Period(NamedTuple):
    """Interpolation period 0x60C2: ``value`` · 10 ** ``exponent`` [s]."""

    value: int
    exponent: int


def interpolation_period(control_rate: float) -> Period:
    """Return 0x60C2 for a control rate [Hz], in the coarsest unit that represents it exactly.

    Raises:
        ConfigurationError: the period is not 1 … 255 of ms, 100 us, 10 us or us.
    """
    for exponent in _EXPONENTS:
        value = 10.0**-exponent / control_rate if control_rate > 0 else 0.0
        if 0.5 < value < 255.5 and abs(value - round(value)) < 1e-9 * value:
            return Period(round(value), exponent)
    raise ConfigurationError(
        f"control rate {control_rate:g} Hz: object 0x60C2 needs a period of 1 to 255 ms, 100 us, "
        "10 us or us; use a rate such as 1000, 500 or 250 Hz."
    )


def slave_files(
    joints: Sequence[str], drives: Drives, drive: DriveProfile, control_rate: float
) -> dict[str, str]:
    """Return the text of each joint's slave file, by joint.

    Args:
        joints: names, in drive order.
        drives: the robot's data sheet, with encoder counts.
        drive: the type of drive.
        control_rate: cycles per second [Hz] of controller_manager.

    Raises:
        ConfigurationError: the data sheet lacks an entry, or the drive does not support the rate.
    """
    n = len(joints)
    period = interpolation_period(control_rate)
    counts = factors.counts_factor(drives, n)
    offset = factors.torque_offset_factor(drives, n)
    limit = factors.torque_offset_limit(drives, n)
    # in the profile's unit: recordings and controller convert with its torque factor
    effort = factors.torque_per_permille(drives, n) / drives.torque_factor(n)
    texts = {}
    for i, joint in enumerate(joints):
        head = (
            f"# Slave file of {encoded_file_name(joint)} for ethercat_driver, by `dynid drives`\n"
            f"# position in rad (m if prismatic), measured effort in {drives.effort_unit}\n"
            f"# int16 allows torque offsets of +-{limit[i]:.6g} N m (N if prismatic); the driver "
            "wraps beyond\n"
        )
        texts[joint] = head + _slave(drive, period, float(counts[i]), offset[i], effort[i])
    return texts


def check_slave_files(folder: Path, joints: Sequence[str], control_rate: float) -> None:
    """Check that a folder has every joint's slave file, written for this control rate [Hz].

    Raises:
        ConfigurationError: a file is missing, unreadable, for another rate, or without the drive's
            status word.
    """
    period = interpolation_period(control_rate)
    for joint in joints:
        path = slave_path(folder, joint)
        slave = read_yaml(path)
        entries = slave.get("sdo")
        periods = {
            entry.get("sub_index"): entry.get("value")
            for entry in (entries if isinstance(entries, list) else [])
            if isinstance(entry, dict) and entry.get("index") == _PERIOD
        }
        if (periods.get(1), periods.get(2)) != period:
            raise ConfigurationError(
                f"{path}: object 0x60C2 must be {period.value} with exponent {period.exponent} at "
                f"{control_rate:g} Hz; write the files again with `dynid drives --rate "
                f"{control_rate:g}`."
            )
        if "status_word" not in _state_interfaces(slave):
            raise ConfigurationError(
                f"{path}: the status word 0x6041 has no 'state_interface: status_word', so that "
                "nothing would wait until the drive is enabled; write the files again with "
                "`dynid drives`."
            )


def _state_interfaces(slave: dict[str, Any]) -> set[str]:
    """Return the state interfaces in a slave file; none if the file is invalid."""
    pdos = slave.get("tpdo")
    channels = [
        channel
        for pdo in (pdos if isinstance(pdos, list) else [])
        for channel in (pdo.get("channels") or [] if isinstance(pdo, dict) else [])
    ]
    return {
        str(channel["state_interface"])
        for channel in channels
        if isinstance(channel, dict) and "state_interface" in channel
    }


def slave_path(folder: Path, joint: str) -> Path:
    """Return the path of a joint's slave file, always inside the folder."""
    return folder / f"{encoded_file_name(joint)}.yaml"


def _slave(drive: DriveProfile, period: Period, counts: float, offset: float, effort: float) -> str:
    startup = [(one.index, one.sub_index, one.type, one.value) for one in drive.sdo]
    startup += [(_PERIOD, 1, "uint8", period.value), (_PERIOD, 2, "int8", period.exponent)]
    sdo = "".join(
        f"  - {{index: 0x{index:04x}, sub_index: {sub}, type: {kind}, value: {value}}}\n"
        for index, sub, kind, value in startup
    )
    # if position commands are overridden, the driver sends counts * position unchanged
    position, torque = _number(counts * _KEEPS_COUNTS), _number(offset)
    return (
        f"vendor_id: 0x{drive.vendor_id:08x}\n"
        f"product_id: 0x{drive.product_id:08x}\n"
        f"assign_activate: 0x{drive.assign_activate:04x}\n"
        "auto_fault_reset: false\n"
        "auto_state_transitions: true\n"
        f"sdo:\n{sdo}"
        f"rpdo:\n  - index: 0x{drive.rpdo:04x}\n    channels:\n"
        + _channel(0x6040, "uint16", "default: 0")
        + _channel(
            0x607A, "int32", f"command_interface: position, factor: {position}, default: .nan"
        )
        + _channel(0x60B2, "int16", f"command_interface: effort, factor: {torque}, default: 0")
        + _channel(0x6060, "int8", f"default: {CYCLIC_SYNCHRONOUS_POSITION}")
        + f"tpdo:\n  - index: 0x{drive.tpdo:04x}\n    channels:\n"
        + _drive_state("status_word")
        + _channel(0x6064, "int32", f"state_interface: position, factor: {_number(1 / counts)}")
        + _channel(0x606C, "int32", f"state_interface: velocity, factor: {_number(1 / counts)}")
        + _channel(0x6078, "int16", f"state_interface: effort, factor: {_number(effort)}")
        + _drive_state("error_code")
        + _drive_state("mode_display")
    )


def _drive_state(name: str) -> str:
    index, kind = DRIVE_STATES[name]
    return _channel(index, kind, f"state_interface: {name}")


def _channel(index: int, kind: str, *more: str) -> str:
    rest = "".join(f", {one}" for one in more)
    return f"      - {{index: 0x{index:04x}, sub_index: 0, type: {kind}{rest}}}\n"


def _number(value: float) -> str:
    """Return all digits, in a form that is a number in YAML 1.1 too: 1.0e-05, not 1e-05."""
    text = repr(float(value))
    return text if "." in text else text.replace("e", ".0e")
