"""Recursive least squares on triangular factors: equal to batch, stable for long runs."""

from __future__ import annotations

import numpy as np
import pytest

from dynid.errors import EstimationError
from dynid.estimation.square_root import Forgetting, SquareRootLeastSquares

TRUE = np.array([2.0, -1.0, 0.5])
K = len(TRUE)
UNINFORMATIVE = np.full(K, 1e6)


def rows(samples: int, noise: tuple[float, ...] = (0.1, 1.0), seed: int = 0) -> np.ndarray:
    """[W_j, τ_j] (2, m, 4) of two joints; the second depends on the last two parameters only."""
    random = np.random.default_rng(seed)
    regressor = random.standard_normal((len(noise), samples, K))
    regressor[1:, :, 0] = 0.0
    torque = regressor @ TRUE + np.array(noise)[:, None] * random.standard_normal(
        (len(noise), samples)
    )
    return np.concatenate([regressor, torque[..., None]], axis=2)


def weighted_least_squares(
    stacked: np.ndarray, standard_deviations: tuple[float, ...]
) -> np.ndarray:
    scaled = np.concatenate([s / d for s, d in zip(stacked, standard_deviations, strict=True)])
    return np.linalg.lstsq(scaled[:, :-1], scaled[:, -1], rcond=None)[0]


def test_agrees_with_weighted_least_squares() -> None:
    stacked = rows(500)
    recursive = SquareRootLeastSquares(2, np.zeros(K), UNINFORMATIVE)
    for begin in range(0, 500, 7):
        recursive.update(stacked[:, begin : begin + 7])
    found = recursive.solve()
    standard_deviations = tuple(np.sqrt(found.joint_variance))
    np.testing.assert_allclose(
        found.parameters, weighted_least_squares(stacked, standard_deviations), rtol=1e-6
    )
    assert standard_deviations == pytest.approx((0.1, 1.0), rel=0.1)


def test_result_does_not_depend_on_the_block_size_with_forgetting() -> None:
    stacked = rows(300)
    forgetting = Forgetting(0.95, 0.01)
    whole, single = (
        SquareRootLeastSquares(2, np.zeros(K), UNINFORMATIVE, forgetting=forgetting)
        for _ in range(2)
    )
    whole.update(stacked)
    for i in range(300):
        single.update(stacked[:, i : i + 1])
    np.testing.assert_allclose(single.factors, whole.factors, atol=1e-9)
    np.testing.assert_allclose(single.rows, whole.rows)
    np.testing.assert_allclose(single.solve().parameters, whole.solve().parameters, rtol=1e-6)


def test_forgetting_fades_as_in_the_paper() -> None:
    factors, expected = Forgetting(0.9, 0.2).factors(1, 5), 0.9
    for factor in factors:
        expected = (1 - 0.2) * expected + 0.2
        assert factor == pytest.approx(expected)


def test_standard_deviations_are_the_scatter_of_the_estimates() -> None:
    estimates, standard_deviations = [], []
    for seed in range(200):
        recursive = SquareRootLeastSquares(2, np.zeros(K), UNINFORMATIVE)
        recursive.update(rows(60, seed=seed))
        found = recursive.solve()
        estimates.append(found.parameters)
        standard_deviations.append(np.sqrt(np.diag(found.covariance)))
    scatter = np.sqrt(np.mean((np.array(estimates) - TRUE) ** 2, axis=0))
    np.testing.assert_allclose(np.mean(standard_deviations, axis=0), scatter, rtol=0.2)


def test_follows_changing_parameters_with_forgetting() -> None:
    before, after = rows(2000), rows(2000, seed=1)
    after[0, :, -1] += after[0, :, 0]  # the first parameter grows by 1
    recursive = SquareRootLeastSquares(2, np.zeros(K), UNINFORMATIVE, forgetting=Forgetting(0.99))
    recursive.update(before)
    recursive.update(after)
    found = recursive.solve()
    standard_deviations = np.sqrt(np.diag(found.covariance))
    assert np.all(np.abs(found.parameters - TRUE - [1, 0, 0]) < 4 * standard_deviations)


