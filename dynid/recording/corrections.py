"""Corrections of recorded data: the profile's ``recording.corrections``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import yaml
from pydantic import model_validator

from dynid.arrays import Array, in_runs, runs
from dynid.configuration import Settings
from dynid.errors import ConfigurationError, RecordingError
from dynid.recording.interpolation import linear, spline
from dynid.recording.model import FEWEST_SAMPLES, Recording
from dynid.recording.temperature import Temperature
from dynid.recording.wrapping import find_wrapping, unwrapped
from dynid.text import listed

if TYPE_CHECKING:
    from dynid.recording.samples import Samples

Signal = Literal["position", "velocity", "effort"]
SIGNALS: tuple[Signal, ...] = ("position", "velocity", "effort")
_ON_A_SAMPLE = 1e-6  # of a step: a delay of whole steps, which needs no interpolation
_YAML_WIDTH = 10_000  # of a line that is never broken


class Correction(Settings):
    """One correction of a signal: another channel, unwrapping, ``factor * raw + offset``, delay."""

    signal: Literal["position", "velocity", "effort", "time"]
    """Signal that is corrected; ``time``: the times of all samples."""
    joint: str | None = None
    """Joint whose signal is corrected; null: all joints."""
    factor: float = 1.0
    """Factor of the recorded values; of ``time``, of the seconds since the first sample."""
    offset: float = 0.0
    """Added to positions after the factor [rad or m]."""
    delay: float = 0.0
    """Time by which the signal was recorded later than the others; it is shifted back [s]."""
    unwrap: bool = False
    """Whether positions are wrapped, so that jumps by a whole turn are removed."""
    source: str | None = None
    """Joint whose recorded signal is taken instead, where channels are swapped; null: its own."""

    @model_validator(mode="after")
    def _fits_the_signal(self) -> Correction:
        if self.factor == 0:
            raise ValueError("factor must not be 0, which would remove the signal")
        if self.signal == "time":
            self._refuse("time", ("joint", "offset", "delay", "unwrap", "source"))
            if self.factor < 0:
                raise ValueError(f"factor of time must be positive, got {self.factor:g}")
        elif self.signal != "position":
            self._refuse(self.signal, ("offset", "unwrap"))
        if self.source is not None and self.joint is None:
            raise ValueError(f"source '{self.source}' needs the joint that it is taken for: joint")
        if self.source is not None and self.source == self.joint:
            raise ValueError(f"source must be another joint than joint, got '{self.source}' twice")
        return self

    def _refuse(self, signal: str, keys: Sequence[str]) -> None:
        """Raise a ValueError if a key is given that the signal does not have."""
        for key in keys:
            if getattr(self, key) != type(self).model_fields[key].default:
                allowed = "only factor" if signal == "time" else "factor, delay and source"
                raise ValueError(f"{key} does not apply to {signal}, which has {allowed}")

    def entry(self) -> dict[str, Any]:
        """Return the keys that differ from their defaults, as in a profile."""
        return self.model_dump(mode="json", exclude_defaults=True)

    @property
    def is_empty(self) -> bool:
        """Whether it changes nothing."""
        return set(self.entry()) <= {"signal", "joint"}

    def concerns(self, joint: str) -> bool:
        """Whether the correction is of this joint's signal."""
        return self.joint is None or self.joint == joint


def correction_yaml(corrections: Sequence[Correction]) -> str:
    """Return the line of a profile, ``recording.corrections: [{signal: velocity, …}]``."""
    entries = [correction.entry() for correction in corrections]
    text = yaml.safe_dump(entries, default_flow_style=True, sort_keys=False, width=_YAML_WIDTH)
    return f"recording.corrections: {text.strip()}"


def corrected(recording: Recording, corrections: Sequence[Correction]) -> Recording:
    """Return a recording with corrected signals; each correction is noted in ``repairs``.

    Other channels are taken first, all at once, so that two of them swap two channels. Then each
    correction unwraps and scales, in their order; then delayed signals are shifted back, where
    samples that not all signals have are cut off; times are scaled last.

    Args:
        recording: as built from samples.
        corrections: of its joints.

    Raises:
        ConfigurationError: a joint is unknown, or takes a signal from two joints.
        RecordingError: a delay leaves no samples.
    """
    check_corrections(corrections, recording.joint_names)
    if not corrections:
        return recording
    changed: dict[str, Any] = {}
    notes = [note for correction in corrections if (note := _note(correction, recording))]
    step = np.array(recording.position_step)
    for signal, values in recording.measured().items():
        chosen = [correction for correction in corrections if correction.signal == signal]
        if not chosen:
            continue
        changed[signal] = _of_signal(values, chosen, recording.joint_names, notes)
        if signal == "position":
            step = _scaled_steps(step, chosen, recording.joint_names)
    scaled = replace(recording, **changed, position_step=step, repairs=(*recording.repairs, *notes))
    return _with_time(_without_delays(scaled, corrections), time_factor(corrections))


