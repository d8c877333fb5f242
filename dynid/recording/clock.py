"""The clock behind stamps: regular cycles, some late or lost, and steps that change for good."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from dynid.errors import RecordingError

if TYPE_CHECKING:
    from dynid.recording.samples import Samples

_EXAMINED = 20_000  # stamps
_FIRST_BLOCK = 32  # stamps in which the rate is first searched
_SEARCHED = 0.35  # of the usual rate, to either side: as many cycles may be lost
_ON_TIME = 0.1  # of a cycle: distance from a clock of most stamps that follow it
_UNEVEN = 0.05  # of a cycle: differences of lateness that show in positions

# of changes of the rate
_MEDIAN_WINDOW = 21  # steps of a moving median: a change shorter than half of it is none
_STRETCH_SAMPLES, _STRETCH_SECONDS = (
    25,
    0.1,
)  # least of a stretch; a burst that a loop makes up is shorter
_EVEN = 0.05  # of the step: within this distance of it are most steps of a stretch
_EVEN_SHARE = 0.8
_STEP_CHANGE = 0.02  # least relative change of the step
_BESIDE = 8  # samples at each side of a change to which a polynomial is fitted
_DEGREE = 4
_CLEARLY = 0.25  # squared error at the better times over that at the others


@dataclass(frozen=True)
class SampleClock:
    """Cycles of a clock that most stamps follow.

    Attributes:
        rate: of the cycles [Hz].
        cycle: (N,) number of the cycle of each sample, increasing.
        lateness: (N,) time by which each stamp is after its cycle [s]; early ones are negative.
        certain: (N,) whether a stamp allows no other cycle: where cycles are lost, one that is late
            may be of any cycle between the samples beside it that are in time.
        regular: whether the samples are of the cycles and only the stamps are late, as positions
            show; otherwise they were measured late, at the times of their stamps.
    """

    rate: float
    cycle: NDArray[np.int64]
    lateness: NDArray[np.float64]
    certain: NDArray[np.bool_]
    regular: bool

    @property
    def ticks(self) -> NDArray[np.float64]:
        """Times (N,) at which the samples were measured [cycles]."""
        late = 0.0 if self.regular else self.lateness * self.rate
        return np.asarray(self.cycle + late)

    @property
    def sentence(self) -> str:
        """Statistics of the lateness, and what was concluded."""
        middle, most = 1e3 * np.percentile(self.lateness, [50, 99])
        figures = (
            f"The stamps are those of a clock of {self.rate:.6g} Hz, median {middle:.3g} ms, 99 % "
            f"up to {most:.3g} ms and at most {1e3 * self.lateness.max():.3g} ms late"
        )
        if self.regular:
            return f"{figures}; positions are smoother at the cycles, so only the stamps are late."
        return f"{figures}; positions are smoother at the stamps, so the samples themselves are."


def find_clock(
    seconds: NDArray[np.float64], position: NDArray[np.float64], usual: float
) -> SampleClock | None:
    """Return the clock of increasing stamps (N,) [s]; None if most of them follow none.

    Three explanations are compared by how smooth positions (N, n) are: samples measured at the
    times of their stamps; samples of regular cycles whose stamps are late, by as little as
    possible; and the same of a loop that skips the cycles it has missed, where a sample belongs to
    the first cycle after the stamp before. ``usual`` is the usual rate of the stamps [Hz].
    """
    rate = _rate(seconds, usual)
    phase = float(np.angle(_turns(seconds, rate).mean()) / (2 * np.pi))
    off = _wrapped(seconds * rate - phase)
    near = np.abs(off) < _ON_TIME
    if near.mean() < 0.5:
        return None
    ticks = seconds * rate - phase - np.median(off[near])
    begun = np.floor(ticks + _earliest(ticks)).astype(np.int64)
    number = np.arange(len(begun))
    # a cycle has one sample at most, which is after the cycle has begun
    latest = number + np.minimum.accumulate((begun - number)[::-1])[::-1]
    due = np.minimum(latest, np.concatenate([latest[:1], begun[:-1] + 1]))
    best = _smoothest((ticks, latest, due), position)
    cycle = due if best == 2 else latest
    lateness = (ticks - cycle) / rate
    certain = _certain(cycle, latest, in_time=np.abs(ticks - cycle) < _ON_TIME)
    return SampleClock(rate, cycle - cycle[0], lateness, certain, regular=best > 0)


def _certain(
    cycle: NDArray[np.int64], latest: NDArray[np.int64], *, in_time: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return whether samples (N,) can be of no other cycles.

    Where a loop makes up for cycles, the stamp of one of them may be in time by chance, so the
    sample before must be in time as well.
    """
    number = np.arange(len(cycle))
    in_time = in_time & np.concatenate([[True], in_time[:-1]])
    anchors = np.where(in_time, cycle - number, cycle[0] - 1)
    earliest = np.maximum.accumulate(anchors) + number
    return in_time | (earliest >= latest)


