"""Terms that depend on more than velocity: presliding on past motion, load on gravity."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.integrate import solve_ivp
from support.synthetic import ARM_URDF

from dynid.dynamics.joint_terms import JointTerm, TermKind, term_kind, term_kinds
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import MechanismError

positions = arrays(float, st.integers(2, 60), elements=st.floats(-0.05, 0.05))


def regressor_column(
    term: JointTerm, q: np.ndarray, v: np.ndarray | float = 0.0, a: np.ndarray | float = 0.0
) -> np.ndarray:
    mechanism = Mechanism(ARM_URDF, ["wrist"], terms=[term])
    motion = ((one + 0 * q)[:, None] for one in (q, v, a))
    return mechanism.regressor(*motion)[:, 0, -1]


def stop_operator(path: np.ndarray, distance: float, dead_band: float = 0.0) -> np.ndarray:
    """Return the column by the definitions of play and stop, as an independent implementation."""
    followed, deflection, column = path[0], 0.0, []
    for position in path:
        before = followed
        if position > followed + dead_band:
            followed = position - dead_band
        elif position < followed - dead_band:
            followed = position + dead_band
        deflection = min(max(deflection + followed - before, -distance), distance)
        column.append(deflection / distance)
    return np.array(column)


@given(positions, st.sampled_from([1e-3, 1e-2]), st.sampled_from([0.0, 2e-3]))
def test_presliding_is_a_stop_operator_behind_a_play(
    path: np.ndarray, distance: float, dead_band: float
) -> None:
    term = JointTerm("presliding", 0, scale=distance, dead_band=dead_band)
    expected = stop_operator(path, distance, dead_band)
    np.testing.assert_allclose(regressor_column(term, path), expected, atol=1e-9)


def test_lugre_follows_its_differential_equation() -> None:
    scale, ratio, stribeck = 2e-3, 0.5, 0.05
    time = np.linspace(0, 4, 40_001)
    path, speed = 0.02 * np.sin(time**2), 0.04 * time * np.cos(time**2)
    term = JointTerm("lugre", 0, scale=scale, static_ratio=ratio, stribeck_velocity=stribeck)
    column = regressor_column(term, path, speed)

    def rate(moment: float, deflection: np.ndarray) -> np.ndarray:
        v = 0.04 * moment * np.cos(moment**2)
        level = scale * (1 + ratio * np.exp(-((v / stribeck) ** 2)))
        return np.asarray(v - np.abs(v) * deflection / level)

    solved = solve_ivp(rate, (0, 4), [0.0], t_eval=time, rtol=1e-8, atol=1e-12, max_step=1e-3)
    np.testing.assert_allclose(column, solved.y[0] / scale, atol=2e-3)
    assert np.abs(column).max() > 1.3  # it rose above Coulomb friction


def test_encoder_noise_within_the_dead_band_makes_no_friction() -> None:
    noise = np.random.default_rng(0).uniform(-1e-4, 1e-4, 500)
    still = JointTerm("presliding", 0, scale=1e-4, dead_band=2e-4)
    assert np.all(regressor_column(still, noise) == 0.0)
    nervous = JointTerm("presliding", 0, scale=1e-4)
    assert np.abs(regressor_column(nervous, noise)).max() == pytest.approx(1.0)


def test_load_friction_is_the_size_of_gravitys_torque_along_the_motion() -> None:
    joints = ["shoulder", "elbow"]
    terms = [JointTerm("coulomb_load", j, smoothing=0.1) for j in range(2)]
    mechanism = Mechanism(ARM_URDF, joints, terms=terms)
    q, dq, ddq = np.random.default_rng(1).uniform(-2, 2, (3, 30, 2))
    column = mechanism.regressor(q, dq, ddq)[:, :, -2:]
    gravity = Mechanism(ARM_URDF, joints).gravity_torque(q)
    expected = np.tanh(dq / 0.1) * np.abs(gravity)
    np.testing.assert_allclose(np.diagonal(column, axis1=1, axis2=2), expected, atol=1e-9)


def test_load_friction_follows_the_parameters_of_its_mechanism() -> None:
    mechanism = Mechanism(ARM_URDF, ["shoulder"], terms=[JointTerm("coulomb_load", 0)])
    twice = mechanism.with_parameters(2 * mechanism.parameters)
    sample = np.array([0.3]), np.array([1.0]), np.array([0.0])
    ratio = twice.regressor(*sample)[0, -1] / mechanism.regressor(*sample)[0, -1]
    assert ratio == pytest.approx(2.0)


@pytest.mark.parametrize("kind", term_kinds(), ids=lambda kind: kind.name)
def test_the_column_of_a_kind_is_its_formula(kind: TermKind) -> None:
    q, v, a, load, step = np.random.default_rng(2).normal(size=(5, 30))
    path = np.cumsum(1e-3 * step)  # a contact sticks and slides
    given = {"smoothing": 0.3, "scale": 2e-3 if kind.has_memory else 0.7}
    shapes = {name: given[name] for name in kind.shapes if name in given}
    position = path if kind.has_memory else q
    term = JointTerm(kind.name, 0, **shapes)
    column = term.column(position=position, velocity=v, acceleration=a, load=load)

    names = {"q": position, "v": v, "a": a, "load": load, "scale": term.scale}
    names["z"] = stop_operator(path, 2e-3)
    if kind.has_static_friction:  # bristles, not a stop
        names["z"] = JointTerm("lugre", 0, **shapes).column(position=path, velocity=v)
    functions = {
        "s": lambda velocity: np.tanh(velocity / term.smoothing),
        "max": np.maximum,
        "min": np.minimum,
        **{name: getattr(np, name) for name in ("sign", "exp", "sqrt", "abs")},
    }
    expected = eval(kind.formula.replace("^", "**"), functions, names)  # noqa: S307  own table
    np.testing.assert_allclose(column, np.broadcast_to(expected, 30), rtol=1e-12, atol=1e-12)
    if not kind.loaded:  # a mechanism's load is its own
        of_mechanism = regressor_column(term, position, v, a)
        np.testing.assert_allclose(of_mechanism, column, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("kind", term_kinds(), ids=lambda kind: kind.name)
def test_traits_of_a_kind_do_not_contradict_each_other(kind: TermKind) -> None:
    names = {one.name for one in term_kinds()}
    assert {kind.mirror, kind.design, kind.alternative} <= names | {""}
    assert kind.dissipative >= kind.dry >= kind.has_memory
    assert not (kind.inertial and kind.dissipative)
    if kind.mirror:
        assert term_kind(kind.mirror).mirror == kind.name
    if kind.design:
        assert term_kind(kind.design).design == kind.design
    one_way = [np.abs(JointTerm(kind.name, 0).column(velocity=v)).max() for v in ONE_SECOND]
    if kind.dissipative and not (kind.scaled or kind.loaded):
        assert (min(one_way) == 0) == bool(kind.mirror)


ONE_SECOND = (np.ones(5), -np.ones(5))
"""Velocities [rad/s] forwards and backwards."""


@pytest.mark.parametrize(
    ("term", "sentence"),
    [
        (JointTerm("viscous", 0, dead_band=1e-3), "does not use"),
        (JointTerm("presliding", 0, scale=1e-3, static_ratio=0.2), "does not use"),
        (JointTerm("lugre", 0, scale=1e-3, stribeck_velocity=0.2), "or neither"),
    ],
)
def test_refuses_a_term_with_an_invalid_shape(term: JointTerm, sentence: str) -> None:
    with pytest.raises(MechanismError, match=sentence):
        Mechanism(ARM_URDF, ["shoulder"], terms=[term])


def test_the_documentation_has_every_kind_with_its_parameter() -> None:
    page = (Path(__file__).parents[3] / "docs" / "method.md").read_text("utf-8")
    rows = [line for line in page.splitlines() if line.startswith("| `")]
    for kind in term_kinds():
        assert any(f"`{kind.name}`" in row and f"`{kind.prefix}`" in row for row in rows), kind.name
