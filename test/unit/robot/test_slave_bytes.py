"""Slave files decoded as the driver decodes them: bytes on the bus for every object."""

from __future__ import annotations

import math
import struct
from typing import Any

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from support.ethercat_slave import SlaveStandIn

from dynid.configuration import parse
from dynid.robot import drives as factors
from dynid.robot.drive_objects import load_drive
from dynid.robot.drives import INT16_MAX, Drives
from dynid.robot.slave_files import slave_files

SHEETS: dict[str, dict[str, Any]] = {
    "gear": {"torque_constant": 0.2, "rated_current_ma": 3400, "gear_ratio": 100},
    "negative gear": {"torque_constant": 0.2, "rated_current_ma": 3400, "gear_ratio": -50},
    "negative constant": {"torque_constant": -0.2, "rated_current_ma": 3400, "gear_ratio": 100},
    "rated torque": {
        "torque_constant": 0.2,
        "rated_current_ma": 3400,
        "rated_torque": 0.5,
        "gear_ratio": 100,
    },
    "screw": {"torque_constant": 0.2, "rated_current_ma": 3400, "screw_lead": 0.02},
    "linear motor": {"force_constant": 50.0, "rated_current_ma": 2000},
}
COUNTS = 131072
ENABLED, MODE_8 = 0x0237, 8
WORDS = "<HiihHb"  # of the TxPDO


def drives(**sheet: Any) -> Drives:
    return parse(Drives, {"encoder_counts": COUNTS} | sheet, "axis.yaml")


def slave(sheet: Drives, rate: float = 1000.0) -> SlaveStandIn:
    return SlaveStandIn(slave_files(["axis"], sheet, load_drive("cia402"), rate)["axis"])


def enabled(sheet: Drives, position: int = 0) -> SlaveStandIn:
    """Return the driver's side of a drive that is enabled in mode 8."""
    made = slave(sheet)
    made.receive(struct.pack(WORDS, ENABLED, position, 0, 0, 0, MODE_8))
    return made


def torque_per_permille_of_rated_torque(sheet: dict[str, Any]) -> float:
    """Return the joint torque of 1 in 0x60B2, from the data sheet and without our factors."""
    if "force_constant" in sheet:
        return float(sheet["force_constant"] * sheet["rated_current_ma"] * 1e-6)
    motor = sheet.get("rated_torque", 0.0) * 1e-3
    motor = motor or sheet["torque_constant"] * sheet["rated_current_ma"] * 1e-6
    lead = sheet.get("screw_lead")
    return float(motor * sheet.get("gear_ratio", 1.0) * (2 * math.pi / lead if lead else 1.0))


def counts_per_position(sheet: dict[str, Any]) -> float:
    if "force_constant" in sheet:
        return float(COUNTS)
    turn = 2 * math.pi
    return COUNTS * sheet.get("gear_ratio", 1.0) / (sheet.get("screw_lead") or turn)


@pytest.mark.parametrize("kind", SHEETS)
@pytest.mark.parametrize("sign", [1, -1])
def test_commands_become_the_bytes_of_the_data_sheet(kind: str, sign: int) -> None:
    sheet = SHEETS[kind]
    position = sign * 1000.5 / counts_per_position(sheet)
    effort = sign * 123.5 * torque_per_permille_of_rated_torque(sheet)
    image = enabled(drives(**sheet)).send({"position": position, "effort": effort})
    # control word of an enabled drive, counts, permille, mode; halves are cut off towards zero
    assert image == struct.pack("<Hihb", 0, sign * 1000, sign * 123, MODE_8)


@pytest.mark.parametrize("kind", SHEETS)
@pytest.mark.parametrize("sign", [1, -1])
def test_bytes_of_the_drive_become_joint_states(kind: str, sign: int) -> None:
    sheet = SHEETS[kind]
    image = struct.pack(WORDS, ENABLED, sign * 7_000_001, sign * 3000, sign * 250, 0x7305, MODE_8)
    found = slave(drives(**sheet)).receive(image)
    current = {name: value for name, value in sheet.items() if name != "rated_torque"}
    assert found == pytest.approx(
        {
            "status_word": ENABLED,
            "position": sign * 7_000_001 / counts_per_position(sheet),
            "velocity": sign * 3000 / counts_per_position(sheet),
            "effort": sign * 250 * torque_per_permille_of_rated_torque(current),
            "error_code": 0x7305,
            "mode_display": MODE_8,
        },
        rel=1e-14,
    )


