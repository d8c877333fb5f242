"""The space of series that begin and end at rest."""

from __future__ import annotations

import numpy as np
import pytest

from dynid.excitation.design.series_space import SeriesSpace
from dynid.excitation.limits import check_rest
from dynid.excitation.motion import Motion

POSE = np.array([0.3, -1.2, 0.7])


@pytest.fixture(params=[False, True], ids=["free start", "start at the pose"])
def space(request: pytest.FixtureRequest) -> SeriesSpace:
    return SeriesSpace(POSE, base_frequency=0.2, harmonics=6, from_pose=request.param)


@pytest.fixture
def y(space: SeriesSpace) -> np.ndarray:
    return np.random.default_rng(3).standard_normal((3, space.dimension))


def test_every_series_begins_and_ends_at_rest(space: SeriesSpace, y: np.ndarray) -> None:
    check_rest(space.excitation(y, periods=2), ("a", "b", "c"))


def test_its_start_is_the_pose_if_from_pose_is_set(space: SeriesSpace, y: np.ndarray) -> None:
    ends = space.excitation(y, periods=3).evaluate([0.0, 15.0]).position
    at_pose = np.allclose(ends, POSE, atol=1e-12)
    assert at_pose == space.from_pose


def test_nothing_moves_where_all_coordinates_are_zero(space: SeriesSpace) -> None:
    position, velocity, _ = space.excitation(np.zeros((3, space.dimension)), 1).evaluate([1.3])
    assert position[0] == pytest.approx(POSE)
    assert not velocity.any()


def test_all_series_at_rest_are_in_the_space(space: SeriesSpace) -> None:
    # 1 + 2 L coefficients less an equation for velocity, one for acceleration, one for the start
    assert space.dimension == 13 - (3 if space.from_pose else 2)


def test_the_basis_gives_the_excitation(space: SeriesSpace, y: np.ndarray) -> None:
    motion: Motion = space.motion(space.basis(40), y)
    expected = space.excitation(y, periods=1).evaluate(np.arange(40) / 40 / 0.2)
    for found, true in zip(motion, expected, strict=True):
        np.testing.assert_allclose(found[1:], true[1:], atol=1e-10 * np.abs(true).max())
