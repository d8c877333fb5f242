import numpy as np
import pytest

from dynid.recording.timeline import build_recording

SENT = 33_333_333  # ns between 400 messages


@pytest.fixture
def built(make_motion, make_samples):
    """Build a recording whose messages carry the given samples of a motion."""

    def build(motion, rows):
        stamps = SENT * np.arange(400)
        signals = {name: getattr(motion, name)[rows] for name in ("position", "velocity", "effort")}
        return build_recording(make_samples(make_motion(stamps), **signals))

    return build


@pytest.mark.parametrize("step", [34_000_000, 50_000_000])
def test_samples_sent_twice_get_the_times_of_their_source(built, make_motion, step):
    measured = step * np.arange(400)
    motion = make_motion(measured)
    recording = built(motion, np.searchsorted(measured, SENT * np.arange(400), side="right") - 1)
    assert recording.sampling_rate == pytest.approx(1e9 / step, rel=1 / 400)  # a step of the stamps
    np.testing.assert_array_equal(recording.position, motion.position[: len(recording.time)])
    np.testing.assert_array_equal(recording.effort, motion.effort[: len(recording.time)])
    assert "samples were sent twice and were dropped" in recording.repairs[0]


def test_a_message_that_was_lost_and_replaced_by_the_one_before_keeps_its_time(built, make_motion):
    rows = np.arange(400)
    rows[50::50] -= 1
    assert built(make_motion(SENT * np.arange(400)), rows).repairs == ()


def test_a_robot_that_rests_without_noise_keeps_its_samples(built, make_motion):
    rows = np.concatenate([np.arange(100), np.full(200, 100), np.arange(100, 200)])
    motion = make_motion(SENT * np.arange(400))
    recording = built(motion, rows)
    np.testing.assert_array_equal(recording.position, motion.position[rows])


def test_values_without_a_motion_between_them_keep_their_samples(built, make_motion):
    motion = make_motion(SENT * np.arange(400))
    motion.position = np.random.default_rng(4).normal(size=motion.position.shape)
    rows = np.searchsorted(34_000_000 * np.arange(400), motion.stamps, side="right") - 1
    assert built(motion, rows).repairs == ()
