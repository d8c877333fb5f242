"""What causes count: strokes of a joint, steps of a signal, repetitions of a motion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.swung_arm import RATE, limited_arm, swung

from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.diagnosis.finding import Finding
from dynid.evaluation.diagnosis.overlap import overlapping_frequencies
from dynid.evaluation.diagnosis.steps import quantised_feedback, step_of
from dynid.evaluation.diagnosis.too_short import strokes
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid.signals.preprocess import preprocess


def unmodelled(robot: Robot, *recordings: Recording) -> Case:
    """Return what is told of recordings before any fit."""
    signals = tuple(preprocess(recording, robot) for recording in recordings)
    return Case(robot, robot.mechanism(), recordings, signals)


# --- strokes ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("half_cycles", "phase"), [(1, 0.0), (6, 0.0), (7, 0.4), (20, -0.9)])
def test_every_half_cycle_of_a_sine_is_a_stroke(half_cycles: int, phase: float) -> None:
    angle = np.linspace(0, np.pi * half_cycles, 1000, endpoint=False)[:, None] + phase
    # one that is begun counts, too, once it has reached a tenth of the peak speed
    begun = 0 if phase == 0 else 1
    assert strokes(np.sin(angle)).tolist() == [half_cycles + begun]


def test_a_tremble_at_a_reversal_is_no_stroke() -> None:
    speed = np.array([1.0, 0.05, -0.05, 0.05, -1.0, -0.05, 0.05, -1.0])[:, None]
    assert strokes(speed).tolist() == [2]


def test_a_joint_at_rest_makes_no_stroke_and_one_that_only_goes_one_way_makes_one() -> None:
    assert strokes(np.column_stack([np.zeros(9), np.ones(9), -np.ones(9)])).tolist() == [0, 1, 1]


# --- steps ------------------------------------------------------------------------------------


@given(
    st.floats(1e-6, 1e3),
    st.lists(st.integers(-500, 500), min_size=3, max_size=200, unique=True),
)
def test_the_step_is_found_of_values_that_are_multiples_of_it(
    step: float, multiples: list[int]
) -> None:
    several = np.array([*multiples, 0, 1, 2])
    assert step_of(step * several) == pytest.approx(step, rel=1e-6)


def test_values_of_any_size_have_no_step() -> None:
    assert step_of(np.random.default_rng(0).standard_normal(4000)) == 0.0


@pytest.mark.parametrize("values", [[1.0, 1.0, 1.0], [0.0, 1.0, 0.0, 1.0]])
def test_two_levels_tell_no_step(values: list[float]) -> None:
    assert step_of(np.array(values)) == 0.0


def test_three_levels_tell_a_step_and_rounding_makes_no_level() -> None:
    levels = np.array([0.0, 0.1, 0.2, 0.1 + 1e-15])
    assert step_of(levels) == pytest.approx(0.1)


@pytest.mark.parametrize("pace", [0.2, 1.0, 4.0])
def test_held_values_are_told_whatever_the_pace_of_the_motion(pace: float) -> None:
    robot = limited_arm()
    recording = swung(
        robot, frequencies=pace * np.array([1.0, 0.9, 0.8]), overtone=0.0, duration=40.0
    )
    last = np.arange(len(recording.time)) // 4 * 4
    held = replace(recording, position=recording.position[last], velocity=None)
    found = [
        one
        for one in quantised_feedback(unmodelled(robot, held))
        if one.sentence.split(": ")[1].startswith("position stays the same")
    ]
    (one,) = found
    assert one.evidence == {
        f"samples held by {name}": pytest.approx(4.0, rel=0.05) for name in robot.joints
    }
    assert "updated at some 50 Hz, recorded at 200 Hz" in one.sentence


def test_a_motion_that_stops_and_goes_is_not_held() -> None:
    robot = limited_arm()
    recording = swung(robot)
    # strokes of 0.15 s to and fro, between them rests of 0.5 s
    phase = np.arange(4000) / RATE % 1.3
    there = np.sin(np.pi / 2 * np.clip(phase / 0.15, 0, 1)) ** 2
    back = np.sin(np.pi / 2 * np.clip((phase - 0.65) / 0.15, 0, 1)) ** 2
    position = np.outer(there - back, [1.0, 0.8, 1.2])
    stopping = replace(recording, position=position, velocity=None)
    assert list(quantised_feedback(unmodelled(robot, stopping))) == []


# --- repetitions ------------------------------------------------------------------------------


def repeated(frequencies: tuple[float, ...], duration: float) -> list[Finding]:
    robot = limited_arm()
    recording = swung(robot, frequencies=frequencies, overtone=0.0, duration=duration)
    return list(overlapping_frequencies(unmodelled(robot, recording)))


@pytest.mark.parametrize(
    ("frequencies", "period", "cycles"),
    [((0.25, 0.5, 0.75), 4.0, 1), ((0.5, 0.75, 1.0), 4.0, 2), ((0.4, 0.8, 1.2), 2.5, 1)],
)
def test_period_is_found_to_the_sample_and_the_slowest_joint_named(
    frequencies: tuple[float, ...], period: float, cycles: int
) -> None:
    (found,) = repeated(frequencies, 18.0)
    assert found.evidence["period [s]"] == pytest.approx(period, abs=0.6 / RATE)
    # strokes at either end of a period may be begun ones
    assert found.evidence["cycles of shoulder"] == pytest.approx(cycles, abs=0.5)
    assert f"{round(found.evidence['cycles of shoulder'])} cycle(s) of shoulder" in found.sentence


def test_a_motion_that_begins_and_ends_gently_repeats_all_the_same() -> None:
    robot = limited_arm()
    recording = swung(robot, frequencies=(0.25, 0.5, 0.75), overtone=0.0, duration=40.0)
    ramp = np.clip(np.minimum(recording.time, recording.time[-1] - recording.time) / 5, 0, 1)
    gentle = replace(recording, position=recording.position * ramp[:, None], velocity=None)
    (found,) = overlapping_frequencies(unmodelled(robot, gentle))
    assert found.evidence["period [s]"] == pytest.approx(4.0, abs=0.6 / RATE)


def test_a_recording_of_less_than_two_periods_repeats_nothing() -> None:
    assert repeated((0.25, 0.5, 0.75), 7.0) == []


def test_what_repeats_in_one_of_two_recordings_may() -> None:
    robot = limited_arm()
    repeats = swung(robot, frequencies=(0.25, 0.5, 0.75), overtone=0.0, duration=20.0)
    case = unmodelled(robot, repeats, swung(robot))
    assert list(overlapping_frequencies(case)) == []


def test_joints_in_step_are_drawn_against_each_other() -> None:
    robot = limited_arm()
    recording = swung(robot, frequencies=(0.47, 0.61, 0.47), overtone=0.0)
    case = unmodelled(robot, recording)
    (found,) = overlapping_frequencies(case)
    assert found.plot is not None
    (trace,) = found.plot.traces
    assert found.plot.x_label == "position of shoulder"
    np.testing.assert_array_equal(trace.x, case.thinned.position[:, 0])
    np.testing.assert_array_equal(trace.y, case.thinned.position[:, 2])
    # sines two radians apart: the correlation is their phase's cosine, over whole periods
    assert found.evidence["correlation"] == pytest.approx(np.cos(2.0), abs=0.05)
    assert found.evidence["share of velocity in common"] == pytest.approx(1.0, abs=0.01)
