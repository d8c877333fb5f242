"""From temperatures as read to those along a recording: plausible, in order, and decimated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dynid.errors import RecordingError
from dynid.recording.samples import NANOSECONDS, Samples
from dynid.recording.temperature import SPACING, Temperature, TemperatureSamples

_SPACING = int(SPACING * NANOSECONDS)
# [°C] of a motor or gear that can be measured
_LOWEST_TEMPERATURE, _HIGHEST_TEMPERATURE = -90.0, 300.0
_KELVIN = 200.0  # [°C] median above which temperatures are most likely in kelvin


def with_temperature(samples: Samples, temperature: TemperatureSamples | None) -> Samples:
    """Return samples with temperatures if any, without implausible ones, which are noted.

    Raises:
        RecordingError: none is plausible, and the user has named their source.
    """
    if temperature is None:
        return samples
    problem = _problem(temperature, samples.joint_names)
    if problem and temperature.required:
        raise RecordingError(f"{temperature.where}: {problem}")
    if problem:
        return samples.noting(f"Temperatures were ignored: {temperature.where}: {problem}")
    values = temperature.celsius
    plausible = _plausible(values)
    if wrong := int((np.isfinite(values) & ~plausible).sum()):
        samples = samples.noting(
            f"{wrong} of {values.size} temperatures were outside of "
            f"{_LOWEST_TEMPERATURE:g} to {_HIGHEST_TEMPERATURE:g} °C and were ignored."
        )
    kept = replace(temperature, celsius=np.where(plausible, values, np.nan))
    return replace(samples, temperature=kept)


def place_temperature(samples: Samples, stop: float) -> tuple[Temperature | None, tuple[str, ...]]:
    """Return the temperatures along a recording, decimated to one each ``SPACING``, and notes.

    Its first stamp is time 0, and it ends at ``stop`` [s].
    """
    raw = samples.temperature
    if raw is None:
        return None, ()
    since = raw.stamps - samples.stamps[0]
    inside = (since >= -_SPACING) & (since <= stop * NANOSECONDS + _SPACING)
    order = np.argsort(since[inside], kind="stable")
    since, values = since[inside][order], raw.celsius[inside][order]
    kept = _decimated(since, np.isfinite(values))
    seconds, values = np.clip(since[kept] / NANOSECONDS, 0.0, stop), values[kept]
    if not len(kept):
        note = f"Temperatures were ignored: {raw.where}: none was measured during the recording."
        return None, (note,)
    return Temperature(seconds, values), ()


def _decimated(since: NDArray[np.int64], known: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return the rows with the first known value of a joint in each ``SPACING``.

    Times (M,) [ns] increase. Joints, whose values are known (M, n), may be measured apart.
    """
    kept: set[int] = set()
    for column in known.T:
        rows = np.flatnonzero(column)
        kept.update(rows[first_of_each(since[rows] // _SPACING)].tolist())
    return np.array(sorted(kept), dtype=np.intp)


def first_of_each(numbers: NDArray[np.int64]) -> NDArray[np.intp]:
    """Return the places (m,) at which a number differs from the one before."""
    if not len(numbers):
        return np.zeros(0, dtype=np.intp)
    return np.flatnonzero(np.concatenate([[True], np.diff(numbers) != 0]))


def _problem(temperature: TemperatureSamples, joints: Sequence[str]) -> str:
    """Return a sentence on temperatures that cannot be used; empty if some can."""
    values = temperature.celsius
    known = np.isfinite(values)
    if not known.any():
        return "contains no temperature that is a number."
    for joint, column in enumerate(values.T):
        finite = column[known[:, joint]]
        if len(finite) and float(np.median(finite)) > _KELVIN:
            return (
                f"the temperature of joint '{joints[joint]}' is {float(np.median(finite)):.4g} "
                "(median), expected °C; offset: -273.15 converts kelvin."
            )
    if not _plausible(values).any():
        return f"no temperature is between {_LOWEST_TEMPERATURE:g} and {_HIGHEST_TEMPERATURE:g} °C."
    return ""


def _plausible(celsius: NDArray[np.float64]) -> NDArray[np.bool_]:
    with np.errstate(invalid="ignore"):
        return (celsius >= _LOWEST_TEMPERATURE) & (celsius <= _HIGHEST_TEMPERATURE)
