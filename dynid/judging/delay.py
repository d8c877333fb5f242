"""Whether torque was recorded later or earlier than the motion that needs it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dynid.judging.judgement import Comparison
from dynid.mechanism import Mechanism
from dynid.preprocessing.signals import Signals

_LONGEST = 0.25  # [s]
_COARSE_STEPS = 25  # to either side; the best is then refined to a sample
_STRETCH = 20_000  # samples looked at, from the middle
_ROWS = 1_000  # of these that are fitted
_BETTER = 0.85  # a shift is named where it lowers the error to this share


def check_delay(
    mechanism: Mechanism, columns: NDArray[np.intp], comparisons: Sequence[Comparison]
) -> list[str]:
    """Fit base parameters to torque moved by a few samples, and see whether that explains more.

    A finished model cannot tell: its inertia and friction have absorbed what they could of the
    shift. So each shift gets a least-squares fit of its own, on samples of the longest recording.

    Args:
        mechanism: with the parameters that its load-dependent terms shall use.
        columns: (k,) of the regressor that lead the base parameters.
        comparisons: one per recording.
    """
    signals = max((c.signals for c in comparisons), key=lambda s: len(s.time))
    reach = min(round(_LONGEST * signals.sampling_rate), len(signals.time) // 5)
    if reach < 3:
        return []
    error = _ErrorOfShift(mechanism, columns, signals, reach)
    step = max(1, reach // _COARSE_STEPS)
    best = min(range(-(reach // step) * step, reach + 1, step), key=error)
    best = min(range(max(2 - reach, best - step), min(reach - 2, best + step) + 1), key=error)
    if best == 0 or abs(best) >= reach - 2 or error.around(best) > _BETTER * error.around(0):
        return []
    return [shift_sentence(best, signals.sampling_rate)]


def shift_sentence(samples: int, sampling_rate: float) -> str:
    """What to tell of torque that comes that many samples late, or early if negative."""
    size = abs(samples)
    later = "later" if samples > 0 else "earlier"
    return (
        f"torque comes {size} samples ({size / sampling_rate * 1e3:.3g} ms) {later} than the "
        "motion that needs it; align them, or expect an additive torque delay of that size."
    )


class _ErrorOfShift:
    """Weighted torque error left by a fit to torque moved by a number of samples."""

    def __init__(
        self, mechanism: Mechanism, columns: NDArray[np.intp], signals: Signals, reach: int
    ) -> None:
        count = len(signals.time) - 2 * reach
        begin = reach + max(0, count - _STRETCH) // 2
        stretch = slice(begin, begin + min(count, _STRETCH))
        step = max(1, (stretch.stop - begin) // _ROWS)
        # where a joint reverses, friction that sticks comes late by itself
        kept = signals.moving[stretch][::step].all(axis=1)
        kept |= kept.sum() < len(columns)
        self._samples = np.arange(begin, stretch.stop, step)[kept]
        # terms with memory need every sample, so the motion cannot be thinned out beforehand
        chosen = mechanism.regressor(
            signals.position[stretch], signals.velocity[stretch], signals.acceleration[stretch]
        )[::step, :, columns][kept]
        self._torque = signals.raw_torque
        self._weight = 1 / np.maximum(np.linalg.norm(signals.raw_torque, axis=0), 1e-300)
        stacked = (chosen * self._weight[:, None]).reshape(-1, len(columns))
        left, values, _ = np.linalg.svd(stacked, full_matrices=False)
        self._basis = left[:, values > 1e-9 * values[0]]

    def __call__(self, shift: int) -> float:
        torque = (self._torque[self._samples + shift] * self._weight).ravel()
        return float(np.linalg.norm(torque - self._basis @ (self._basis.T @ torque)))

    def around(self, shift: int) -> float:
        """Mean error of a shift and its neighbours: a true delay is not won by a lucky sample."""
        return float(np.mean([self(shift + k) for k in range(-2, 3)]))
