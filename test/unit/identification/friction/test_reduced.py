"""The reduced samples on which friction models are compared."""

from __future__ import annotations

import numpy as np
import pytest
from support.rubbing_arm import rubbing
from support.synthetic import arm_robot

from dynid.dynamics.base_parameters import base_parameterization
from dynid.identification.friction import reduced
from dynid.identification.friction.reduced import HeldOutBlocks, held_out_blocks
from dynid.identification.settings import IdentificationSettings
from dynid.signals.preprocess import preprocess


def blocks_of(
    recordings: int,
    cutoff_hz: float | None = None,
    *,
    within: bool = False,
    **settings: object,
) -> tuple[HeldOutBlocks, IdentificationSettings]:
    robot = arm_robot(identification={"cutoff_hz": cutoff_hz, "trim_rest": False, **settings})
    signals = [
        preprocess(one, robot) for one in rubbing(seeds=tuple(range(recordings)), samples=1000)
    ]
    return held_out_blocks(signals, robot.settings(IdentificationSettings), within=within)


def test_parts_of_one_recording_are_folds_of_several_blocks() -> None:
    blocks, _ = blocks_of(1)
    assert blocks.fold.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]
    np.testing.assert_array_equal(np.bincount(blocks.block[0]), [100] * 10)


def test_each_of_several_recordings_is_a_fold() -> None:
    blocks, _ = blocks_of(3)
    assert blocks.fold.tolist() == [0] * 4 + [1] * 4 + [2] * 4
    assert [sorted(set(one.tolist())) for one in blocks.block] == [
        [0, 1, 2, 3],
        [4, 5, 6, 7],
        [8, 9, 10, 11],
    ]


def test_a_part_of_every_recording_can_be_a_fold() -> None:
    blocks, _ = blocks_of(3, within=True)
    assert blocks.fold.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4] * 3
    assert blocks.left_out == "5th of every recording"


def test_more_than_ten_recordings_are_held_out_in_groups() -> None:
    blocks, _ = blocks_of(13)
    assert sorted(set(blocks.fold.tolist())) == list(range(10))


def test_samples_are_averaged_as_far_as_the_filter_allows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reduced, "_FEWEST_SAMPLES", 100)
    blocks, settings = blocks_of(1, cutoff_hz=4.0, parallel_filter={"decimation": 10})
    one = blocks.signals[0]
    assert one.sampling_rate == pytest.approx(20.0)  # of 100 Hz, at least 5 times the cut-off
    assert len(one.time) == 190  # 0.25 s at each end, of a motion that is cut, are left out
    assert settings.parallel_filter is not None
    assert settings.parallel_filter.decimation == 2


def test_averages_are_those_of_the_signals(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reduced, "_FEWEST_SAMPLES", 100)
    robot = arm_robot(identification={"cutoff_hz": 4.0, "trim_rest": False})
    signals = preprocess(rubbing(seeds=(0,), samples=1000)[0], robot)
    blocks, _ = held_out_blocks([signals], robot.settings(IdentificationSettings))
    np.testing.assert_allclose(blocks.signals[0].torque[3], signals.torque[15:20].mean(axis=0))
    np.testing.assert_allclose(blocks.signals[0].velocity[3], signals.velocity[15:20].mean(axis=0))


def test_samples_of_a_short_recording_are_not_averaged() -> None:
    blocks, _ = blocks_of(1, cutoff_hz=4.0)
    assert blocks.signals[0].sampling_rate == pytest.approx(100.0)


def test_long_recordings_are_represented_by_the_middle_of_each_block(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reduced, "_MOST_SAMPLES", 500)
    blocks, _ = blocks_of(1)
    assert len(blocks.signals) == 10
    assert sum(len(one.time) for one in blocks.signals) == 500
    assert blocks.signals[1].time[0] == pytest.approx(1.25)
    # what came before relaxes friction with memory
    earlier = blocks.signals[1].earlier_position
    assert earlier is not None
    assert len(earlier) == 125


def test_the_problem_has_the_blocks_as_folds() -> None:
    blocks, settings = blocks_of(2)
    robot = arm_robot()
    mechanism = robot.mechanism()
    problem = blocks.problem(mechanism, base_parameterization(mechanism), settings)
    equations = problem.normal_equations(at_rest=True)
    np.testing.assert_array_equal(equations.rows, np.full((10, 3), 200.0))
