"""Identification of real robots from real recordings, which are not part of this repository."""

from __future__ import annotations

import numpy as np
import pytest
from support.real_recordings import DVRK, LWR, PANDA, TX40, UR10, needs

from dynid.evaluation.verdict import Verdict
from dynid.identification.identify import identify
from dynid.identification.result import Identification
from dynid.identification.validate import validate
from dynid.profile import load_robot
from dynid.robot.recordings import load_recording


def relative_errors(verdict: Verdict) -> np.ndarray:
    return np.array([joint.relative_error for joint in verdict.joints])


def parameters_by_name(identification: Identification) -> dict[str, float]:
    return {parameter.name: parameter.value for parameter in identification.parameters}


@needs(UR10)
def test_ur10_predicts_motion_it_has_not_seen_better_than_plain_friction_does() -> None:
    robot = load_robot("ur10")
    result = identify(robot, [load_recording(UR10, robot, stop=19.26)])
    held_out = validate(result.model, [load_recording(UR10, robot, start=19.26)])
    # a plain script with viscous and Coulomb friction, offset and rotor inertia, on the same split
    plain = np.array([0.170, 0.067, 0.059, 0.128, 0.133, 0.160])
    assert np.all(relative_errors(held_out.verdict) < 0.75 * plain)
    assert result.verdict.success
    assert result.provenance.physically_consistent


@pytest.mark.thorough
@needs(TX40)
def test_tx40_wrist_is_explained_by_its_coupling() -> None:
    robot = load_robot("tx40")
    result = identify(robot, [load_recording(TX40, robot)])
    wrist = relative_errors(result.verdict)[4:]
    assert np.all(wrist < [0.11, 0.10])

    at_joints = [term for term in robot.terms if term.side == "joint"]
    uncoupled = robot.with_terms(at_joints)
    without = identify(uncoupled, [load_recording(TX40, robot)])
    assert np.all(relative_errors(without.verdict)[4:] > 2.5 * wrist)


@pytest.mark.thorough
@needs(TX40)
def test_tx40_friction_is_that_of_the_literature() -> None:
    robot = load_robot("tx40")
    result = identify(robot, [load_recording(TX40, robot)])
    found = parameters_by_name(result)
    # the literature's Fv5 and Fv6 are what each joint feels of its own speed: its motor's included
    for joint in ("5", "6"):
        found["Fv" + joint] += found["Fvm6"]
    published = {
        "Fv": (8.05, 5.53, 1.97, 1.11, 1.86, 0.65),
        "Fc": (7.14, 8.26, 6.34, 2.48, 3.03, 0.282),
    }
    for prefix, values in published.items():
        for joint, value in enumerate(values, start=1):
            assert found[f"{prefix}{joint}"] == pytest.approx(value, rel=0.15), f"{prefix}{joint}"
    assert found["Fvm6"] == pytest.approx(0.616, rel=0.15)
    assert found["Fcm6"] == pytest.approx(1.95, rel=0.15)


@pytest.mark.thorough
@needs(PANDA)
def test_panda_passes_with_friction_chosen_by_its_recording() -> None:
    robot = load_robot("panda")
    result = identify(robot, [load_recording(PANDA, robot, stop=14.7)])
    assert result.verdict.success
    assert result.verdict.joints[0].collision
    chosen = validate(result.model, [load_recording(PANDA, robot, start=14.7)])
    plain = identify(
        robot.with_explicit_terms(), [load_recording(PANDA, robot, stop=14.7)], estimator="wls"
    )
    before = validate(plain.model, [load_recording(PANDA, robot, start=14.7)])
    assert chosen.verdict.success
    assert chosen.verdict.mean_relative_error < 0.8 * before.verdict.mean_relative_error


@pytest.mark.thorough
@needs(DVRK)
@pytest.mark.parametrize(
    ("arm", "published"),
    [
        ("psm", (9.29, 17.83, 19.07, 13.45, 23.94, 21.25, 26.42)),
        ("mtm", (7.69, 14.85, 16.95, 22.32, 28.00, 23.42, 33.95)),
    ],
)
def test_arms_of_the_da_vinci_are_predicted_as_well_as_published(arm, published) -> None:
    robot = load_robot(f"dvrk_{arm}")
    path = DVRK / f"{arm}_one_results.csv"
    result = identify(robot, [load_recording(path, robot, stop=21)])
    assert result.verdict.success
    assert result.provenance.physically_consistent
    held_out = validate(result.model, [load_recording(path, robot, start=21)]).verdict
    # on another motion, so only on the whole
    assert held_out.mean_relative_error < np.mean(published) / 100
    assert held_out.success


@pytest.mark.thorough
@needs(LWR)
def test_lwr_says_which_joints_it_does_not_serve() -> None:
    robot = load_robot("lwr4")
    result = identify(robot, [load_recording(LWR, robot, stop=17.6)])
    held_out = validate(result.model, [load_recording(LWR, robot, start=17.6)]).verdict
    errors = relative_errors(held_out)
    # a plain script with viscous friction, tanh, offset and rotor inertia, on the same split
    plain = np.array([0.2315, 0.0204, 0.1024, 0.0254, 0.1674, 0.3582, 1.4983])
    assert errors.mean() < plain.mean()
    assert not held_out.success
    assert [joint.feedforward for joint in held_out.joints] == [*6 * [True], False]