def check_corrections(corrections: Sequence[Correction], joints: Sequence[str]) -> None:
    """Raise a ConfigurationError if a correction names an unknown joint, or sources conflict."""
    taken: dict[tuple[str, str | None], str] = {}
    for correction in corrections:
        for key in ("joint", "source"):
            name = getattr(correction, key)
            if name is not None and name not in joints:
                raise ConfigurationError(
                    f"recording.corrections: {key} '{name}' of {correction.signal} is not a joint "
                    f"of the recording; its joints are {', '.join(joints)}."
                )
        if correction.source is None:
            continue
        channel = (correction.signal, correction.joint)
        if taken.setdefault(channel, correction.source) != correction.source:
            raise ConfigurationError(
                f"recording.corrections: the {correction.signal} of joint '{correction.joint}' has "
                f"two sources, {taken[channel]} and {correction.source}; only one is possible."
            )


def time_factor(corrections: Sequence[Correction]) -> float:
    """Return the factor of all times."""
    return float(np.prod([c.factor for c in corrections if c.signal == "time"]))


def unwrap_samples(
    samples: Samples, corrections: Sequence[Correction]
) -> tuple[Samples, tuple[Correction, ...]]:
    """Unwrap positions before they are interpolated, which would smear their jumps.

    Joints are those of the channels, before ``source`` exchanges them; NaN stands for no value.

    Returns:
        The samples, and the corrections that are left.
    """
    names = samples.joint_names
    check_corrections(corrections, names)
    sources = sources_of(c for c in corrections if c.signal == "position")
    chosen = [c for c in corrections if c.unwrap]
    joints = [joint for joint in names if any(c.concerns(joint) for c in chosen)]
    rest = (c.model_copy(update={"unwrap": False}) for c in corrections)
    left = tuple(c for c in rest if not c.is_empty)
    if not joints:
        return samples, left
    position, notes = samples.position.copy(), []
    for channel in dict.fromkeys(sources.get(joint, joint) for joint in joints):
        column = position[:, names.index(channel)]
        known = np.isfinite(column)
        column[known], note = _unwrapped(column[known], channel)
        notes.append(note)
    return replace(samples, position=position, repairs=(*samples.repairs, *notes)), left


def _unwrapped(column: Array, joint: str) -> tuple[Array, str]:
    wrapping = find_wrapping(column)
    if wrapping is None:
        return column, f"The position of {joint} has no jumps to unwrap (recording.corrections)."
    count = len(wrapping.jumps)
    note = (
        f"The position of {joint} was unwrapped: {count} jump{'' if count == 1 else 's'} by "
        f"{wrapping.period:.6g}."
    )
    return unwrapped(column, wrapping), note


def check_live_corrections(corrections: Sequence[Correction], joints: Sequence[str]) -> None:
    """Check corrections of samples that arrive one after the other.

    Raises:
        ConfigurationError: a joint is unknown, or a correction needs other samples too.
    """
    check_corrections(corrections, joints)
    for correction in corrections:
        if correction.unwrap or correction.delay or correction.signal == "time":
            raise ConfigurationError(
                f"{correction_yaml([correction])}: needs a whole recording; live joint states are "
                "corrected by factor, offset and source only, so correct this where they are "
                "published."
            )


def corrected_live(
    values: Array, signal: Signal, corrections: Sequence[Correction], joints: Sequence[str]
) -> Array:
    """Return one signal (N, n) with corrections that :func:`check_live_corrections` accepts."""
    chosen = [correction for correction in corrections if correction.signal == signal]
    return _of_signal(values, chosen, joints, [])


def _of_signal(
    values: Array, corrections: Sequence[Correction], joints: Sequence[str], notes: list[str]
) -> Array:
    """Return the columns (N, n) from other channels, unwrapped, with factors and offsets."""
    columns = [joints.index(sources_of(corrections).get(joint, joint)) for joint in joints]
    result = np.array(values[:, columns])
    for correction in corrections:
        for column, joint in enumerate(joints):
            if not correction.concerns(joint):
                continue
            if correction.unwrap:
                result[:, column], note = _unwrapped(result[:, column], joint)
                notes.append(note)
            result[:, column] *= correction.factor
            result[:, column] += correction.offset
    return result


def sources_of(corrections: Iterable[Correction]) -> dict[str, str]:
    """Return the joint whose channel each joint takes, where it is another one, of one signal."""
    return {c.joint: c.source for c in corrections if c.joint and c.source}


