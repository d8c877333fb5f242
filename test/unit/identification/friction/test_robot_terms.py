"""Terms of motors that turn several joints, and springs, are found where recordings show them."""

from __future__ import annotations

import pytest
from support.representatives import representatives
from support.rubbing_arm import NOISE, PLAIN
from support.synthetic import arm_robot, recorded, true_parameters

import dynid
from dynid.identification.friction.robot_terms import motors_of_several_joints
from dynid.identification.friction.search import choose_terms
from dynid.identification.result import Identification
from dynid.profile import load_robot
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


TERMS = (
    "terms=[viscous, coulomb, offset, rotor_inertia, "
    "{kind: spring_stiffness, joints: [%s]}, {kind: spring_cubic, joints: [%s]}]"
)


def identified(joint: str, stiffness: float, cubic: float) -> tuple[Identification, set[str]]:
    """Return an identification with terms ``auto`` of an arm with a spring, and its springs."""
    number = joint[-1]
    simulated = load_robot(
        "spatial_3r",
        overrides=[
            TERMS % (joint, joint),
            f"simulation.parameters.K{number}={stiffness}",
            f"simulation.parameters.Kc{number}={cubic}",
        ],
    )
    robot = load_robot("spatial_3r", overrides=["terms=auto"])
    found = dynid.identify(robot, dynid.simulate(simulated))
    springs = {
        (term.kind, term.joints)
        for term in found.robot.explicit_terms
        if term.kind.startswith("spring")
    }
    return found, springs


@pytest.mark.parametrize(
    ("joint", "stiffness", "cubic"),
    representatives([("joint_2", -8.0, 0.0), ("joint_3", 3.0, 0.0), ("joint_2", -6.0, 3.0)], 1),
)
def test_a_spring_is_found_at_its_joint(joint: str, stiffness: float, cubic: float) -> None:
    found, springs = identified(joint, stiffness, cubic)
    kinds = {"spring_stiffness", *(("spring_quadratic", "spring_cubic") if cubic else ())}
    assert springs == {(kind, (joint,)) for kind in kinds}
    assert found.errors[joint].held_out_error < 0.01
    assert found.term_selection is not None
    assert found.term_selection.springs == (joint,)


def test_no_spring_is_named_where_there_is_none() -> None:
    assert identified("joint_2", 0.0, 0.0)[1] == set()
