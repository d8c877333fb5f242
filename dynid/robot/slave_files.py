"""Slave files for ethercat_driver: one YAML file per joint, for ethercat_generic_plugins.

Keys and types are those of ethercat_driver_ros2. It sends ``factor * command + offset``, reports
``factor * raw + offset``, and casts to the type of the object. Values beyond an int16 wrap around,
so that the controller must clamp them first. Digits after the point are cut off: an offset of half
a unit would round one sign, and be up to 1.5 units off for the other, so that files have none, and
a torque offset may be one permille of the rated torque too small.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from dynid.configuration import read_yaml
from dynid.errors import ConfigurationError
from dynid.file_names import encoded_file_name
from dynid.robot import drives as factors
from dynid.robot.drive_objects import (
    FOLLOWING_ERROR,
    MODE,
    MODES,
    PERIOD,
    POSITION,
    TARGET_POSITION,
    TARGET_TORQUE,
    TORQUE_OFFSET,
    VELOCITY,
    DriveObject,
    DriveProfile,
    commanded,
    measured,
    measured_effort,
)
from dynid.robot.drives import Drives
from dynid.robot.parameter_file import number
from dynid.robot.robot import Robot

_INT32_MAX = 2.0**31 - 1
_KEEPS_COUNTS = 1 + 2.0**-49
"""Factor on position commands: a count that was read and is sent back is not cut to the one before.

It is above the rounding errors of both conversions (four of 2^-53), and less than 1e-5 counts.
"""

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
    joints: Sequence[str],
    drives: Drives,
    drive: DriveProfile,
    control_rate: float,
    *,
    absent: Collection[int] = (),
) -> dict[str, str]:
    """Return the text of each joint's slave file, by joint.

    Args:
        joints: names, in drive order.
        drives: the robot's data sheet, with encoder counts.
        drive: the type of drive.
        control_rate: cycles per second [Hz] of controller_manager.
        absent: indices of optional objects that the drive does not have.

    Raises:
        ConfigurationError: the data sheet lacks an entry, or the drive does not support the rate.
    """
    n = len(joints)
    period = interpolation_period(control_rate)
    counts = factors.counts_factor(drives, n)
    # in the profile's unit: recordings and controller convert with its torque factor
    effort = factors.measured_torque_per_permille(drives, n) / drives.torque_factor(n)
    torque = factors.torque_offset_factor(drives, n)
    limit = factors.torque_offset_limit(drives, n)
    # by object; if position commands are overridden, the driver sends counts * position unchanged
    scales = {
        TARGET_POSITION: counts * _KEEPS_COUNTS,
        TORQUE_OFFSET: torque,
        TARGET_TORQUE: torque,
        **dict.fromkeys((POSITION, VELOCITY, FOLLOWING_ERROR), 1 / counts),
        measured_effort(drives): effort,
    }
    texts = {}
    for i, joint in enumerate(joints):
        head = (
            f"# Slave file of {encoded_file_name(joint)} for ethercat_driver, by `dynid drives`\n"
            f"# position in rad (m if prismatic), measured effort in {drives.effort_unit}\n"
            f"# int16 allows torques of +-{limit[i]:.6g} N m (N if prismatic), and int32 positions "
            f"of +-{_INT32_MAX / abs(counts[i]):.6g}\n# rad (m if prismatic); the driver wraps "
            "beyond\n"
        )
        joint_scales = {entry: float(scale[i]) for entry, scale in scales.items()}
        texts[joint] = head + _slave(drives, drive, period, joint_scales, absent)
    return texts


def check_position_range(robot: Robot) -> None:
    """Check that the int32 of 0x607A holds every position within the robot's limits.

    Raises:
        ConfigurationError: a limit is beyond it, where the driver would wrap.
    """
    counts = np.abs(factors.counts_factor(robot.drives, len(robot.joints)))
    for j, joint in enumerate(robot.joints):
        limit = np.max(np.abs(robot.limits.range_of("position", j) or (0.0, 0.0)))
        if limit * counts[j] > _INT32_MAX:
            raise ConfigurationError(
                f"joint '{joint}': 0x607A holds positions of +-{_INT32_MAX / counts[j]:.4g} at "
                f"{counts[j]:.6g} counts per rad or m, but limits.position is {limit:.4g}; reduce "
                "the limits, or the counts in the drive's unit settings and drives.encoder_counts."
            )


def check_slave_files(folder: Path, joints: Sequence[str], control_rate: float) -> None:
    """Check that a folder has every joint's slave file, written for this control rate [Hz].

    Raises:
        ConfigurationError: a file is missing, unreadable, for another rate, without the drive's
            status word, or without a position command.
    """
    period = interpolation_period(control_rate)
    for joint in joints:
        path = slave_path(folder, joint)
        slave = read_yaml(path)
        periods = {
            entry.get("sub_index"): entry.get("value")
            for entry in _groups(slave.get("sdo"))
            if entry.get("index") == PERIOD.index
        }
        if (periods.get(1), periods.get(2)) != period:
            raise ConfigurationError(
                f"{path}: object 0x60C2 must be {period.value} with exponent {period.exponent} at "
                f"{control_rate:g} Hz; write the files again with `dynid drives --rate "
                f"{control_rate:g}`."
            )
        if "position" not in _interfaces(slave, "rpdo", "command_interface"):
            raise ConfigurationError(
                f"{path}: the target position 0x607A has no 'command_interface: position', as in "
                "files for mode cst; write the files again with `dynid drives`."
            )
        if "status_word" not in _interfaces(slave, "tpdo", "state_interface"):
            raise ConfigurationError(
                f"{path}: the status word 0x6041 has no 'state_interface: status_word', so that "
                "nothing would wait until the drive is enabled; write the files again with "
                "`dynid drives`."
            )


def _interfaces(slave: dict[str, Any], side: str, key: str) -> set[str]:
    """Return the interfaces of one side of a slave file; none if the file is invalid."""
    channels = (one for pdo in _groups(slave.get(side)) for one in _groups(pdo.get("channels")))
    return {str(channel[key]) for channel in channels if key in channel}


def _groups(content: object) -> list[dict[str, Any]]:
    entries = content if isinstance(content, list) else []
    return [entry for entry in entries if isinstance(entry, dict)]


def slave_path(folder: Path, joint: str) -> Path:
    """Return the path of a joint's slave file, always inside the folder."""
    return folder / f"{encoded_file_name(joint)}.yaml"


