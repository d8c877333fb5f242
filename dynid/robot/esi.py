"""EtherCAT slave information (ESI, ETG.2000): drives of a file, and one of them for a robot."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from dynid.configuration import changed
from dynid.errors import ConfigurationError
from dynid.input_file import read_text
from dynid.robot.drive_objects import (
    CONTROL_WORD,
    CURRENT,
    ERROR_CODE,
    FOLLOWING_ERROR,
    PERIOD,
    TARGET_TORQUE,
    TORQUE,
    TORQUE_OFFSET,
    DriveObject,
    DriveProfile,
    commanded,
    measured,
)
from dynid.robot.drives import Drives
from dynid.text import listed, printable
from dynid.xml_tree import xml_tree

_LARGEST_INTEGER = 0xFFFFFFFF


@dataclass(frozen=True)
class EsiPdo:
    """A process data object.

    Attributes:
        index: of its mapping.
        fixed: whether the master cannot change the mapping.
        assigned: whether it is used unless the master chooses another one.
        entries: index, sub-index and bits of each object in it.
    """

    index: int
    fixed: bool
    assigned: bool
    entries: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True)
class EsiDevice:
    """A device of an ESI file.

    Attributes:
        name: as its ``<Type>`` states it.
        vendor_id: of the file.
        product_id: with the revision it identifies the device.
        assign_activate: of the first mode with distributed clocks; None: there is none.
        bits: length of each object with sub-index 0, by index; 0 where the file does not state it.
        mapping: letters of the PDOs that may have an object, by index: r is of the master, t of the
            device; only objects of which the file states it.
        complete: whether the file has the device's object dictionary. Without one the objects are
            those in PDOs.
        rpdos: what the master sends.
        tpdos: what the device sends.
    """

    name: str
    vendor_id: int
    product_id: int
    revision: int
    assign_activate: int | None
    bits: dict[int, int]
    mapping: dict[int, str]
    complete: bool
    rpdos: tuple[EsiPdo, ...]
    tpdos: tuple[EsiPdo, ...]


def read_esi(path: Path, device: str | None = None) -> EsiDevice:
    """Read the drive of an ESI file.

    Args:
        path: of the XML file.
        device: name (``<Type>``) or product code of one of several; of several revisions the last
            one counts. None: the only device with a control word.

    Raises:
        ConfigurationError: the file is not an ESI file, or does not have one such device.
    """
    where = printable(path)
    root = xml_tree(read_text(path), where, ConfigurationError)
    if root.tag != "EtherCATInfo":
        raise ConfigurationError(
            f"{where}: is not an ESI file, because its root is <{root.tag}> instead of "
            "<EtherCATInfo>; the drive's vendor offers it as 'ESI' or 'EtherCAT XML'."
        )
    vendor = _number(root.findtext("Vendor/Id"), f"{where}: <Vendor><Id>")
    elements = root.findall("Descriptions/Devices/Device")
    devices = [_device(element, vendor, where) for element in elements]
    return _chosen(devices, device, where)


def _chosen(devices: Sequence[EsiDevice], wanted: str | None, where: str) -> EsiDevice:
    """Return the last revision of the device that is meant."""
    drives = [one for one in devices if CONTROL_WORD.index in one.bits]
    meant = [one for one in devices if wanted == one.name or _is_code(wanted, one.product_id)]
    possible = drives if wanted is None else meant
    names = sorted(
        {f"{one.name} (0x{one.product_id:08x})" for one in possible or drives or devices}
    )
    if not possible:
        absent = "device with a control word 0x6040"
        absent = absent if wanted is None else f"device '{printable(wanted)}'"
        raise ConfigurationError(
            f"{where}: has no {absent}; its devices are {listed(names) if names else 'none'}."
        )
    if len({(one.name, one.product_id) for one in possible}) > 1:
        raise ConfigurationError(
            f"{where}: describes several drives; choose one by --device, by its name or its "
            f"product code: {listed(names)}."
        )
    return max(possible, key=lambda one: one.revision)


def _is_code(text: str | None, code: int) -> bool:
    try:
        return text is not None and int(text, 0) == code
    except ValueError:
        return False


def _device(element: ET.Element, vendor: int, where: str) -> EsiDevice:
    kind = element.find("Type")
    name = "" if kind is None else printable((kind.text or "").strip())
    place = f"{where}: device '{name}'"
    identity = {} if kind is None else kind.attrib
    coe = element.find("Mailbox/CoE")
    unchangeable = coe is not None and not _true(coe.get("PdoConfig", "1"))
    rpdos = tuple(_pdo(pdo, place, unchangeable) for pdo in element.findall("RxPdo"))
    tpdos = tuple(_pdo(pdo, place, unchangeable) for pdo in element.findall("TxPdo"))
    objects = element.findall("Profile/Dictionary/Objects/Object")
    bits = {index: size for pdo in rpdos + tpdos for index, sub, size in pdo.entries if sub == 0}
    mapping = {}
    for entry in objects:
        index = _number(entry.findtext("Index"), f"{place}: <Object><Index>")
        bits[index] = _number(entry.findtext("BitSize", "0"), f"{place}: <BitSize>")
        letters = entry.findtext("Flags/PdoMapping")
        if letters is not None:
            mapping[index] = letters.strip().lower()
    modes = [
        _number(mode.text, f"{place}: <AssignActivate>")
        for mode in element.findall("Dc/OpMode/AssignActivate")
    ]
    return EsiDevice(
        name=name,
        vendor_id=vendor,
        product_id=_number(identity.get("ProductCode"), f"{place}: ProductCode"),
        revision=_number(identity.get("RevisionNo", "0"), f"{place}: RevisionNo"),
        assign_activate=next((mode for mode in modes if mode), None),
        bits=bits,
        mapping=mapping,
        complete=bool(objects),
        rpdos=rpdos,
        tpdos=tpdos,
    )


def _true(text: str) -> bool:
    return text.strip().lower() in {"1", "true"}


def _pdo(element: ET.Element, place: str, unchangeable: bool) -> EsiPdo:
    entries = tuple(
        (
            _number(entry.findtext("Index"), f"{place}: <Entry><Index>"),
            _number(entry.findtext("SubIndex", "0"), f"{place}: <SubIndex>"),
            _number(entry.findtext("BitLen", "0"), f"{place}: <BitLen>"),
        )
        for entry in element.findall("Entry")
    )
    return EsiPdo(
        index=_number(element.findtext("Index"), f"{place}: <Index> of a PDO"),
        fixed=unchangeable or _true(element.get("Fixed", "0")),
        assigned="Sm" in element.attrib,
        entries=tuple(entry for entry in entries if entry[0] != 0),  # 0: padding
    )


def _number(text: str | None, place: str) -> int:
    """Return a HexDecValue: ``#x60b2`` or ``24754``.

    Raises:
        ConfigurationError: it is missing, or neither.
    """
    given = (text or "").strip()
    hexadecimal = given.lower().removeprefix("#x")
    try:
        value = int(given) if hexadecimal == given.lower() else int(hexadecimal, 16)
    except ValueError:
        value = -1
    if not 0 <= value <= _LARGEST_INTEGER:
        shown = f"is '{printable(given[:40])}'" if given else "is missing"
        raise ConfigurationError(f"{place} {shown}; expected a number such as #x60b2 or 24754.")
    return value


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
