"""Torque over time for the report's script: decimated, and as compact text in the page.

The script decimates further for each view, by the same rule as :func:`extremes`.
"""

from __future__ import annotations

import base64
import json
from typing import TYPE_CHECKING, Any

import numpy as np

from dynid.arrays import Array
from dynid.report.decimation import extremes, interval

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynid.report.motion import EvaluatedMotion

_VALUES = 400_000  # of all joints and curves in a page: 1.1 MB as text
_LEVELS = 65_534  # of a value between the smallest and the largest; the next number is NaN
_CURVES = ("measured", "model", "error")


def series_json(motion: EvaluatedMotion) -> str:
    """Return all torques as JSON, with the values in base64 of 16 bits, to be put in a page."""
    joints, samples = len(motion.names), sum(len(recording.time) for recording in motion.signals)
    warm = any(recording.temperature is not None for recording in motion.signals)
    size = interval(samples, _VALUES // ((len(_CURVES) + warm) * joints))
    parts = [
        [extremes(values, size) for values in (measured, model, model - measured)]
        for measured, model in zip(motion.measured_torque, motion.model_torque, strict=True)
    ]
    content = {
        "every": size,
        "recordings": [
            {
                "start": start,
                "step": max(size / 2, 1) / recording.sampling_rate,
                "end": start + length,
            }
            for start, recording, length in zip(
                motion.starts(), motion.signals, motion.lengths, strict=True
            )
        ],
        "joints": [
            {
                "name": name,
                "unit": motion.units(joint)[3],
                **{
                    curve: packed([part[number][:, joint] for part in parts])
                    for number, curve in enumerate(_CURVES)
                },
                **_temperature(motion, joint, [len(part[0]) for part in parts], size),
            }
            for joint, name in enumerate(motion.names)
        ],
    }
    # a name must not end the element that it is in
    return json.dumps(content).replace("<", "\\u003c")


def _temperature(
    motion: EvaluatedMotion, joint: int, lengths: list[int], size: int
) -> dict[str, Any]:
    """Return the temperature at the times of the other curves; empty where not measured."""
    curves = motion.temperature(joint)
    if not any(len(time) for time, _ in curves):
        return {}
    temperatures = []
    for (time, values), start, recording, length in zip(
        curves, motion.starts(), motion.signals, lengths, strict=True
    ):
        at = start + np.arange(length) * max(size / 2, 1) / recording.sampling_rate
        temperatures.append(np.interp(at, time, values) if len(time) else np.full(length, np.nan))
    return {"temperature": packed(temperatures)}


def packed(parts: Sequence[Array]) -> dict[str, Any]:
    """Return one curve: its range, and for each recording its values (M,) in base64.

    A value is ``low + number * step``, and the number 65535 stands for NaN.
    """
    finite = np.concatenate([part[np.isfinite(part)] for part in parts])
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 0.0)
    step = (high - low) / _LEVELS or 1.0
    return {"low": low, "step": step, "values": [_numbers(part, low, step) for part in parts]}


def _numbers(values: Array, low: float, step: float) -> str:
    known = np.isfinite(values)
    numbers = np.full(len(values), _LEVELS + 1, dtype="<u2")
    numbers[known] = np.round((values[known] - low) / step)
    return base64.b64encode(numbers.tobytes()).decode("ascii")
