"""Shapes of friction found by variable projection."""

from __future__ import annotations

import numpy as np
import pytest
from support.rubbing_arm import PLAIN, problem_of, relative, rubbing
from support.synthetic import arm_robot

from dynid.arrays import Array
from dynid.dynamics.joint_terms import TermSettings
from dynid.identification.friction.candidates import (
    Candidate,
    MotionScales,
    ShapeParameter,
    candidate,
    candidates,
)
from dynid.identification.friction.joint_problem import JointProblem
from dynid.identification.friction.variable_projection import (
    FrictionFit,
    Projection,
    search_shapes,
)

MOTION = MotionScales(speed=3.0, travel=2.0, loaded=True)
STOP = {"kind": "presliding", "scale": 0.03, "joints": ["elbow"]}


def fitted(problem: JointProblem, candidate: Candidate) -> FrictionFit:
    """The best shapes of all folds together."""
    return search_shapes(Projection(problem, np.arange(len(problem.spans))), candidate, [])[0]


def named(name: str) -> Candidate:
    return candidate(name, MOTION)


def least_squares(
    problem: JointProblem, folds: list[int], terms: tuple[TermSettings, ...]
) -> tuple[Array, float]:
    """All parameters that fit some folds best, from all columns, and the squared error."""
    rows = np.hstack([problem.columns(terms), problem.others, problem.torque[:, None]])
    rows *= problem.fitted[:, None]
    used = np.concatenate([rows[problem.spans[fold]] for fold in folds])
    gram = used.T @ used
    gram[len(terms) :, len(terms) :] += problem.elsewhere[folds].sum(axis=0)
    whole = np.linalg.lstsq(gram[:-1, :-1], gram[:-1, -1], rcond=1e-12)[0]
    extended = np.append(whole, -1.0)
    return whole, float(extended @ gram @ extended)


def test_every_part_agrees_with_least_squares_on_all_columns_of_its_folds() -> None:
    problem = problem_of(rubbing(STOP, samples=500, Fh2=1.5), joint=1)
    model = named("viscous + tanh + 1 stop")
    found = Projection(problem, np.arange(3)).solve(model, {"smoothing": 0.1, "distance": 0.02})
    for part, folds in enumerate(([0, 1, 2], [1, 2], [0, 2], [0, 1])):
        whole, error = least_squares(problem, folds, found[part].terms)
        assert np.all(whole[: len(found[part].friction)] > 0)  # none is bounded
        np.testing.assert_allclose(found[part].friction, whole[:3], rtol=1e-6)
        assert found[part].squared_error == pytest.approx(error, rel=1e-6)


def test_blocks_of_a_fold_are_held_out_together() -> None:
    problem = problem_of(rubbing(samples=500, seeds=(0, 1, 2, 3)), joint=0)
    model = named("viscous + tanh")
    together = Projection(problem, np.array([0, 0, 1, 1])).solve(model, {"smoothing": 0.1})
    whole, _ = least_squares(problem, [2, 3], together[1].terms)
    np.testing.assert_allclose(together[1].friction, whole[:2], rtol=1e-6)


def test_finds_the_distance_of_presliding_friction() -> None:
    recordings = rubbing({"kind": "presliding", "scale": 0.02, "joints": ["elbow"]}, Fh2=1.5)
    problem = problem_of(recordings, joint=1)
    model = Candidate(
        "stop",
        (ShapeParameter("distance", 1e-4, 0.5),),
        lambda shapes: (
            TermSettings(kind="viscous"),
            TermSettings(kind="coulomb"),
            TermSettings(kind="presliding", scale=shapes["distance"]),
        ),
    )
    fit = fitted(problem, model)
    assert relative(fit.shapes["distance"], 0.02) < 0.05
    np.testing.assert_allclose(fit.friction, [1.5, 2.0, 1.5], rtol=0.05)


def test_finds_two_shapes_together() -> None:
    stribeck = {"kind": "stribeck", "smoothing": 0.1, "scale": 0.5, "joints": ["shoulder"]}
    recordings = rubbing(stribeck, Fs1=3.0)
    problem = problem_of(recordings, joint=0)
    model = Candidate(
        "Stribeck",
        (ShapeParameter("smoothing", 0.01, 1.0), ShapeParameter("velocity", 0.05, 2.0)),
        lambda shapes: (
            TermSettings(kind="viscous"),
            TermSettings(kind="coulomb"),
            TermSettings(kind="stribeck", smoothing=shapes["smoothing"], scale=shapes["velocity"]),
        ),
    )
    fit = fitted(problem, model)
    assert relative(fit.shapes["smoothing"], 0.1) < 0.1
    assert relative(fit.shapes["velocity"], 0.5) < 0.1


