"""A torque-controlled robot starts only where its torque holds it, with a reserve."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.random_mechanisms import RandomTree, random_trees
from support.small_robot import HOME, write_small_robot

from dynid import _core
from dynid.control.torque_controlled_robot import TorqueControlledRobot
from dynid.errors import SimulationError
from dynid.profile import load_robot

STATIC_KINDS = ("rotor_inertia", "spring_stiffness", "spring_preload", "offset")
USES = (0.1, 0.5, 0.89, 0.91, 1.2, 5.0)  # of a drive's torque limit


def law_settings(torque_max: np.ndarray) -> _core.TorqueLawSettings:
    """Return loops that do nothing, with limits of torque (n,)."""
    settings = _core.TorqueLawSettings()
    law = settings.law
    for value, target, names in (
        (np.inf, law.feedforward, "position_jump acceleration_jump"),
        (np.inf, law.collision, "torque_error_max acceleration_step torque_threshold"),
        (np.inf, law, "reference_tolerance"),
        (np.inf, settings, "torque_rate_max position_error_max speed_max guiding_torque"),
        (0.0, law.collision, "torque_error_enable torque_error_time_constant velocity_factor"),
        (0.0, law.collision, "acceleration_factor reversal_boost low_speed"),
        (0.0, settings, "stiffness damping integral_gain integral_max stop_damping"),
        (0.02, settings, "stop_speed guiding_speed wall_distance"),
        (1.0, law, "deceleration"),
    ):
        for name in names.split():
            setattr(target, name, np.full(len(torque_max), value))
    law.feedforward.torque_max = torque_max
    return settings


@given(random_trees(kinds=STATIC_KINDS), st.data())
def test_starts_only_where_every_drive_has_the_reserve(
    tree: RandomTree, data: st.DataObject
) -> None:
    mechanism = tree.mechanism()
    q = tree.states(1)[0]
    needed = mechanism.inverse_dynamics(q, 0 * q, 0 * q)[0]
    use = np.array([data.draw(st.sampled_from(USES)) for _ in needed])
    limits = np.maximum(np.abs(needed) / use, 1e-6)
    law = _core.TorqueLaw(len(needed), law_settings(limits))
    model = _core.ControlModel(
        mechanism.core_description, mechanism.parameters, np.zeros(len(needed)), False
    )
    law.use(model)

    start = law.start(q[0])

    short = np.flatnonzero(np.abs(needed) > (1 - _core.TORQUE_RESERVE) * limits)
    assert bool(start) == (not len(short))
    if len(short):
        assert start.answer == _core.TorqueStartAnswer.torque
        assert start.drive == short[0]
        np.testing.assert_allclose(start.holding_torque, needed[short[0]], rtol=1e-9, atol=1e-12)
        assert law.phase == _core.TorquePhase.inactive
        sentence = _core.describe_torque_start(start, list(tree.joints), mechanism.prismatic)
        unit = "N" if mechanism.prismatic[short[0]] else "N m"
        assert f" {unit} at joint '{tree.joints[short[0]]}'" in sentence


def test_the_simulated_robot_says_which_joint_is_too_weak(tmp_path: Path) -> None:
    robot = load_robot(write_small_robot(tmp_path), overrides=["limits.torque_max=[5, 30]"])
    with pytest.raises(
        SimulationError, match=r"takes .* N m at joint 'shoulder'.*torque_max of 5 N m"
    ):
        TorqueControlledRobot(robot, robot.mechanism(), np.array(HOME))
