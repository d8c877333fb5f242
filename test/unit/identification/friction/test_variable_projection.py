"""Shapes of friction found by variable projection."""

from __future__ import annotations

import numpy as np
import pytest
from support.rubbing_arm import problem_of, relative, rubbing

from dynid.dynamics.joint_terms import TermSettings
from dynid.identification.friction.candidates import (
    Candidate,
    MotionScales,
    ShapeParameter,
    candidates,
)
from dynid.identification.friction.joint_problem import JointProblem
from dynid.identification.friction.variable_projection import (
    Projection,
    fit_again,
    fit_at,
    fit_shapes,
)

TERMS = (TermSettings(kind="viscous"), TermSettings(kind="coulomb", smoothing=0.1))


def everything(problem: JointProblem) -> Projection:
    return Projection(problem, range(len(problem.spans)))


def named(name: str, speed: float = 3.0, travel: float = 2.0) -> Candidate:
    found = candidates(MotionScales(speed=speed, travel=travel, loaded=True))
    return next(one for one in found if one.name == name)


def test_projection_agrees_with_least_squares_on_all_columns() -> None:
    problem = problem_of(rubbing(), joint=1)
    fit = fit_at(everything(problem), Candidate("two", (), lambda _: TERMS), {})
    rows = np.hstack([problem.columns(TERMS), problem.others, problem.torque[:, None]])
    gram = (rows * problem.fitted[:, None]).T @ rows
    gram[2:, 2:] += problem.elsewhere.sum(axis=0)
    whole = np.linalg.lstsq(gram[:-1, :-1], gram[:-1, -1], rcond=1e-12)[0]
    np.testing.assert_allclose(fit.friction, whole[:2], rtol=1e-6)
    extended = np.append(whole, -1.0)
    assert fit.squared_error == pytest.approx(extended @ gram @ extended, rel=1e-6)


def test_finds_the_distance_of_presliding_friction() -> None:
    recordings = rubbing({"kind": "presliding", "scale": 0.02, "joints": ["elbow"]}, Fh2=1.5)
    problem = problem_of(recordings, joint=1)
    candidate = Candidate(
        "stop",
        (ShapeParameter("distance", 1e-4, 0.5),),
        lambda shapes: (
            TermSettings(kind="viscous"),
            TermSettings(kind="coulomb"),
            TermSettings(kind="presliding", scale=shapes["distance"]),
        ),
    )
    fit = fit_shapes(everything(problem), candidate, {})
    assert relative(fit.shapes["distance"], 0.02) < 0.05
    np.testing.assert_allclose(fit.friction, [1.5, 2.0, 1.5], rtol=0.05)


def test_finds_two_shapes_together() -> None:
    stribeck = {"kind": "stribeck", "smoothing": 0.1, "scale": 0.5, "joints": ["shoulder"]}
    recordings = rubbing(stribeck, Fs1=3.0)
    problem = problem_of(recordings, joint=0)
    candidate = Candidate(
        "Stribeck",
        (ShapeParameter("smoothing", 0.01, 1.0), ShapeParameter("velocity", 0.05, 2.0)),
        lambda shapes: (
            TermSettings(kind="viscous"),
            TermSettings(kind="coulomb"),
            TermSettings(kind="stribeck", smoothing=shapes["smoothing"], scale=shapes["velocity"]),
        ),
    )
    fit = fit_shapes(everything(problem), candidate, {})
    assert relative(fit.shapes["smoothing"], 0.1) < 0.1
    assert relative(fit.shapes["velocity"], 0.5) < 0.1


def test_friction_never_adds_energy() -> None:
    problem = problem_of(rubbing(Fc3=-0.5), joint=2)
    fit = fit_shapes(everything(problem), named("viscous + Coulomb"), {})
    assert np.all(fit.friction >= 0.0)


def test_a_local_search_on_other_folds_agrees_with_a_global_one() -> None:
    recordings = rubbing({"kind": "presliding", "scale": 0.02, "joints": ["elbow"]}, Fh2=1.5)
    problem = problem_of(recordings, joint=1)
    candidate = named("viscous + root + 1 stop")
    some = Projection(problem, [0, 2])
    afar = fit_shapes(some, candidate, {})
    near = fit_again(some, fit_shapes(everything(problem), candidate, {}))
    assert relative(near.shapes["distance"], afar.shapes["distance"]) < 0.05


def test_shapes_stay_within_their_ranges() -> None:
    problem = problem_of(rubbing(), joint=2)
    candidate = named("viscous + root + tanh + 1 stop")
    fit = fit_shapes(everything(problem), candidate, {})
    for shape in candidate.shapes:
        assert shape.low * (1 - 1e-9) <= fit.shapes[shape.name] <= shape.high * (1 + 1e-9)


def test_ranges_of_stop_and_sign_are_above_the_noise_at_rest() -> None:
    noisy = MotionScales(
        speed=1.0, travel=1.0, loaded=True, position_noise=1e-3, velocity_noise=1e-2
    )
    for candidate in candidates(noisy):
        for shape in candidate.shapes:
            if shape.name == "distance":
                assert shape.low > 2e-3
            if shape.name == "smoothing":
                assert shape.low > 2e-2


def test_every_candidate_is_accepted_by_the_core() -> None:
    problem = problem_of(rubbing(), joint=0)
    for candidate in candidates(MotionScales(speed=3.0, travel=2.0, loaded=True)):
        middle = {one.name: float(np.sqrt(one.low * one.high)) for one in candidate.shapes}
        columns = problem.columns(candidate.terms(middle))
        assert columns.shape == (len(problem.torque), len(candidate.terms(middle)))
        assert np.isfinite(columns).all()
