"""Friction and rotors of motors that turn with several joints."""

from __future__ import annotations

import pytest
from support.rubbing_arm import NOISE, PLAIN
from support.synthetic import arm_robot, recorded, true_parameters

from dynid.identification.friction.motor_side import motors_of_several_joints
from dynid.identification.friction.search import choose_terms
from dynid.signals.preprocess import preprocess

COUPLING = [[1, 0, 0], [0, 1, 0], [0, -1, 1]]  # the wrist's motor turns with the elbow, too
MOTOR = [{"kind": kind, "side": "motor", "joints": ["wrist"]} for kind in ("viscous", "coulomb")]


@pytest.mark.thorough
@pytest.mark.parametrize("friction", [4.0, 0.0])
def test_a_coupled_motor_has_friction_of_its_own_where_the_recordings_show_it(
    friction: float,
) -> None:
    mechanism = arm_robot(terms=[*PLAIN, *MOTOR], coupling=COUPLING).mechanism()
    parameters = true_parameters(mechanism)
    for name in ("Fvm3", "Fcm3"):
        parameters[mechanism.parameter_names.index(name)] = friction
    recordings = [
        recorded(mechanism, parameters, noise=NOISE, samples=1000, rate=100.0, seed=seed)
        for seed in range(3)
    ]
    robot = arm_robot(terms="auto", coupling=COUPLING)
    selection = choose_terms(robot, recordings, [preprocess(one, robot) for one in recordings])
    of_motors = {term.kind for term in selection.robot.explicit_terms if term.side == "motor"}
    assert {"viscous", "coulomb"} <= of_motors if friction else not of_motors
    assert selection.motors == (("wrist",) if friction else ())


def test_a_motor_of_a_single_joint_is_none_of_several() -> None:
    assert motors_of_several_joints(arm_robot()) == ()
    crossed = arm_robot(coupling=[[1, 0, 0], [0, 1, 0], [0.5, 0, 2]])
    assert motors_of_several_joints(crossed) == ("wrist",)
