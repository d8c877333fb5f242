"""Torque of real robots whose signs are taken away, and found again."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.real_recordings import UR10, UR10E, needs

from dynid.identification.identify import identify
from dynid.identification.validate import validate
from dynid.profile import RobotProfile, load_profile
from dynid.recording.model import Recording

TRAINING = UR10E / "ur-20_02_12-50sec_12harm.csv"
POINTS = UR10E / "ur-20_01_17-ptp_10_points.csv"


def held_out(
    profile: RobotProfile, urdf: str, training: Recording, judged: Recording, *, unsigned: bool
) -> np.ndarray:
    """Return each joint's relative torque error on a motion that the model has not seen."""
    settings = profile.identification.model_copy(update={"unsigned_torque": unsigned})
    asked = profile.model_copy(update={"identification": settings})
    effort = np.abs(training.effort) if unsigned else training.effort
    result = identify(asked, urdf, [replace(training, effort=effort)])
    judgement = validate(profile, result.mechanism, [judged]).judgement
    return np.array([joint.relative_error for joint in judgement.joints])


@pytest.mark.parametrize(
    ("robot", "path", "judged_path", "split"),
    [
        pytest.param("ur10", UR10, UR10, 19.26, marks=needs(UR10)),
        pytest.param("ur10e", TRAINING, POINTS, None, marks=needs(UR10E)),
    ],
)
def test_a_real_robot_is_known_as_well_without_the_signs_of_its_torque(
    robot: str, path: Path, judged_path: Path, split: float | None
) -> None:
    profile, urdf = load_profile(robot)
    training = profile.load_recording(path, stop=split)
    judged = profile.load_recording(judged_path, start=split)
    signed = held_out(profile, urdf, training, judged, unsigned=False)
    lost = held_out(profile, urdf, training, judged, unsigned=True)
    assert np.all(lost < 1.05 * signed)
