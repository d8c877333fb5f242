"""The search over signs, compared with trying all of them."""

from __future__ import annotations

from itertools import product

import numpy as np

from dynid_plugins.laboratory.unsigned.search import (
    SegmentEquations,
    beam_search,
    improve,
    turning_cost,
)

SEGMENTS, ROWS, PARAMETERS = 9, 6, 3


def random_equations(noise: float, seed: int) -> tuple[SegmentEquations, np.ndarray]:
    """Return segments of a random regression of one drive, and their true signs."""
    random = np.random.default_rng(seed)
    regressor = random.standard_normal((SEGMENTS, ROWS, PARAMETERS))
    mean = random.standard_normal((SEGMENTS, 1, PARAMETERS))
    regressor = 0.2 * regressor + mean  # torque keeps its sign within most segments
    torque = regressor @ np.array([1.0, -2.0, 0.5])
    signs = np.sign(torque.sum(axis=1))
    size = signs[:, None] * torque + noise * random.standard_normal(torque.shape)
    equations = SegmentEquations(
        drive=np.zeros(SEGMENTS, dtype=np.intp),
        matrix=np.einsum("sri,srj->sij", regressor, regressor),
        right=np.einsum("sri,sr->si", regressor, size),
        squared=np.sum(size**2, axis=1),
        rows=np.full(SEGMENTS, float(ROWS)),
    )
    return equations, signs


def squared_error(equations: SegmentEquations, signs: np.ndarray) -> float:
    """Return the least squared error with these signs, by solving for the parameters."""
    matrix = equations.matrix.sum(axis=0) + np.diag(equations.prior())
    right = signs @ equations.right
    return float(equations.squared.sum() - right @ np.linalg.solve(matrix, right))


def test_beam_search_agrees_with_an_exhaustive_search() -> None:
    for seed in range(10):
        equations, _ = random_equations(0.1, seed)
        best = min(
            squared_error(equations, np.array(signs)) for signs in product((1, -1), repeat=SEGMENTS)
        )
        found = improve(equations.gain(), beam_search(equations))
        assert np.isclose(squared_error(equations, found), best, rtol=1e-9, atol=1e-9)


def test_signs_without_noise_are_the_true_ones_up_to_a_common_sign() -> None:
    for seed in range(10):
        equations, signs = random_equations(0.0, seed)
        found = improve(equations.gain(), beam_search(equations))
        assert abs(found @ signs) == SEGMENTS


def test_improving_corrects_a_wrong_sign() -> None:
    equations, signs = random_equations(0.01, seed=3)
    wrong = signs.copy()
    wrong[4] *= -1
    assert np.array_equal(improve(equations.gain(), wrong), signs)


def test_cost_of_flipping_a_segment_agrees_with_a_new_solution() -> None:
    equations, signs = random_equations(0.3, seed=5)
    costs = turning_cost(equations.gain(), signs)
    for segment in range(SEGMENTS):
        turned = signs.copy()
        turned[segment] *= -1
        again = squared_error(equations, turned) - squared_error(equations, signs)
        assert np.isclose(costs[segment], again, rtol=1e-9, atol=1e-9)
