"""The control law of elastic joints: settings of profiles, and the motion of the motors."""

from __future__ import annotations

import numpy as np
import pytest
from support.flat_output import elastic_feedforward, filtered_reference

from dynid import _core
from dynid.arrays import Array
from dynid.control.build import control_law, control_law_settings, control_model
from dynid.control.ros2_control import feedforward_parameters
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import ConfigurationError
from dynid.profile import load_robot
from dynid.robot.robot import Robot

RATE = 1000.0
CUTOFF = 12.0
GEARS = (
    "elastic.stiffness=[60000,60000,30000,5000,5000,3000]",
    "elastic.rotor_inertia=[2e-4,2e-4,2e-4,3.3e-5,3.3e-5,3.3e-5]",
)


def elastic_robot(*settings: str) -> Robot:
    unsupervised = ("collision.torque_error_max=null", "feedforward.model_check=false")
    cutoff = f"feedforward.elastic_cutoff={CUTOFF}"
    overrides = (*GEARS, cutoff, "feedforward.max_age=10", *unsupervised, *settings)
    return load_robot("puma560", overrides=overrides)


def swing(robot: Robot) -> Array:
    """Positions (N, n) that begin and end at rest."""
    time = np.arange(2400) / RATE
    share = 0.5 * (1 - np.cos(2 * np.pi * np.clip(time - 0.8, 0, 1.0)))
    return 0.5 * share[:, None] * np.linspace(1, -1, len(robot.joints))


def with_rotors(robot: Robot) -> Mechanism:
    """The robot's mechanism with the rotors of its elastic joints."""
    mechanism = robot.mechanism()
    parameters = mechanism.parameters.copy()
    rotors = control_law_settings(robot, control_rate=RATE).elastic.rotor_inertia
    for joint, inertia in enumerate(rotors, start=1):
        parameters[mechanism.parameter_names.index(f"Ia{joint}")] = inertia
    return mechanism.with_parameters(parameters)


def commands(robot: Robot, references: Array) -> tuple[Array, Array]:
    """Positions and torques of the law for the references (N, n)."""
    law = control_law(robot, control_rate=RATE)
    law.use(control_model(robot, with_rotors(robot)))
    law.start(references[0])
    rest = np.zeros(len(robot.joints))
    positions, torques = [], []
    for position in references:
        feedback = _core.Feedback(law.position_command, rest, rest)
        law.update(_core.Reference(position, rest, rest), feedback)
        positions.append(law.position_command)
        torques.append(law.torque_offset)
    return np.array(positions), np.array(torques)


def test_motors_and_torques_are_those_of_a_flat_output() -> None:
    robot = elastic_robot("feedforward.additive_torque_delay=0")
    references = swing(robot)
    positions, torques = commands(robot, references)
    settings = control_law_settings(robot, control_rate=RATE).elastic
    filtered = filtered_reference(references, CUTOFF, RATE)
    links = robot.mechanism().without_terms()
    wanted = elastic_feedforward(links, settings.rotor_inertia, settings.stiffness, filtered)
    moving = slice(700, 2300)  # from where the lead no longer fades; the law is a cycle ahead
    lead = positions[moving] - filtered.position[701:2301]
    expected = (wanted.position - filtered.position)[701:2301]
    assert np.abs(expected).max() > 5e-4, "the gears bend"
    np.testing.assert_allclose(lead, expected, atol=2e-6)
    limit = control_law_settings(robot, control_rate=RATE).feedforward.torque_max
    total = np.clip(wanted.torque, -limit, limit)[701:2301]
    scale = np.abs(total).max(axis=0)
    assert (np.abs(torques[moving] - total) < 0.01 * scale).all()


def test_joints_that_are_not_elastic_stay_with_the_filtered_reference() -> None:
    robot = elastic_robot(
        "elastic.joints=[joint_2]", "elastic.stiffness=60000", "elastic.rotor_inertia=2e-4"
    )
    settings = control_law_settings(robot, control_rate=RATE).elastic
    assert np.isfinite(settings.stiffness).tolist() == [False, True, *[False] * 4]
    references = swing(robot)
    positions, _ = commands(robot, references)
    difference = np.abs(positions[:-1] - filtered_reference(references, CUTOFF, RATE).position[1:])
    assert difference[:, 1].max() > 1e-4
    assert difference[:, [0, 2, 3, 4, 5]].max() < 1e-9


def test_without_a_cutoff_joints_are_rigid() -> None:
    robot = elastic_robot("feedforward.elastic_cutoff=0")
    references = swing(robot)
    positions, _ = commands(robot, references)
    np.testing.assert_array_equal(positions, references)


def test_the_controller_gets_the_gears() -> None:
    parameters = feedforward_parameters(elastic_robot(), control_rate=RATE)
    assert parameters["elastic_cutoff"] == CUTOFF
    assert parameters["elastic"]["stiffness"][5] == 3000.0
    assert "stiffness" not in feedforward_parameters(load_robot("puma560"), control_rate=RATE).get(
        "elastic", {}
    )


@pytest.mark.parametrize("missing", ["elastic.stiffness=null", "elastic.rotor_inertia=null"])
def test_a_cutoff_without_gears_is_refused(missing: str) -> None:
    with pytest.raises(ConfigurationError, match=r"elastic_cutoff needs elastic\.stiffness and"):
        control_law_settings(elastic_robot(missing), control_rate=RATE)
