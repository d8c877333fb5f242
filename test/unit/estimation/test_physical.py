import re
from dataclasses import replace

import numpy as np
import pinocchio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.representatives import representatives
from support.synthetic import ARM_URDF, arm_robot, recorded, true_parameters

from dynid.arrays import Array
from dynid.dynamics.base_parameters import base_parameterization
from dynid.errors import EstimationError
from dynid.estimation import physical
from dynid.estimation.fitting import Fit, build_problem, fit
from dynid.estimation.physical import (
    is_physically_consistent,
    parameter_constraints,
    parameter_scale,
    pseudo_inertia,
    reference_parameters,
    solve_in_cones,
)
from dynid.estimation.settings import PhysicalSettings
from dynid.evaluation.errors import compare, relative_errors
from dynid.identification.settings import IdentificationSettings
from dynid.profile import make_robot
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid.signals.preprocess import preprocess


def identified(robot: Robot, *recordings: Recording) -> Fit:
    mechanism = robot.mechanism()
    signals = [preprocess(recording, robot) for recording in recordings]
    problem = build_problem(
        mechanism, base_parameterization(mechanism), signals, robot.settings(IdentificationSettings)
    )
    return fit(problem, robot.settings(IdentificationSettings))


def settings_with(**changes: object) -> dict[str, object]:
    return {"cutoff_hz": None, "trim_rest": False, "velocity": "measured", **changes}


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=30)
def test_pseudo_inertia_agrees_with_pinocchio(seed: int) -> None:
    pinocchio.seed(seed % 2**31)
    inertia = pinocchio.Inertia.Random()
    expected = pinocchio.PseudoInertia.FromInertia(inertia).toMatrix()
    ours = pseudo_inertia(inertia.toDynamicParameters())
    np.testing.assert_allclose(ours, expected, atol=1e-12)


def test_a_body_without_inertia_in_the_urdf_becomes_a_small_sphere() -> None:
    """Of 1 kg and 5 cm without a mass; of the URDF's mass if only the inertia is missing."""
    no_mass = re.sub(
        r"<link name=\"hand\">.*?</link>", '<link name="hand"/>', ARM_URDF, flags=re.DOTALL
    )
    flat = re.sub(r'(<mass value="2.0"/>.*?)<inertia [^>]*/>', r"\1", ARM_URDF, flags=re.DOTALL)
    flat = flat.replace(
        '<origin xyz="0.12 -0.01 0.01"/>',
        '<origin xyz="0.12 -0.01 0.01"/><inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/>',
    )
    sphere = 0.4 * 0.05**2
    point = np.array([1, 0, 0, 0, sphere, 0, sphere, 0, 0, sphere])
    empty = arm_robot().with_urdf(no_mass).mechanism()
    np.testing.assert_allclose(reference_parameters(empty)[20:30], point)
    centre = np.array([0.12, -0.01, 0.01])
    spread = 2.0 * (centre @ centre * np.eye(3) - np.outer(centre, centre) + sphere * np.eye(3))
    upper = spread[[0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]]
    heavy = reference_parameters(arm_robot().with_urdf(flat).mechanism())
    np.testing.assert_allclose(heavy[10:20], [2.0, *(2.0 * centre), *upper], atol=1e-12)
    real = arm_robot().mechanism()
    np.testing.assert_array_equal(reference_parameters(real), real.urdf_parameters)


def test_scale_of_a_body_is_its_mass_times_powers_of_its_radius_of_gyration() -> None:
    mechanism = arm_robot().mechanism()
    size = parameter_scale(mechanism)
    for number, mass in enumerate((4.0, 2.0, 0.8)):
        body = mechanism.urdf_parameters[10 * number : 10 * number + 10]
        radius = np.sqrt(body[[4, 6, 9]].sum() / 2 / mass)  # about the joint
        expected = [mass, *[mass * radius] * 3, *[mass * radius**2] * 6]
        np.testing.assert_allclose(size[10 * number : 10 * number + 10], expected)
    np.testing.assert_array_equal(size[30:], 1.0)


def test_noiseless_data_of_a_real_arm_are_reproduced_by_a_consistent_model() -> None:
    robot = arm_robot(identification=settings_with())
    mechanism = robot.mechanism()
    truth = true_parameters(mechanism)
    result = identified(robot, recorded(mechanism, truth))
    base = result.problem.base
    np.testing.assert_allclose(base.project(result.standard), base.project(truth), atol=2e-3)
    assert result.consistent


def test_bodies_are_consistent_despite_noise_that_makes_least_squares_inconsistent() -> None:
    robot = arm_robot(identification=settings_with())
    mechanism = robot.mechanism()
    recording = recorded(mechanism, true_parameters(mechanism), samples=300, noise=8.0)
    result = identified(robot, recording)
    assert result.consistent
    assert not is_physically_consistent(mechanism, result.unconstrained)


