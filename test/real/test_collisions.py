"""Collisions of a real robot: every push is found, and nothing else is."""

from __future__ import annotations

import numpy as np
import pytest
from support.real_recordings import UR10E, needs
from support.representatives import representatives

from dynid.control.collisions import ThresholdReplay, replay_thresholds
from dynid.control.residual import recorded_residual
from dynid.control.tuning import tune
from dynid.dynamics.rigid_body import RigidBody
from dynid.identification.identify import identify
from dynid.identification.payload.identification import identify_payload
from dynid.profile import load_robot
from dynid.recording.model import Recording
from dynid.robot.model import Model
from dynid.robot.recordings import load_recording
from dynid.robot.robot import Robot
from dynid.robot.torque_settings import CollisionSettings

IDENTIFIED = (
    "ur-20_02_12-50sec_12harm",
    "ur-20_02_19_14harm50sec",
    "ur-20_02_10-30sec_12harm",
    "ur-20_01_31-unload",
)
TUNED = (*IDENTIFIED, "ur-20_01_17-p1")
LEFT_OUT = (
    "ur-20_01_17-p2",
    "ur-20_01_17-ptp_10_points",
    "ur-20_01_22-joint_2",
    "ur-20_01_22-joint_5",
    "ur-20_02_06-20sec_10harm",
    "ur-19_09_27-11_32_02",
    "ur-19_10_01-14_04_41",
    "ur-19_12_23_free",
)
DAMAGED = {"ur-19_09_27-11_32_02": 0.3}  # [s] at whose start there are numbers like 1e280
LOADED = ("ur-20_02_19_14harm50secLoad", "ur-20_01_31-load")
ONSETS = np.array([1.81, 4.58, 8.29, 11.83])  # [s] of the pushes


def read(robot: Robot, name: str) -> Recording:
    return load_recording(UR10E / f"{name}.csv", robot, start=DAMAGED.get(name))


@pytest.fixture(scope="module")
def model() -> Model:
    """The UR10e with thresholds from motion without contact."""
    robot = load_robot("ur10e")
    found = identify(robot, [read(robot, name) for name in IDENTIFIED]).model
    residuals = [recorded_residual(robot, found.mechanism, read(robot, name)) for name in TUNED]
    tuned = tune(robot, residuals, false_alarms_per_hour=0.1).settings()
    collision = robot.settings(CollisionSettings).model_copy(update=tuned)
    return found.with_robot(robot.with_settings(collision))


def played(model: Model, name: str, carried: RigidBody | None = None) -> ThresholdReplay:
    recording = read(model.robot, name)
    residual = recorded_residual(model.robot, model.mechanism, recording, carried=carried)
    return replay_thresholds(model.robot, residual, recording=name)


@needs(UR10E)
def test_ur10e_every_push_is_found(model: Model) -> None:
    alarms = played(model, "ur-20_01_22-push_pose_1").alarms
    assert len(alarms) == len(ONSETS)
    delays = np.array([alarm.time for alarm in alarms]) - ONSETS
    assert np.all(delays > 0)
    # by hand they rise over 0.1 to 0.5 s
    assert max(delays) < 0.5


@needs(UR10E)
@pytest.mark.parametrize("name", LEFT_OUT)
def test_ur10e_free_motion_that_was_not_tuned_on_gives_no_alarm(model: Model, name: str) -> None:
    assert played(model, name).alarms == ()


@needs(UR10E)
@pytest.mark.parametrize(("name", "other"), representatives([LOADED, LOADED[::-1]], 1))
def test_ur10e_a_payload_known_from_another_recording_gives_no_alarm(
    model: Model, name: str, other: str
) -> None:
    body = identify_payload(model, [read(model.robot, other)]).payload.body
    carried = RigidBody.from_numbers(body.mass, body.centre, body.inertia)
    assert played(model, name, carried).alarms == ()


@needs(UR10E)
def test_ur10e_a_payload_that_is_not_set_does(model: Model) -> None:
    assert played(model, LOADED[0]).alarms


@needs(UR10E)
def test_ur10e_damaged_samples_are_named(model: Model) -> None:
    (name,) = DAMAGED
    repairs = load_recording(UR10E / f"{name}.csv", model.robot).repairs
    damaged = [one for one in repairs if "were beyond 1e+15, which is impossible" in one]
    assert [one.split(" values")[0].split()[-1] for one in damaged] == [
        "position",
        "velocity",
        "effort",
    ]


@needs(UR10E)
def test_ur10e_profile_has_the_tuned_thresholds(model: Model) -> None:
    shipped = load_robot("ur10e").settings(CollisionSettings)
    tuned = model.robot.settings(CollisionSettings)
    assert shipped.torque_error_max == pytest.approx(tuned.torque_error_max, rel=0.05)
    assert shipped.reversal_boost == pytest.approx(tuned.reversal_boost, rel=0.05)
    assert shipped.acceleration_step == pytest.approx(tuned.acceleration_step, rel=0.05)
