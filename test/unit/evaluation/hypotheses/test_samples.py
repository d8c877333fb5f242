"""Instants on which causes are tried: their blocks, their recordings, and shifted values."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.searched_arm import RATE, crane, crane_recording

from dynid.evaluation.hypotheses.samples import FOLDS, SampledTrack, TrialSamples, sampled
from dynid.signals.preprocess import preprocess
from dynid.signals.signals import Signals


@pytest.fixture(scope="module")
def signals() -> Signals:
    return preprocess(crane_recording(), crane())


def long_signals(factor: int, signals: Signals) -> Signals:
    """Return the signals, repeated."""
    rows = {
        name: np.concatenate([getattr(signals, name)] * factor)
        for name in ("position", "velocity", "acceleration", "torque", "raw_torque", "moving")
    }
    time = np.arange(factor * len(signals.time)) / RATE
    return replace(signals, time=time, raw_position=rows["position"], **rows)


def track(values: np.ndarray) -> SampledTrack:
    """Return a track whose signals are all the same, (N, n)."""
    time = np.arange(len(values)) / RATE
    settled = np.ones(values.shape, dtype=bool)
    side = np.zeros((*values.shape, 3))
    size = np.ones(values.shape[1])
    return SampledTrack(time, values, values, values, values, side, RATE, settled, ~settled, size)


def samples_of(*tracks: SampledTrack) -> TrialSamples:
    """Return every sample of tracks."""
    sizes = [len(one.time) for one in tracks]
    return TrialSamples(
        tracks=tracks,
        at=tuple(np.arange(size) for size in sizes),
        of_track=tuple(range(len(tracks))),
        kept=np.ones((sum(sizes), tracks[0].torque.shape[1]), dtype=bool),
        fold=np.concatenate([np.arange(size) * FOLDS // size for size in sizes]),
        recording=np.repeat(np.arange(len(tracks)), sizes),
        torque_per_effort=np.ones(3),
    )


def test_few_instants_are_all_taken_and_many_are_thinned(signals: Signals) -> None:
    assert len(sampled([signals], None, 4).fold) == 2000
    (at,) = sampled([long_signals(4, signals)], None, 4).at
    np.testing.assert_array_equal(at, np.arange(0, 8000, 3))  # 8000 // 2400


def test_both_ends_are_left_out_for_shifts(signals: Signals) -> None:
    (at,) = sampled([signals], None, 4, reach=0.2).at
    assert (at[0], at[-1]) == (20, 1979)


def test_a_short_recording_keeps_most_of_its_instants(signals: Signals) -> None:
    brief = preprocess(crane_recording().cut(None, 0.595), crane())
    (at,) = sampled([brief], None, 4, reach=0.2).at
    assert (at[0], at[-1]) == (10, 49)  # a sixth at each end, not 20 samples


def test_blocks_are_contiguous_and_of_equal_length(signals: Signals) -> None:
    fold = sampled([signals], None, 4).fold
    assert np.all(np.diff(fold) >= 0)
    np.testing.assert_array_equal(np.bincount(fold), 2000 // FOLDS)


def test_each_recording_has_all_blocks_and_its_number(signals: Signals) -> None:
    brief = preprocess(crane_recording().cut(None, 7.995), crane())
    samples = sampled([brief, brief], None, 4)
    assert samples.recordings == 2
    assert np.bincount(samples.recording).tolist() == [800, 800]
    assert set(samples.fold[samples.recording == 1]) == set(range(FOLDS))


def test_pieces_between_gaps_are_of_one_recording(signals: Signals) -> None:
    pieces = [replace(signals, piece=number) for number in (0, 1)]
    samples = sampled([*pieces, signals], None, 4)
    assert samples.of_track == (0, 0, 1)
    assert samples.recordings == 2
    assert np.bincount(samples.recording).tolist() == [2000, 1000]  # every second


def test_torque_near_reversals_is_not_compared(signals: Signals) -> None:
    (only,) = sampled([signals], None, 4).tracks
    speed = np.abs(signals.velocity)
    slow = speed < 0.1 * speed.max(axis=0)
    assert not np.any(only.settled & slow)
    # the filter, of 5 % of the rate, spreads a reversal over ten samples to either side
    for joint in range(3):
        for first in np.flatnonzero(np.diff(slow[:, joint].astype(int)) == 1) + 1:
            before = only.settled[max(0, first - 10) : first, joint]
            assert not before.any()
    far = np.abs(np.subtract.outer(np.arange(2000), np.flatnonzero(slow[:, 0]))).min(axis=1) > 10
    np.testing.assert_array_equal(only.settled[:, 0], far)


def test_torque_is_filtered_as_the_motion_is(signals: Signals) -> None:
    time = signals.time
    slow, fast = np.sin(2 * np.pi * 0.5 * time), np.sin(2 * np.pi * 30 * time)
    mixed = replace(signals, raw_torque=np.column_stack([slow + fast, slow, fast]))
    for cutoff in (5.0, None):  # 5 % of 100 Hz without a cut-off
        (only,) = sampled([mixed], cutoff, 4).tracks
        inside = slice(200, -200)
        expected = np.column_stack([slow, slow, 0 * slow])
        np.testing.assert_allclose(only.torque[inside], expected[inside], atol=2e-3)
    (open_,) = sampled([mixed], 45.0, 4).tracks
    assert np.std(open_.torque[:, 2]) == pytest.approx(np.sqrt(0.5), rel=0.1)


def test_the_slope_is_the_derivative_of_torque(signals: Signals) -> None:
    time = signals.time
    wave = np.sin(2 * np.pi * 0.5 * time)[:, None] * [1.0, 2.0, 3.0]
    (only,) = sampled([replace(signals, raw_torque=wave)], 10.0, 4).tracks
    expected = np.pi * np.cos(np.pi * time)[:, None] * [1.0, 2.0, 3.0]
    np.testing.assert_allclose(only.slope[100:-100], expected[100:-100], atol=0.02)


def test_values_are_taken_later_by_each_joints_shift() -> None:
    ramp = np.arange(50.0)[:, None] * [1.0, 10.0]
    samples = samples_of(track(ramp))
    moved = samples.rows("torque", shift=np.array([[0.025, -0.01]]))
    np.testing.assert_allclose(moved[5:40, 0], np.arange(5, 40) + 2.5)
    np.testing.assert_allclose(moved[5:40, 1], 10.0 * (np.arange(5, 40) - 1))
    np.testing.assert_array_equal(samples.rows("torque", shift=np.zeros((1, 2))), ramp)


def test_values_beyond_the_ends_are_those_at_the_ends() -> None:
    samples = samples_of(track(np.arange(50.0)[:, None]))
    np.testing.assert_array_equal(samples.rows("torque", shift=np.array([[1.0]])), 49.0)
    np.testing.assert_array_equal(samples.rows("torque", shift=np.array([[-1.0]])), 0.0)


def test_each_recording_has_its_own_shift() -> None:
    ramp = np.arange(50.0)[:, None]
    samples = samples_of(track(ramp), track(100 + ramp))
    moved = samples.rows("torque", shift=np.array([[0.01], [0.03]]))[:, 0]
    np.testing.assert_allclose(moved[:40], np.arange(40) + 1)
    np.testing.assert_allclose(moved[50:90], 100 + np.arange(40) + 3)


def test_the_time_of_instants_is_that_in_their_recording() -> None:
    ramp = np.arange(20.0)[:, None]
    time = samples_of(track(ramp), track(ramp)).time
    np.testing.assert_allclose(time, np.tile(np.arange(20) / RATE, 2))


def test_thinned_instants_are_every_third_of_each_recording() -> None:
    samples = samples_of(track(np.arange(20.0)[:, None]), track(100 + np.arange(10.0)[:, None]))
    samples.kept[[3, 23]] = False
    thinned, chosen = samples.thinned(3), [*range(0, 20, 3), *range(20, 30, 3)]
    np.testing.assert_array_equal(thinned.rows("torque"), samples.rows("torque")[chosen])
    for name in ("kept", "fold", "recording"):
        np.testing.assert_array_equal(getattr(thinned, name), getattr(samples, name)[chosen])
    assert thinned.kept[:2, 0].tolist() == [True, False]
