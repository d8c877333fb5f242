"""Positions that jump against the integral of their velocity, and motion that does not."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import signal
from support.synthetic import swinging

from dynid.recording.model import Recording
from dynid.recording.position_jumps import find_jumps
from dynid.recording.redundancy import contradictions

RATE = 250.0
STEP = 1e-4  # [rad] of the encoder
NOISE = 0.01  # [rad/s] of the velocity


def moving(seed: int = 0) -> Recording:
    """Return a motion of three joints as drives record it."""
    q, dq, ddq = swinging(5000, 3, RATE, seed)
    random = np.random.default_rng(seed)
    return Recording(
        time=np.arange(len(q)) / RATE,
        position=np.round(q / STEP) * STEP,
        velocity=dq + NOISE * random.standard_normal(dq.shape),
        effort=5 * ddq + 2 * np.sign(dq) + 0.1 * random.standard_normal(dq.shape),
        joint_names=("j1", "j2", "j3"),
        sampling_rate=RATE,
    )


def slipped(recording: Recording, joint: int, size: float, at: int) -> Recording:
    position = recording.position.copy()
    position[at:, joint] += size
    return replace(recording, position=position)


@pytest.mark.parametrize("seed", range(5))
def test_a_motion_without_a_slip_has_no_jump(seed: int) -> None:
    assert find_jumps(moving(seed)) == []


@pytest.mark.parametrize("size", [0.15, -0.1, 0.02, -0.005])
@pytest.mark.parametrize(("joint", "at"), [(0, 2000), (1, 700), (2, 4100)])
def test_a_slip_is_found_with_joint_time_and_size(joint: int, at: int, size: float) -> None:
    (jump,) = find_jumps(slipped(moving(), joint, size, at))
    assert (jump.joint, jump.sample) == (joint, at - 1)
    assert jump.size == pytest.approx(size, abs=5 * max(jump.noise, STEP))
    assert STEP / 12**0.5 / 2 < jump.noise < 5 * STEP  # that of the difference


def test_slips_of_one_joint_and_another_are_all_found() -> None:
    several = slipped(slipped(slipped(moving(), 1, 0.1, 900), 1, -0.06, 3000), 2, 0.05, 2000)
    found = [(jump.joint, jump.sample) for jump in find_jumps(several)]
    assert found == [(1, 899), (1, 2999), (2, 1999)]


@pytest.mark.parametrize(("factor", "cutoff"), [(180 / np.pi, 40.0), (-1.0, 15.0)])
def test_a_slip_is_found_by_a_velocity_of_another_unit_and_late(
    factor: float, cutoff: float
) -> None:
    sos = signal.butter(1, cutoff, fs=RATE, output="sos")
    velocity = factor * signal.sosfilt(sos, moving().velocity, axis=0)
    late = replace(moving(), velocity=velocity)
    assert find_jumps(late) == []
    (jump,) = find_jumps(slipped(late, 1, 0.1, 2000))
    assert (jump.joint, jump.sample) == (1, 1999)


def test_a_spike_and_a_stroke_that_the_velocity_shows_are_no_slips() -> None:
    recording = moving()
    spike = recording.position.copy()
    spike[1500:1502, 1] += 0.2
    assert find_jumps(replace(recording, position=spike)) == []
    stroke = 0.05 * (1 + np.tanh((np.arange(5000) - 2500) / 6.0))  # within 60 ms
    position, velocity = recording.position.copy(), recording.velocity.copy()
    position[:, 1] += stroke
    velocity[:, 1] += np.gradient(stroke, 1 / RATE)
    assert find_jumps(replace(recording, position=position, velocity=velocity)) == []


def test_play_and_lost_samples_are_no_slips() -> None:
    recording = moving()
    play = recording.position + 0.01 * np.sign(recording.effort)
    assert find_jumps(replace(recording, position=play)) == []
    kept = np.delete(np.arange(5000), np.arange(1500, 1530))
    lossy = replace(
        recording,
        **{name: getattr(recording, name)[kept] for name in ("position", "velocity", "effort")},
        time=recording.time[: len(kept)],
    )
    assert find_jumps(lossy) == []


@pytest.mark.parametrize(("size", "severity"), [(0.1, "problem"), (-0.01, "warning")])
def test_a_slip_is_a_problem_where_it_is_much_of_the_range(size: float, severity: str) -> None:
    (one,) = contradictions(slipped(moving(), 1, size, 2000))
    assert (one.kind, one.joints, one.severity) == ("position_jump", ("j2",), severity)
    assert "at 8.000 s" in one.sentence
    assert one.evidence["jump 1 [rad or m]"] == pytest.approx(size, abs=5 * STEP)


def test_a_jump_without_velocity_is_not_compared() -> None:
    assert find_jumps(replace(slipped(moving(), 1, 0.1, 2000), velocity=None)) == []