def test_the_image_has_no_gaps_and_the_start_up_values_are_bytes() -> None:
    made = slave(drives(**SHEETS["gear"]), 250.0)
    assert made.layout("rpdo") == [(0x6040, 16), (0x607A, 32), (0x60B2, 16), (0x6060, 8)]
    assert made.layout("tpdo") == [
        (0x6041, 16),
        (0x6064, 32),
        (0x606C, 32),
        (0x6078, 16),
        (0x603F, 16),
        (0x6061, 8),
    ]
    assert made.startup == [(0x60C2, 1, b"\x04"), (0x60C2, 2, b"\xfd")]  # 4 * 10^-3 s


def test_without_a_command_the_drive_keeps_its_position_and_gets_no_torque() -> None:
    made = slave(drives(**SHEETS["gear"]))
    nothing: dict[str, float] = {}
    assert made.send(nothing) == struct.pack("<Hihb", 0, 0, 0, MODE_8)  # bus not yet alive
    made.receive(struct.pack(WORDS, 0x0250, -98765, 0, 0, 0, 0))
    # mode not yet displayed: commands are not sent, and neither is a position
    assert made.send({"position": 1.0}) == struct.pack("<Hihb", 6, 0, 0, MODE_8)
    made.receive(struct.pack(WORDS, 0x0231, -98765, 0, 0, 0, MODE_8))
    assert made.send(nothing) == struct.pack("<Hihb", 7, -98765, 0, MODE_8)
    made.receive(struct.pack(WORDS, 0x0233, -98765, 0, 0, 0, MODE_8))
    nan = {"position": math.nan, "effort": math.nan}
    assert made.send(nan) == struct.pack("<Hihb", 0x0F, -98765, 0, MODE_8)


def test_another_mode_than_8_gets_the_measured_position_whatever_is_commanded() -> None:
    made = slave(drives(**SHEETS["gear"]))
    made.receive(struct.pack(WORDS, ENABLED, 4321, 0, 0, 0, 1))
    assert made.send({"position": 0.5, "effort": 0.0})[2:6] == struct.pack("<i", 4321)


def test_a_step_of_reset_fault_sets_bit_7_once_the_drive_is_in_fault() -> None:
    made = enabled(drives(**SHEETS["gear"]))
    made.receive(struct.pack(WORDS, 0x0218, 0, 0, 0, 0x7305, MODE_8))
    assert made.send({"reset_fault": 0.0})[0] & 0x80 == 0
    assert made.send({"reset_fault": 1.0})[0] & 0x80 == 0x80


def test_in_mode_cst_effort_is_the_target_torque_and_nothing_commands_a_position() -> None:
    sheet = drives(**SHEETS["negative gear"], mode="cst")
    text = slave_files(["axis"], sheet, load_drive("cia402"), 1000.0)["axis"]
    made = SlaveStandIn(text, mode=10)
    assert made.layout("rpdo") == [(0x6040, 16), (0x6071, 16), (0x6060, 8)]
    made.receive(struct.pack(WORDS, ENABLED, 0, 0, 0, 0, 10))
    unit = torque_per_permille_of_rated_torque(SHEETS["negative gear"])
    assert made.send({"effort": 200.5 * unit}) == struct.pack("<Hhb", 0, 200, 10)
    assert made.send({"effort": math.nan}) == struct.pack("<Hhb", 0, 0, 10)
    assert yaml.safe_load(text)["rpdo"][0]["channels"][-1]["default"] == 10


def test_torque_actual_value_is_in_thousandths_of_the_rated_torque() -> None:
    sheet = SHEETS["rated torque"]
    made = slave(drives(**sheet, feedback="torque"))
    assert made.layout("tpdo")[3] == (0x6077, 16)
    made.receive(struct.pack(WORDS, ENABLED, 0, 0, -321, 0, MODE_8))
    unit = torque_per_permille_of_rated_torque(sheet)
    assert made.states["effort"] == pytest.approx(-321 * unit, rel=1e-14)


