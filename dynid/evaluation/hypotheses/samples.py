"""Samples of a case on which hypotheses are tried."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.dynamics.joint_terms import JointTerm
from dynid.recording.velocity_agreement import side_of_teeth
from dynid.signals.filters import low_pass
from dynid.signals.signals import Signals

FOLDS = 8
"""Contiguous blocks of time, each of which is left out once."""
_INSTANTS = 2_400  # of all recordings: enough for a few hundred parameters of twelve joints
_CUTOFF_SHARE = 0.05  # of the sampling rate, if the motion is not filtered
_SPREAD = 2.0  # periods of the cut-off frequency over which a jump is spread
_STOPS = (0.05, 0.15, 0.45)  # widths of stop operators, of the torque (rms)
_PRESLIDING = (0.003, 0.01, 0.03, 0.1)  # the same of positions, of their standard deviation
_SLOW_SHARE = 0.1  # of the peak speed: near a reversal the shape of friction decides the torque


@dataclass(frozen=True, eq=False)
class SampledTrack:
    """One recording at its full rate, torque filtered like the motion; all (N, n).

    Attributes:
        time: (N,) [s].
        position, velocity, acceleration: filtered.
        torque: [N m or N].
        unusable: (N, n) True where torque is no measurement, as at a plateau.
        torque_size: (n,) root of its mean square in all recordings.
        side: (N, n, 3) side on which a gear's teeth touch, -1 to 1 by the sign of torque, filtered
            like positions, and its two derivatives.
        rate: [Hz].
        settled: (N, n) True where the joint is not near a reversal, nor its torque unusable.
    """

    time: Array
    position: Array
    velocity: Array
    acceleration: Array
    torque: Array
    side: Array
    rate: float
    settled: NDArray[np.bool_]
    unusable: NDArray[np.bool_]
    torque_size: Array

    @cached_property
    def slope(self) -> Array:
        """Derivative of torque [N m/s or N/s]."""
        return np.asarray(np.gradient(self.torque, 1 / self.rate, axis=0))

    @cached_property
    def curvature(self) -> Array:
        """Second derivative of torque [N m/s^2 or N/s^2]."""
        return np.asarray(np.gradient(self.slope, 1 / self.rate, axis=0))

    @cached_property
    def stops(self) -> Array:
        """Stop operators (N, n, c) of torque, each of another width [N m or N].

        A sum of them is the inverse of a hysteresis that is one of plays.
        """
        return _stops(self.torque, self.slope, np.multiply.outer(_STOPS, self.torque_size))

    @cached_property
    def presliding(self) -> Array:
        """Stop operators (N, n, c) of position, as of friction whose contacts bend first."""
        sizes = np.multiply.outer(_PRESLIDING, self.position.std(axis=0))
        return _stops(self.position, self.velocity, sizes)


def _stops(values: Array, rates: Array, widths: Array) -> Array:
    """Return stop operators (N, n, c) of values (N, n) with their rates and widths (c, n)."""
    every = np.zeros((*values.shape, len(widths)))
    for (number, joint), width in np.ndenumerate(widths):
        term = JointTerm("presliding", 0, scale=max(width, 1e-300))
        column = term.column(position=values[:, joint], velocity=rates[:, joint])
        every[:, joint, number] = width * column
    return every


@dataclass(frozen=True, eq=False)
class TrialSamples:
    """Instants of all recordings, m in total.

    Attributes:
        tracks: the recordings.
        at: instants of each track, as indices.
        of_track: number of each track's recording; pieces between gaps have the same.
        kept: (m, n) True where a joint's torque is compared.
        fold: (m,) number of the block of time.
        recording: (m,) number of the recording.
        torque_per_effort: (n,) torque of each joint per unit of recorded effort.
    """

    tracks: tuple[SampledTrack, ...]
    at: tuple[NDArray[np.intp], ...]
    of_track: tuple[int, ...]
    kept: NDArray[np.bool_]
    fold: NDArray[np.intp]
    recording: NDArray[np.intp]
    torque_per_effort: Array

    def rows(self, values: str, *, shift: Array | None = None) -> Array:
        """Return values of all tracks at the instants, (m, n), or (m, n, c) where they have more.

        Args:
            values: name of an attribute of ``SampledTrack``.
            shift: (R, n) [s] by which values are taken later, interpolated; None: 0.
        """
        parts = []
        for number, track, at in zip(self.of_track, self.tracks, self.at, strict=True):
            column = getattr(track, values)
            if shift is None:
                parts.append(column[at])
                continue
            moved = at[:, None] + shift[number] * track.rate
            index = np.clip(np.floor(moved).astype(np.intp), 0, len(column) - 2)
            part = np.clip(moved - index, 0.0, 1.0).reshape(*moved.shape, *[1] * (column.ndim - 2))
            joints = np.arange(column.shape[1])
            parts.append((1 - part) * column[index, joints] + part * column[index + 1, joints])
        return np.concatenate(parts)

    @property
    def recordings(self) -> int:
        """Number of recordings."""
        return self.of_track[-1] + 1

    def thinned(self, step: int) -> TrialSamples:
        """Return every ``step``-th instant of each track."""
        sizes = [len(at) for at in self.at]
        firsts = np.cumsum([0, *sizes[:-1]])
        chosen = np.concatenate(
            [first + np.arange(0, size, step) for first, size in zip(firsts, sizes, strict=True)]
        )
        return replace(
            self,
            at=tuple(at[::step] for at in self.at),
            kept=self.kept[chosen],
            fold=self.fold[chosen],
            recording=self.recording[chosen],
        )

    def divided(self, recording: int, time: float) -> TrialSamples:
        """Return the samples with a recording in two from a time [s] on; later ones count on."""
        tracks, at, of_track = [], [], []
        for number, track, instants in zip(self.of_track, self.tracks, self.at, strict=True):
            later = track.time[instants] >= time
            parts = [instants] if number != recording else [instants[~later], instants[later]]
            for part, chosen in enumerate(parts):
                if len(chosen):
                    tracks.append(track)
                    at.append(chosen)
                    of_track.append(number + (number > recording) + part)
        numbers = np.repeat(of_track, [len(part) for part in at])
        return replace(
            self, tracks=tuple(tracks), at=tuple(at), of_track=tuple(of_track), recording=numbers
        )

    def outside(self, spans: Sequence[tuple[int, float, float]]) -> NDArray[np.bool_]:
        """Return the instants (m,) in no span (recording, start [s], stop [s])."""
        time, outside = self.time, np.ones(len(self.recording), dtype=bool)
        for recording, start, stop in spans:
            outside &= (self.recording != recording) | (time < start) | (time > stop)
        return outside

    @property
    def time(self) -> Array:
        """Time [s] of the instants, in each one's recording, (m,)."""
        return np.concatenate(
            [track.time[at] for track, at in zip(self.tracks, self.at, strict=True)]
        )


