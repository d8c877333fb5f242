"""Accelerations that keep torques within the drives' limits."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from dynid.control.carried_body import carrying
from dynid.control.torque_space import move_times, quickest_accelerations
from dynid.control.trajectory_limits import rounded_down, trajectory_limits
from dynid.dynamics.rigid_body import RigidBody
from dynid.errors import ConfigurationError
from dynid.profile import load_robot
from dynid.robot.model import Model, nominal_model
from dynid.robot.provenance import ModelErrors


@pytest.fixture(scope="module")
def model() -> Model:
    return nominal_model(load_robot("spatial_3r", overrides=LIMITS))


LIMITS = [
    "limits.position=[[-3, 3], [-2, 2], [-2.5, 2.5]]",
    "limits.velocity=[2, 2, 3]",
    "limits.torque_max=[9, 8, 2]",
]


def highest_use(model: Model, found, mechanism, count=4000) -> float:
    """Largest torque over the drives' in random states of a seed that nothing else uses."""
    random = np.random.default_rng(99)
    low, high = np.array(model.robot.limits.position).T
    q = random.uniform(low, high, (count, len(low)))
    dq = random.choice([-1.0, -0.5, 0.0, 1.0], q.shape) * found.velocity
    ddq = random.choice([-1.0, 1.0], q.shape) * found.acceleration
    torque = mechanism.torque(q, dq, ddq, mechanism.parameters)
    return float((np.abs(torque) / found.torque_max).max())


def test_torques_stay_within_the_drives_at_every_position(model: Model) -> None:
    found = trajectory_limits(model)
    assert 0.85 < highest_use(model, found, model.mechanism) <= 1.0
    assert 0.9 < found.highest_use.max() <= 1.0
    assert np.all(found.acceleration > 0)
    assert np.all(found.velocity <= [2, 2, 3])


def test_payload_costs_acceleration(model: Model) -> None:
    body = RigidBody(0.5, np.array([0.1, 0.0, 0.05]), 0.001 * np.eye(3))
    loaded = carrying(model.mechanism, body)
    free = trajectory_limits(model, velocity_scale=0.5)
    found = trajectory_limits(model, loaded, velocity_scale=0.5)
    assert highest_use(model, found, loaded) <= 1.0 < highest_use(model, free, loaded)


def test_path_allows_more_than_the_whole_workspace(model: Model) -> None:
    path = np.linspace([0.0, 1.5, 0.0], [1.0, 1.7, 0.2], 200)  # upright, where gravity is small
    everywhere = trajectory_limits(model, velocity_scale=0.5)
    along = trajectory_limits(model, velocity_scale=0.5, along=path)
    span = path[-1:] - path[:1]
    assert move_times(span, along.velocity, along.acceleration) < move_times(
        span, everywhere.velocity, everywhere.acceleration
    )


def test_errors_of_the_model_are_left_to_the_drives(model: Model) -> None:
    shares = dict.fromkeys((one.name for one in fields(ModelErrors)), (0.1, 0.1, 0.1))
    errors = ModelErrors(**{**shares, "rmse_torque": (0.5, 0.4, 0.1)})
    found = trajectory_limits(replace(model, errors=errors), velocity_scale=0.5)
    assert np.allclose(found.reserve, [1.5 / 9, 1.2 / 8, 0.3 / 2])
    assert np.all(found.highest_use <= 1 - found.reserve + 1e-9)


def test_ramp_time_bounds_joints_with_little_inertia(model: Model) -> None:
    found = trajectory_limits(model, velocity_scale=0.5, ramp_time=0.4)
    assert np.all(found.acceleration <= found.velocity / 0.4 * (1 + 1e-9))


