"""Torque factors: the data sheet's formulas, and back again without loss."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynid.configuration import parse
from dynid.errors import ConfigurationError
from dynid.robot import drives as factors
from dynid.robot.drives import Drives
from dynid.robot.limits import Limits

POSITIVE = st.floats(1e-3, 1e3)
RATIO = st.one_of(POSITIVE, POSITIVE.map(lambda ratio: -ratio))
ROUNDING = 1e-12  # of some products and quotients of doubles


def sheet(**more: object) -> Drives:
    """Return the motor of docs/drives.md, or what ``more`` makes of it."""
    motor = {"rated_current_ma": 3400, "torque_constant": 0.2, "gear_ratio": 100}
    return parse(Drives, motor | {"encoder_counts": 131072} | more, "arm.yaml")


def linear(**more: object) -> Drives:
    motor = {"rated_current_ma": 2000, "force_constant": 50, "encoder_counts": 1e6}
    return parse(Drives, motor | more, "arm.yaml")


@st.composite
def sheets(draw: st.DrawFn) -> Drives:
    """Rotary, screw and linear axes, gears of either sign, rated torque given or not."""
    rated = draw(st.one_of(st.none(), POSITIVE))
    common = {"rated_torque": rated, "rated_current_ma": draw(POSITIVE)}
    if draw(st.booleans()):
        return linear(force_constant=draw(RATIO), encoder_counts=draw(POSITIVE), **common)
    lead = draw(st.one_of(st.none(), POSITIVE))
    return sheet(
        torque_constant=draw(RATIO),
        gear_ratio=draw(RATIO),
        screw_lead=None if lead is None else [lead],
        encoder_counts=draw(POSITIVE),
        **common,
    )


def test_the_worked_example_of_the_docs() -> None:
    motor = sheet(peak_current_ma=9000)
    limits = factors.with_drive_limits(Limits(), motor, 1)
    assert factors.torque_per_permille(motor, 1) == pytest.approx(0.068, rel=ROUNDING)
    assert 1 / factors.torque_per_permille(motor, 1) == pytest.approx(14.7059, abs=5e-5)
    assert factors.rated_joint_torque(motor, 1) == pytest.approx(68, rel=ROUNDING)
    assert limits.torque_max == pytest.approx((180,), rel=ROUNDING)
    assert limits.torque_threshold == pytest.approx((68,), rel=ROUNDING)


def test_a_linear_motor_has_no_gear() -> None:
    assert factors.torque_per_permille(linear(), 1) == pytest.approx(0.1, rel=ROUNDING)
    assert factors.counts_factor(linear(), 1) == pytest.approx(1e6, rel=ROUNDING)


def test_one_joint_of_a_robot_may_have_the_screw() -> None:
    both = factors.torque_per_permille(sheet(screw_lead=[None, 0.02]), 2)
    assert both == pytest.approx([0.068, 0.068 * 2 * np.pi / 0.02], rel=ROUNDING)


@given(sheets())
def test_torque_offset_and_measured_torque_have_one_sign(drives: Drives) -> None:
    offset = factors.torque_offset_factor(drives, 1)
    assert (offset * factors.torque_per_permille(drives, 1) > 0).all()


@given(sheets(), st.floats(-1e4, 1e4))
def test_power_is_the_same_before_and_behind_the_gear(drives: Drives, position: float) -> None:
    counts = position * factors.counts_factor(drives, 1)
    turn = 1.0 if drives.force_constant else 2 * np.pi
    assert drives.encoder_counts is not None
    motor_motion = counts / drives.encoder_counts[0] * turn
    constant = (drives.torque_constant or drives.force_constant or ())[0]
    work = factors.torque_per_ampere(drives, 1) * position  # of one ampere
    assert motor_motion * constant == pytest.approx(work, rel=ROUNDING)


def test_limits_of_the_profile_come_before_those_of_the_drives() -> None:
    own = Limits(torque_max=(50.0,))
    found = factors.with_drive_limits(own, sheet(peak_current_ma=9000, gear_ratio=-100), 1)
    assert found.torque_max == (50.0,)
    assert found.torque_threshold == pytest.approx((68,), rel=ROUNDING)


def test_without_a_data_sheet_limits_stay_as_they_are() -> None:
    assert factors.with_drive_limits(Limits(), Drives(), 3) == Limits()


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"force_constant": 50}, "give either torque_constant or force_constant"),
        (
            {"force_constant": 50, "torque_constant": None},
            "for a linear motor, which has no gear_ratio",
        ),
        ({"force_constant": 0}, "force_constant must not be 0"),
        ({"screw_lead": [-1]}, "screw_lead"),
        ({"rated_torque": 0}, "rated_torque"),
        (
            {"rated_current_ma": [3400, 1000], "peak_current_ma": [9000, 900]},
            "peak_current_ma must not be below",
        ),
        (
            {"effort": "rated_torque_permille", "torque_constant": None},
            "'rated_torque_permille' requires rated_torque",
        ),
    ],
)
def test_refuses_impossible_motors(more: dict[str, object], sentence: str) -> None:
    with pytest.raises(ConfigurationError, match=sentence):
        sheet(**more)


def test_a_missing_entry_of_the_data_sheet_is_named() -> None:
    with pytest.raises(ConfigurationError, match=r"'drives.encoder_counts' \[1/turn\] is missing"):
        factors.counts_factor(sheet(encoder_counts=None), 1)


# --- addresses on the bus -------------------------------------------------------------------------


def test_drives_alone_on_the_bus_are_in_the_order_of_the_joints() -> None:
    assert factors.bus_addresses(sheet(), 3) == ((0, 0), (0, 1), (0, 2))


def test_drives_behind_a_coupler_or_with_aliases_have_their_own_addresses() -> None:
    assert factors.bus_addresses(sheet(position=[1, 3, 2]), 3) == ((0, 1), (0, 3), (0, 2))
    assert factors.bus_addresses(sheet(alias=[7, 9], position=0), 2) == ((7, 0), (9, 0))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"position": [1, 2, 1]}, "joints 1 and 3 have alias 0 and position 1"),
        ({"position": 0}, "joints 1 and 2 have alias 0 and position 0"),
        ({"position": [0, 1]}, "'drives.position' has 2 values, expected 1 or 3"),
        ({"alias": [1, 2]}, "'drives.alias' has 2 values, expected 1 or 3"),
    ],
)
def test_refuses_addresses_that_are_not_those_of_the_drives(
    given: dict[str, object], message: str
) -> None:
    with pytest.raises(ConfigurationError, match=message):
        factors.bus_addresses(sheet(**given), 3)


@pytest.mark.parametrize("value", [-1, 65536, 1.5, True])
def test_refuses_an_impossible_position(value: object) -> None:
    with pytest.raises(ConfigurationError, match=r"drives|position"):
        sheet(position=[value])


# --- torque actual value, 0x6077 ------------------------------------------------------------------


@given(sheets())
def test_thousandths_of_the_rated_torque_are_the_unit_of_the_offset(drives: Drives) -> None:
    torque = drives.model_copy(update={"effort": "rated_torque_permille", "feedback": "torque"})
    permille = torque.torque_factor(1)
    assert permille * factors.torque_offset_factor(torque, 1) == pytest.approx(1, rel=ROUNDING)
    assert factors.measured_torque_per_permille(torque, 1) == pytest.approx(permille, rel=ROUNDING)


def test_a_rated_torque_is_enough_for_torques_without_a_constant() -> None:
    given = {"rated_torque": 0.5, "gear_ratio": -100, "effort": "rated_torque_permille"}
    drives = parse(Drives, given, "arm.yaml")
    assert drives.scales_torque_offset
    assert drives.effort_unit == "permille"
    assert drives.torque_factor(1) == pytest.approx(-0.05, rel=ROUNDING)
