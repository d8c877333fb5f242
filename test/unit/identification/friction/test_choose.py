"""The choice among friction models."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.rubbing_arm import problem_of, rubbing

from dynid.dynamics.joint_terms import TermSettings
from dynid.errors import EstimationError
from dynid.identification.friction.candidates import Candidate, MotionScales, candidates
from dynid.identification.friction.choose import CandidateTrial, choose, try_candidates
from dynid.identification.friction.variable_projection import FrictionFit

FEW = (
    "viscous + Coulomb",
    "viscous + tanh",
    "viscous + root + 1 stop",
    "viscous + root + tanh + 1 stop",
    "viscous + tanh + load",
)


def few() -> list[Candidate]:
    found = candidates(MotionScales(speed=3.0, travel=2.0, loaded=True))
    return [one for one in found if one.name in FEW]


def trial(parameters: int, fit_error: float, squares: list[float]) -> CandidateTrial:
    terms = (TermSettings(kind="viscous"),) * parameters
    candidate = Candidate(str(parameters), (), lambda _: terms)
    fit = FrictionFit(candidate, {}, terms, np.ones(parameters), np.zeros(0), 0.0)
    return CandidateTrial(
        fit, fit_error, np.array(squares), np.full(len(squares), 1 / len(squares))
    )


def test_plain_friction_gives_the_plain_model() -> None:
    trials = try_candidates(problem_of(rubbing(), joint=0), few(), name="elbow")
    assert choose(trials).name == "viscous + Coulomb"


def test_presliding_friction_gives_a_model_with_a_stop() -> None:
    recordings = rubbing(
        {"kind": "presliding", "scale": 0.05, "joints": ["elbow"]}, Fh2=4.0, Fc2=0.0
    )
    trials = try_candidates(problem_of(recordings, joint=1), few(), name="elbow")
    assert choose(trials).name == "viscous + root + 1 stop"


def test_load_dependent_friction_gives_a_model_with_load() -> None:
    recordings = rubbing(
        {"kind": "coulomb_load", "joints": ["elbow"], "smoothing": 0.02}, Fl2=0.4, Fc2=0.0
    )
    trials = try_candidates(problem_of(recordings, joint=1), few(), name="elbow")
    assert choose(trials).name == "viscous + tanh + load"


def test_the_error_of_the_fit_is_ignored() -> None:
    simple = trial(2, fit_error=1.0, squares=[1.0, 1.1, 0.9])
    overfitted = trial(9, fit_error=0.1, squares=[2.0, 2.1, 1.9])
    assert choose([simple, overfitted]) is simple


def test_an_improvement_on_some_recordings_does_not_justify_a_parameter() -> None:
    simple = trial(2, fit_error=1.0, squares=[1.0, 1.0, 1.0])
    richer = trial(5, fit_error=0.9, squares=[0.5, 1.2, 1.1])
    assert choose([simple, richer]) is simple


def test_an_improvement_on_all_recordings_justifies_a_parameter() -> None:
    simple = trial(2, fit_error=1.0, squares=[1.0, 4.0, 9.0])
    richer = trial(5, fit_error=0.9, squares=[0.9, 3.5, 8.5])
    assert choose([simple, richer]) is richer


def test_held_out_error_is_that_of_fits_to_the_other_folds() -> None:
    recordings = rubbing(samples=400)
    problem = problem_of(recordings, joint=0)
    found = try_candidates(problem, few()[:1], name="elbow")[0]
    assert found.held_out_error > found.fit_error


def test_every_recording_is_held_out_once() -> None:
    problem = problem_of(rubbing(seeds=(0, 1, 2)), joint=0)
    assert [span.stop - span.start for span in problem.spans] == [1500, 1500, 1500]


def test_parts_of_a_single_recording_are_held_out() -> None:
    problem = problem_of(rubbing(seeds=(0,)), joint=0)
    assert [span.stop - span.start for span in problem.spans] == [300] * 5


def test_a_part_that_is_too_short_names_its_joint() -> None:
    problem = problem_of(rubbing(), joint=0)
    short = replace(problem, spans=(slice(0, 10), *problem.spans[1:]))
    with pytest.raises(EstimationError, match="joint 'elbow': a held-out part has fewer than"):
        try_candidates(short, few(), name="elbow")
