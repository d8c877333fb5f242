"""A drive of an ESI file for a robot: its identity and PDOs, and what it lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dynid.configuration import changed
from dynid.errors import ConfigurationError
from dynid.robot.drive_objects import (
    CURRENT,
    ERROR_CODE,
    FOLLOWING_ERROR,
    PERIOD,
    TARGET_TORQUE,
    TORQUE,
    TORQUE_OFFSET,
    DriveObject,
    commanded,
    measured,
)
from dynid.text import listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynid.robot.drive_profile import DriveProfile
    from dynid.robot.drives import Drives
    from dynid.robot.esi import EsiDevice, EsiPdo

_REMEDIES = {
    TORQUE_OFFSET: "without a torque offset there is no feedforward torque in mode csp",
    TARGET_TORQUE: "use mode csp",
    CURRENT: "use drives.feedback: torque",
    TORQUE: "use drives.feedback: current",
    FOLLOWING_ERROR: "use drives.following_error: false",
}
_OPTIONAL = {
    ERROR_CODE: "error codes are 'not known'",
    PERIOD: "the driver will report that it cannot write it; set the drive's cycle time otherwise",
}


class EsiDrive(NamedTuple):
    """A type of drive out of an ESI file.

    Attributes:
        profile: with the identity and the PDOs of the file.
        absent: indices of optional objects that the drive does not have.
        notes: sentences on what is absent or not known.
    """

    profile: DriveProfile
    absent: frozenset[int]
    notes: tuple[str, ...]


def drive_of_esi(device: EsiDevice, profile: DriveProfile, drives: Drives, where: str) -> EsiDrive:
    """Return a drive profile with the identity and the PDOs of an ESI file.

    Args:
        device: of the file.
        profile: of the robot; its start-up values and data sheet entries stay.
        drives: the robot's data sheet, which determines the objects.
        where: names the file in error messages.

    Raises:
        ConfigurationError: the drive lacks an object, has another type of it, its PDOs cannot be
            changed, or the profile is for another drive.
    """
    place = f"{where}: drive '{device.name}'"
    _check_identity(device, profile, place)
    sent, received = commanded(drives), measured(drives)
    missing = [entry for entry in (*sent, *received, PERIOD) if entry.index not in device.bits]
    absent = [entry for entry in missing if entry in _OPTIONAL] if device.complete else []
    if device.complete:
        _check_objects(device, [entry for entry in missing if entry not in _OPTIONAL], place)
    notes = [f"{place} has no object {entry}: {_OPTIONAL[entry]}." for entry in absent]
    if not device.complete and missing:
        notes.append(
            f"{place} has no object dictionary in this file, so that it is not known whether it "
            f"has {listed([str(entry) for entry in missing])}; compare with its manual."
        )
    if device.assign_activate is None:
        notes.append(f"{place} has no distributed clocks: assign_activate is 0.")
    for objects, letter in ((sent, "r"), (received, "t")):
        _check_types(device, [entry for entry in objects if entry not in missing], letter, place)
    content = {
        "vendor_id": device.vendor_id,
        "product_id": device.product_id,
        "assign_activate": device.assign_activate or 0,
        "rpdo": _changeable(device.rpdos, "RxPDO", place).index,
        "tpdo": _changeable(device.tpdos, "TxPDO", place).index,
    }
    indices = frozenset(entry.index for entry in absent)
    return EsiDrive(changed(profile, content, place), indices, tuple(notes))


def _check_identity(device: EsiDevice, profile: DriveProfile, place: str) -> None:
    for name in ("vendor_id", "product_id"):
        stated, actual = getattr(profile, name), getattr(device, name)
        if stated not in (0, actual):
            raise ConfigurationError(
                f"{place} has {name} 0x{actual:08x}, but the drive profile has 0x{stated:08x}; "
                "give the ESI file of that drive, or correct the profile."
            )


def _check_objects(device: EsiDevice, missing: Sequence[DriveObject], place: str) -> None:
    """Refuse a drive that lacks objects, with what can be done instead, if that would help."""
    if not missing:
        return
    present = set(device.bits)
    useless = {CURRENT: TORQUE.index not in present, TORQUE: CURRENT.index not in present}
    remedies = [
        _REMEDIES[entry] for entry in missing if entry in _REMEDIES and not useless.get(entry)
    ]
    noun = "object" if len(missing) == 1 else "objects"
    names = listed([str(entry) for entry in missing])
    advice = listed(remedies or ["the slave files need every one of them"])
    raise ConfigurationError(f"{place} has no {noun} {names}; {advice}.")


def _check_types(
    device: EsiDevice, objects: Sequence[DriveObject], letter: str, place: str
) -> None:
    for entry in objects:
        bits = device.bits[entry.index]
        if bits not in (0, entry.bits):
            raise ConfigurationError(
                f"{place}: object {entry} has {bits} bits; expected {entry.bits}, as in CiA402-2."
            )
        allowed = device.mapping.get(entry.index)
        if allowed is not None and letter not in allowed:
            side = "RxPDO" if letter == "r" else "TxPDO"
            raise ConfigurationError(
                f"{place}: object {entry} cannot be mapped into an {side}, so that it cannot be "
                "used in every cycle."
            )


def _changeable(pdos: Sequence[EsiPdo], side: str, place: str) -> EsiPdo:
    """Return the PDO whose mapping the driver will write: an assigned one first."""
    free = sorted((pdo for pdo in pdos if not pdo.fixed), key=lambda pdo: not pdo.assigned)
    if not free:
        raise ConfigurationError(
            f"{place} has no {side} whose mapping can be changed, but the slave files map objects "
            "of their own choice; use a drive with a variable mapping."
        )
    return free[0]
