"""Physical quantities: expressions, standard deviations, and identifiability."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
import yaml

from dynid.dynamics.base_parameters import BaseParameterization, base_parameterization
from dynid.dynamics.joint_terms import JointTerm
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import ConfigurationError
from dynid.estimation.estimate import Estimate
from dynid.estimation.regression import NormalEquations
from dynid.excitation.motion import Excitation
from dynid.identification.identify import identify
from dynid.identification.quantities import Quantity, check_quantities, find_quantities
from dynid.identification.quantity_expression import Dual, parse_expression
from dynid.identification.settings import QuantitySettings
from dynid.playback.plan import make_plan
from dynid.profile import load_robot, make_robot
from dynid.simulation.simulate import simulate

X, Y = 0.6, -0.35  # where gradients are evaluated


def evaluated(text: str, x: float = X, y: float = Y) -> Dual:
    expression, _ = parse_expression(text)
    variables = {
        "x": Dual(np.float64(x), np.array([1.0, 0.0])),
        "y": Dual(np.float64(y), np.array([0.0, 1.0])),
    }
    with np.errstate(all="ignore"):
        return expression(variables)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("x + y - 0.5", X + Y - 0.5),
        ("2 * x / y", 2 * X / Y),
        ("-x ** 2 + +3", -(X**2) + 3),
        ("x ** -1.5", X**-1.5),
        ("sqrt(x**2 + y**2)", math.hypot(X, Y)),
        ("acos(x) + asin(y)", math.acos(X) + math.asin(Y)),
        ("abs(y) * atan2(y, x)", abs(Y) * math.atan2(Y, X)),
        ("3 * x - x / (x + y)", 3 * X - X / (X + Y)),
    ],
)
def test_an_expression_has_the_value_and_the_gradient_of_its_formula(
    text: str, value: float
) -> None:
    found = evaluated(text)
    assert float(found.value) == pytest.approx(value, rel=1e-14)
    step = 1e-6
    differences = [
        (evaluated(text, X + step).value - evaluated(text, X - step).value) / (2 * step),
        (evaluated(text, X, Y + step).value - evaluated(text, X, Y - step).value) / (2 * step),
    ]
    # central differences: rounding / step, and step squared
    assert np.allclose(found.gradient, differences, rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("ZZ1 +", "'ZZ1 +' cannot be read as an expression"),
        ("", "'' cannot be read as an expression"),
        ("2if 1else 3", "cannot be read as an expression"),
        ("(" * 150, "cannot be read as an expression"),
        ("9" * 400 + " * M1", "cannot be read as an expression"),
        ("exp(M1)", "the function 'exp' does not exist; use sqrt, abs, acos, asin, atan2"),
        ("M1.real", "'M1.real' is not allowed"),
        (
            "__import__('os').system('true')",
            "the function '__import__('os').system' does not exist",
        ),
        ("M1 if Ia1 else 0", "is not allowed"),
        ("[M1]", r"'[M1]' is not allowed"),
        ("M1 == 2", "is not allowed"),
        ("M1 % 2", "is not allowed"),
        ("'M1'", "is not allowed"),
        ("True * M1", "'True' is not allowed"),
        ("atan2(M1)", "atan2 takes 2 values, got 1"),
        ("sqrt(M1, M1)", "sqrt takes 1 value, got 2"),
        ("sqrt(*M1)", "is not allowed"),
        ("2 ** M1", "the exponent 'M1' must be a number, without names"),
    ],
)
def test_an_invalid_expression_is_refused_in_one_sentence(text: str, sentence: str) -> None:
    profile = f"{{robot: r, urdf: r.urdf, joints: [a], quantities: {{odd: {{of: {text!r}}}}}}}"
    with pytest.raises(ConfigurationError) as refused:
        make_robot(yaml.safe_load(profile), "", where="r.yaml")
    message = str(refused.value)
    assert "key 'quantities.odd.of'" in message
    if len(text) <= 200:
        assert sentence in message
    assert "\n" not in message


def test_a_misspelt_key_of_a_quantity_is_named() -> None:
    profile = "{robot: r, urdf: r, joints: [a], quantities: {mass: {of: M1, units: kg}}}"
    with pytest.raises(ConfigurationError, match=r"unknown key 'quantities\.mass\.units'"):
        make_robot(yaml.safe_load(profile), "", where="r.yaml")


# --- from base parameters, on a crank arm with known covariance -----------------------------------

MECHANISM = load_robot("axis_crank_vertical").mechanism()
BASE = base_parameterization(MECHANISM)


def an_estimate(base: BaseParameterization, **changes: object) -> Estimate:
    count = len(base.names)
    root = np.random.default_rng(5).normal(size=(count, count))
    content = {
        "base": np.linspace(1.0, 2.0, count),
        "covariance": 1e-4 * root @ root.T,
        "determined": np.ones(count, dtype=bool),
        "joint_variance": np.ones(1),
        "correlation": np.ones(1),
        "equations": NO_EQUATIONS,
        "plain_equations": NO_EQUATIONS,
        "condition_number": 1.0,
    }
    return Estimate(**{**content, **changes})  # type: ignore[arg-type]


NO_EQUATIONS = NormalEquations(np.zeros((1, 1, 1, 1)), np.zeros((1, 1)))


def found(
    of: str,
    estimate: Estimate | None = None,
    mechanism: Mechanism = MECHANISM,
    base: BaseParameterization = BASE,
) -> Quantity:
    wanted = {"it": QuantitySettings(of=of)}
    check_quantities(wanted, mechanism)
    (quantity,) = find_quantities(wanted, mechanism, base, estimate or an_estimate(base))
    return quantity


def test_standard_deviation_of_a_function_agrees_with_random_samples() -> None:
    estimate = an_estimate(BASE)
    quantity = found("g * sqrt(MX1**2 + MY1**2)", estimate)
    drawn = np.random.default_rng(0).multivariate_normal(
        estimate.base, estimate.covariance, size=20_000
    )
    x, y = (drawn[:, BASE.names.index(name)] for name in ("MX1", "MY1"))
    values = 9.80665 * np.hypot(x, y)
    # error of the standard deviation of 20 000 values: 1 / sqrt(40 000); of the formula: order 2
    assert quantity.standard_deviation == pytest.approx(values.std(), rel=0.03)
    assert quantity.value == pytest.approx(values.mean(), rel=0.01)


def test_g_is_the_magnitude_of_the_profiles_gravity() -> None:
    moon = MECHANISM.with_gravity([0.0, 1.2, -1.6])
    assert found("g * MX1 / MX1", mechanism=moon).value == pytest.approx(2.0)


def test_a_base_parameter_is_identifiable_and_its_parts_are_not() -> None:
    assert not found("ZZ1 + Ia1").unknown
    for part in ("ZZ1", "Ia1", "ZZ1 + 2 * Ia1", "ZZ1 - Ia1"):
        quantity = found(part)
        assert quantity.unknown == "torque depends on its parameters only in ZZ1R = ZZ1 + Ia1."
        assert math.isnan(quantity.value)
        assert math.isnan(quantity.standard_deviation)


def test_parameters_without_effect_on_torque_are_named() -> None:
    assert found("M1 + MX1").unknown == "torque does not depend on M1."


def test_parameters_that_the_motion_does_not_excite_are_named() -> None:
    silent = np.array([name != "MY1" for name in BASE.names])
    estimate = an_estimate(BASE, determined=silent)
    assert (
        found("atan2(MY1, MX1)", estimate).unknown == "MY1 cannot be identified from this motion."
    )
    assert not found("MX1", estimate).unknown


@pytest.mark.parametrize("of", ["sqrt(-MX1)", "MX1 / (MX1 - MX1)", "acos(1 + abs(MX1))"])
def test_an_expression_without_a_finite_value_is_unknown(of: str) -> None:
    assert found(of).unknown == (
        "it has no finite value or derivative at the identified parameters."
    )


@pytest.mark.parametrize(
    ("of", "sentence"),
    [
        ("Fv2 + Fv1", "quantity 'it': this model has no parameter 'Fv2'; did you mean"),
        ("qwerty", "this model has no parameter 'qwerty'; see the profile's terms."),
        ("g * 2", r"quantity 'it': 'g \* 2' must contain a parameter, such as M1."),
    ],
)
def test_an_unknown_parameter_is_refused(of: str, sentence: str) -> None:
    with pytest.raises(ConfigurationError, match=sentence):
        found(of)


@pytest.mark.parametrize("inertia_too", [False, True])
def test_preload_and_weight_are_identifiable_only_if_the_inertia_is_the_mass(
    inertia_too: bool,
) -> None:
    robot = load_robot("axis_linear_spring")
    terms = [*robot.joint_terms(), *([JointTerm("rotor_inertia", 0)] if inertia_too else [])]
    mechanism = Mechanism(robot.urdf_xml, robot.joints, gravity=robot.gravity, terms=terms)
    base = base_parameterization(mechanism)
    assert not found("M1 * g + Kp1", mechanism=mechanism, base=base).unknown
    for part in ("M1 * g", "Kp1"):
        unknown = found(part, mechanism=mechanism, base=base).unknown
        assert ("only in" in unknown) == inertia_too


# --- from motion: the six single axes, without friction that no term describes --------------------

G = 9.80665
WHITE = ("simulation.stribeck_torque=0", "excitation.periods=2")
TRUE = {
    "axis_rotary": {"total_inertia": 1.81 + 0.14},
    "axis_crank_horizontal": {"total_inertia": 0.131 + 6.2 * (0.24**2 + 0.015**2) + 0.21},
    "axis_crank_vertical": {
        "total_inertia": 0.118 + 5.4 * (0.21**2 + 0.035**2) + 0.21,
        "mass_gravity_distance": 5.4 * G * math.hypot(0.21, 0.035),
        "centre_of_mass_angle": math.atan2(0.035, 0.21),
    },
    "axis_linear": {"total_mass": 26 + 21.7},
    "axis_linear_tilted": {
        "total_mass": 12.0,
        "gravity_force": 12 * G * math.cos(0.61),
        "tilt": 0.61,
    },
    "axis_linear_spring": {
        "total_mass": 8.5,
        "constant_force": 8.5 * G - 70,
        "gravity_force": 8.5 * G,
        "spring_preload": -70.0,
        "spring_stiffness": 260.0,
    },
}


@cache
def motion(axis: str) -> Excitation:
    return make_plan(load_robot(axis, overrides=WHITE)).excitation


def identified(axis: str, *overrides: str, seed: int = 0) -> dict[str, Quantity]:
    robot = load_robot(axis, overrides=[*WHITE, *overrides])
    recording = simulate(robot, motion(axis), seed=seed)
    return {one.name: one for one in identify(robot, [recording]).quantities}


@pytest.mark.parametrize("axis", sorted(TRUE))
def test_quantities_of_a_single_axis_are_within_four_standard_deviations_of_the_truth(
    axis: str,
) -> None:
    quantities = identified(axis)
    assert quantities.keys() == TRUE[axis].keys()
    for name, true in TRUE[axis].items():
        quantity = quantities[name]
        assert abs(quantity.value - true) < 4 * quantity.standard_deviation, name
        assert quantity.standard_deviation < 0.02 * abs(true), name


@pytest.mark.thorough
def test_standard_deviations_are_the_scatter_of_thirty_noisy_recordings() -> None:
    # noise must dominate, because errors at reversals are the same in each recording
    noise = "simulation.torque_noise=3"
    runs = [identified("axis_crank_vertical", noise, seed=seed) for seed in range(30)]
    for name in TRUE["axis_crank_vertical"]:
        scatter = np.std([run[name].value for run in runs], ddof=1)
        predicted = np.mean([run[name].standard_deviation for run in runs])
        assert 1 / 1.5 < predicted / scatter < 1.5, name