def test_friction_never_adds_energy() -> None:
    problem = problem_of(rubbing(Fc3=-0.5), joint=2)
    fit = fitted(problem, named("viscous + Coulomb"))
    assert np.all(fit.friction >= 0.0)


def test_shapes_stay_within_their_ranges() -> None:
    problem = problem_of(rubbing(), joint=2)
    model = named("viscous + root + tanh + 1 stop")
    fit = fitted(problem, model)
    for shape in model.shapes:
        assert shape.low * (1 - 1e-9) <= fit.shapes[shape.name] <= shape.high * (1 + 1e-9)


def test_ranges_of_stop_and_sign_are_above_the_noise_at_rest() -> None:
    noisy = MotionScales(
        speed=1.0, travel=1.0, loaded=True, position_noise=1e-3, velocity_noise=1e-2
    )
    for model in candidates(noisy):
        for shape in model.shapes:
            if shape.name == "distance":
                assert shape.low > 2e-3
            if shape.name == "smoothing":
                assert shape.low > 2e-2


def test_every_candidate_is_accepted_by_the_core() -> None:
    problem = problem_of(rubbing(), joint=0)
    for model in candidates(MotionScales(speed=3.0, travel=2.0, loaded=True)):
        middle = {one.name: float(np.sqrt(one.low * one.high)) for one in model.shapes}
        columns = problem.columns(model.terms(middle))
        assert columns.shape == (len(problem.torque), len(model.terms(middle)))
        assert np.isfinite(columns).all()


def test_each_part_has_the_best_of_the_shapes_tried() -> None:
    problem = problem_of(rubbing(STOP, samples=800, Fh2=1.5), joint=1)
    projection = Projection(problem, np.arange(3))
    model = named("viscous + tanh + 1 stop")
    found = search_shapes(projection, model, [])
    assert relative(found[0].shapes["distance"], 0.03) < 0.2
    for part, fit in enumerate(found):
        for other in found:
            again = projection.solve(model, other.shapes)[part]
            assert fit.squared_error <= again.squared_error * (1 + 1e-9)


def test_a_contact_is_no_longer_than_presliding_can_be() -> None:
    model = named("viscous + 2 stops")
    terms = model.terms({"distance": 0.05, "ratio": 30.0})
    assert max(term.scale for term in terms) == pytest.approx(0.03 * MOTION.travel)


def test_a_rotor_inertia_below_zero_does_not_stand_for_presliding_friction() -> None:
    recordings = rubbing({"kind": "presliding", "scale": 0.2, "joints": ["elbow"]}, Fh2=4.0, Fc2=0)
    robot = arm_robot(terms=[*PLAIN, {"kind": "rotor_inertia"}])
    problem = problem_of(recordings, joint=1, robot=robot)
    model, shapes = named("viscous + tanh"), {"smoothing": 0.1}
    bounded = Projection(problem, np.arange(3)).solve(model, shapes)[0]
    whole, _ = least_squares(problem, [0, 1, 2], bounded.terms)
    (rotor,) = problem.bounded
    # without the bound the fit would have one
    assert whole[len(bounded.terms) + rotor] < -0.1
    assert bounded.others[rotor] + problem.start[rotor] == 0.0
    rows = problem.columns(bounded.terms) * problem.fitted[:, None]
    others = np.delete(problem.others, rotor, axis=1) * problem.fitted[:, None]
    kept = np.delete(np.arange(problem.others.shape[1]), rotor)
    stacked = np.hstack([rows, others, (problem.torque * problem.fitted)[:, None]])
    gram = stacked.T @ stacked
    used = np.append(kept, -1)
    gram[2:, 2:] += problem.elsewhere.sum(axis=0)[used][:, used]
    best = np.linalg.lstsq(gram[:-1, :-1], gram[:-1, -1], rcond=1e-12)[0]
    np.testing.assert_allclose(bounded.friction, best[:2], atol=1e-3)
