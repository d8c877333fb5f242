"""Friction models of a real UR10e, chosen on recordings that are not part of this repository."""

from __future__ import annotations

import numpy as np
import pytest
from support.real_recordings import UR10, UR10E, needs

from dynid.identification.friction.search import choose_terms, motion_noise
from dynid.identification.identify import identify
from dynid.identification.settings import IdentificationSettings
from dynid.identification.validate import validate
from dynid.profile import load_robot, make_robot
from dynid.recording.model import Recording
from dynid.robot.model import Model
from dynid.robot.recordings import load_recording
from dynid.robot.robot import Robot
from dynid.signals.preprocess import preprocess
from dynid.signals.signals import Signals

WRIST_3 = 5
IDENTIFICATION = (
    "ur-20_02_12-50sec_12harm.csv",
    "ur-20_02_10-30sec_12harm.csv",
    "ur-20_01_31-unload.csv",
)
UNSEEN = ("ur-20_01_17-ptp_10_points.csv", *IDENTIFICATION[1:])


def ur10e() -> tuple[Robot, list[Recording], list[Signals]]:
    robot = load_robot("ur10e")
    recordings = [load_recording(UR10E / name, robot) for name in IDENTIFICATION]
    return robot, recordings, [preprocess(recording, robot) for recording in recordings]


@pytest.mark.thorough
@needs(UR10E)
def test_wrist_of_the_ur10e_is_better_predicted_with_presliding_than_without() -> None:
    _, recordings, signals = ur10e()
    wrist = choose_terms(without_terms("ur10e"), recordings, signals).joints[WRIST_3]
    errors = {trial.name: trial.held_out_error for trial in wrist.tried}
    assert "stop" in wrist.chosen
    assert errors[wrist.chosen] < 0.8 * errors["viscous + tanh"]


@needs(UR10E)
def test_noise_of_the_encoders_at_rest_is_about_a_tenth_of_a_milliradian_wide() -> None:
    position, _ = motion_noise(*ur10e())
    assert np.all(position > 1e-5)
    assert np.all(position < 1e-4)


def without_terms(name: str) -> Robot:
    """Return a shipped robot as a profile that says nothing on friction, filters or estimator."""
    given = load_robot(name)
    kept = ("robot", "urdf", "joints", "gravity", "limits", "drives", "recording")
    content = {key: value for key, value in given.yaml_content().items() if key in kept}
    return make_robot(content, given.urdf_xml)


def held_out(model: Model, recordings: list[Recording]) -> float:
    """Return the mean relative error over joints and recordings, with the default filters."""
    model = model.with_robot(model.robot.with_settings(IdentificationSettings()))
    errors = [
        [joint.relative_error for joint in validate(model, one).verdict.joints]
        for one in recordings
    ]
    return float(np.mean(errors))


@pytest.mark.thorough
@needs(UR10E)
def test_terms_chosen_by_one_recording_predict_others_like_the_shipped_profile() -> None:
    robot = without_terms("ur10e")
    fitted = load_recording(UR10E / IDENTIFICATION[0], robot)
    unseen = [load_recording(UR10E / name, robot) for name in UNSEEN]
    chosen = held_out(identify(robot, fitted).model, unseen)
    assert chosen < 1.1 * held_out(identify(load_robot("ur10e"), fitted).model, unseen)
    plain = identify(robot, fitted, terms=robot.explicit_terms).model
    assert chosen < 0.8 * held_out(plain, unseen)


@pytest.mark.thorough
@needs(UR10)
def test_terms_chosen_by_a_part_of_a_recording_predict_the_rest_like_the_shipped_profile() -> None:
    robot = without_terms("ur10")
    fitted = load_recording(UR10, robot, stop=19.26)
    unseen = load_recording(UR10, robot, start=19.26)
    chosen = held_out(identify(robot, fitted).model, [unseen])
    assert chosen < 1.1 * held_out(identify(load_robot("ur10"), fitted).model, [unseen])
