"""The step between recorded positions: a count of the encoder, or the last digit in a file."""

from __future__ import annotations

import numpy as np

from dynid.arrays import Array

_EXAMINED_SAMPLES = 20_000  # samples in which steps are found
_WINDOW = 50  # samples
_STILLEST = 0.1  # share of the windows: while moving, some robots interpolate between counts
_CANDIDATES = 100  # shortest gaps between levels that may be a step
_FEWEST_GAPS = 8  # gaps between levels that are multiples of a step
_LARGEST_MULTIPLE = 20.0  # times a step: longer gaps do not show whether they are multiples of it
_ROUNDING = 0.15  # of a step, as files have positions in decimals
_MULTIPLES = 0.95  # share of the gaps; by chance 30 % are multiples
_REPEATED = 0.2  # largest share of the gaps between two roundings of one level


def position_steps(position: Array) -> Array:
    """Return the step of each joint's positions, 0 where there is none; (n,) [rad or m].

    It is found while the joint is stillest, or else in all of its motion. Of a rounded count it is
    the count, not the digit.

    Args:
        position: (N, n) as recorded, before any interpolation.
    """
    return np.array(
        [_step_of(column[np.isfinite(column)][:_EXAMINED_SAMPLES]) for column in position.T]
    )


def _step_of(values: Array) -> float:
    rounding = 1e-9 * float(np.abs(values).max(initial=0.0))
    windows = values[: len(values) // _WINDOW * _WINDOW].reshape(-1, _WINDOW)
    windows = windows[np.ptp(windows, axis=1) > rounding]
    count = int(np.ceil(_STILLEST * len(windows)))
    stillest = windows[np.argsort(np.ptp(windows, axis=1))[:count]]
    whole = _gaps(values, rounding)
    if 0 < len(whole) < _FEWEST_GAPS:  # a joint at rest, or too few samples
        return float(np.median(whole)) if len(values) > _FEWEST_GAPS * (len(whole) + 1) else 0.0
    gaps = [whole[:0], *(_gaps(window, rounding) for window in stillest)]
    return _common_step(np.concatenate(gaps)) or _common_step(whole)


def _gaps(values: Array, rounding: float) -> Array:
    gaps = np.diff(np.unique(values))
    return np.asarray(gaps[gaps > rounding])


def _common_step(gaps: Array) -> float:
    """Return the largest step of which the gaps between neighbouring levels are multiples."""
    gaps = np.sort(gaps)
    candidates = np.unique(gaps[:_CANDIDATES])
    first = np.searchsorted(gaps, (1 - _ROUNDING) * candidates, side="right")
    last = np.searchsorted(gaps, (1 + _ROUNDING) * candidates)
    medians = 0.5 * (gaps[(first + last - 1) // 2] + gaps[(first + last) // 2])
    for step in np.unique(medians)[::-1]:
        multiples = gaps[: np.searchsorted(gaps, _LARGEST_MULTIPLE * step)] / step
        count, whole = len(multiples), np.rint(multiples)
        near = np.count_nonzero(np.abs(multiples - whole) < _ROUNDING)
        repeated = count - np.count_nonzero(whole)
        if count >= _FEWEST_GAPS and near >= _MULTIPLES * count and repeated <= _REPEATED * count:
            return float(step)
    return 0.0
