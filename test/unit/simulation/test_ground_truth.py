"""Every shipped robot is simulated and identified, and compared with its true parameters."""

from __future__ import annotations

import json
import sys
from dataclasses import replace

import numpy as np
import pytest
import robots_table
from robots_table import GroundTruthTrial, possible_robots, trial
from support.representatives import representatives

from dynid.errors import ConfigurationError
from dynid.identification.identify import identify
from dynid.identification.result import Identification
from dynid.playback.plan import make_plan
from dynid.profile import load_robot
from dynid.simulation.settings import SimulationSettings
from dynid.simulation.simulate import simulate
from dynid.simulation.true_parameters import standardised_errors

ROBOTS, LEFT_OUT = possible_robots()

ALLOWED_TORQUE_ERROR = 0.08
"""Norm of the torque error over norm of torque, on the second motion, at every joint.

Largest at joints with mostly friction, of which the simulated robot has more than the model: it
sticks, and is larger at rest (Stribeck).
"""
ALLOWED_WHERE_SLOW = 0.15
"""The same for semi-static models: without acceleration, and mostly friction at low speed."""
ALLOWED_OF_SERVOS = 0.15
"""The same where torque is computed from 12-bit positions: their steps are a tenth of the torque of
joints that carry little."""

RMS_DEVIATIONS, WORST_DEVIATIONS = 2.5, 5.0
"""Errors of base parameters in standard deviations, with white noise of 2 % of the largest torque.

Standard deviations include noise, but not the delay of half a control cycle between torque and
position; the limits are therefore above a Gaussian's 1 and 4.
"""

LONG = ("delta_3", "delta_4", "palletiser", "puma560_static", "ur10", "ur10e", "yumi", "yumi_arm")


def shorter(name: str) -> tuple[str, ...]:
    """Overrides that keep all tests below a minute."""
    return ("excitation.periods=1",) if name in LONG else ()


def rounds_off(name: str) -> bool:
    """Whether the model smooths friction's sign, unlike the simulated robot."""
    return any(term.smoothing for term in load_robot(name).explicit_terms)


def deviations(name: str) -> dict[str, float]:
    """Errors in standard deviations, with friction as in the model, and dominant noise."""
    torque_max = load_robot(name).limits.torque_max
    assert torque_max is not None
    overrides = (
        "simulation.stribeck_torque=0",
        f"simulation.torque_noise={[0.02 * torque for torque in torque_max]}",
        "identification.physical.enabled=false",  # errors are the estimator's
        *shorter(name),
    )
    return standardised_errors(identified(name, overrides))


def identified(name: str, overrides: tuple[str, ...] = ()) -> Identification:
    robot = load_robot(name, overrides=overrides)
    motion = make_plan(robot).excitation
    return identify(robot, [simulate(robot, motion)])


@pytest.mark.parametrize("name", representatives(ROBOTS, 3))
def test_the_identified_model_predicts_a_second_motion(name: str) -> None:
    result = trial(name, overrides=shorter(name))
    assert result.success
    robot = load_robot(name)
    allowed = ALLOWED_WHERE_SLOW if robot.semi_static else ALLOWED_TORQUE_ERROR
    if robot.servo is not None:
        allowed = ALLOWED_OF_SERVOS
    errors = dict(zip(result.joints, result.relative_error, strict=True))
    assert all(error < allowed for error in errors.values()), errors


@pytest.mark.parametrize(
    "name", representatives([name for name in ROBOTS if not rounds_off(name)], 3)
)
def test_base_parameters_are_as_far_from_the_truth_as_their_deviations_say(name: str) -> None:
    errors = deviations(name)
    assert np.sqrt(np.mean(np.square(list(errors.values())))) < RMS_DEVIATIONS
    assert max(map(abs, errors.values())) < WORST_DEVIATIONS, errors


def test_a_wrong_truth_is_noticed() -> None:
    found = identified("axis_linear_tilted")
    simulation = found.robot.find(SimulationSettings)
    assert simulation is not None
    wrong = simulation.model_copy(update={"parameters": {**simulation.parameters, "Off1": 98.0}})
    model = found.model.with_robot(found.robot.with_settings(wrong))
    assert abs(standardised_errors(replace(found, model=model))["Off1"]) > 50


def test_robots_without_what_a_trial_needs_are_left_out_with_the_reason() -> None:
    assert LEFT_OUT["tx40"].startswith("its profile has no ")
    assert not set(ROBOTS) & set(LEFT_OUT)
    assert {"axis_rotary", "puma560", "scara", "scara_3"} <= set(ROBOTS)


def test_a_trial_needs_a_second_motion() -> None:
    sine = "{type: sine, start: [-0.2], target: [0.2], frequency: [0.5], duration: 4}"
    with pytest.raises(ConfigurationError, match="'axis_linear': its excitation has one motion"):
        trial("axis_linear", overrides=[f"excitation={sine}"])


def a_trial(name: str, **_: object) -> GroundTruthTrial:
    if name == "odd":
        raise ConfigurationError("profile 'odd': there is none.")
    return GroundTruthTrial(
        name, ("a", "b"), 7, 12.34, False, (0.01, 0.0234), 1.23, 4.56, "ZZ1R", 0.12
    )


@pytest.mark.thorough
def test_the_table_has_a_row_for_each_robot_and_a_reason_for_each_other(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(robots_table, "trial", a_trial)
    monkeypatch.setattr(sys, "argv", ["robots_table.py", "some", "odd"])
    robots_table.main()
    printed = capsys.readouterr().out.splitlines()
    assert printed[1].split() == (
        ["some", "2", "7", "12.3", "2.34", "%", "failed", "1.2", "4.6", "(ZZ1R)", "0.1"]
    )
    assert printed[-1] == "left out: odd: profile 'odd': there is none."
    monkeypatch.setattr(sys, "argv", ["robots_table.py", "some", "odd", "--json"])
    robots_table.main()
    content = json.loads(capsys.readouterr().out)
    assert content["trials"][0]["worst_parameter"] == "ZZ1R"
    assert list(content["left_out"]) == ["odd"]
