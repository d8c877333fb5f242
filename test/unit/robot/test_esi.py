"""ESI files: the drive's identity and PDOs, and what it lacks, in a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.esi_files import OBJECTS, PRODUCT, VENDOR, device, esi

from dynid.configuration import parse
from dynid.errors import ConfigurationError
from dynid.robot.drive_objects import load_drive
from dynid.robot.drives import Drives
from dynid.robot.esi import EsiDevice, EsiDrive, drive_of_esi, read_esi


def read(tmp_path: Path, *devices: str, name: str | None = None) -> EsiDevice:
    path = tmp_path / "servo.xml"
    path.write_text(esi(*devices), encoding="utf-8")
    return read_esi(path, name)


def chosen(tmp_path: Path, *devices: str, vendor: int = 0, **drives: object) -> EsiDrive:
    profile = load_drive("cia402").model_copy(update={"vendor_id": vendor})
    sheet = parse(Drives, drives, "arm.yaml")
    return drive_of_esi(read(tmp_path, *devices), profile, sheet, "servo.xml")


def without(*indices: int) -> str:
    return device(objects={index: bits for index, bits in OBJECTS.items() if index not in indices})


def test_identity_and_changeable_pdos_come_from_the_file(tmp_path: Path) -> None:
    found = chosen(tmp_path)
    profile = found.profile
    assert (profile.vendor_id, profile.product_id) == (VENDOR, PRODUCT)
    assert profile.assign_activate == 0x0300  # the first mode with distributed clocks
    assert profile.rpdo == 0x1601  # an assigned one
    assert profile.tpdo == 0x1A01  # the assigned one is fixed
    assert (found.absent, found.notes) == (frozenset(), ())


def test_numbers_are_hexadecimal_or_decimal(tmp_path: Path) -> None:
    text = esi().replace(f"#x{PRODUCT:08x}", str(PRODUCT)).replace(f">{VENDOR}<", ">#X0abC<")
    (tmp_path / "servo.xml").write_text(text)
    found = read_esi(tmp_path / "servo.xml")
    assert (found.vendor_id, found.product_id) == (VENDOR, PRODUCT)


def test_the_only_drive_is_chosen_and_of_its_revisions_the_last(tmp_path: Path) -> None:
    coupler = device("Coupler", product=1, objects={0x1000: 32}).replace("#x6040", "#x7000")
    found = read(tmp_path, coupler, device(revision=3), device(revision=2))
    assert (found.name, found.revision) == ("Servo A", 3)


@pytest.mark.parametrize("name", ["Servo B", "0x99", "153"])
def test_one_of_several_drives_is_chosen_by_name_or_code(tmp_path: Path, name: str) -> None:
    assert read(tmp_path, device(), device("Servo B", product=0x99), name=name).product_id == 0x99


def test_refuses_to_choose_between_drives(tmp_path: Path) -> None:
    both = (device(), device("Servo B", product=0x99))
    names = r"Servo A \(0x00001234\) and Servo B \(0x00000099\)"
    with pytest.raises(ConfigurationError, match=rf"several drives; choose one by --dev.*{names}"):
        read(tmp_path, *both)
    with pytest.raises(ConfigurationError, match=rf"no device 'Servo C'; its devices are {names}"):
        read(tmp_path, *both, name="Servo C")


@pytest.mark.parametrize(
    ("absent", "drives", "message"),
    [
        (0x60B2, {}, r"has no object 0x60B2 \(torque offset\); without a torque offset there is"),
        (0x6078, {}, r"no object 0x6078 \(current actual value\); use drives.feedback: torque"),
        (0x6077, {"feedback": "torque"}, r"0x6077 \(torque actual .*; use drives.feedback: curr"),
        (0x6071, {"mode": "cst"}, r"0x6071 \(target torque\); use mode csp"),
        (0x60F4, {"following_error": True}, "0x60F4 .*; use drives.following_error: false"),
        (0x606C, {}, r"0x606C \(velocity actual value\); the slave files need every one"),
    ],
)
def test_objects_that_the_drive_lacks_are_named(
    tmp_path: Path, absent: int, drives: dict[str, object], message: str
) -> None:
    with pytest.raises(ConfigurationError, match=message):
        chosen(tmp_path, without(absent), **drives)


def test_several_absent_objects_are_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as raised:
        chosen(tmp_path, without(0x6078, 0x6077, 0x606C))
    assert str(raised.value) == (
        "servo.xml: drive 'Servo A' has no objects 0x606C (velocity actual value) and 0x6078 "
        "(current actual value); the slave files need every one of them."
    )


@pytest.mark.parametrize("index", [0x603F, 0x60C2])
def test_a_drive_without_an_optional_object_can_be_used(tmp_path: Path, index: int) -> None:
    found = chosen(tmp_path, without(index))
    assert found.absent == {index}
    assert f"has no object 0x{index:04X}" in found.notes[0]


def test_without_a_dictionary_objects_are_not_known(tmp_path: Path) -> None:
    found = chosen(tmp_path, device(dictionary=False))
    assert found.absent == frozenset()
    assert "no object dictionary in this file" in found.notes[0]
    assert "0x60B2 (torque offset)" in found.notes[0]
    assert "0x6064" not in found.notes[0]  # it is in a PDO


def test_without_distributed_clocks_none_are_activated(tmp_path: Path) -> None:
    found = chosen(tmp_path, device(assign_activate=None))
    assert found.profile.assign_activate == 0
    assert "no distributed clocks" in found.notes[0]


@pytest.mark.parametrize("given", [{"fixed": "1"}, {"fixed": "true"}, {"coe": 'PdoConfig="false"'}])
def test_refuses_drives_with_fixed_pdos(tmp_path: Path, given: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError, match="no RxPDO whose mapping can be changed"):
        chosen(tmp_path, device(**given))  # type: ignore[arg-type]


def test_refuses_objects_of_another_type_or_outside_pdos(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"0x606C \(velocity .* has 16 bits; expected 32"):
        chosen(tmp_path, device(objects=OBJECTS | {0x606C: 16}))
    text = device().replace(
        "<Index>#x60B2</Index><BitSize>16</BitSize><Flags><PdoMapping>r<",
        "<Index>#x60B2</Index><BitSize>16</BitSize><Flags><PdoMapping><",
    )
    with pytest.raises(ConfigurationError, match=r"0x60B2 .* cannot be mapped into an RxPDO"):
        chosen(tmp_path, text)


def test_refuses_the_file_of_another_drive_than_the_profiles(tmp_path: Path) -> None:
    assert chosen(tmp_path, vendor=VENDOR).profile.vendor_id == VENDOR
    with pytest.raises(ConfigurationError, match="vendor_id 0x00000abc, but the drive profile has"):
        chosen(tmp_path, vendor=7)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("<robot/>", "is not an ESI file, because its root is <robot>"),
        ("<EtherCATInfo><Vendor/></EtherCATInfo>", "<Vendor><Id> is missing"),
        (esi().replace(f">{VENDOR}<", ">acme<"), "<Vendor><Id> is 'acme'; expected a number"),
        (esi().replace(f">{VENDOR}<", ">-1<"), "<Vendor><Id> is '-1'; expected a number"),
        (esi().replace("#x60B2", "#x1FFFFFFFF"), "<Index> is '#x1FFFFFFFF'; expected a number"),
        (esi().replace("ProductCode", "Code"), "ProductCode is missing"),
        (esi(device(assign_activate="#x12345")), "assign_activate"),
        (esi().replace("<Devices>", "<Devices/><No>").replace("</Devices>", "</No>"), "are none"),
        ('<!DOCTYPE a [<!ENTITY b "c">]><EtherCATInfo/>', "declares an XML entity 'b'"),
        ("<EtherCATInfo>", "not well-formed XML"),
    ],
)
def test_refuses_files_that_are_not_esi_files(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "servo.xml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=message):
        drive_of_esi(read_esi(path), load_drive("cia402"), Drives(), path.name)
