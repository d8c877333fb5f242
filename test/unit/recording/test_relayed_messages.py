"""Old samples that another node publishes again are noticed, and left out."""

import numpy as np
import pytest

from dynid.recording.timeline import build_recording

STEP = 5_000_000  # ns between 400 measured samples


@pytest.fixture
def relayed(make_motion, make_samples):
    """Build samples of which a relay publishes every n-th one again.

    Arguments: n, how many samples later, how long after the newest one [ns], and whether
    velocities are recorded.
    """

    def build(every: int, later: int, after: int, *, velocity: bool = True):
        motion = make_motion(STEP * np.arange(400))
        again = np.arange(later, 400, every)
        rows = np.concatenate([np.arange(400), again - later])
        stamps = np.concatenate([motion.stamps, motion.stamps[again] + after])
        order = np.argsort(stamps, kind="stable")
        names = ("position", "velocity", "effort")
        signals = {name: getattr(motion, name)[rows][order] for name in names}
        if not velocity:
            signals["velocity"] = None
        return motion, make_samples(motion, stamps=stamps[order], **signals)

    return build


@pytest.mark.parametrize("velocity", [True, False])
@pytest.mark.parametrize(
    ("every", "later", "after"),
    [(4, 6, 2_100_000), (10, 20, 900_000), (2, 3, 4_000_000), (1, 40, 2_500_000)],
)
def test_samples_published_again_are_left_out(relayed, every, later, after, velocity) -> None:
    motion, samples = relayed(every, later, after, velocity=velocity)
    recording = build_recording(samples)
    np.testing.assert_array_equal(recording.position, motion.position)
    np.testing.assert_array_equal(recording.effort, motion.effort)
    assert any("publishes states again" in note for note in recording.repairs)


def test_a_robot_that_rests_without_noise_keeps_its_samples(make_motion, make_samples) -> None:
    rng = np.random.default_rng(3)
    motion = make_motion(np.cumsum(rng.integers(4_000_000, 6_000_000, 400)))
    rows = np.concatenate([np.arange(100), np.full(200, 100), np.arange(100, 0, -1)])
    signals = {name: getattr(motion, name)[rows] for name in ("position", "velocity", "effort")}
    recording = build_recording(make_samples(motion, **signals))
    assert not any("publishes states again" in note for note in recording.repairs)