def test_does_not_wind_up_without_excitation() -> None:
    """Parameters stay, and standard deviations grow to those of the prior, not beyond."""
    start, standard_deviations = np.array([9.0, 9.0, 9.0]), np.array([10.0, 10.0, 10.0])
    recursive = SquareRootLeastSquares(2, start, standard_deviations, forgetting=Forgetting(0.98))
    recursive.update(rows(500))
    known = recursive.solve()
    rest = np.zeros((2, 100, K + 1))
    for _ in range(50):
        recursive.update(rest, np.zeros((100, 2)))  # joints at rest have no weight
    found = recursive.solve()
    assert np.all(np.isfinite(found.parameters))
    np.testing.assert_allclose(found.parameters, known.parameters, atol=0.05)
    np.testing.assert_allclose(np.sqrt(np.diag(found.covariance)), standard_deviations, rtol=1e-6)
    assert not found.determined.any()


def test_undetermined_parameters_keep_their_value_and_are_marked() -> None:
    stacked = rows(100)
    stacked[0, :, -1] -= stacked[0, :, 0] * TRUE[0]
    stacked[:, :, 0] = 0.0
    recursive = SquareRootLeastSquares(2, np.full(K, 7.0), UNINFORMATIVE)
    recursive.update(stacked)
    found = recursive.solve()
    assert found.determined.tolist() == [False, True, True]
    assert found.parameters[0] == 7.0


def test_scalar_sub_models_estimate_each_parameter_at_its_last_joint() -> None:
    stacked = rows(400, noise=(0.1, 0.1))
    spoilt = stacked.copy()
    spoilt[0, :, -1] += 5.0  # torque of the first joint, measured badly
    found = []
    for one in (stacked, spoilt):
        recursive = SquareRootLeastSquares(2, np.zeros(K), UNINFORMATIVE, scalar=True)
        recursive.update(one)
        found.append(recursive.solve())
    own = np.linalg.lstsq(stacked[1, :, 1:3], stacked[1, :, 3], rcond=None)[0]
    for one in found:
        np.testing.assert_allclose(one.parameters[1:], own, rtol=1e-6)
    assert np.all(np.abs(found[0].parameters - TRUE) < 4 * np.sqrt(np.diag(found[0].covariance)))


def test_scalar_sub_models_do_not_understate_propagated_errors() -> None:
    errors, standard_deviations = [], []
    for seed in range(200):
        recursive = SquareRootLeastSquares(2, np.zeros(K), UNINFORMATIVE, scalar=True)
        recursive.update(rows(40, seed=seed))
        found = recursive.solve()
        errors.append(found.parameters[0] - TRUE[0])
        standard_deviations.append(np.sqrt(found.covariance[0, 0]))
    assert 0.9 < np.mean(standard_deviations) / np.sqrt(np.mean(np.square(errors))) < 1.5


@pytest.mark.parametrize("robust", [False, True])
def test_a_few_outliers_hardly_change_the_robust_form(robust: bool) -> None:
    recursive = SquareRootLeastSquares(2, np.zeros(K), UNINFORMATIVE, robust=robust)
    recursive.update(rows(500))
    for seed in range(1, 11):
        wild = rows(50, seed=seed)
        wild[:, ::10, -1] += 40.0
        recursive.update(wild)
    error = np.abs(recursive.solve().parameters - TRUE).max()
    assert bool(error < 0.05) is robust
    assert bool(recursive.rows.sum() < 1999.0) is robust


