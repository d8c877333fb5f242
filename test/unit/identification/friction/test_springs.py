"""Springs that balance weights are found where the profile does not name them."""

from __future__ import annotations

import pytest
from support.representatives import representatives

import dynid
from dynid.identification.result import Identification
from dynid.profile import load_robot

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
