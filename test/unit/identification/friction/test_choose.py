"""The choice among friction models."""

from __future__ import annotations

import numpy as np

from dynid.dynamics.joint_terms import TermSettings
from dynid.identification.friction.candidates import Candidate
from dynid.identification.friction.choose import CandidateTrial, choose
from dynid.identification.friction.variable_projection import FrictionFit


def trial(parameters: int, fit_error: float, squares: list[float]) -> CandidateTrial:
    terms = (TermSettings(kind="viscous"),) * parameters
    candidate = Candidate(str(parameters), (), lambda _: terms)
    fit = FrictionFit(candidate, {}, terms, np.ones(parameters), np.zeros(0), 0.0)
    return CandidateTrial(
        fit, fit_error, np.array(squares), np.full(len(squares), 1 / len(squares))
    )


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


def test_a_part_with_most_of_the_error_does_not_keep_the_simpler_model() -> None:
    """It has a ninth of its error less, and the others half: the scatter is that of one part."""
    simple = trial(2, fit_error=1.0, squares=[2.0, 2.2, 1.8, 2.1, 1.9, 2.0, 180.0])
    richer = trial(5, fit_error=0.9, squares=[1.0, 1.1, 0.9, 1.0, 1.0, 1.0, 160.0])
    assert choose([simple, richer]) is richer


def test_parts_that_are_better_do_not_outweigh_one_that_is_worse_by_more() -> None:
    simple = trial(2, fit_error=1.0, squares=[2.0, 2.2, 1.8, 2.1, 1.9, 2.0, 160.0])
    richer = trial(5, fit_error=0.9, squares=[1.0, 1.1, 0.9, 1.0, 1.0, 1.0, 180.0])
    assert choose([simple, richer]) is simple
