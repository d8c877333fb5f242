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


PARTS = [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]


@pytest.mark.parametrize(
    ("recordings", "within", "fold", "left_out"),
    [
        (1, False, PARTS, "5th of the recording"),
        (3, False, [0] * 4 + [1] * 4 + [2] * 4, "recording"),
        (3, True, PARTS * 3, "5th of every recording"),
        (13, False, [0, 0, 1, 2, 3, 3, 4, 5, 6, 6, 7, 8, 9], "10th of the recordings"),
    ],
    ids=["parts of one", "each of several", "parts of several", "groups of many"],
)
def test_recordings_or_their_parts_are_folds_of_several_blocks(
    recordings: int, within: bool, fold: list[int], left_out: str
) -> None:
    blocks, _ = blocks_of(recordings, within=within)
    assert blocks.fold.tolist() == fold
    assert blocks.left_out == left_out
    numbers = np.concatenate(blocks.block)
    np.testing.assert_array_equal(np.unique(numbers), np.arange(len(fold)))
    assert np.all(np.diff(numbers) >= 0)


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
