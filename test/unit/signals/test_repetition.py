"""Motion that repeats, and its parts that are held out together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.swung_arm import limited_arm, swung

from dynid.signals.preprocess import preprocess
from dynid.signals.repetition import folds_of_motion, repetition_period
from dynid.signals.signals import Signals

REPEATED = (0.5, 1.0, 1.5)  # Hz: the motion repeats every 2 s
OTHER = (0.5, 0.83, 1.37)


def moving(frequencies: tuple[float, ...]) -> Signals:
    robot = limited_arm(identification={"trim_rest": False, "cutoff_hz": 20.0})
    recording = swung(robot, frequencies=frequencies, overtone=0.0)
    return preprocess(recording, robot)


def test_the_period_of_all_joints_together_is_found() -> None:
    assert repetition_period(moving(REPEATED)) == pytest.approx(2.0, rel=0.01)
    assert repetition_period(moving(OTHER)) is None


@pytest.mark.parametrize(("shortest", "length"), [(0.1, 0.2), (0.3, 0.4)])
def test_a_fold_is_left_out_of_every_repetition_and_twice_where_parts_are_long(
    shortest: float, length: float
) -> None:
    signals = moving(REPEATED)
    folds = folds_of_motion(signals, 5, shortest)
    time = signals.time - signals.time[0]
    for fold in range(5):
        own = time[folds == fold]
        assert len(set((own // 2.0).astype(int))) > 1
        from_the_middle = (own - (fold + 0.5) * length) % (5 * length)
        distance = np.minimum(from_the_middle, 5 * length - from_the_middle)
        assert (distance < 0.5 * length + 0.03).mean() > 0.95


@pytest.mark.parametrize(
    ("frequencies", "shortest"),
    [(OTHER, 0.1), (REPEATED, 1.0)],  # a part of 0.4 s is too short
)
def test_folds_of_other_motion_follow_each_other(
    frequencies: tuple[float, ...], shortest: float
) -> None:
    folds = folds_of_motion(moving(frequencies), 5, shortest)
    assert np.all(np.diff(folds) >= 0)
    assert np.ptp(np.bincount(folds)) <= 1


def test_a_short_rest_of_a_part_belongs_to_the_part_before() -> None:
    signals = moving(REPEATED)
    rate = signals.sampling_rate
    cut = signals.part(slice(0, round(6.05 * rate)))
    folds = folds_of_motion(cut, 5, 0.1)
    runs = np.diff(np.flatnonzero(np.diff(folds, prepend=-1, append=-1)))
    assert runs.min() > 0.15 * rate


def test_joints_that_rest_do_not_repeat() -> None:
    signals = moving(REPEATED)
    still = replace(signals, position=np.zeros_like(signals.position))
    assert repetition_period(still) is None
