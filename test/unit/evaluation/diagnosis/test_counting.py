"""Strokes of a joint, steps of a signal, repetitions of a motion."""

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
from dynid.recording.held_values import held_signals
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid.signals.preprocess import preprocess


def unmodelled(robot: Robot, *recordings: Recording) -> Case:
    """Return a case without a fit."""
    signals = tuple(preprocess(recording, robot) for recording in recordings)
    return Case(robot, robot.mechanism(), recordings, signals)


# --- strokes ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("half_cycles", "phase"), [(1, 0.0), (6, 0.0), (7, 0.4), (20, -0.9)])
def test_every_half_cycle_of_a_sine_is_a_stroke(half_cycles: int, phase: float) -> None:
    angle = np.linspace(0, np.pi * half_cycles, 1000, endpoint=False)[:, None] + phase
    # an incomplete one counts if it reaches a tenth of the peak speed
    begun = 0 if phase == 0 else 1
    assert strokes(np.sin(angle)).tolist() == [half_cycles + begun]


def test_noise_at_a_reversal_is_not_a_stroke() -> None:
    speed = np.array([1.0, 0.05, -0.05, 0.05, -1.0, -0.05, 0.05, -1.0])[:, None]
    assert strokes(speed).tolist() == [2]


def test_a_joint_at_rest_has_no_stroke_and_motion_in_one_direction_is_one() -> None:
    assert strokes(np.column_stack([np.zeros(9), np.ones(9), -np.ones(9)])).tolist() == [0, 1, 1]


# --- steps ------------------------------------------------------------------------------------


@given(
    st.floats(1e-6, 1e3),
    st.lists(st.integers(-500, 500), min_size=3, max_size=200, unique=True),
)
def test_the_step_of_its_multiples_is_found(step: float, multiples: list[int]) -> None:
    several = np.array([*multiples, 0, 1, 2])
    assert step_of(step * several) == pytest.approx(step, rel=1e-6)


def test_continuous_values_have_no_step() -> None:
    assert step_of(np.random.default_rng(0).standard_normal(4000)) == 0.0


@pytest.mark.parametrize("values", [[1.0, 1.0, 1.0], [0.0, 1.0, 0.0, 1.0]])
def test_two_levels_do_not_determine_a_step(values: list[float]) -> None:
    assert step_of(np.array(values)) == 0.0


def test_three_levels_determine_a_step_and_rounding_is_not_a_level() -> None:
    levels = np.array([0.0, 0.1, 0.2, 0.1 + 1e-15])
    assert step_of(levels) == pytest.approx(0.1)


@pytest.mark.parametrize("pace", [0.2, 1.0, 4.0])
def test_held_values_are_found_at_any_speed(pace: float) -> None:
    robot = limited_arm()
    recording = swung(
        robot, frequencies=pace * np.array([1.0, 0.9, 0.8]), overtone=0.0, duration=40.0
    )
    last = np.arange(len(recording.time)) // 4 * 4
    held = replace(recording, position=recording.position[last], velocity=None)
    (one,) = held_signals(held)
    assert (one.kind, one.joints) == ("held_position", robot.joints)
    assert one.evidence["samples held"] == pytest.approx(4.0, rel=0.05)
    assert one.evidence["updates [Hz]"] == pytest.approx(50.0, rel=0.05)


def test_motion_with_pauses_is_not_held() -> None:
    robot = limited_arm()
    recording = swung(robot)
    # strokes of 0.15 s in both directions with pauses of 0.5 s
    phase = np.arange(4000) / RATE % 1.3
    there = np.sin(np.pi / 2 * np.clip(phase / 0.15, 0, 1)) ** 2
    back = np.sin(np.pi / 2 * np.clip((phase - 0.65) / 0.15, 0, 1)) ** 2
    position = np.outer(there - back, [1.0, 0.8, 1.2])
    stopping = replace(recording, position=position, velocity=None)
    assert list(held_signals(stopping)) == []
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
def test_period_is_exact_to_a_sample_and_the_slowest_joint_is_named(
    frequencies: tuple[float, ...], period: float, cycles: int
) -> None:
    (found,) = repeated(frequencies, 18.0)
    assert found.evidence["period [s]"] == pytest.approx(period, abs=0.6 / RATE)
    # strokes at the ends of a period may be incomplete
    assert found.evidence["cycles of shoulder"] == pytest.approx(cycles, abs=0.5)
    assert f"{round(found.evidence['cycles of shoulder'])} cycle(s) of shoulder" in found.sentence


def test_repetition_is_found_despite_ramps_at_both_ends() -> None:
    robot = limited_arm()
    recording = swung(robot, frequencies=(0.25, 0.5, 0.75), overtone=0.0, duration=40.0)
    ramp = np.clip(np.minimum(recording.time, recording.time[-1] - recording.time) / 5, 0, 1)
    gentle = replace(recording, position=recording.position * ramp[:, None], velocity=None)
    (found,) = overlapping_frequencies(unmodelled(robot, gentle))
    assert found.evidence["period [s]"] == pytest.approx(4.0, abs=0.6 / RATE)


def test_a_recording_of_less_than_two_periods_has_no_repetition() -> None:
    assert repeated((0.25, 0.5, 0.75), 7.0) == []


def test_repetition_in_one_of_two_recordings_is_allowed() -> None:
    robot = limited_arm()
    repeats = swung(robot, frequencies=(0.25, 0.5, 0.75), overtone=0.0, duration=20.0)
    case = unmodelled(robot, repeats, swung(robot))
    assert list(overlapping_frequencies(case)) == []


def test_joints_that_move_together_are_plotted_against_each_other() -> None:
    robot = limited_arm()
    recording = swung(robot, frequencies=(0.47, 0.61, 0.47), overtone=0.0)
    case = unmodelled(robot, recording)
    (found,) = overlapping_frequencies(case)
    assert found.plot is not None
    (trace,) = found.plot.traces
    assert found.plot.x_label == "position of shoulder"
    np.testing.assert_array_equal(trace.x, case.decimated.position[:, 0])
    np.testing.assert_array_equal(trace.y, case.decimated.position[:, 2])
    # the correlation of sines over whole periods is the cosine of their phase, two radians
    assert found.evidence["correlation"] == pytest.approx(np.cos(2.0), abs=0.05)
    assert found.evidence["share of velocity in common"] == pytest.approx(1.0, abs=0.01)