def test_consistency_costs_less_than_a_percent_of_torque_error_on_good_data() -> None:
    robot = arm_robot(identification=settings_with())
    mechanism = robot.mechanism()
    recording = recorded(mechanism, true_parameters(mechanism), noise=0.5)
    result = identified(robot, recording)
    signals = [preprocess(recording, robot)]
    errors = [
        relative_errors(
            compare(
                mechanism.with_parameters(parameters),
                signals,
                robot.settings(IdentificationSettings),
            )
        )
        for parameters in (result.standard, result.unconstrained)
    ]
    assert np.all(errors[0] <= 1.01 * errors[1])


def test_undetermined_parameters_keep_the_urdf_values() -> None:
    """The first link turns about a fixed axis, so its mass is not identifiable."""
    robot = arm_robot(identification=settings_with())
    mechanism = robot.mechanism()
    truth = true_parameters(mechanism)
    result = identified(robot, recorded(mechanism, truth))
    mass = mechanism.parameter_names.index("M1")
    assert not result.determined[mass]
    assert result.standard[mass] == pytest.approx(truth[mass], rel=1e-3)


def test_determined_parameters_do_not_depend_on_the_urdf() -> None:
    robot = arm_robot(identification=settings_with())
    mechanism = robot.mechanism()
    truth = true_parameters(mechanism)
    recording = recorded(mechanism, truth)
    heavier = ARM_URDF.replace('mass value="2.0"', 'mass value="3.0"')
    signals = [preprocess(recording, robot)]
    other = robot.with_urdf(heavier).mechanism()
    base = base_parameterization(other)
    result = fit(
        build_problem(other, base, signals, robot.settings(IdentificationSettings)),
        robot.settings(IdentificationSettings),
    )
    np.testing.assert_allclose(base.project(result.standard), base.project(truth), atol=5e-3)


def test_a_urdf_a_thousand_times_too_light_does_not_bias_the_masses() -> None:
    light = re.sub(
        r'(mass value|i[xyz][xyz])="([^"]*)"',
        lambda found: f'{found[1]}="{1e-3 * float(found[2])}"',
        ARM_URDF,
    )
    robot = arm_robot(identification=settings_with())
    mechanism = robot.mechanism()
    truth = true_parameters(mechanism)
    result = identified(robot.with_urdf(light), recorded(mechanism, truth))
    base = result.problem.base
    assert result.consistent
    np.testing.assert_allclose(base.project(result.standard), base.project(truth), atol=5e-3)


def test_large_friction_with_a_small_standard_deviation_is_not_biased_to_zero() -> None:
    robot = arm_robot(identification=settings_with() | {"friction_repeatability": 0.0})
    mechanism = robot.mechanism()
    truth = true_parameters(mechanism)
    friction = mechanism.parameter_names.index("Fv1")
    truth[friction] = 60.0
    fitted = identified(robot, recorded(mechanism, truth, noise=40.0))
    base = int(np.flatnonzero(fitted.problem.base.independent == friction)[0])
    standard_deviation = np.sqrt(fitted.estimate.covariance[base, base])
    assert 0.5 < standard_deviation < 3.0
    assert fitted.standard[friction] == pytest.approx(
        fitted.estimate.base[base], abs=standard_deviation
    )
    assert fitted.determined[friction]


@pytest.mark.parametrize(("noise", "determined"), [(8.0, True), (20.0, False)])
def test_a_standard_deviation_below_half_of_the_scale_counts_as_determined(
    noise: float, determined: bool
) -> None:
    robot = arm_robot(identification=settings_with())
    mechanism = robot.mechanism()
    truth = true_parameters(mechanism)
    friction = mechanism.parameter_names.index("Fv1")
    truth[friction] = 0.2  # the scale is 1 N m s
    fitted = identified(robot, recorded(mechanism, truth, noise=noise))
    base = int(np.flatnonzero(fitted.problem.base.independent == friction)[0])
    standard_deviation = np.sqrt(fitted.estimate.covariance[base, base])
    assert bool(standard_deviation < 0.3) is determined
    assert bool(standard_deviation < 0.55) is determined
    assert bool(fitted.determined[friction]) is determined


def test_friction_and_rotor_inertia_are_never_negative() -> None:
    robot = arm_robot(
        terms=[{"kind": "viscous"}, {"kind": "coulomb"}, {"kind": "rotor_inertia"}],
        identification=settings_with(),
    )
    mechanism = robot.mechanism()
    drives_itself = true_parameters(mechanism)
    drives_itself[mechanism.parameter_names.index("Fv3")] = -0.5
    result = identified(robot, recorded(mechanism, drives_itself))
    friction = result.standard[30:]
    assert np.all(friction >= -1e-9)


@pytest.mark.parametrize(
    ("physical", "bodies", "low", "high"),
    [
        ({"total_mass": [8.0, 8.5]}, [0, 10, 20], 8.0, 8.5),
        ({"bounds": {"M3": [1.5, 1.6]}}, [20], 1.5, 1.6),
    ],
)
def test_masses_are_kept_within_their_bounds(
    physical: dict[str, object], bodies: list[int], low: float, high: float
) -> None:
    robot = arm_robot(identification=settings_with(physical=physical))
    mechanism = robot.mechanism()
    result = identified(robot, recorded(mechanism, true_parameters(mechanism), noise=0.5))
    assert low - 1e-6 <= result.standard[bodies].sum() <= high + 1e-6


