"""The choice among friction models."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dynid.dynamics.joint_terms import TermSettings
from dynid.identification.friction.candidates import Candidate
from dynid.identification.friction.joint_trials import CandidateTrial, choose, variance_of_springs
from dynid.identification.friction.variable_projection import FrictionFit


def trial(parameters: int, fit_error: float, squares: list[float]) -> CandidateTrial:
    terms = (TermSettings(kind="viscous"),) * parameters
    candidate = Candidate(str(parameters), (), lambda _: terms)
    fit = FrictionFit(candidate, {}, terms, np.ones(parameters), np.zeros(0), 0.0)
    return CandidateTrial(
        fit, fit_error, np.array(squares), np.full(len(squares), 1 / len(squares))
    )


@pytest.mark.parametrize(
    ("simple", "richer", "expected"),
    [
        ([1.0, 1.1, 0.9], [2.0, 2.1, 1.9], "2"),  # though its fit has a tenth of the error
        ([1.0, 1.0, 1.0], [0.5, 1.2, 1.1], "2"),
        ([1.0, 4.0, 9.0], [0.9, 3.5, 8.5], "5"),
        # a ninth of the error of one part less, and half that of the others
        ([2.0, 2.2, 1.8, 2.1, 1.9, 2.0, 180.0], [1.0, 1.1, 0.9, 1.0, 1.0, 1.0, 160.0], "5"),
        ([2.0, 2.2, 1.8, 2.1, 1.9, 2.0, 160.0], [1.0, 1.1, 0.9, 1.0, 1.0, 1.0, 180.0], "2"),
    ],
    ids=["overfitted", "better in some", "better in all", "most of the error", "worse by more"],
)
def test_a_parameter_is_justified_by_an_improvement_on_all_recordings(
    simple: list[float], richer: list[float], expected: str
) -> None:
    assert choose([trial(2, 1.0, simple), trial(5, 0.1, richer)]).name == expected


def test_a_spring_that_is_worse_within_the_limits_is_not_chosen() -> None:
    simple = trial(2, fit_error=1.0, squares=[1.0, 4.0, 9.0])
    sprung = trial(3, fit_error=0.9, squares=[0.5, 3.0, 8.0])
    gain = simple.expected - sprung.expected
    for beyond, expected in ((0.9 * gain, "3"), (1.1 * gain, "2")):
        assert choose([simple, replace(sprung, beyond=beyond)]).name == expected


@pytest.mark.parametrize(
    ("gains", "expected"),
    [([0.4, 0.5, 0.6, 0.5, 0.5], "3"), ([0.05, 0.1, 0.05, 0.1, 2.5], "2")],
    ids=["of every part alike", "of one part"],
)
def test_a_spring_has_to_be_better_by_two_standard_errors(
    gains: list[float], expected: str
) -> None:
    plain = np.full(5, 3.0)
    simple, sprung = trial(2, 1.0, plain.tolist()), trial(3, 0.9, (plain - gains).tolist())
    assert choose([simple, sprung]).name == "3"  # one standard error is enough for friction
    terms = (*simple.fit.terms, TermSettings(kind="spring_stiffness"))
    assert choose([simple, replace(sprung, fit=replace(sprung.fit, terms=terms))]).name == expected


def spring_fits(*stiffness: float) -> list[FrictionFit]:
    """Return fits of viscous friction and a spring: to all, and without each fold."""
    terms = (TermSettings(kind="viscous"), TermSettings(kind="spring_stiffness"))
    model = Candidate("viscous + spring", (), lambda _: terms)
    return [
        FrictionFit(model, {}, terms, np.array([9.0 * n, value]), np.zeros(0), 0.0)
        for n, value in enumerate(stiffness)
    ]


def moved_from(low: float, high: float) -> Any:
    """Return a problem of a joint that was recorded between two positions."""
    return SimpleNamespace(joint=0, position=np.linspace(low, high, 400))


def test_the_variance_of_a_spring_is_that_of_the_jackknife_beyond_the_record() -> None:
    variance = variance_of_springs(moved_from(-0.1, 0.1), spring_fits(2.0, 1.0, 2.0, 3.0), (-3, 3))
    beyond, within = (np.mean(np.linspace(-end, end, n) ** 2) for end, n in ((3, 100), (0.1, 400)))
    # two of three times the sum of squared deviations, 1 + 0 + 1
    assert variance == pytest.approx(2 / 3 * 2 * (beyond - within))


def test_only_springs_that_differ_between_folds_vary_elsewhere() -> None:
    assert variance_of_springs(moved_from(-1, 1), spring_fits(2.0, 2.0, 2.0), (-3, 3)) == 0
    viscous = trial(2, 1.0, [1.0]).fit
    assert variance_of_springs(moved_from(-1, 1), [viscous, viscous], (-3, 3)) == 0


def test_a_spring_of_the_whole_reach_varies_nowhere_else() -> None:
    fits = spring_fits(2.0, 1.9, 2.0, 2.1)
    assert variance_of_springs(moved_from(-3, 3), fits, (-3, 3)) == pytest.approx(0.0, abs=1e-3)
    assert variance_of_springs(moved_from(-1, 1), fits, (-3, 3)) > 0.03
