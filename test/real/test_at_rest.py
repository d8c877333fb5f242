"""Static poses of a real robot, of which no history is known."""

from __future__ import annotations

import numpy as np
import pytest
from support.real_recordings import UR10E, needs

from dynid.identification.identify import identify
from dynid.identification.validate import validate
from dynid.profile import load_robot
from dynid.robot.model import Model
from dynid.robot.recordings import load_recording
from dynid.robot.robot import Robot

POSES = ("p1", "p2")
EXCITATION = "ur-20_02_12-50sec_12harm.csv"


def identified(robot: Robot) -> Model:
    return identify(robot, [load_recording(UR10E / EXCITATION, robot)]).model


def rms_errors(model: Model, recording: str) -> np.ndarray:
    """Return the root mean square error of each joint [A]."""
    path = UR10E / f"ur-20_01_17-{recording}.csv"
    found = validate(model, [load_recording(path, model.robot)])
    factor = model.robot.drives.torque_factor(len(model.robot.joints))
    error = (found.model_torque[0] - found.measured_torque[0]) / factor
    return np.asarray(np.sqrt(np.mean(error**2, axis=0)))


@pytest.fixture(scope="module", name="robot")
def ur10e() -> Robot:
    return load_robot("ur10e")


@needs(UR10E)
@pytest.mark.parametrize("pose", POSES)
def test_presliding_at_rest_is_no_worse_than_a_smooth_sign_of_velocity(
    robot: Robot, pose: str
) -> None:
    contacts = [term for term in robot.terms if term.traits.has_memory]
    signs = [term for term in robot.terms if not term.traits.has_memory]
    plain = robot.with_terms(
        [t.model_copy(update={"smoothing": 0.01}) if t.kind == "coulomb" else t for t in signs]
    )
    # the same terms but for the contacts: what gravity and load-dependent friction are at rest
    # differs between sets of terms by up to 0.1 A, within what Coulomb friction leaves open
    assert contacts
    error, smooth = rms_errors(identified(robot), pose), rms_errors(identified(plain), pose)
    assert np.all(error < smooth + 0.01)


@needs(UR10E)
def test_the_dead_band_leaves_the_error_of_motion_unchanged(robot: Robot) -> None:
    exact = robot.with_terms(
        [t.model_copy(update={"dead_band": 0.0}) if t.traits.has_memory else t for t in robot.terms]
    )
    moving = [rms_errors(identified(one), "ptp_10_points") for one in (robot, exact)]
    assert np.all(moving[0] < 1.03 * moving[1])
