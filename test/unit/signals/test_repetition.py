"""Motion that repeats, and its parts that are held out together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.swung_arm import limited_arm, swung

from dynid.signals.preprocess import preprocess
from dynid.signals.repetition import parts_of_motion, repetition_period
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


def test_every_repetition_has_all_parts_of_the_period() -> None:
    signals = moving(REPEATED)
    parts = parts_of_motion(signals, 5, 0.1)
    phase = (signals.time - signals.time[0]) % 2.0
    for part in range(5):
        times = signals.time[parts == part] - signals.time[0]
        assert len(set((times // 2.0).astype(int))) > 1
        inside = np.abs(phase[parts == part] - (0.4 * part + 0.2)) < 0.23
        assert inside.mean() > 0.95


@pytest.mark.parametrize(
    ("frequencies", "shortest"),
    [(OTHER, 0.1), (REPEATED, 1.0)],  # a part of 0.4 s is too short
)
def test_parts_of_other_motion_follow_each_other(
    frequencies: tuple[float, ...], shortest: float
) -> None:
    parts = parts_of_motion(moving(frequencies), 5, shortest)
    assert np.all(np.diff(parts) >= 0)
    assert np.ptp(np.bincount(parts)) <= 1


def test_a_short_rest_of_a_part_belongs_to_the_part_before() -> None:
    signals = moving(REPEATED)
    rate = signals.sampling_rate
    cut = signals.part(slice(0, round(6.05 * rate)))
    parts = parts_of_motion(cut, 5, 0.1)
    runs = np.diff(np.flatnonzero(np.diff(parts, prepend=-1, append=-1)))
    assert runs.min() > 0.2 * rate


def test_joints_that_rest_do_not_repeat() -> None:
    signals = moving(REPEATED)
    still = replace(signals, position=np.zeros_like(signals.position))
    assert repetition_period(still) is None