def _scaled_steps(steps: Array, corrections: Sequence[Correction], joints: Sequence[str]) -> Array:
    """Return the steps (n,) between positions of the channels, with the factors."""
    sources = sources_of(corrections)
    scaled = np.array([steps[joints.index(sources.get(joint, joint))] for joint in joints])
    for correction in corrections:
        concerned = np.array([correction.concerns(joint) for joint in joints])
        scaled[concerned] *= abs(correction.factor)
    return scaled


def _without_delays(recording: Recording, corrections: Sequence[Correction]) -> Recording:
    """Return the recording with signals shifted back, in the time that all of them cover."""
    chosen = {signal: [c for c in corrections if c.signal == signal] for signal in SIGNALS}
    delays = {
        signal: np.array(
            [sum(c.delay for c in some if c.concerns(j)) for j in recording.joint_names]
        )
        for signal, some in chosen.items()
    }
    everywhere = np.concatenate(list(delays.values()))
    if not everywhere.any():
        return recording
    rate, count = recording.sampling_rate, len(recording.time)
    ticks: dict[str, Array] = {signal: delay * rate for signal, delay in delays.items()}
    first = max(0, int(np.ceil(-everywhere.min() * rate - _ON_A_SAMPLE)))
    past = min(count, int(np.floor(count - 1 - everywhere.max() * rate + _ON_A_SAMPLE)) + 1)
    if past - first < FEWEST_SAMPLES:
        raise RecordingError(
            f"recording.corrections: delays up to {np.abs(everywhere).max():g} s leave "
            f"{max(0, past - first)} samples of a recording of {recording.duration:.4g} s; at "
            f"least {FEWEST_SAMPLES} are needed."
        )
    at = np.arange(first, past, dtype=np.float64)
    shifted: dict[str, Any] = {
        signal: _shifted(values, at, ticks[signal], smooth=signal == "position")
        for signal, values in recording.measured().items()
    }
    used = np.unique(np.concatenate([*ticks.values(), [0.0]]))
    begin, end = first / rate, (past - 1) / rate
    return replace(
        recording,
        **shifted,
        time=np.arange(past - first) / rate,
        missing=_spread(recording.missing, used, first, past),
        gaps=tuple(runs(_spread(in_runs(recording.gaps, count), used, first, past))),
        link_position=None
        if recording.link_position is None
        else recording.link_position[first:past],
        temperature=recording.temperature and recording.temperature.cut(begin, end),
    )


def _shifted(values: Array, at: Array, delays: Array, *, smooth: bool) -> Array:
    """Return each column of values (N, n) at the samples ``at`` (M,), and its delay later."""
    samples = np.arange(len(values), dtype=np.float64)
    result = np.empty((len(at), values.shape[1]))
    for column, delay in enumerate(delays):
        whole = round(float(delay))
        if abs(delay - whole) <= _ON_A_SAMPLE:
            result[:, column] = values[at.astype(np.intp) + whole, column]
        else:
            interpolate = spline if smooth else linear
            of_joint = values[:, column : column + 1]
            result[:, column] = interpolate(samples, of_joint, at + delay)[:, 0]
    return result


def _spread(flags: Any, delays: Array, first: int, past: int) -> Any:
    """Return which samples have a flagged value of a signal with one of the delays [samples]."""
    if flags is None:
        return None
    at = np.arange(first, past)
    spread = np.zeros(past - first, dtype=bool)
    for delay in delays:
        for neighbour in {int(np.floor(delay + _ON_A_SAMPLE)), int(np.ceil(delay - _ON_A_SAMPLE))}:
            spread |= flags[np.clip(at + neighbour, 0, len(flags) - 1)]
    return spread


def _with_time(recording: Recording, factor: float) -> Recording:
    if factor == 1.0:
        return recording
    heat, rate = recording.temperature, recording.sampling_rate / factor
    return replace(
        recording,
        time=np.arange(len(recording.time)) / rate,
        sampling_rate=rate,
        temperature=heat and Temperature(heat.time * factor, heat.celsius),
    )


def _note(correction: Correction, recording: Recording) -> str:
    """Return what is corrected, without unwrapping, which is noted with the number of jumps."""
    of = "all joints" if correction.joint is None else correction.joint
    if correction.signal == "velocity" and recording.velocity is None:
        return f"The velocity of {of} cannot be corrected, as the recording has none."
    changes = []
    if correction.source is not None:
        changes.append(f"taken from the channel of {correction.source}")
    if correction.factor != 1:
        changes.append(f"multiplied by {correction.factor:.6g}")
    if correction.offset != 0:
        changes.append(f"shifted by {correction.offset:.6g}")
    if correction.delay != 0:
        changes.append(f"moved {1e3 * correction.delay:.4g} ms back in time")
    if not changes:
        return ""
    subject = (
        "Times were" if correction.signal == "time" else f"The {correction.signal} of {of} was"
    )
    return f"{subject} {listed(changes)} (recording.corrections)."
