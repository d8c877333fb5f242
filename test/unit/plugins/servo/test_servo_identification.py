"""Gains and biases of servos with the parameters of the robot, from commands and positions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from dynid.errors import ConfigurationError, EstimationError
from dynid.playback.plan import make_plan
from dynid.profile import load_robot
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid_plugins.servo.extended import dependent_columns
from dynid_plugins.servo.identification import ServoIdentification, identify_servos
from dynid_plugins.servo.simulated_servo import record_servos

GAIN, DAMPING, BIAS = 330.0, 22.0, 0.013


def rig(gain: float = 300.0, *overrides: str) -> Robot:
    """A pendulum of known mass on a servo that controls its torque."""
    return load_robot(
        "pendulum",
        overrides=[
            "drives.effort=position_command",
            f"servo={{position_gain: {gain}, velocity_gain: {DAMPING}, output_max: 200}}",
            "simulation.parameters={Fv1: 2.0, Fc1: 1.5}",
            "simulation.position_resolution=0.0002",
            *overrides,
        ],
    )


@pytest.fixture(scope="module")
def commanded() -> Recording:
    robot = rig(GAIN, f"servo.bias={BIAS}")
    return record_servos(robot, make_plan(robot).excitation, sampling_rate=100.0)


def found_with(commanded: Recording, unknowns: list[str], known: list[str]) -> ServoIdentification:
    return identify_servos(rig(), [commanded], unknowns=unknowns, known=known)


def errors(found: ServoIdentification, truth: dict[str, float]) -> dict[str, float]:
    """Errors in standard deviations."""
    rows = zip(found.names, found.values, found.standard_deviations, strict=True)
    return {name: (value - truth[name]) / sd for name, value, sd in rows if name in truth}


@pytest.mark.thorough
def test_a_known_mass_sets_the_scale_of_the_gain(commanded: Recording) -> None:
    found = found_with(commanded, ["position_gain", "bias"], ["MX1"])
    truth = {"position_gain1": GAIN, "bias1": BIAS, "Fv1": 2.0, "Fc1": 1.5, "ZZ1": 1.6708}
    assert found.combinations == ()
    assert set(errors(found, truth)) == set(truth)
    assert max(map(abs, errors(found, truth).values())) < 4
    assert found.law.position_gain == pytest.approx([GAIN], rel=0.01)
    assert found.known == {"MX1": pytest.approx(2.5)}


def test_without_a_known_mass_the_gain_is_a_scale_of_all_parameters(commanded: Recording) -> None:
    found = found_with(commanded, ["position_gain", "bias"], [])
    (scale,) = found.combinations
    assert (scale.name, scale.value) == ("position_gain1", 300.0)
    values = dict(zip(found.names, found.values, strict=True))
    # everything is in proportion to the gain; viscous friction with that of the servo
    assert values["MX1"] == pytest.approx(2.5 * 300 / GAIN, rel=0.01)
    assert values["Fc1"] == pytest.approx(1.5 * 300 / GAIN, rel=0.05)
    assert scale.others["MX1"] == pytest.approx(2.5 / GAIN, rel=0.02)
    whole = (2.0 + DAMPING) * 300 / GAIN - DAMPING
    assert values["Fv1"] == pytest.approx(whole, abs=0.05 * DAMPING)
    assert values["bias1"] == pytest.approx(BIAS, abs=1e-3)


def test_damping_of_the_servo_and_viscous_friction_are_one(commanded: Recording) -> None:
    robot = rig(GAIN)
    found = identify_servos(robot, [commanded], unknowns=["velocity_gain", "bias"])
    (both,) = found.combinations
    assert both.name == "velocity_gain1"
    assert both.others["Fv1"] == pytest.approx(-1.0, abs=0.01)
    assert both.value == DAMPING


def test_an_offset_and_a_bias_are_one(commanded: Recording) -> None:
    terms = "terms=[{kind: viscous}, {kind: coulomb}, {kind: offset}]"
    found = identify_servos(rig(GAIN, terms), [commanded], unknowns=["bias"])
    (both,) = found.combinations
    assert both.name == "bias1"
    assert both.others["Off1"] == pytest.approx(GAIN, rel=0.01)


def test_dependent_columns_are_made_of_those_before_them() -> None:
    columns = np.random.default_rng(1).normal(size=(50, 3)) * [1.0, 10.0, 100.0]
    given = np.column_stack([columns, columns @ [2.0, -0.3, 0.0], np.zeros(50)])
    dependent, factors = dependent_columns(given)
    assert dependent == [3, 4]
    assert factors[:, 0] == pytest.approx([2.0, -0.3, 0, 0, 0], abs=1e-12)
    assert not factors[:, 1].any()


@pytest.mark.parametrize(
    ("unknowns", "known", "words"),
    [
        (["torque"], [], "no unknown 'torque'; expected some of position_gain"),
        ([], [], "name at least one unknown"),
        (["bias"], ["M9"], "no base parameter 'M9'; those of pendulum are MX1"),
    ],
)
def test_refuses_names_that_do_not_exist(
    commanded: Recording, unknowns: list[str], known: list[str], words: str
) -> None:
    with pytest.raises(ConfigurationError, match=words):
        found_with(commanded, unknowns, known)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda one: replace(one, effort=2 * one.position - one.effort),
            "units of commands and positions",
        ),
        (
            lambda one: replace(one, position=np.full_like(one.position, 0.2)),
            "no joint moves in the recordings",
        ),
        (lambda one: one.cut(3.0, 3.2), r"have 20 positions for \d+ unknowns"),
    ],
    ids=["opposite commands", "no motion", "fewer samples than an exact fit needs"],
)
def test_refuses_recordings_that_do_not_determine_a_servo(
    commanded: Recording, change: Callable[[Recording], Recording], words: str
) -> None:
    with pytest.raises(EstimationError, match=words):
        found_with(change(commanded), ["position_gain", "bias"], ["MX1"])