def test_robust_weights_are_hubers() -> None:
    """An error of c standard deviations has the weight 1.345 / c, 1 below 1.345."""
    stacked = rows(4000, noise=(1.0, 1.0))
    recursive = SquareRootLeastSquares(2, np.zeros(K), UNINFORMATIVE, robust=True)
    recursive.update(stacked)
    recursive.solve()
    before = recursive.rows
    np.testing.assert_array_equal(
        before, 4000.0
    )  # there is no estimate yet to weight the first rows
    regressor = np.eye(K)[None].repeat(2, axis=0)
    torque = regressor @ TRUE + np.array([[1.0, 2.69, -13.45], [0.0, -1.0, 5.38]])
    recursive.update(np.concatenate([regressor, torque[..., None]], axis=2))
    counted = recursive.rows - before
    np.testing.assert_allclose(counted, [1 + 0.5 + 0.1, 1 + 1 + 0.25], rtol=0.05)


def test_variance_is_estimated_from_twice_as_many_rows_as_parameters() -> None:
    few, enough = (SquareRootLeastSquares(1, np.zeros(K), UNINFORMATIVE) for _ in range(2))
    few.update(rows(2 * K, noise=(0.1,)))
    assert few.solve().joint_variance.tolist() == [1.0]
    enough.update(rows(2 * K + 1, noise=(0.1,)))
    assert 0.0 < enough.solve().joint_variance[0] < 0.1


def test_exact_rows_do_not_give_a_variance_of_zero() -> None:
    recursive = SquareRootLeastSquares(2, np.zeros(K), UNINFORMATIVE)
    recursive.update(rows(100, noise=(0.0, 0.0)))
    found = recursive.solve()
    assert np.all(found.joint_variance > 0)
    assert np.all(found.joint_variance < 1e-6)
    np.testing.assert_allclose(found.parameters, TRUE, atol=1e-6)


def test_correlated_errors_increase_the_standard_deviations() -> None:
    recursive = SquareRootLeastSquares(2, np.zeros(K), UNINFORMATIVE)
    recursive.update(rows(400))
    white = recursive.solve()
    recursive.correlation = np.full(2, 9.0)
    persistent = recursive.solve()
    np.testing.assert_allclose(persistent.parameters, white.parameters, rtol=1e-3)
    np.testing.assert_allclose(persistent.covariance, 9 * white.covariance, rtol=1e-3)


def test_no_samples_change_nothing() -> None:
    recursive = SquareRootLeastSquares(2, np.full(K, 7.0), np.full(K, 2.0))
    recursive.update(rows(5)[:, :0])
    assert recursive.samples == 0
    found = recursive.solve()
    np.testing.assert_allclose(found.parameters, 7.0)
    np.testing.assert_allclose(found.covariance, 4.0 * np.eye(K))
    assert not found.determined.any()


def alike(samples: int, seed: int = 0) -> np.ndarray:
    """Rows of two joints with nearly collinear columns."""
    stacked = rows(samples, noise=(1.0, 1.0), seed=seed)
    mixing = np.array([[1.0, 0.9, 0.0], [0.0, 1.0, 0.8], [0.0, 0.0, 0.3]])
    noise = stacked[..., -1] - stacked[..., :-1] @ TRUE
    regressor = stacked[..., :-1] @ mixing
    regressor[1:, :, 0] = 0.0
    return np.concatenate([regressor, (regressor @ TRUE + noise)[..., None]], axis=2)


def test_covariance_is_the_inverse_of_the_information_in_the_rows() -> None:
    stacked = alike(300)
    recursive = SquareRootLeastSquares(2, np.zeros(K), UNINFORMATIVE)
    recursive.update(stacked)
    found = recursive.solve()
    weights = 1 / found.joint_variance
    information = np.einsum("j,jmi,jmk->ik", weights, stacked[..., :-1], stacked[..., :-1])
    # the weights are the variances of the previous iteration
    np.testing.assert_allclose(found.covariance, np.linalg.inv(information), rtol=0.02)