@pytest.mark.parametrize(
    ("override", "words"),
    [
        ("limits.torque_max=[9, 4, 2]", "without acceleration, gravity, speed and friction"),
        ("limits.torque_max=null", "limits.torque_max is missing"),
        ("limits.velocity=null", "limits.velocity is missing"),
        ("semi_static=true", "have no inertia"),
    ],
)
def test_what_leaves_no_acceleration_is_named(override: str, words: str) -> None:
    robot = load_robot("spatial_3r", overrides=[*LIMITS, override])
    with pytest.raises(ConfigurationError, match=words):
        trajectory_limits(nominal_model(robot))


@pytest.mark.parametrize("scale", [0.0, -1.0, 1.5, float("nan")])
def test_share_of_the_velocity_is_checked(model: Model, scale: float) -> None:
    with pytest.raises(ConfigurationError, match="--velocity-scale"):
        trajectory_limits(model, velocity_scale=scale)


@pytest.mark.parametrize(
    ("scale", "ramp_time"), [(1e-308, 0.05), (1e-300, 1e-300), (0.5, 1e300), (0.5, float("inf"))]
)
def test_limits_without_motion_are_refused(model: Model, scale: float, ramp_time: float) -> None:
    with pytest.raises(ConfigurationError, match="which is no motion; expected at least 1e-09"):
        trajectory_limits(model, velocity_scale=scale, ramp_time=ramp_time)


def test_the_slowest_limits_are_above_zero(model: Model) -> None:
    found = trajectory_limits(model, velocity_scale=1e-7, ramp_time=5e-324)
    entries = yaml.safe_load(found.moveit_text([]))["joint_limits"].values()
    assert all(one["max_velocity"] > 0 and one["max_acceleration"] > 0 for one in entries)


def test_file_for_moveit_has_every_joint(model: Model) -> None:
    found = trajectory_limits(model, velocity_scale=0.5)
    text = found.moveit_text(["Limits."])
    assert text.startswith("# Limits.\n")
    limits = yaml.safe_load(text)["joint_limits"]
    assert list(limits) == list(model.robot.joints)
    for joint, acceleration in zip(model.robot.joints, found.acceleration, strict=True):
        assert limits[joint]["has_acceleration_limits"] is True
        assert 0.99 * acceleration < limits[joint]["max_acceleration"] <= acceleration


@given(st.floats(1e-6, 1e6))
def test_numbers_for_a_planner_are_never_rounded_up(value: float) -> None:
    assert 0.998 * value <= rounded_down(value) <= value


def test_move_is_a_trapezoid_or_a_triangle() -> None:
    velocity, acceleration = np.array([2.0, 1.0]), np.array([4.0, 1.0])
    long, short = np.array([[8.0, 0.5]]), np.array([[0.0, 0.25]])
    assert move_times(long, velocity, acceleration) == pytest.approx(8 / 2 + 2 / 4)
    assert move_times(short, velocity, acceleration) == pytest.approx(2 * np.sqrt(0.25))


def test_joints_that_limit_moves_get_the_acceleration() -> None:
    # one torque for two joints: all moves are of the first, so it is nearly all for it
    rows, most = np.array([[1.0, 1.0]]), np.array([10.0, 10.0])
    moves = np.random.default_rng(1).uniform(0.5, 1.0, (200, 2)) * [1.0, 1e-3]
    found = quickest_accelerations(rows, most, moves, np.array([5.0, 5.0]))
    assert found[0] > 0.9
    assert (rows @ found)[0] <= 1 + 1e-9


def test_accelerations_are_the_shortest_of_a_grid() -> None:
    random = np.random.default_rng(3)
    rows = random.uniform(0.1, 1.0, (40, 2))
    moves = random.uniform(-1, 1, (500, 2))
    velocity, most = np.array([9.0, 9.0]), np.array([20.0, 20.0])
    found = quickest_accelerations(rows, most, moves, velocity)
    times = []
    for angle in np.linspace(0.01, np.pi / 2 - 0.01, 300):
        direction = np.array([np.cos(angle), np.sin(angle)])
        one = direction / (rows @ direction).max()
        times.append(move_times(moves, velocity, one).mean())
    assert move_times(moves, velocity, found).mean() < 1.01 * min(times)
