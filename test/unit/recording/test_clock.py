"""The time base: whose times are samples of, and how late are stamps."""

import numpy as np
import pytest
from late_cycles_recordings import SCENARIOS, disturbed, late_times
from support.representatives import representatives

from dynid.recording.clock import find_clock
from dynid.recording.grid import usual_rate
from dynid.recording.model import Recording
from dynid.recording.timeline import build_recording

RATE = 1000.0
OMEGA = 2 * np.pi * np.array([0.3, 0.8, 1.5])


def truth(time, seed=0):
    """Smooth positions with encoder noise, and torque with noise."""
    random = np.random.default_rng(seed)
    shape = (len(time), len(OMEGA))
    position = np.sin(OMEGA * np.asarray(time)[:, None])
    effort = 5 * np.cos(OMEGA * np.asarray(time)[:, None]) + random.normal(0, 0.05, shape)
    return position + random.normal(0, 1e-5, shape), effort


def recording(seconds=8.0, rate=RATE):
    time = np.arange(round(seconds * rate)) / rate
    position, effort = truth(time)
    return Recording(time, position, effort, joint_names=("a", "b", "c"), sampling_rate=rate)


@pytest.mark.parametrize("name", SCENARIOS)
@pytest.mark.parametrize("seed", representatives([0, 1], 1))
def test_the_explanation_of_late_stamps_is_found_by_positions(name, seed):
    samples = disturbed(recording(), SCENARIOS[name], seed)
    seconds = samples.seconds
    clock = find_clock(seconds, samples.position, usual_rate(seconds))
    assert clock.rate == pytest.approx(RATE, rel=1e-5)
    assert clock.regular != SCENARIOS[name].sampled


@pytest.mark.parametrize("skipped", [True, False])
def test_cycles_of_late_stamps_are_found(skipped):
    random = np.random.default_rng(4)
    scenario = SCENARIOS["late stamps, skipped" if skipped else "late stamps"]
    stamps, cycles = late_times(8000, 1 / RATE, scenario, random)
    position, _ = truth(cycles / RATE)
    clock = find_clock(stamps - stamps[0], position, usual_rate(stamps - stamps[0]))
    np.testing.assert_array_equal(clock.cycle, cycles - cycles[0])
    assert clock.certain.all() or skipped
    late = stamps - cycles / RATE
    assert clock.lateness.max() == pytest.approx(late.max(), abs=2e-4)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("lost", [0.03, 0.26, 0.5])
def test_late_stamps_between_lost_cycles_are_left_out(lost, seed):
    random = np.random.default_rng(seed)
    stamps, cycles = late_times(16_000, 1 / RATE, SCENARIOS["late stamps"], random)
    kept = random.random(len(stamps)) >= lost
    stamps, cycles = stamps[kept], cycles[kept]
    position, _ = truth(cycles / RATE)
    clock = find_clock(stamps - stamps[0], position, usual_rate(stamps - stamps[0]))
    wrong = clock.cycle - cycles != np.median(clock.cycle - cycles)
    assert wrong.any()
    # by chance two of a burst may be in time
    assert wrong[clock.certain].sum() < 0.01 * wrong.sum()
    assert clock.certain.mean() > 0.9


@pytest.mark.parametrize("steps", [[10, 12], [23, 30, 38, 43], [7, 10, 13, 16]])
def test_uneven_sampling_follows_no_clock(steps):
    stamps = np.cumsum(np.random.default_rng(0).choice(steps, 2000)) * 1e-3
    position, _ = truth(stamps)
    assert find_clock(stamps - stamps[0], position, usual_rate(stamps - stamps[0])) is None


@pytest.mark.parametrize("name", representatives(list(SCENARIOS), 5))
def test_positions_are_those_of_the_motion_in_spite_of_late_cycles(name):
    built = build_recording(disturbed(recording(), SCENARIOS[name], 3))
    inside = np.ones(len(built.time), dtype=bool)
    for first, past in built.gaps:
        inside[first:past] = False
    # the beginning of its time axis is found by the fit
    shifts = np.arange(-2e-3, 2e-3, 1e-5)
    rms = [
        np.sqrt(np.mean((np.sin(OMEGA * (built.time + s)[:, None]) - built.position)[inside] ** 2))
        for s in shifts
    ]
    # a sample 5 ms off would be wrong by 2e-2 rad
    assert min(rms) < 1e-4
