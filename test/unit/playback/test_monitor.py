"""Unexpected torque of an identified model is a collision."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from support.fake_cell import sine_plan
from support.representatives import representatives

from dynid.playback.follower import TrajectoryFollower
from dynid.playback.monitor import Monitor, make_monitor, supervises_torque, supervision
from dynid.playback.options import Options
from dynid.playback.plan import Plan
from dynid.playback.robot_state import JointStateSample
from dynid.robot.torque_settings import CollisionSettings

NOW = 10**9
MILLISECOND = 10**6


def watched(torque_offset: np.ndarray, duration: float = 1.0, delay: int = 0) -> str | None:
    """Return the monitor's result for a robot with Coulomb friction that follows the sine."""
    plan = sine_plan()
    parameters = plan.mechanism.urdf_parameters.copy()
    names = plan.mechanism.parameter_names
    for j, friction in enumerate((25.98, 10.62, 6.364, 1.068, 0.854, 0.554)):
        parameters[names.index(f"Fc{j + 1}")] = friction
    model = plan.mechanism.with_parameters(parameters)
    monitor = Monitor(
        plan.robot.joints,
        (),
        tracking_error=np.full(6, 0.2),
        torque_factor=np.full(6, 0.5),
        torque_max=np.full(6, np.inf),
        torque_error=np.array([25.0, 35.0, 20.0, 5.0, 5.0, 5.0]),
        model=model,
    )
    follower = TrajectoryFollower(plan.robot.joints, plan.start)
    follower.accept(plan.trajectory, NOW, NOW)
    for k in range(2000):
        stamp = NOW + k * MILLISECOND
        there = follower.motion([stamp - delay])
        extra = torque_offset if 500 <= k < 500 + 1000 * duration else 0.0
        effort = (model.torque(*there, parameters)[0] + extra) / 0.5
        reason = monitor.watch(JointStateSample(stamp, 0.0, there.position[0], effort), follower)
        if reason is not None:
            return reason
    return None


@pytest.mark.parametrize("delay", representatives([0, 5, 30], 2))
def test_the_models_own_torque_is_no_collision_with_delay(delay) -> None:
    assert watched(np.zeros(6), delay=delay * MILLISECOND) is None


def test_a_torque_above_the_threshold_is_a_collision() -> None:
    reason = watched(np.array([0, 0, 0, 0, 8.0, 0]))
    expected = r"joint 'joint_5': its torque is [78]\.?\d* N m away from the model's, as in a "
    assert re.fullmatch(expected + r"collision, at most 5 N m are allowed\.", str(reason))


def test_a_very_short_torque_is_not_a_collision() -> None:
    assert watched(np.array([0, 0, 0, 0, 8.0, 0]), duration=0.03) is None


def test_a_collision_is_found_after_a_stamp_one_hour_ahead() -> None:
    plan = a_plan(torque_max=(100.0,) * 6, identified=False, watched=False)
    monitor = make_monitor(plan, Options())
    effort = 120.0 / plan.robot.drives.torque_factor(6)
    follower = TrajectoryFollower(plan.robot.joints, plan.start)
    follower.accept(plan.trajectory, NOW, NOW)

    def result(stamp: int) -> str | None:
        position = follower.motion([stamp]).position[0]
        return monitor.watch(JointStateSample(stamp, 0.0, position, effort), follower)

    assert result(NOW + 3600 * 10**9) is None
    results = [result(NOW + k * MILLISECOND) for k in range(200)]
    assert any(one and "its torque is 120 N m, at most 100" in one for one in results)


def a_plan(*, torque_max: tuple[float, ...] | None, identified: bool, watched: bool) -> Plan:
    collisions = CollisionSettings(
        torque_error_max=(4.0,) * 6 if watched else None, reversal_boost=(1.0,) * 6
    )
    plan = sine_plan()
    robot = plan.robot.with_settings(collisions)
    limits = robot.limits.model_copy(update={"torque_max": torque_max})
    robot = robot.model_copy(update={"limits": limits})
    return replace(plan, robot=robot, identified=identified)


def said_of(plan: Plan, extra: float, options: Options) -> str | None:
    """Return the monitor's result for a robot at rest with additional torque at joint 2."""
    monitor = make_monitor(plan, options)
    follower = TrajectoryFollower(plan.robot.joints, plan.start)
    model = plan.mechanism
    effort = model.gravity_torque(plan.start) / plan.robot.drives.torque_factor(6)
    effort[1] += extra / plan.robot.drives.torque_factor(6)[1]
    reason = None
    for k in range(200):
        state = JointStateSample(NOW + k * MILLISECOND, 0.0, np.array(plan.start), effort)
        reason = reason or monitor.watch(state, follower)
    return reason


def test_an_identified_model_is_supervised_with_the_thresholds_of_its_profile() -> None:
    plan = a_plan(torque_max=None, identified=True, watched=True)
    assert supervises_torque(plan, Options())
    assert supervision(plan, Options()) == []
    assert said_of(plan, 4.9, Options()) is None
    assert "at most 5 N m are allowed" in str(said_of(plan, 5.1, Options()))
    assert said_of(plan, 5.1, Options(supervise_torque=False)) is None


def test_the_urdfs_bodies_alone_do_not_supervise_torque_errors() -> None:
    plan = a_plan(torque_max=None, identified=False, watched=True)
    assert said_of(plan, 50.0, Options()) is None
    assert not supervises_torque(plan, Options())
    (sentence,) = supervision(plan, Options())
    assert sentence.endswith("the robot has no limits.torque_max, and no identified model.")


def test_without_thresholds_a_model_supervises_nothing() -> None:
    plan = a_plan(torque_max=None, identified=True, watched=False)
    assert said_of(plan, 50.0, Options()) is None
    assert supervision(plan, Options())[0].endswith("and no collision thresholds.")


def test_the_largest_torque_is_supervised_with_and_without_a_model() -> None:
    gravity = sine_plan().mechanism.gravity_torque(sine_plan().start)
    limits = tuple(np.abs(gravity) + 10.0)
    push = float(np.copysign(11.0, gravity[1]))
    plan = a_plan(torque_max=limits, identified=False, watched=False)
    assert supervises_torque(plan, Options())
    assert said_of(plan, push * 9 / 11, Options()) is None
    assert str(said_of(plan, push, Options())).startswith("joint 'joint_2': its torque is ")
    unsupervised = Options(supervise_torque=False)
    assert said_of(plan, push, unsupervised) is None
    assert not supervises_torque(plan, unsupervised)
    assert supervision(plan, unsupervised) == [
        "Torque is not supervised: supervise_torque is false."
    ]
