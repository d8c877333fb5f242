"""Later recordings count for the variation between days, and slow changes hardly do."""

from __future__ import annotations

import numpy as np
import pytest

from dynid.arrays import Array
from dynid_plugins.fleet.drift.between_days import BetweenDays, Groups
from dynid_plugins.fleet.drift.reference import Span, find_variation
from dynid_plugins.fleet.drift.scan import MOST, stages

REFERENCE = 10
NUMBER = np.repeat(np.arange(1, 5), 2)
GROUPS = Groups(NUMBER, np.ones(8), ("others", *(f"joint {number}" for number in range(1, 5))))


def friction(count: int, seed: int, *, change: Array | float = 0.0, apart: float = 0.0) -> Span:
    """Draw friction that varies by 5 % at each joint and at all, by ``apart`` at each parameter."""
    random = np.random.default_rng(seed)
    joints = 0.05 * random.standard_normal((count, 4))[:, NUMBER - 1]
    joints += 0.05 * random.standard_normal((count, 1))
    own = apart * random.standard_normal((count, 8)) + 0.002 * random.standard_normal((count, 8))
    values = 1 + joints + own + np.broadcast_to(change, (8, count)).T
    within = np.diag(np.full(8, 0.002**2))[None]
    return Span(values, within, np.zeros(count, np.intp), np.arange(float(count)), None)


def learned(span: Span, blocks: int) -> BetweenDays:
    edges = [(REFERENCE * i, REFERENCE * (i + 1)) for i in range(blocks)]
    return find_variation([span.part(*one) for one in edges], GROUPS)


@pytest.mark.parametrize("reference", [4, 10])
@pytest.mark.parametrize("count", [11, 30, 31, 400])
def test_every_recording_is_tested_once_with_blocks_that_were_followed_by_another(
    reference: int, count: int
) -> None:
    found = list(stages(reference, count))
    tested = [number for one in found for number in range(one.begin, one.end)]
    assert tested == list(range(reference, count))
    for one in found:
        assert one.edges(0)[0] == (0, reference)
        assert one.blocks <= MOST
        assert one.blocks == 1 or one.edges(0)[-1][1] + reference <= one.begin


@pytest.mark.thorough
def test_a_slow_change_hardly_enters_the_variance_that_it_is_tested_with() -> None:
    """20 % in 40 recordings, at a variation of 5 %."""
    change = 0.2 * np.arange(40) / 40
    blocks, whole = [], []
    for seed in range(10):
        without, grown = friction(40, seed), friction(40, seed, change=change)
        blocks.append(learned(grown, 4).joints / learned(without, 4).joints)
        alone = [find_variation([one], GROUPS) for one in (grown, without)]
        whole.append((alone[0].joints + alone[0].common) / (alone[1].joints + alone[1].common))
    assert np.mean(blocks) < 1.15
    assert np.mean(whole) > 1.5


def test_later_recordings_narrow_what_is_known() -> None:
    span = friction(40, seed=1)
    first, later = learned(span, 1), learned(span, 4)
    assert (later.freedom > first.freedom).all()
    assert later.persistence.most <= first.persistence.most


@pytest.mark.parametrize("apart", [0.01, 0.03, 0.1])
def test_the_variance_that_parameters_of_a_joint_have_not_in_common_is_found(apart: float) -> None:
    found = [learned(friction(40, seed, apart=apart), 4) for seed in range(10)]
    variance = np.mean([(1 - one.correlation) * one.joints.mean() for one in found])
    # 1440 differences; the estimate starts from assumptions that have weights of four each
    assert 0.7 * apart**2 < variance < 1.3 * apart**2 + 0.02 * 0.05**2
