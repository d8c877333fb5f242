"""The clock behind stamps: regular cycles, of which some come late and some are lost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_EXAMINED = 20_000  # stamps
_FIRST_BLOCK = 32  # stamps in which the rate is first searched
_SEARCHED = 0.35  # of the usual rate, to either side: as many cycles may be lost
_ON_TIME = 0.1  # of a cycle: distance from a clock of most stamps that follow it
_UNEVEN = 0.05  # of a cycle: differences of lateness that show in positions


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