def _rate(seconds: NDArray[np.float64], usual: float) -> float:
    """Return the rate at which the stamps are most in phase [Hz].

    It is searched in short blocks, and refined in longer and longer ones.
    """
    block, rate = min(_FIRST_BLOCK, len(seconds)), usual
    reach = int(4 * block * _SEARCHED)
    while True:
        rates = rate + usual / (4 * block) * np.arange(-reach, reach + 1)
        rate = float(
            rates[np.argmax([_in_phase(seconds, candidate, block) for candidate in rates])]
        )
        if block == len(seconds):
            whole = float(round(rate))
            return whole if abs(whole - rate) < usual / (2 * block) else rate
        block, reach = min(2 * block, len(seconds)), 4


def _in_phase(seconds: NDArray[np.float64], rate: float, block: int) -> float:
    """Return how far stamps are in phase with a rate [Hz] within blocks, from 0 to 1."""
    examined = max(block, min(len(seconds), _EXAMINED) // block * block)
    stride = max(1, block // _EXAMINED)
    turns = _turns(seconds[:examined].reshape(-1, block)[:, ::stride], rate)
    return float(np.abs(turns.mean(axis=1)).mean())


def _turns(seconds: NDArray[np.float64], rate: float) -> NDArray[np.complex128]:
    return np.asarray(np.exp(2j * np.pi * ((seconds * rate) % 1.0)))


def _wrapped(cycles: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(cycles - np.rint(cycles))


def _earliest(ticks: NDArray[np.float64]) -> float:
    """Return how early a stamp may be [cycles]: up to where there are fewest, before the others."""
    counts, edges = np.histogram(-_wrapped(ticks), bins=10, range=(0.0, 0.5))
    return float(edges[np.argmin(counts)] + edges[1] / 2)


def _smoothest(
    explanations: tuple[NDArray[np.float64] | NDArray[np.int64], ...], position: NDArray[np.float64]
) -> int:
    """Return the number of the times at which positions (N, n) are smoothest; 0 where none shows.

    The ``explanations`` are times (N,) [cycles], the first of them of the stamps.
    """
    differ = [np.abs(np.diff(other - explanations[0])) > _UNEVEN for other in explanations[1:]]
    uneven = np.any(differ, axis=0)
    shown = uneven[1:] | uneven[:-1]
    errors = np.array(
        [_line_errors(explanation, position)[shown].sum(axis=0) for explanation in explanations]
    )
    moving = errors.min(axis=0) > 0
    if not moving.any():
        return 0
    # joints count alike, whatever their unit and speed
    return int(np.argmin((errors / errors.max(axis=0))[:, moving].mean(axis=1)))


def _line_errors(
    times: NDArray[np.float64] | NDArray[np.int64], position: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return squared distances (N - 2, n) of positions from the line between those beside them.

    They contain curvature, noise, whose share is divided by its gain, and at wrong times speed.
    """
    steps = np.diff(times).astype(np.float64)
    weight = (steps[1:] / (steps[1:] + steps[:-1]))[:, None]
    error = position[1:-1] - weight * position[:-2] - (1 - weight) * position[2:]
    return np.asarray(error**2 / (1 + weight**2 + (1 - weight) ** 2))


class RateChange(NamedTuple):
    """A change of the steps between stamps, with the rates before and after it [Hz].

    ``row`` is the first sample after a step of the new length.
    """

    row: int
    before: float
    after: float


def rate_changes(seconds: NDArray[np.float64]) -> list[RateChange]:
    """Return where the steps of increasing stamps (N,) [s] change from even ones to even others.

    Jitter, lost samples and bursts are no changes: the steps of both stretches have to be even.
    """
    steps = np.diff(seconds)
    if len(steps) < 2 * _STRETCH_SAMPLES:
        return []
    usual = scipy.ndimage.median_filter(steps, _MEDIAN_WINDOW, mode="nearest")
    bounds = np.flatnonzero(np.abs(np.diff(np.log(usual))) > _STEP_CHANGE) + 1
    stretches = []
    for first, past in zip([0, *bounds], [*bounds, len(steps)], strict=True):
        step = float(np.median(steps[first:past]))
        even = np.abs(steps[first:past] - step) < _EVEN * step
        long = (
            past - first >= _STRETCH_SAMPLES and seconds[past] - seconds[first] >= _STRETCH_SECONDS
        )
        if long and even.mean() >= _EVEN_SHARE:
            stretches.append((int(first), step))
    changes = []
    for (_, before), (first, after) in pairwise(stretches):
        if abs(after - before) > _STEP_CHANGE * before:
            nearer = np.abs(np.log(steps / after)) < np.abs(np.log(steps / before))
            row = _first_change(nearer, first)
            changes.append(RateChange(row, _rounded_rate(before), _rounded_rate(after)))
    return changes


def refuse_wrong_clock(samples: Samples, changes: list[RateChange]) -> None:
    """Refuse stamps that change their rate where the motion shows that the samples do not.

    If the samples kept their rate, positions are smooth at equal steps, and at the stamps they have
    a bend, as speed changes by the ratio of the steps.
    """
    for change in changes:
        near = slice(max(change.row - _BESIDE, 0), change.row + _BESIDE)
        position = samples.position[near]
        at_stamps = _polynomial_errors(samples.seconds[near], position)
        at_equal_steps = _polynomial_errors(np.arange(len(position), dtype=np.float64), position)
        largest = np.maximum(at_stamps, at_equal_steps)
        moving = largest > 0
        if not moving.any():
            continue
        # joints count alike, whatever their unit and speed
        equal, stamped = (
            float((errors[moving] / largest[moving]).mean())
            for errors in (at_equal_steps, at_stamps)
        )
        if equal < _CLEARLY * stamped:
            time = float(samples.seconds[change.row - 1])
            raise RecordingError(
                f"{samples.label}: the rate of the stamps changes from {change.before:.6g} Hz to "
                f"{change.after:.6g} Hz at {time:.3f} s, but positions show that the samples keep "
                "their rate, so the stamps are wrong on one side; correct the times, or select the "
                f"side that is right (--stop {time:.3f} or --start {time:.3f})."
            )


def _first_change(nearer: NDArray[np.bool_], first: int) -> int:
    """Return the first sample after the steps from which on most are of the new length.

    A moving median finds it, except for a few samples where steps are uneven.
    """
    around = np.arange(max(first - _MEDIAN_WINDOW, 0), min(first + _MEDIAN_WINDOW, len(nearer)))
    new = nearer[around].astype(int)
    wrong = np.concatenate([[0], np.cumsum(new)]) + np.concatenate(
        [np.cumsum((1 - new)[::-1])[::-1], [0]]
    )
    return int(around[0] + np.argmin(wrong)) + 1


def _polynomial_errors(
    times: NDArray[np.float64], position: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return squared distances (n,) of positions from a polynomial of times."""
    scaled = 2 * (times - times[0]) / (times[-1] - times[0]) - 1
    matrix = np.polynomial.chebyshev.chebvander(scaled, _DEGREE)
    solution = np.linalg.lstsq(matrix, position, rcond=None)[0]
    return np.asarray(((position - matrix @ solution) ** 2).sum(axis=0))


def _rounded_rate(step: float) -> float:
    rate = 1 / step
    return float(round(rate)) if abs(round(rate) - rate) < 1e-4 * rate else rate