def sampled(
    signals: Sequence[Signals],
    cutoff_hz: float | None,
    order: int,
    *,
    reach: float = 0.0,
    breaks: Sequence[Sequence[float]] = (),
    unusable: Sequence[NDArray[np.bool_]] = (),
) -> TrialSamples:
    """Choose instants of recordings.

    Args:
        signals: of the recordings, or of their pieces.
        cutoff_hz: of the low-pass on positions [Hz]; None: there is none.
        order: of that low-pass.
        reach: duration left out at both ends of each recording, for shifts [s].
        breaks: times of each recording at which its motion jumps [s]; () for none.
        unusable: (N, n) for each recording, where torque is no measurement; () for nowhere.
    """
    breaks = breaks or [()] * len(signals)
    unusable = unusable or [np.zeros(one.raw_torque.shape, dtype=bool) for one in signals]
    size = np.sqrt(np.mean(np.concatenate([one.raw_torque for one in signals]) ** 2, axis=0))
    tracks = tuple(
        _track(recording, cutoff_hz, order, times, excluded, size)
        for recording, times, excluded in zip(signals, breaks, unusable, strict=True)
    )
    step = max(1, sum(len(track.time) for track in tracks) // _INSTANTS)
    at = []
    for track in tracks:
        edge = min(round(reach * track.rate), len(track.time) // 6)
        at.append(np.arange(edge, len(track.time) - edge, step))
    kept = np.concatenate([t.settled[a] for t, a in zip(tracks, at, strict=True)])
    fold = np.concatenate([np.arange(len(a)) * FOLDS // max(len(a), 1) for a in at])
    of_track = np.cumsum([not recording.piece for recording in signals]) - 1
    recording = np.repeat(of_track, [len(a) for a in at])
    return TrialSamples(
        tracks=tracks,
        at=tuple(at),
        of_track=tuple(of_track.tolist()),
        kept=kept,
        fold=fold,
        recording=recording,
        torque_per_effort=signals[0].torque_per_effort,
    )


def _track(
    signals: Signals,
    cutoff_hz: float | None,
    order: int,
    breaks: Sequence[float],
    unusable: NDArray[np.bool_],
    size: Array,
) -> SampledTrack:
    rate = signals.sampling_rate
    cutoff = min(cutoff_hz or _CUTOFF_SHARE * rate, 0.45 * rate)
    torque = low_pass(signals.raw_torque, cutoff, order, rate)
    return SampledTrack(
        signals.time,
        signals.position,
        signals.velocity,
        signals.acceleration,
        torque,
        _side(torque, cutoff, order, rate),
        rate,
        _away_from(_slow(signals) | unusable, rate, cutoff)
        & _measured(signals, cutoff, breaks)[:, None],
        unusable,
        size,
    )


def _side(torque: Array, cutoff: float, order: int, rate: float) -> Array:
    """Return the side of the teeth (N, n, 3) with its derivatives, from torque (N, n)."""
    side = low_pass(side_of_teeth(torque), cutoff, order, rate)
    speed = np.gradient(side, 1 / rate, axis=0)
    return np.stack([side, speed, np.gradient(speed, 1 / rate, axis=0)], axis=2)


def _measured(signals: Signals, cutoff: float, breaks: Sequence[float]) -> NDArray[np.bool_]:
    """Return where samples are measured, and motion does not jump, (N,)."""
    measured = np.ones(len(signals.time), dtype=bool)
    if signals.missing is not None:
        measured &= ~signals.missing
    for time in breaks:  # a filter spreads a jump over a few periods of its cut-off frequency
        measured &= np.abs(signals.time - time) > _SPREAD / cutoff
    return measured


def _slow(signals: Signals) -> NDArray[np.bool_]:
    """Return where each joint is near a reversal, (N, n)."""
    speed = np.abs(signals.velocity)
    return np.asarray(speed < _SLOW_SHARE * speed.max(axis=0))


def _away_from(excluded: NDArray[np.bool_], rate: float, cutoff: float) -> NDArray[np.bool_]:
    """Return what no filter mixes with excluded samples, (N, n)."""
    # filters spread them over a period of their cut-off frequency
    reach = round(0.5 * rate / cutoff)
    near = np.cumsum(np.pad(excluded, ((reach + 1, reach), (0, 0)), mode="edge"), axis=0)
    return np.asarray(near[2 * reach + 1 :] - near[: -2 * reach - 1] == 0)
