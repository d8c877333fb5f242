"""Old samples that another node publishes again with stamps of its own."""

from __future__ import annotations

import numpy as np

from dynid.recording.samples import NANOSECONDS, Samples

_FEWEST_SAMPLES = 10  # published again: fewer may be equal by chance
_EVEN = 1.1  # ratio of steps: samples between others make them uneven
_SAME_DELAY = 1.0  # usual steps that the delay of a relay may vary
_CERTAIN = 0.9  # of the samples that equal an earlier one


def without_relayed(samples: Samples) -> Samples:
    """Return the samples without those that a relay has published again, later and in between.

    These equal an earlier sample, not the one directly before, in position, velocity and effort of
    all joints, with nearly the same delay. The robot seems to jump back by this delay, and forward
    again.

    Args:
        samples: N, with increasing stamps.
    """
    steps = np.diff(samples.stamps)
    if len(steps) < _FEWEST_SAMPLES or steps.max() < _EVEN * steps.min():
        return samples
    rows = np.ascontiguousarray(np.hstack(samples.signals))
    content = rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()
    _, first, number = np.unique(content, return_index=True, return_inverse=True)
    at = np.arange(len(rows))
    earlier = first[number.ravel()]
    # a robot that rests without noise has equal samples, too, which follow each other
    again = (earlier < at) & (content != np.roll(content, 1))
    if again.sum() < _FEWEST_SAMPLES:
        return samples
    delays = samples.stamps[again] - samples.stamps[earlier[again]]
    delay = float(np.median(delays))
    alike = np.abs(delays - delay) <= _SAME_DELAY * float(np.median(steps))
    if alike.mean() < _CERTAIN:
        return samples
    return samples.take(~again).noting(
        f"{int(again.sum())} of {len(rows)} samples equal one {1e3 * delay / NANOSECONDS:.3g} ms "
        "before, as of a node that publishes states again with its own stamps, and were dropped."
    )
