"""Slave files: read as ethercat_driver_ros2 reads them, with factors that belong together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from dynid.configuration import parse
from dynid.errors import ConfigurationError
from dynid.robot import drives as factors
from dynid.robot.drive_objects import DriveProfile, load_drive
from dynid.robot.drives import Drives
from dynid.robot.slave_files import check_slave_files, interpolation_period, slave_files

JOINTS = ("shoulder", "elbow")
SHEET = {
    "rated_current_ma": [3400, 1000],
    "torque_constant": [0.2, 0.1],
    "rated_torque": [0.5, 0.1],
    "gear_ratio": [100, -50],
    "encoder_counts": [131072, 4096],
}


def drives(**more: object) -> Drives:
    return parse(Drives, SHEET | more, "arm.yaml")


def slaves(rate: float = 1000.0, **more: object) -> list[dict[str, Any]]:
    texts = slave_files(JOINTS, drives(**more), load_drive("cia402"), rate)
    return [yaml.safe_load(texts[joint]) for joint in JOINTS]


def channels(slave: dict[str, Any], kind: str) -> dict[int, dict[str, Any]]:
    (group,) = slave[kind]
    assert set(group) == {"index", "channels"}
    return {channel["index"]: channel for channel in group["channels"]}


@pytest.mark.parametrize("effort", ["torque", "current", "rated_current_permille"])
def test_effort_comes_in_the_unit_that_the_profile_converts(effort: str) -> None:
    sheet = drives(effort=effort)
    found = [channels(slave, "tpdo")[0x6078]["factor"] for slave in slaves(effort=effort)]
    torque = np.array(found) * sheet.torque_factor(2)
    assert torque == pytest.approx(factors.torque_per_permille(sheet, 2), rel=1e-12)


def test_the_file_states_the_range_of_int16() -> None:
    text = slave_files(JOINTS, drives(), load_drive("cia402"), 1000.0)["shoulder"]
    assert "int16 allows torques of +-1638.35 N m" in text  # 32.767 * 0.5 * 100
    assert "int32 positions of +-1029.44" in text  # 2^31 / 131072 / 100 turns


@pytest.mark.parametrize(
    ("rate", "period"),
    [(1000, (1, -3)), (500, (2, -3)), (4000, (25, -5)), (2000, (5, -4)), (8000, (125, -6))],
)
def test_the_interpolation_period_is_the_control_period(
    rate: float, period: tuple[int, int]
) -> None:
    assert interpolation_period(rate) == period
    (slave, _) = slaves(rate)
    found = [(one["sub_index"], one["value"]) for one in slave["sdo"] if one["index"] == 0x60C2]
    assert found == [(1, period[0]), (2, period[1])]


@pytest.mark.parametrize("rate", [0.0, -1.0, 3.0, 300.0, 700.0, 1e7, float("nan"), float("inf")])
def test_refuses_rates_that_no_drive_supports(rate: float) -> None:
    with pytest.raises(ConfigurationError, match="object 0x60C2 needs a period"):
        interpolation_period(rate)


def test_files_for_another_rate_are_refused(tmp_path: Path) -> None:
    for joint, text in slave_files(JOINTS, drives(), load_drive("cia402"), 500.0).items():
        (tmp_path / f"{joint}.yaml").write_text(text)
    check_slave_files(tmp_path, JOINTS, 500.0)
    with pytest.raises(ConfigurationError, match="0x60C2 must be 1 with exponent -3 at 1000 Hz"):
        check_slave_files(tmp_path, JOINTS, 1000.0)
    with pytest.raises(ConfigurationError, match="there is no such file"):
        check_slave_files(tmp_path, ("wrist",), 500.0)


@pytest.mark.parametrize("side", ["5", "[5]", "[{channels: 5}]", "[{channels: [5]}]", "{a: b}"])
def test_files_without_channels_are_refused(tmp_path: Path, side: str) -> None:
    text = slave_files(JOINTS, drives(), load_drive("cia402"), 500.0)["elbow"]
    path = tmp_path / "elbow.yaml"
    path.write_text(text[: text.index("rpdo:")] + f"rpdo: {side}\ntpdo: {side}\n")
    with pytest.raises(ConfigurationError, match="the target position 0x607A has no"):
        check_slave_files(tmp_path, ["elbow"], 500.0)


# --- drive profiles -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["cdhd", "cia402"])
def test_shipped_drive_profiles_have_no_identity_entries(name: str) -> None:
    drive = load_drive(name)
    assert (drive.vendor_id, drive.product_id) == (0, 0)
    assert set(drive.objects) <= set(Drives.model_fields)


def test_a_users_drive_profile_is_read(tmp_path: Path) -> None:
    own = {"vendor_id": 7, "product_id": 8, "assign_activate": 0x300, "rpdo": 0x1600}
    own |= {"tpdo": 0x1A00, "sdo": [{"index": 0x2000, "sub_index": 1, "type": "int8", "value": -4}]}
    (tmp_path / "own.yaml").write_text(yaml.safe_dump(own))
    drive = load_drive(str(tmp_path / "own.yaml"))
    slave = yaml.safe_load(slave_files(JOINTS, drives(), drive, 1000.0)["elbow"])
    assert (slave["vendor_id"], slave["product_id"]) == (7, 8)
    assert slave["sdo"][0] == own["sdo"][0]  # type: ignore[index]


def test_refuses_a_drive_that_is_not_shipped() -> None:
    with pytest.raises(ConfigurationError, match=r"drive 'acme': not shipped .*cdhd, cia402"):
        load_drive("acme")


def test_refuses_invalid_objects() -> None:
    with pytest.raises(ConfigurationError, match="rpdo"):
        parse(DriveProfile, load_drive("cdhd").model_dump() | {"rpdo": 1}, "own.yaml")
