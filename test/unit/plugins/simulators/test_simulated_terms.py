"""Joint terms in the words of simulators: what is exact, and what stands for the rest."""

from __future__ import annotations

import numpy as np
import pytest
from support.simulator_models import model_with_terms, random_motion

from dynid_plugins.simulators.simulated_terms import FormatTerms, simulated_terms

ALL = FormatTerms(armature=True, springs=True, polynomials=True, couplings=True)
EXACT = """[{kind: viscous}, {kind: coulomb}, {kind: rotor_inertia}, {kind: viscous_cubic},
  {kind: spring_stiffness, joints: [joint_1]}, {kind: spring_preload, joints: [joint_1]},
  {kind: spring_quadratic, joints: [joint_2]}, {kind: spring_cubic, joints: [joint_2]}]"""


def term_torque(model, motion):
    return model.mechanism.term_torque(*motion)


def test_kinds_of_the_format_keep_their_torque() -> None:
    model = model_with_terms(terms=EXACT)
    motion = random_motion(model)
    found = simulated_terms(model.mechanism, ALL, motion)
    assert found.replaced == ()
    np.testing.assert_allclose(found.torque(motion), term_torque(model, motion), atol=1e-12)


def test_motors_that_several_joints_move_keep_their_torque() -> None:
    terms = """[{kind: viscous, side: motor}, {kind: coulomb, side: motor},
      {kind: rotor_inertia, side: motor}, {kind: viscous_cubic, side: motor}]"""
    model = model_with_terms("scara_coupled", terms=terms)
    motion = random_motion(model)
    found = simulated_terms(model.mechanism, ALL, motion)
    assert found.replaced == ()
    assert [axis.name for axis in found.axes[4:]] == ["motor_3"]
    np.testing.assert_allclose(found.torque(motion), term_torque(model, motion), atol=1e-12)
    # without tendons the same terms are at the joints, and said to be
    alone = simulated_terms(model.mechanism, ALL._replace(couplings=False), motion)
    assert len(alone.axes) == 4
    assert "in place of a motor that moves with several at motor_3" in alone.replaced[0]


@pytest.mark.parametrize(
    "kind", ["stribeck, scale: 0.1", "viscous_root", "coulomb_load", "presliding, scale: 0.01"]
)
def test_other_friction_is_replaced_by_the_nearest(kind) -> None:
    model = model_with_terms(terms=f"[{{kind: viscous}}, {{kind: {kind}}}]")
    motion = random_motion(model, 400)
    found = simulated_terms(model.mechanism, ALL, motion)
    wanted = term_torque(model, motion)
    error = np.sum((found.torque(motion) - wanted) ** 2, axis=0)
    assert "damping and dry friction in place of" in found.replaced[0]
    for number, axis in enumerate(found.axes):
        assert axis.damping[0] >= 0
        assert axis.dry_friction >= 0
        velocity = motion.velocity[:, number]
        for damping, dry in ((0.01, 0.0), (-0.01, 0.0), (0.0, 0.01), (0.0, -0.01)):
            changed = (axis.damping[0] + damping) * velocity
            changed = changed + (axis.dry_friction + dry) * np.sign(velocity)
            assert np.sum((changed - wanted[:, number]) ** 2) > error[number]


def test_what_a_format_lacks_is_named() -> None:
    model = model_with_terms(terms=EXACT.replace("]]", "], }]"))
    found = simulated_terms(model.mechanism, FormatTerms(armature=True), random_motion(model))
    assert found.replaced == (
        "damping and dry friction in place of cubic viscous friction at joint_1, joint_2 and "
        "joint_3",
        "no spring at joint_1 and joint_2",
        "no constant torque at joint_1",
    )


def test_negative_friction_never_reaches_a_simulator() -> None:
    model = model_with_terms(terms="[{kind: viscous}, {kind: coulomb}]")
    parameters = np.array(model.mechanism.parameters)
    parameters[model.mechanism.first_term] = -0.3
    mechanism = model.mechanism.with_parameters(parameters)
    found = simulated_terms(mechanism, ALL, random_motion(model))
    assert found.axes[0].damping[0] == 0
    assert found.replaced == ("damping and dry friction in place of negative friction at joint_1",)