def _slave(
    drives: Drives,
    drive: DriveProfile,
    period: Period,
    scales: dict[DriveObject, float],
    absent: Collection[int],
) -> str:
    startup = [(sdo.index, sdo.sub_index, sdo.type, sdo.value) for sdo in drive.sdo]
    startup += [
        (PERIOD.index, 1, "uint8", period.value),
        (PERIOD.index, 2, "int8", period.exponent),
    ]
    sdo = "".join(
        f"  - {{index: 0x{index:04x}, sub_index: {sub}, type: {kind}, value: {value}}}\n"
        for index, sub, kind, value in startup
    )
    received = [entry for entry in measured(drives) if entry.index not in absent]
    return (
        f"vendor_id: 0x{drive.vendor_id:08x}\n"
        f"product_id: 0x{drive.product_id:08x}\n"
        f"assign_activate: 0x{drive.assign_activate:04x}\n"
        "auto_fault_reset: false\n"
        "auto_state_transitions: true\n"
        f"sdo:\n{sdo}"
        f"rpdo:\n  - index: 0x{drive.rpdo:04x}\n    channels:\n"
        + "".join(
            _channel(entry, "command_interface", scales, _default(entry, drives))
            for entry in commanded(drives)
        )
        + f"tpdo:\n  - index: 0x{drive.tpdo:04x}\n    channels:\n"
        + "".join(_channel(entry, "state_interface", scales) for entry in received)
    )


def _default(command: DriveObject, drives: Drives) -> str:
    """Return what is sent without a command: the position stays, and no torque."""
    if command == TARGET_POSITION:
        return ", default: .nan"
    return f", default: {MODES[drives.mode] if command == MODE else 0}"


def _channel(
    entry: DriveObject, side: str, scales: dict[DriveObject, float], more: str = ""
) -> str:
    name = f", {side}: {entry.interface}" if entry.interface else ""
    factor = f", factor: {number(scales[entry])}" if entry in scales else ""
    head = f"index: 0x{entry.index:04x}, sub_index: 0, type: {entry.type}"
    return f"      - {{{head}{name}{factor}{more}}}\n"