@pytest.mark.thorough
def test_scalar_sub_models_give_the_covariance_of_two_parameters() -> None:
    estimates, covariances = [], []
    for seed in range(300):
        recursive = SquareRootLeastSquares(2, np.zeros(K), UNINFORMATIVE, scalar=True)
        recursive.update(alike(60, seed=seed))
        found = recursive.solve()
        estimates.append(found.parameters)
        covariances.append(found.covariance)
    scatter = np.cov(np.transpose(estimates))
    size = np.sqrt(np.outer(np.diag(scatter), np.diag(scatter)))
    # the correlation of 300 draws has a standard deviation of 1 / sqrt(300) = 6 %
    np.testing.assert_allclose(np.mean(covariances, axis=0) / size, scatter / size, atol=0.25)
    assert np.abs(scatter / size)[0, 1] > 0.4


def test_rows_of_weight_zero_change_nothing() -> None:
    stacked, wild = rows(200), rows(200, seed=3)
    wild[:, :, -1] = 1e6
    one, other = (SquareRootLeastSquares(2, np.zeros(K), UNINFORMATIVE) for _ in range(2))
    one.update(stacked)
    other.update(stacked)
    other.update(wild, np.zeros((200, 2)))
    np.testing.assert_allclose(other.factors, one.factors, atol=1e-9)


def test_stays_exact_over_ten_million_updates() -> None:
    """Ten million rows with nearly collinear columns: R stays valid and gives the truth."""
    block, blocks, random = 50_000, 200, np.random.default_rng(0)
    recursive = SquareRootLeastSquares(1, np.zeros(2), np.full(2, 1e6))
    regressor = np.repeat(random.standard_normal((block, 1)), 2, axis=1)
    regressor[:, 1] *= 1 + 1e-6 * random.standard_normal(block)
    torque = regressor @ [1.0, 2.0]
    stacked = np.concatenate([regressor, torque[:, None]], axis=1)[None]
    for _ in range(blocks):
        recursive.update(stacked)
    assert recursive.samples == 10_000_000
    assert np.all(np.diagonal(recursive.factors, axis1=1, axis2=2)[:, :2] > 0)
    np.testing.assert_allclose(recursive.solve().parameters, [1.0, 2.0], atol=1e-4)


def test_the_covariance_stays_positive_where_one_sum_alone_is_excited() -> None:
    """There P of (14), the conventional form, winds up and loses positive definiteness."""
    regressor = np.random.default_rng(0).uniform(-1, 1, (3000, 1)) * [1.0, 1.1, 0.7]
    stacked = np.concatenate([regressor, regressor @ TRUE[:, None]], axis=1)
    recursive = SquareRootLeastSquares(1, np.zeros(3), np.full(3, 1e6), forgetting=Forgetting(0.98))
    recursive.update(stacked[None])
    found = recursive.solve()
    eigenvalues = np.linalg.eigvalsh(found.covariance)
    rounding = 10 * np.finfo(float).eps  # of an eigenvalue, relative to the largest one
    assert eigenvalues[0] > -rounding * eigenvalues[-1]
    np.testing.assert_allclose(regressor @ found.parameters, regressor @ TRUE, atol=1e-5)


@pytest.mark.parametrize(("initial", "rate"), [(0.0, 0.1), (1.1, 0.0), (0.9, -0.1), (0.9, 1.5)])
def test_refuses_a_forgetting_factor_out_of_range(initial: float, rate: float) -> None:
    with pytest.raises(EstimationError, match="must be above 0"):
        Forgetting(initial, rate)


def test_a_correlated_prior_is_kept_until_there_are_data() -> None:
    """A sum that the prior knows well stays known, where both of its parts are uncertain."""
    correlation = np.array([[1.0, -0.99, 0.0], [-0.99, 1.0, 0.0], [0.0, 0.0, 1.0]])
    prior = SquareRootLeastSquares(2, np.zeros(K), np.full(K, 2.0), correlation=correlation)
    prior.update(np.zeros((2, 1, K + 1)))
    np.testing.assert_allclose(prior.solve().covariance, 4.0 * correlation, atol=1e-9)
