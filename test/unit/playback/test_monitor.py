"""With an identified model, torque that it does not expect is a collision."""

from __future__ import annotations

import re

import numpy as np
import pytest
from support.fake_cell import sine_plan

from dynid.playback.follower import TrajectoryFollower
from dynid.playback.monitor import Monitor, Thresholds
from dynid.playback.robot_state import RobotState

NOW = 10**9
MILLISECOND = 10**6


def watched(torque_offset: np.ndarray, duration: float = 1.0, delay: int = 0) -> str | None:
    """What a monitor says of a robot with Coulomb friction that follows the sine."""
    plan = sine_plan()
    parameters = plan.mechanism.urdf_parameters.copy()
    names = plan.mechanism.parameter_names
    for j, friction in enumerate((25.98, 10.62, 6.364, 1.068, 0.854, 0.554)):
        parameters[names.index(f"Fc{j + 1}")] = friction
    model = plan.mechanism.with_parameters(parameters)
    thresholds = Thresholds(
        tracking_error=np.full(6, 0.2),
        torque_factor=np.full(6, 0.5),
        torque_max=np.full(6, np.inf),
        torque_error=np.array([25.0, 35.0, 20.0, 5.0, 5.0, 5.0]),
    )
    monitor = Monitor(plan.robot.joints, (), thresholds, model)
    follower = TrajectoryFollower(plan.robot.joints, plan.start)
    follower.accept(plan.trajectory, NOW, NOW)
    for k in range(2000):
        stamp = NOW + k * MILLISECOND
        there = follower.motion([stamp - delay])
        extra = torque_offset if 500 <= k < 500 + 1000 * duration else 0.0
        effort = (model.torque(*there, parameters)[0] + extra) / 0.5
        said = monitor.watch(RobotState(stamp, 0.0, there.position[0], effort), follower)
        if said is not None:
            return said
    return None


@pytest.mark.parametrize("delay", [0, 5, 30])
def test_the_models_own_torque_is_no_collision_however_late(delay) -> None:
    assert watched(np.zeros(6), delay=delay * MILLISECOND) is None


def test_a_push_beyond_the_threshold_is_a_collision() -> None:
    said = watched(np.array([0, 0, 0, 0, 8.0, 0]))
    expected = r"joint 'joint_5': its torque is [78]\.?\d* N m away from the model's, as in a "
    assert re.fullmatch(expected + r"collision, at most 5 N m are allowed\.", str(said))


def test_a_blow_that_passes_within_a_blink_is_not() -> None:
    assert watched(np.array([0, 0, 0, 0, 8.0, 0]), duration=0.03) is None
