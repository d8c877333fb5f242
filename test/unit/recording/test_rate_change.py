"""Stamps whose rate changes: samples of another rate are resampled, a wrong clock is refused."""

import numpy as np
import pytest

from dynid.errors import RecordingError
from dynid.recording.clock import rate_changes
from dynid.recording.timeline import build_recording

CHANGES = {
    "halved": [(4, 1000), (2, 1000)],
    "not by a whole number": [(4, 1000), (3, 1000)],
    "twice": [(4, 600), (2, 600), (4, 600)],
    "in the last tenth": [(4, 1800), (2, 200)],
    "doubled": [(4, 1000), (8, 600)],
    "short": [(4, 60), (2, 60)],
}


def stamps(parts):
    """Stamps [ns] of stretches of a step [ms] and a count."""
    steps = np.concatenate([np.full(count, step * 1_000_000) for step, count in parts])
    return np.concatenate([[0], np.cumsum(steps)])


@pytest.mark.parametrize("parts", CHANGES.values(), ids=CHANGES)
def test_samples_that_change_their_rate_keep_the_times_of_their_stamps(
    make_motion, make_samples, parts
):
    times = stamps(parts)
    recording = build_recording(make_samples(make_motion(times)))
    truth = make_motion(np.rint(recording.time * 1e9))
    np.testing.assert_allclose(recording.position, truth.position, atol=1e-5)
    assert recording.time[-1] == pytest.approx(times[-1] * 1e-9, abs=0.01)
    assert not any("ms late" in repair for repair in recording.repairs)


@pytest.mark.parametrize("parts", CHANGES.values(), ids=CHANGES)
def test_refuses_a_clock_that_changes_its_speed_where_the_motion_does_not(
    make_motion, make_samples, parts
):
    times = stamps(parts)
    steady = make_samples(make_motion(np.arange(len(times)) * parts[0][0] * 1_000_000))
    wrong = make_samples(make_motion(times), position=steady.position, velocity=None)
    after, start = 1000 / parts[1][0], parts[0][0] * parts[0][1] / 1000
    with pytest.raises(
        RecordingError, match=rf"from 250 Hz to {after:.6g} Hz at {start:.3f} s.*--stop {start:.3f}"
    ):
        build_recording(wrong)


@pytest.mark.parametrize(
    "parts", [[(4, 30), (2, 10)], [(4, 2000), (2, 12)], [(4, 10), (2, 10)] * 9]
)
def test_steps_of_two_lengths_in_too_few_samples_are_uneven(make_motion, make_samples, parts):
    recording = build_recording(make_samples(make_motion(stamps(parts))))
    assert not any("ms late" in repair for repair in recording.repairs)
    truth = make_motion(np.rint(recording.time * 1e9))
    np.testing.assert_allclose(recording.position, truth.position, atol=1e-5)


def test_jitter_losses_and_bursts_do_not_change_the_rate():
    random = np.random.default_rng(0)
    times = np.arange(4000) * 4e-3
    jittered = times + random.uniform(-5e-4, 5e-4, len(times))
    lost = times[random.random(len(times)) > 0.3]
    burst = np.sort(np.where((times > 4) & (times < 4.4), 4.4 + 1e-3 * (times - 4), times))
    assert [rate_changes(series) for series in (times, jittered, lost, burst)] == [[]] * 4
