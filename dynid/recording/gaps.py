"""Which missing samples are bridged by interpolation, and which are gaps between pieces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import in_runs, runs
from dynid.text import listed

_MODEL_ERROR = 0.01  # of the standard deviation of torque: no model of a robot is much better
_TRIED = 10_000  # stretches, of which those with samples at both ends are left out
_STRETCHES = 1000  # left out to measure the error of a length
_NONE = np.zeros(0, dtype=np.int64)
_PREDICTED = 8  # samples in each of them
# error of the cubic through samples a stretch apart, 3/128 of D^4 times the fourth derivative, over
# that of one with the slopes that the samples beside a stretch show, 1/384
_COARSER = 9.0
_NAMED = 3  # gaps in a sentence


class Bridging(NamedTuple):
    """Stretches of missing samples.

    Attributes:
        missing: (N,) the samples that are not measured.
        gaps: (first, past) of those stretches that are too long to be interpolated.
        longest: number of missing samples up to which they are interpolated.
    """

    missing: NDArray[np.bool_]
    gaps: tuple[tuple[int, int], ...]
    longest: int

    @property
    def in_gaps(self) -> NDArray[np.bool_]:
        """Whether each sample (N,) is in a gap."""
        return in_runs(self.gaps, len(self.missing))

    def sentences(self, rate: float) -> tuple[str, ...]:
        """Describe the gaps of samples at a rate [Hz]; nothing without any."""
        if not self.gaps:
            return ()
        return (
            f"Samples are missing for {gap_list(self.gaps, rate)}, which is too long to be "
            f"interpolated: up to {(self.longest + 1) / rate:.3g} s the error of the acceleration "
            "is below that of the torque.",
        )


def find_gaps(
    position: NDArray[np.float64], effort: NDArray[np.float64], missing: NDArray[np.bool_]
) -> Bridging:
    """Decide which stretches of missing samples (N,) can be interpolated.

    Position and effort (N, n) are on a uniform grid, with any values where missing.
    """
    stretches = runs(missing)
    lengths = np.array([past - first for first, past in stretches], dtype=np.int64)
    longest = _longest_bridged(position, effort, missing, np.unique(lengths))
    gaps = tuple(
        stretch for stretch, length in zip(stretches, lengths, strict=True) if length > longest
    )
    return Bridging(missing, gaps, longest)


def gap_list(gaps: Sequence[tuple[int, int]], rate: float) -> str:
    """Return the lengths and times of the longest gaps, and the number of the others, as text."""
    longest = sorted(gaps, key=lambda gap: gap[0] - gap[1])[:_NAMED]
    named = [
        f"{(past - first + 1) / rate:.3f} s after {(first - 1) / rate:.3f} s"
        for first, past in sorted(longest)
    ]
    unnamed = len(gaps) - len(named)
    return listed([*named, *([f"{unnamed} times more"] if unnamed else [])])


def cubic_weights(u: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the weights (N, 4) of four points at 0, 1, 2 and 3 in their cubic at u (N,)."""
    left, right = u * (u - 1), (u - 2) * (u - 3)
    weights = (-(u - 1) * right / 6, u * right / 2, -left * (u - 3) / 2, left * (u - 2) / 6)
    return np.stack(weights, axis=1)


def _longest_bridged(
    position: NDArray[np.float64],
    effort: NDArray[np.float64],
    missing: NDArray[np.bool_],
    lengths: NDArray[np.int64],
) -> int:
    """Return the longest of the lengths (increasing) that can be interpolated; at least 1.

    Stretches of each length are left out where there are samples, and their positions predicted.
    Noise of positions is the error of stretches in which curvature does not show. Beyond it the
    error may be as large as the scatter of the square of that noise over the stretch. Or it may
    change the acceleration by the share that noise has in torque, or the error of a good model.
    """
    if not len(lengths):
        return 0
    noise, _ = _left_out(position, missing, 1)
    torque_noise, _ = _left_out(effort, missing, 1)
    share = np.maximum(torque_noise / np.maximum(effort.var(axis=0), 1e-300), _MODEL_ERROR**2)
    shorter = 2 ** np.arange(int(lengths[-1]).bit_length())
    longest = 1
    for length in np.union1d(shorter, lengths)[1:].tolist():
        error, line = _left_out(position, missing, length)
        noise = np.where(line <= error, np.maximum(noise, error), noise)
        allowed = np.maximum(noise * np.sqrt(2 / length), _COARSER**2 * share * line)
        moves = ~(allowed == 0)
        if not np.sum((error - noise)[moves] / allowed[moves]) <= moves.sum():
            break
        longest = length
    return longest


def _left_out(
    values: NDArray[np.float64], missing: NDArray[np.bool_], length: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Leave out stretches of a length where there are samples, and predict them.

    They are predicted by the cubic through the samples at both ends and one stretch further.

    Returns:
        The mean squared error (n,), divided by the gain of noise, and that of a straight line
        without noise, by the second differences of these samples; NaN where there are no samples.
    """
    step, none = length + 1, np.full(values.shape[1], np.nan)
    last = len(values) - 3 * step
    starts = np.unique(np.linspace(0, last - 1, _TRIED).astype(np.int64)) if last > 0 else _NONE
    nodes = starts[:, None] + step * np.arange(4)
    nodes = nodes[~missing[nodes].any(axis=1)]
    nodes = nodes[:: max(1, len(nodes) // _STRETCHES)]
    inner = np.unique(np.linspace(1, length, _PREDICTED).astype(np.int64))
    u = inner / step
    weights = cubic_weights(1 + u)
    places = nodes[:, 1, None] + inner
    known = ~missing[places]
    if not known.any():
        return none, none
    error = values[places] - np.einsum("ik,skn->sin", weights, values[nodes])
    error /= np.sqrt(1 + (weights**2).sum(axis=1))[:, None]
    ends = values[nodes[:, 0]] - values[nodes[:, 1]] - values[nodes[:, 2]] + values[nodes[:, 3]]
    line = ends[:, None] / 2 * (u * (1 - u) / 2)[:, None]
    return np.mean(error[known] ** 2, axis=0), np.mean(line**2, axis=(0, 1))
