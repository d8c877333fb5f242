"""``gravity: by_robot``: the robot's controller compensates gravity, so torques exclude it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.synthetic import arm_robot, recorded, true_parameters

from dynid.control.ros2_control import controller_parameters
from dynid.errors import ConfigurationError, ModelFileError
from dynid.excitation.settings import FourierSettings
from dynid.identification.identify import identify
from dynid.identification.result import Identification
from dynid.playback.plan import make_plan
from dynid.profile import load_model, make_robot
from dynid.recording.model import Recording
from dynid.robot.acceptance import check_acceptance
from dynid.simulation.simulate import simulate

ROBOT = arm_robot(gravity="by_robot")


def without_gravity_torque() -> Recording:
    """Return a recording under gravity, of whose torque the robot's own model is subtracted."""
    mechanism = arm_robot().mechanism()
    truth = true_parameters(mechanism)
    recording = recorded(mechanism, truth, noise=0.05)
    compensated = mechanism.with_parameters(truth).gravity_torque(recording.position)
    return replace(recording, effort=recording.effort - compensated)


@pytest.fixture(scope="module")
def identification() -> Identification:
    return identify(ROBOT, without_gravity_torque())


def test_base_parameters_are_those_of_inertia_and_friction(identification: Identification) -> None:
    assert identification.verdict.success
    truth = identification.model.mechanism.with_parameters(
        true_parameters(identification.model.mechanism)
    )
    found = identification.model.mechanism
    q = np.random.default_rng(0).uniform(-2, 2, (20, 3))
    # 0.05 N m of noise in 4000 samples; the inertias are some 0.01 to 1 kg m^2
    assert np.allclose(found.mass_matrix(q), truth.mass_matrix(q), atol=5e-3)


def test_the_model_has_no_gravity_torque_and_the_report_says_why(
    identification: Identification,
) -> None:
    assert not identification.model.gravity(np.ones((5, 3))).any()
    assert any("gravity: by_robot" in note for note in identification.notes)
    mechanism = arm_robot().mechanism()
    with_gravity = identify(arm_robot(), recorded(mechanism, true_parameters(mechanism)))
    assert with_gravity.model.gravity(np.ones((5, 3))).any()
    assert not any("by_robot" in note for note in with_gravity.notes)


def test_a_stored_model_belongs_to_a_robot_that_compensates_gravity(
    identification: Identification, tmp_path
) -> None:
    path = tmp_path / "model.yaml"
    identification.model.save(path)
    model = load_model(path)
    assert model.robot.gravity == "by_robot"
    assert not model.gravity(np.ones((1, 3))).any()
    check_acceptance(model, ROBOT, "model.yaml")
    with pytest.raises(ModelFileError, match="was identified with gravity by_robot"):
        check_acceptance(model, arm_robot(), "model.yaml")


def test_the_controller_adds_no_gravity_torque(identification: Identification) -> None:
    lists = identification.model.text()
    assert "gravity: [0.0, 0.0, 0.0]" in lists
    assert controller_parameters(ROBOT, 1000)  # the setting is no obstacle


def test_a_plan_states_that_gravity_torque_is_not_checked() -> None:
    motion = FourierSettings(span=(0.5,), seed=1)
    limits = {"velocity": 5.0, "position": [[-2, 2]] * 3, "torque_max": 500.0}
    checked = make_plan(arm_robot(gravity="by_robot", limits=limits).with_settings(motion))
    assert "gravity torque not checked: `gravity` is by_robot" in checked.verdict
    assert "gravity torque" not in make_plan(arm_robot(limits=limits).with_settings(motion)).verdict


def test_a_simulated_robot_reports_torque_without_gravity() -> None:
    motion = FourierSettings(span=(0.3,), seed=1, periods=1)
    limits = {"velocity": 2.0, "position": [[-2, 2]] * 3}
    robot = arm_robot(gravity="by_robot", limits=limits).with_settings(motion)
    recording = simulate(robot)
    rest = recording.effort[100:400].mean(axis=0)  # before the motion
    mechanism = arm_robot().mechanism()
    assert np.abs(mechanism.gravity_torque(recording.position[0])).max() > 5
    assert np.abs(rest).max() < 0.05


def test_another_word_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="gravity"):
        make_robot({"robot": "arm", "urdf": "a.urdf", "joints": ["a"], "gravity": "none"}, "")
