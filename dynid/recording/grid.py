"""The time base of a recording: samples are placed on a uniform time axis."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dynid.errors import RecordingError
from dynid.recording.clock import SampleClock, find_clock, rate_changes, refuse_wrong_clock
from dynid.recording.gaps import Bridging, find_gaps
from dynid.recording.interpolation import interpolate_position, linear
from dynid.recording.limits import check_memory
from dynid.recording.order import drop_near_repeats
from dynid.recording.samples import NANOSECONDS, Samples

JITTER = 0.01
"""Largest distance of stamps from a uniform grid, over the step."""

# relative distance within which a rate is rounded to an integer number of hertz
_ROUND = 1e-3

_NO_GAPS = 0.99  # share of the steps that are no gaps

# a grid has this many points for any samples, and this many for each of more
_SMALL_GRID, _POINTS_OF_A_SAMPLE = 100_000, 100

# times the usual step: a longer one misses samples; of a clock, and of uneven times
_MISSING, _MISSING_UNEVEN = 1.5, 2.5


_CERTAIN = 0.5  # share of the samples whose cycles are certain, of a clock that explains stamps


def place_on_grid(
    samples: Samples, valid: NDArray[np.bool_], sampling_rate: float | None
) -> tuple[Samples, float, Bridging]:
    """Return samples at steps of ``1 / rate``, this rate [Hz], and which were not measured.

    Samples on such a grid (within ``JITTER`` of a step) keep their exact values, and only missing
    ones are interpolated; so do samples of the regular cycles of a clock whose stamps are late.
    Otherwise samples were measured at the times of their stamps, and are interpolated: position by
    the method that predicts it best, velocity and effort linearly. So are samples that change their
    rate, which no single clock explains.

    Args:
        samples: with strictly increasing stamps and finite values.
        valid: (N,) which of them were measured completely.
        sampling_rate: [Hz]; None: the rate of the stamps.

    Raises:
        RecordingError: there would be too many samples, as after a stamp that is far off; or the
            stamps change their rate, and the samples do not.
    """
    seconds = samples.seconds
    shown = usual_rate(seconds)
    _refuse_far_stamps(samples, shown)
    fastest = max(shown, sampling_rate or 0.0, samples.nominal_rate or 0.0)
    # a few steps of a nanosecond could multiply the number of samples by a million
    most = int(min(seconds[-1] * fastest, 1e18)) + 1
    check_memory(most, len(samples.joint_names), samples.label)
    changes = rate_changes(seconds)
    refuse_wrong_clock(samples, changes)
    exact = _exact(samples, shown, sampling_rate)
    if exact is not None:
        return _fill_holes(samples, valid, *exact)
    clock = None
    if not changes and (sampling_rate is None or _exact(samples, shown, None) is None):
        clock = find_clock(seconds, samples.position, shown)
        if clock is not None and not _explains(clock):
            clock = None
    if clock is not None and clock.regular:
        samples = samples.noting(clock.sentence)
        if not clock.certain.all():
            samples, valid, clock = _sure(samples, valid, clock)
        if sampling_rate is None:
            return _fill_holes(samples, valid, clock.cycle, clock.rate)
        return _resample(samples, valid, clock, sampling_rate)
    kept, repeated = drop_near_repeats(samples)
    if repeated.any():
        return place_on_grid(kept, valid[~repeated], sampling_rate)
    return _resample(samples, valid, clock, sampling_rate)


def _refuse_far_stamps(samples: Samples, rate: float) -> None:
    """Refuse stamps between which almost every point of a grid at ``rate`` [Hz] has no sample.

    A single wrong stamp would make a grid that only the limit of the memory ends.
    """
    seconds = samples.seconds
    if seconds[-1] * rate <= max(_SMALL_GRID, _POINTS_OF_A_SAMPLE * len(samples)):
        return
    row = int(np.argmax(np.diff(seconds))) + 1
    pause = seconds[row] - seconds[row - 1]
    raise RecordingError(
        f"{samples.label}: sample {row + 1} is {pause:.6g} s after the one before, in which "
        f"{pause * rate:.3g} samples are missing at the {rate:.4g} Hz of the others; correct the "
        f"wrong time, or select a span on one side of it (--stop "
        f"{seconds[row - 1] + 1 / rate:.3f} or --start {seconds[row] - 1 / rate:.3f})."
    )


def _explains(clock: SampleClock) -> bool:
    """Return whether a clock explains stamps: most are of certain cycles, or late by less than one.

    Otherwise the cycles of a slow stretch would be numbered like those of a fast one, seconds late.
    """
    if clock.regular:
        return bool(clock.certain.mean() > _CERTAIN)
    return bool(np.median(clock.lateness) * clock.rate < 1.0 - JITTER)


def _sure(
    samples: Samples, valid: NDArray[np.bool_], clock: SampleClock
) -> tuple[Samples, NDArray[np.bool_], SampleClock]:
    """Return the samples whose cycles are certain."""
    kept = clock.certain
    sure = replace(
        clock,
        cycle=clock.cycle[kept] - clock.cycle[kept][0],
        lateness=clock.lateness[kept],
        certain=kept[kept],
    )
    note = (
        f"{int((~kept).sum())} of {len(kept)} samples were left out, as their stamps are late "
        "where cycles are missing: their times are not known."
    )
    return samples.take(kept).noting(note), valid[kept], sure


def usual_rate(seconds: NDArray[np.float64]) -> float:
    """Return the rate [Hz] of strictly increasing times [s]: one over their median step.

    The mean step, without the longest ones, is used if it is far from the median, as for stamps in
    bursts.
    """
    steps = np.diff(seconds)
    median = float(np.median(steps))
    mean = float(np.sort(steps)[: max(1, int(_NO_GAPS * len(steps)))].mean())
    return 1.0 / (median if 0.5 * mean < median < 2.0 * mean else mean)


def _exact(
    samples: Samples, shown: float, given: float | None
) -> tuple[NDArray[np.int64], float] | None:
    """Return the places of samples on a grid, and its rate [Hz]; None if they are on none."""
    for rate in _candidates(samples.seconds, shown, samples.nominal_rate, given):
        ticks = samples.seconds * rate
        places = np.rint(ticks).astype(np.int64)
        if np.abs(ticks - places).max() <= JITTER and (np.diff(places) > 0).all():
            return places, rate
    return None


def _candidates(
    seconds: NDArray[np.float64], shown: float, nominal: float | None, given: float | None
) -> list[float]:
    """Return possible rates of the stamps, the roundest number first."""
    if given is not None:
        return [given]
    places = np.cumsum(np.concatenate([[0.0], np.rint(np.diff(seconds) * shown)]))
    candidates = [nominal] if nominal is not None else []
    if places[-1] > 0 and places @ seconds > 0:
        # least squares through the first sample
        fitted = float((places @ places) / (places @ seconds))
        candidates += [_rounded(fitted), fitted]
    return candidates


def _rounded(rate: float) -> float:
    whole = float(round(rate))
    return whole if abs(whole - rate) <= _ROUND * rate else float(f"{rate:.6g}")


def _fill_holes(
    samples: Samples, valid: NDArray[np.bool_], places: NDArray[np.int64], rate: float
) -> tuple[Samples, float, Bridging]:
    """Interpolate the samples between those at given places, which keep their values."""
    absent = np.ones(int(places[-1]) + 1, dtype=bool)
    absent[places] = False
    missing = absent.copy()
    missing[places[~valid]] = True
    if not absent.any():
        return samples, rate, find_gaps(samples.position, samples.effort, missing)
    filled, _, bridging = _interpolated(samples, places / rate, absent, missing, rate)
    for name, values in filled.measured().items():
        values[places] = getattr(samples, name)
    return filled, rate, bridging


def _resample(
    samples: Samples, valid: NDArray[np.bool_], clock: SampleClock | None, given: float | None
) -> tuple[Samples, float, Bridging]:
    """Interpolate samples at the times of their stamps, or of the cycles of a clock."""
    seconds = samples.seconds
    native_rate = _rounded(usual_rate(seconds)) if clock is None else clock.rate
    ticks = seconds * native_rate if clock is None else clock.ticks
    rate = given or native_rate
    ticks = (ticks - ticks[0]) * (rate / native_rate)
    # the last instant may be past the last sample by a rounding error
    count = int(np.floor(ticks[-1] + 1e-6)) + 1
    longest = (_MISSING_UNEVEN if clock is None else _MISSING) * rate / native_rate
    absent, missing = (
        _between(series, count, longest, 0.5 * rate / native_rate)
        for series in (ticks, ticks[valid])
    )
    if clock is not None and not clock.regular:
        samples = samples.noting(clock.sentence)
    samples = samples.noting(_resampling_note(samples, count, rate, given=given is not None))
    if rate < 0.75 * (len(samples) - 1) / seconds[-1]:
        samples = samples.noting(
            f"The requested rate of {rate:g} Hz is below the recorded one: motion above "
            f"{rate / 2:g} Hz causes aliasing; filter and decimate instead."
        )
    times = seconds if clock is None else (clock.ticks - clock.ticks[0]) / native_rate
    return _interpolated(samples, times, absent, missing, rate)


def _resampling_note(samples: Samples, count: int, rate: float, *, given: bool) -> str:
    steps = np.diff(samples.seconds)
    reason = (
        f"the requested {rate:g} Hz differ from the recorded steps"
        if given and np.ptp(steps) < 2 * JITTER * np.median(steps)
        else f"steps were uneven ({1e3 * steps.min():.4g} to {1e3 * steps.max():.4g} ms)"
    )
    return f"{len(samples)} samples were resampled to {count} at {rate:g} Hz because {reason}."


def _between(
    ticks: NDArray[np.float64], count: int, longest: float, beside: float
) -> NDArray[np.bool_]:
    """Return the points (count,) of the grid in long steps that are not beside a sample."""
    grid = np.arange(count, dtype=np.float64)
    after = np.clip(np.searchsorted(ticks, grid), 1, len(ticks) - 1)
    before, behind = ticks[after - 1], ticks[after]
    long = behind - before > longest
    return np.asarray(long & (grid - before > beside) & (behind - grid > beside))


def _interpolated(
    samples: Samples,
    times: NDArray[np.float64],
    absent: NDArray[np.bool_],
    missing: NDArray[np.bool_],
    rate: float,
) -> tuple[Samples, float, Bridging]:
    """Interpolate N samples to a grid at a rate [Hz].

    Args:
        samples: to be interpolated.
        times: (N,) of the samples since the first of them [s].
        absent: (count,) points of the grid without a sample.
        missing: (count,) those without a complete sample.
        rate: of the grid [Hz].
    """
    count, velocity = len(missing), samples.velocity
    grid = np.minimum(np.arange(count) / rate, times[-1])
    effort = linear(times, samples.effort, grid)
    bridging = find_gaps(linear(times, samples.position, grid), effort, missing)
    position, error = interpolate_position(times, samples.position, grid, bridging)
    placed = replace(
        samples,
        stamps=samples.stamps[0] + np.rint(grid * NANOSECONDS).astype(np.int64),
        position=position,
        velocity=None if velocity is None else linear(times, velocity, grid),
        effort=effort,
    )
    if bridged := int((absent & ~bridging.in_gaps).sum()):
        worst = int(np.argmax(error))
        placed = placed.noting(
            f"{bridged} of {count} samples were missing and were interpolated; positions left out "
            f"elsewhere are predicted to {error[worst]:.2g} ({samples.joint_names[worst]})."
        )
    return placed, rate, bridging