@pytest.mark.parametrize(
    ("physical", "sentence"),
    [
        ({"total_mass": [1.0, 2.0], "bounds": {"M3": [5.0, 6.0]}}, "contradict"),
        ({"bounds": {"M9": [0.0, 1.0]}}, "contains 'M9'"),
    ],
)
def test_refuses_bounds_that_contradict_each_other_or_are_of_no_parameter(
    physical: dict[str, object], sentence: str
) -> None:
    robot = arm_robot(identification=settings_with(physical=physical))
    mechanism = robot.mechanism()
    with pytest.raises(EstimationError, match=sentence):
        identified(robot, recorded(mechanism, true_parameters(mechanism)))


def test_a_problem_that_the_solver_gives_up_is_solved_with_less_regularisation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # as with joints at rest, whose friction differs from the others' by many decades
    solved, tried = physical._smallest, []

    def giving_up(
        matrix: Array, bounds: Array, cones: list[object], regularisation: float
    ) -> Array | None:
        tried.append(regularisation)
        return None if regularisation >= 1e-8 else solved(matrix, bounds, cones, regularisation)

    mechanism = arm_robot().mechanism()
    scale = parameter_scale(mechanism)
    constraints = parameter_constraints(mechanism, PhysicalSettings(), scale)
    cost, linear = np.eye(len(scale)), np.linspace(-1.0, 1.0, len(scale))
    expected = solve_in_cones(cost, linear, *constraints)
    monkeypatch.setattr(physical, "_smallest", giving_up)
    np.testing.assert_allclose(solve_in_cones(cost, linear, *constraints), expected, atol=1e-6)
    assert min(tried) < 1e-8


def test_a_problem_without_a_solution_names_bounds_and_motion() -> None:
    mechanism = arm_robot().mechanism()
    scale = parameter_scale(mechanism)
    settings = PhysicalSettings(bounds={"M1": (2.0, 1.0)})
    constraints = parameter_constraints(mechanism, settings, scale)
    with pytest.raises(EstimationError, match=r"bounds.* let all joints move"):
        solve_in_cones(np.eye(len(scale)), np.zeros(len(scale)), *constraints)


def test_friction_and_rotor_of_a_joint_that_never_moves_are_exactly_those_of_the_urdf() -> None:
    terms = [{"kind": kind} for kind in ("viscous", "coulomb", "offset", "rotor_inertia")]
    robot = arm_robot(terms=terms, identification=settings_with(velocity="differentiated"))
    mechanism = robot.mechanism()
    moving = recorded(mechanism, true_parameters(mechanism), samples=800, noise=0.2)
    position = moving.position * [1, 1, 0] + [0, 0, 0.4]
    velocity = np.gradient(position, 1 / moving.sampling_rate, axis=0)
    acceleration = np.gradient(velocity, 1 / moving.sampling_rate, axis=0)
    torque = mechanism.torque(position, velocity, acceleration, true_parameters(mechanism))
    still = replace(moving, position=position, velocity=None, effort=torque)
    found = identified(robot, still)
    names = mechanism.parameter_names
    assert [found.standard[names.index(name)] for name in ("Fv3", "Fc3", "Ia3")] == [0.0] * 3


def _with_light_hand(factor: float) -> str:
    """Return the arm's URDF with mass and inertia of the hand times a factor."""

    def times(found: re.Match[str]) -> str:
        return f'{found[1]}="{float(found[2]) * factor!r}"'

    return re.sub(
        r'<link name="hand">.*?</link>',
        lambda link: re.sub(r'(mass value|i[xyz]{2})="([^"]*)"', times, link[0]),
        ARM_URDF,
        flags=re.DOTALL,
    )


def _last_joint(factor: float) -> Array:
    """Return the last joint's consistent parameters over the factor of its torque."""
    content = arm_robot(identification=settings_with()).yaml_content(exclude_unset=True)
    robot = make_robot(content, _with_light_hand(factor))
    mechanism = robot.mechanism()
    parameters = true_parameters(mechanism)
    own = [mechanism.parameter_names.index(name) for name in ("Fv3", "Fc3", "Off3")]
    parameters[own] *= factor
    recording = recorded(mechanism, parameters)
    noise = 0.01 * np.random.default_rng(1).standard_normal(recording.effort.shape)
    recording = replace(recording, effort=recording.effort + noise * [1.0, 1.0, factor])
    found = base_parameterization(mechanism)
    values = found.project(identified(robot, recording).standard)
    of_hand = [i for i, name in enumerate(found.names) if name in ("MX3", "MY3", "Fv3", "Fc3")]
    return values[of_hand] / factor


@pytest.mark.parametrize("factor", representatives([1e-3, 1e3, 1e-6], 1))
def test_parameters_of_a_joint_scale_with_its_torque(factor: float) -> None:
    # noise of the other joints contains a little information on a heavy hand: 1 % is allowed
    np.testing.assert_allclose(_last_joint(factor), _last_joint(1.0), rtol=0.01)