def test_the_following_error_is_a_state_in_rad() -> None:
    made = slave(drives(**SHEETS["negative gear"], following_error=True))
    image = struct.pack("<HiihiHb", ENABLED, 0, 0, 0, 777, 0, MODE_8)
    assert (0x60F4, 32) in made.layout("tpdo")
    found = made.receive(image)["following_error"]
    assert found == pytest.approx(777 / counts_per_position(SHEETS["negative gear"]), rel=1e-14)


def test_an_absent_error_code_is_left_out() -> None:
    sheet = drives(**SHEETS["gear"])
    texts = slave_files(["axis"], sheet, load_drive("cia402"), 1000.0, absent={0x603F})
    made = SlaveStandIn(texts["axis"])
    assert 0x603F not in dict(made.layout("tpdo"))
    made.receive(struct.pack("<HiihB", ENABLED, 5, 0, 0, MODE_8))
    assert "error_code" not in made.states


# --- properties over data sheets ------------------------------------------------------------------

SIGNS = st.sampled_from([1.0, -1.0])
GEARED = st.builds(
    lambda constant, current, gear, sign, lead: {
        "torque_constant": constant,
        "rated_current_ma": current,
        "gear_ratio": sign * gear,
        "screw_lead": lead,
    },
    st.floats(0.01, 10).flatmap(lambda value: SIGNS.map(lambda sign: sign * value)),
    st.floats(50, 1e5),
    st.floats(0.1, 400),
    SIGNS,
    st.none() | st.floats(1e-3, 0.5),
)
LINEAR = st.builds(
    lambda constant, sign, current: {
        "force_constant": sign * constant,
        "rated_current_ma": current,
    },
    st.floats(1, 500),
    SIGNS,
    st.floats(50, 1e5),
)
ANY_SHEET = st.builds(
    lambda sheet, counts: sheet | {"encoder_counts": counts},
    GEARED | LINEAR,
    st.sampled_from([4096.0, 10000.0, 131072.0, 2.0**20, 2.0**23, 1e5, 1e6]),
)


@settings(max_examples=60, deadline=None)
@given(ANY_SHEET, st.integers(-(2**31) + 1, 2**31 - 1))
def test_a_measured_position_sent_back_is_the_same_count(sheet: dict[str, Any], raw: int) -> None:
    made = enabled(drives(**sheet), raw)
    kept = made.send({})[2:6]
    commanded = made.send({"position": made.states["position"]})[2:6]
    assert kept == commanded == struct.pack("<i", raw)


@settings(max_examples=60, deadline=None)
@given(ANY_SHEET, st.floats(-1, 1))
def test_torque_arrives_within_one_permille_towards_zero(
    sheet: dict[str, Any], share: float
) -> None:
    data = drives(**sheet)
    torque = share * float(factors.torque_offset_limit(data, 1)[0])
    (sent,) = struct.unpack("<h", enabled(data).send({"effort": torque})[6:8])
    unit = float(factors.rated_joint_torque(data, 1)[0]) * 1e-3
    arrived = sent * unit
    tolerance = 1e-12 * abs(torque)
    assert abs(arrived) <= abs(torque) + tolerance
    assert abs(arrived - torque) < abs(unit) * (1 + 1e-9) + tolerance
    assert arrived * torque >= 0.0


@settings(max_examples=60, deadline=None)
@given(ANY_SHEET, st.floats(0, 1e6), st.sampled_from([1.0, -1.0]))
def test_the_limit_of_the_controller_saturates_where_the_driver_would_wrap(
    sheet: dict[str, Any], torque: float, sign: float
) -> None:
    data = drives(**sheet)
    limit = float(factors.torque_offset_limit(data, 1)[0])
    clamped = sign * min(torque, limit)
    (sent,) = struct.unpack("<h", enabled(data).send({"effort": clamped})[6:8])
    assert np.sign(sent) in (0.0, np.sign(clamped / factors.rated_joint_torque(data, 1)[0]))
    assert abs(sent) <= INT16_MAX
