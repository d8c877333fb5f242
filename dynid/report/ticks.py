"""Round numbers along an axis, and their texts."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from dynid.arrays import Array
from dynid.text import significant

_DECADES = 3  # of a logarithmic axis: with more, not every decade has a number
_LONG_DECIMALS = 5  # from which on a number is written as 2e-5
_LARGEST_WHOLE = 1000  # before such an exponent
_LARGE_TICK, _SMALL_TICK = 1e6, 1e-5


@dataclass(frozen=True)
class Tick:
    """A place along an axis, from 0 to 1, and its text."""

    at: float
    text: str


@dataclass(frozen=True)
class Axis:
    """One direction of a chart.

    Attributes:
        low, high: ends of the axis; low < high.
        log: whether it is logarithmic; then both ends are above 0.
    """

    low: float
    high: float
    log: bool = False

    @classmethod
    def over(cls, values: Array, *, log: bool = False, room: float = 0.0) -> Axis:
        """Return an axis over the finite values (N,), extended at both ends by a share of them."""
        kept = values[np.isfinite(values) & ((values > 0) | (not log))]
        low, high = (float(kept.min()), float(kept.max())) if len(kept) else (1.0, 2.0)
        if log:
            return cls(low, high if high > low else 10 * low, log=True)
        if high <= low:  # constant: the axis has some width nevertheless
            low, high = low - (abs(low) or 1.0), high + (abs(high) or 1.0)
        return cls(low - room * (high - low), high + room * (high - low))

    def place(self, values: Array) -> Array:
        """Return where values are along the axis, from 0 to 1."""
        if self.log:
            start, end = math.log(self.low), math.log(self.high)
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.asarray((np.log(values) - start) / (end - start))
        return np.asarray((values - self.low) / (self.high - self.low))

    def ticks(self, most: int) -> list[Tick]:
        """Return at most about ``most`` round numbers between the ends."""
        values, step = self._decades() if self.log else self._steps(most)
        places = self.place(np.array(values, dtype=np.float64)).tolist()
        texts = [_text(value, step) for value in values]
        return [Tick(at, text) for at, text in zip(places, texts, strict=True)]

    def _steps(self, most: int) -> tuple[list[float], float]:
        step = round_step((self.high - self.low) / max(most, 1))
        first, last = self._inside(step)
        while last <= first:  # one number alone gives no scale
            step = round_step(step / 2.5)
            first, last = self._inside(step)
        return [number * step for number in range(first, last + 1)], step

    def _inside(self, step: float) -> tuple[int, int]:
        """Return the first and the last multiple of a step between the ends."""
        return math.ceil(self.low / step - 1e-9), math.floor(self.high / step + 1e-9)

    def _decades(self) -> tuple[list[float], float]:
        first, last = math.ceil(math.log10(self.low)), math.floor(math.log10(self.high))
        if last - first < _DECADES:
            return [
                factor * 10.0**power
                for power in range(first - 1, last + 1)
                for factor in (1, 2, 5)
                if self.low <= factor * 10.0**power <= self.high
            ], 0.0
        stride = -(-(last - first) // 5)
        return [10.0**power for power in range(first, last + 1, stride)], 0.0


def bar_edges(low: float, high: float, count: int) -> Array:
    """Return the (count + 1,) edges of bars from ``low`` to ``high``; of 1 in all for one value."""
    if high - low <= count * 8 * np.spacing(max(abs(low), abs(high))):
        middle = (low + high) / 2
        low, high = middle - 0.5, middle + 0.5
    return np.linspace(low, high, count + 1)


def round_step(rough: float) -> float:
    """Return the next of 1, 2 and 5, times a power of ten."""
    power = 10.0 ** math.floor(math.log10(rough))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))


def _text(value: float, step: float) -> str:
    size, digits = abs(value), _decimals(step)
    whole = round(value * 10.0**digits)
    # beside a chart on a phone there is no room for 0.00002
    if digits >= _LONG_DECIMALS and abs(whole) < _LARGEST_WHOLE:
        text = f"{whole}e-{digits}" if whole else "0"
    elif step == 0 or size >= _LARGE_TICK or 0 < size < _SMALL_TICK or step < _SMALL_TICK:
        text = f"{value:g}" if _SMALL_TICK <= size < _LARGE_TICK else significant(value, 2)
    else:
        text = f"{value + 0.0:.{digits}f}"
    return text.replace("-", "\N{MINUS SIGN}")


def _decimals(step: float) -> int:
    """Return how many decimals multiples of a step have."""
    return max(0, -math.floor(math.log10(step) + 1e-9)) if step else 0
