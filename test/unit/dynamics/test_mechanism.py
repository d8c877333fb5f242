"""Arguments and results of a mechanism, by simple examples."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from dynid.dynamics.joint_terms import JointTerm
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import MechanismError

INERTIAL = (
    '<inertial><origin xyz="{x} 0 0"/><mass value="{mass}"/><inertia ixx="{i}" iyy="{i}" '
    'izz="{i}" ixy="0" ixz="0" iyz="0"/></inertial>'
)
LIMIT = '<limit lower="-2" upper="2" effort="9" velocity="9"/>'


def _link(name: str, mass: float = 2.0, x: float = 0.5, i: float = 0.1) -> str:
    return f'<link name="{name}">{INERTIAL.format(mass=mass, x=x, i=i)}</link>'


def _joint(name: str, kind: str, parent: str, child: str, axis: str = "0 1 0") -> str:
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="1 0 0"/><axis xyz="{axis}"/>{LIMIT}</joint>'
    )


def _robot(*parts: str) -> str:
    return f'<robot name="r"><link name="base"/>{"".join(parts)}</robot>'


PENDULUM = _robot(_link("arm"), _joint("swing", "revolute", "base", "arm"))
SLIDE = _robot(_link("arm"), _joint("slide", "prismatic", "base", "arm", "0 0 1"))
TWO = _robot(
    _link("arm"),
    _joint("first", "revolute", "base", "arm"),
    _link("hand"),
    _joint("second", "continuous", "arm", "hand"),
    _joint("glued", "fixed", "hand", "tool"),
    _link("tool"),
)


def test_torque_is_linear_in_parameters_that_no_body_has() -> None:
    # an estimate without physical consistency may have negative masses
    mechanism = Mechanism(TWO, ["first", "second"])
    opposite = mechanism.with_parameters(-mechanism.parameters)
    q, dq = [0.4, -1.1], [0.7, -0.9]
    np.testing.assert_allclose(opposite.gravity_torque(q), -mechanism.gravity_torque(q))
    np.testing.assert_allclose(
        opposite.inverse_dynamics(q, dq, dq), -mechanism.inverse_dynamics(q, dq, dq)
    )
    with pytest.raises(MechanismError, match="positive definite"):
        opposite.forward_dynamics(q, dq, [0.0, 0.0])


def test_gravity_on_a_wall_pulls_sideways() -> None:
    mechanism = Mechanism(SLIDE, ["slide"], gravity=[0, 9.81, 0])
    np.testing.assert_allclose(mechanism.gravity_torque([0.0]), [0.0])


def test_names_and_units_follow_drive_order() -> None:
    terms = [
        JointTerm("viscous", 0),
        JointTerm("coulomb", 0, "motor"),
        JointTerm("rotor_inertia", 1),
        JointTerm("offset", 1),
        JointTerm("spring_stiffness", 1),
        JointTerm("spring_preload", 1),
        JointTerm("stribeck", 1, "motor", scale=0.1),
    ]
    mechanism = Mechanism(TWO, ["second", "first"], terms=terms)
    assert mechanism.parameter_names[:10] == (
        "M1", "MX1", "MY1", "MZ1", "XX1", "XY1", "YY1", "XZ1", "YZ1", "ZZ1",
    )  # fmt: skip
    assert mechanism.parameter_names[20:] == ("Fv1", "Fcm1", "Ia2", "Off2", "K2", "Kp2", "Fsm2")
    assert mechanism.parameter_units[:5] == ("kg", "kg*m", "kg*m", "kg*m", "kg*m^2")
    assert mechanism.parameter_units[20:] == (
        "N*m*s/rad", "N*m", "kg*m^2", "N*m", "N*m/rad", "N*m", "N*m",
    )  # fmt: skip
    # hand and tool, rigidly connected a metre apart
    np.testing.assert_allclose(mechanism.urdf_parameters[:2], [4.0, 2 * 0.5 + 2 * 1.5])


def test_a_continuous_joint_turns_by_plain_angles() -> None:
    mechanism = Mechanism(TWO, ["first", "second"])
    q, dq, ddq = np.array([[0.3, 1.1], [0.2, -0.4], [1.0, 2.0]])
    turned = mechanism.inverse_dynamics([q[0], q[1] + 2 * np.pi], dq, ddq)
    np.testing.assert_allclose(turned, mechanism.inverse_dynamics(q, dq, ddq), rtol=1e-12)


def test_locked_joint_acts_as_if_held_there() -> None:
    free = Mechanism(TWO, ["first", "second"])
    held = Mechanism(TWO, ["first"], locked={"second": 0.7})
    expected = free.inverse_dynamics([0.2, 0.7], [0.5, 0.0], [1.0, 0.0])[0]
    np.testing.assert_allclose(held.inverse_dynamics([0.2], [0.5], [1.0]), [expected])


def test_presliding_continues_from_one_piece_of_a_motion_to_the_next() -> None:
    terms = [JointTerm("presliding", 0, scale=0.3), JointTerm("presliding", 1, "motor", scale=0.1)]
    mechanism = Mechanism(TWO, ["first", "second"], coupling=[[1, 0], [1, 1]], terms=terms)
    states = np.random.default_rng(2).normal(size=(3, 30, 2))
    whole = mechanism.regressor(*states)
    past = mechanism.new_past()
    first = mechanism.regressor(*states[:, :11], past=past)
    mechanism.advance(states[0, 11:17], states[1, 11:17], past)
    last = mechanism.regressor(*states[:, 17:], past=past)
    np.testing.assert_array_equal(first, whole[:11])
    np.testing.assert_array_equal(last, whole[17:])


def test_one_sample_is_a_row_of_many() -> None:
    mechanism = Mechanism(TWO, ["first", "second"], terms=[JointTerm("viscous", 1)])
    q, dq, ddq = np.random.default_rng(1).normal(size=(3, 4, 2))
    many, one = mechanism.regressor(q, dq, ddq), mechanism.regressor(q[2], dq[2], ddq[2])
    assert (many.shape, one.shape) == ((4, 2, 21), (2, 21))
    np.testing.assert_array_equal(one, many[2])
    assert mechanism.mass_matrix(q).shape == (4, 2, 2)
    assert mechanism.coriolis_matrix(q[0], dq[0]).shape == (2, 2)
    assert mechanism.forward_dynamics(q[0], dq[0], ddq[0]).shape == (2,)
    assert mechanism.regressor(q[:0], dq[:0], ddq[:0]).shape == (0, 2, 21)


def test_regressor_fills_the_array_it_is_given() -> None:
    mechanism = Mechanism(TWO, ["first", "second"])
    states = np.random.default_rng(1).normal(size=(3, 4, 2))
    out = np.full((4, 2, 20), np.nan)
    assert mechanism.regressor(*states, out=out) is out
    np.testing.assert_array_equal(out, mechanism.regressor(*states))


def test_strided_arrays_are_read_as_they_are() -> None:
    mechanism = Mechanism(TWO, ["first", "second"])
    wide = np.random.default_rng(1).normal(size=(8, 6))
    views = wide[::2, :2], wide[::2, 2:4], np.asfortranarray(wide[::2, 4:])
    np.testing.assert_array_equal(
        mechanism.regressor(*views), mechanism.regressor(*(view.copy() for view in views))
    )


def test_threads_share_one_mechanism() -> None:
    mechanism = Mechanism(TWO, ["first", "second"], terms=[JointTerm("viscous", 0, "motor")])
    states = np.random.default_rng(1).normal(size=(8, 3, 2000, 2))
    expected = [mechanism.regressor(*state) for state in states]
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda state: mechanism.regressor(*state), states))
    np.testing.assert_array_equal(results, expected)


def test_changing_parameters_does_not_change_the_original() -> None:
    mechanism = Mechanism(PENDULUM, ["swing"])
    heavier = mechanism.with_parameters(2 * mechanism.parameters)
    np.testing.assert_array_equal(mechanism.parameters, mechanism.urdf_parameters)
    np.testing.assert_array_equal(heavier.urdf_parameters, mechanism.urdf_parameters)
    np.testing.assert_allclose(heavier.gravity_torque([0.0]), 2 * mechanism.gravity_torque([0.0]))


def test_arrays_of_a_mechanism_are_read_only() -> None:
    mechanism = Mechanism(PENDULUM, ["swing"])
    for array in (mechanism.parameters, mechanism.urdf_parameters, mechanism.coupling):
        assert not array.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        mechanism.gravity[0] = 1.0


BAD = {
    "no joint": ({"joints": []}, "at least one actuated joint"),
    "unknown joint": ({"joints": ["third"]}, "no joint 'third'; its movable joints are first, sec"),
    "fixed joint": ({"joints": ["glued"]}, "'glued' is fixed"),
    "joint twice": ({"joints": ["first", "first"]}, "'first' is given twice"),
    "actuated and locked": ({"locked": {"first": 0.0}}, "is both locked and movable"),
    "unknown locked": ({"locked": {"x": 0.0}}, "no joint 'x'"),
    "locked out of range": (
        {"joints": ["second"], "locked": {"first": 3.0}},
        "locked at 3, outside its range of -2 to 2",
    ),
    "locked nowhere": ({"joints": ["first"], "locked": {"second": np.nan}}, "not finite"),
    "no URDF": ({"urdf_xml": "<sdf/>"}, "begins with <sdf>, expected <robot>"),
    "flat gravity": ({"gravity": [0, 0]}, r"gravity has shape \(2,\), but must have \(3,\)"),
    "gravity in words": ({"gravity": "down"}, "gravity must be an array of numbers"),
    "flat coupling": ({"coupling": [1.0, 1.0]}, "1 dimensions"),
    "unknown term": ({"terms": [JointTerm("glue", 0)]}, "no joint term 'glue'; available: viscous"),
    "unknown side": ({"terms": [JointTerm("viscous", 0, "base")]}, "'joint' or 'motor'"),
    "useless scale": ({"terms": [JointTerm("viscous", 0, scale=1)]}, "does not use"),
    "negative smoothing": ({"terms": [JointTerm("coulomb", 0, smoothing=-1)]}, "0 or above"),
}  # fmt: skip


@pytest.mark.parametrize(("change", "sentence"), BAD.values(), ids=BAD.keys())
def test_refuses_invalid_mechanisms_with_a_sentence(
    change: dict[str, object], sentence: str
) -> None:
    arguments = {"urdf_xml": TWO, "joints": ["first", "second"], **change}
    with pytest.raises(MechanismError, match=sentence) as caught:
        Mechanism(arguments.pop("urdf_xml"), arguments.pop("joints"), **arguments)
    assert str(caught.value).endswith(".")


def test_refuses_arrays_of_another_shape() -> None:
    mechanism = Mechanism(TWO, ["first", "second"])
    good = np.zeros((5, 2))
    with pytest.raises(MechanismError, match=r"dq has shape \(4, 2\), but must have \(5, 2\)"):
        mechanism.regressor(good, good[1:], good)
    with pytest.raises(MechanismError, match=r"q has shape \(3,\), but must have \(2,\)"):
        mechanism.mass_matrix(np.zeros(3))
    with pytest.raises(MechanismError, match=r"q has shape \(1, 5, 2\), but must have \(N, 2\)"):
        mechanism.mass_matrix(good[None])
    with pytest.raises(MechanismError, match=r"of shape \(5, 2, 20\)"):
        mechanism.regressor(good, good, good, out=np.zeros((5, 2, 3)))
    with pytest.raises(MechanismError, match="weights has shape"):
        mechanism.gram(good, good, good, good, weights=np.ones(5))
    with pytest.raises(MechanismError, match="There is no column 20"):
        mechanism.gram(good, good, good, good, columns=[20])
    with pytest.raises(
        MechanismError, match=r"vectors has shape \(5, 2\), but must have \(c, 5, 2"
    ):
        mechanism.products(good, good, good, good)


def test_refuses_parameters_that_are_not_one_finite_number_each() -> None:
    mechanism = Mechanism(PENDULUM, ["swing"])
    with pytest.raises(MechanismError, match=r"shape \(3,\), but must have \(10,\)"):
        mechanism.with_parameters(np.zeros(3))
    with pytest.raises(MechanismError, match="not a finite number"):
        mechanism.with_parameters(np.full(10, np.nan))


def test_base_parameters_give_torque_by_the_regressor_only() -> None:
    mechanism = Mechanism(PENDULUM, ["swing"])
    base = np.zeros(10)
    base[[1, 6]] = 1.0, 0.6  # first moment and inertia without a mass
    massless = mechanism.with_parameters(base)
    np.testing.assert_allclose(
        massless.torque([0.0], [0.0], [2.0], base), [-9.81 + 1.2], rtol=1e-14
    )
    with pytest.raises(MechanismError, match="Body 1 has first moments but no mass"):
        massless.inverse_dynamics([0.0], [0.0], [2.0])


def test_gravity_torque_of_base_parameters_needs_no_mass() -> None:
    terms = [JointTerm("offset", 0), JointTerm("spring_preload", 0), JointTerm("viscous", 0)]
    mechanism = Mechanism(PENDULUM, ["swing"], terms=terms)
    base = np.zeros(13)
    base[[1, 6, 10, 11, 12]] = 1.0, 0.6, 5.0, 3.0, 2.0
    with_mass = base.copy()
    with_mass[0] = 0.7  # without effect: the joint's axis is fixed
    q = np.linspace(-1.0, 1.0, 5)[:, None]
    np.testing.assert_allclose(
        mechanism.with_parameters(base).gravity_torque(q),
        mechanism.with_parameters(with_mass).gravity_torque(q),
        rtol=1e-13,
    )
