"""The payload of a real robot, weighed by its motion."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from support.real_recordings import UR10E, needs
from support.representatives import representatives

from dynid.identification.identify import identify
from dynid.identification.payload.identification import PayloadIdentification, identify_payload
from dynid.identification.payload.static import payload_at_rest
from dynid.profile import load_robot
from dynid.robot.model import Model
from dynid.robot.recordings import load_recording

ROBOT = load_robot("ur10e")
MASS = 2.805  # [kg]
HARMONICS = ("ur-20_02_19_14harm50sec", "ur-20_02_19_14harm50secLoad")
JANUARY = ("ur-20_01_31-unload", "ur-20_01_31-load")


@cache
def without(*names: str) -> Model:
    recordings = [load_recording(UR10E / f"{name}.csv", ROBOT) for name in names]
    return identify(ROBOT, recordings).model


def payload(model: Model, name: str) -> PayloadIdentification:
    return identify_payload(model, [load_recording(UR10E / f"{name}.csv", ROBOT)])


@needs(UR10E)
@pytest.mark.parametrize(("unloaded", "loaded"), representatives([HARMONICS, JANUARY], 1))
def test_the_mass_is_the_true_one(unloaded: str, loaded: str) -> None:
    found = payload(without(unloaded), loaded)
    body = found.payload.body
    assert body.mass == pytest.approx(MASS, rel=0.02)
    assert body.identifiable[:4].all()
    # of what the wrist feels without the payload's weight, most is explained by it
    for before, after in list(zip(found.without.joints, found.verdict.joints, strict=True))[1:]:
        assert after.rmse_torque < 0.3 * before.rmse_torque


@pytest.mark.thorough
@needs(UR10E)
def test_two_recordings_tell_the_same_body() -> None:
    model = without(
        "ur-20_02_12-50sec_12harm", HARMONICS[0], "ur-20_02_10-30sec_12harm", JANUARY[0]
    )
    one, other = (payload(model, pair[1]).payload.body for pair in (HARMONICS, JANUARY))
    assert one.mass == pytest.approx(MASS, rel=0.02)
    assert other.mass == pytest.approx(MASS, rel=0.02)
    assert np.linalg.norm(one.centre - other.centre) < 0.01


@needs(UR10E)
def test_no_payload_weighs_nothing() -> None:
    body = payload(without(HARMONICS[0]), JANUARY[0]).payload.body
    assert body.mass < 0.02 * MASS


@needs(UR10E)
def test_a_robot_at_rest_with_nothing_in_its_hand_weighs_nothing() -> None:
    names = ("ur-20_01_17-p1", "ur-20_01_17-p2", "ur-20_01_17-ptp_10_points")
    poses = [load_recording(UR10E / f"{name}.csv", ROBOT) for name in names]
    found = payload_at_rest(without(HARMONICS[0]), poses)
    assert abs(found.mass) < 2 * found.mass_standard_deviation
    # friction of 12 N m at joints that bear it over some 0.8 m, in four dwells
    assert found.mass_standard_deviation < 0.5
