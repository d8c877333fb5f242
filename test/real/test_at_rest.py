"""Static poses of a real robot, of which no history is known, and its motion between them."""

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


@pytest.fixture(scope="module", name="shipped")
def shipped_model() -> Model:
    return identified(load_robot("ur10e"))


@pytest.fixture(scope="module", name="smooth")
def model_without_contacts() -> Model:
    """With the same terms but for the contacts.

    Other terms differ in gravity by up to 0.1 A, of the 1.3 A that friction at rest leaves open.
    """
    robot = load_robot("ur10e")
    kept = [term for term in robot.explicit_terms if not term.traits.has_memory]
    assert len(kept) < len(robot.explicit_terms)
    return identified(
        robot.with_terms(
            [t.model_copy(update={"smoothing": 0.01}) if t.kind == "coulomb" else t for t in kept]
        )
    )


@pytest.fixture(scope="module", name="without_dead_band")
def model_without_dead_band() -> Model:
    robot = load_robot("ur10e")
    return identified(
        robot.with_terms(
            [
                t.model_copy(update={"dead_band": 0.0}) if t.traits.has_memory else t
                for t in robot.explicit_terms
            ]
        )
    )


@needs(UR10E)
@pytest.mark.parametrize("pose", ["p1", "p2"])
def test_presliding_at_rest_is_no_worse_than_a_smooth_sign_of_velocity(
    shipped: Model, smooth: Model, pose: str
) -> None:
    # up to a tenth of the noise of the current sensors
    assert np.all(rms_errors(shipped, pose) < rms_errors(smooth, pose) + 0.02)


@needs(UR10E)
def test_the_dead_band_hardly_changes_the_error_of_motion(
    shipped: Model, without_dead_band: Model
) -> None:
    moving, exact = (rms_errors(one, "ptp_10_points") for one in (shipped, without_dead_band))
    assert np.all(moving < 1.03 * exact)


@needs(UR10E)
def test_ur10e_currents_between_ten_points_are_predicted(shipped: Model) -> None:
    points = load_recording(UR10E / "ur-20_01_17-ptp_10_points.csv", shipped.robot)
    held_out = validate(shipped, [points]).verdict
    standard = np.array([0.220, 0.278, 0.186, 0.037, 0.099, 0.118])  # [A]
    assert [joint.unit for joint in held_out.joints] == ["A"] * 6
    assert np.all(np.array([joint.rmse for joint in held_out.joints]) <= standard)
    assert held_out.success
