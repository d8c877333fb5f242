"""Whether the torque error of a joint goes with its temperature.

Each recording is divided into blocks of time. In a block the error e = measured minus model torque
is fitted by e = b f + c: f is the model's friction, so b is the relative change of friction, and c
the mean error. Both are regressed on the mean temperature of the blocks, with a constant for each
recording, as friction differs between days for other reasons as well.

Blocks that follow each other resemble each other, and a temperature that rises all the time goes
with everything that changes slowly, which the regression allows for. An effect counts as found if a
chance of ``CHANCE`` for all joints together does not explain it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import t as student

from dynid.arrays import Array
from dynid.dynamics.mechanism import Mechanism
from dynid.dynamics.torque_parts import torque_of_kinds
from dynid.evaluation.autocorrelated_regression import last_coefficient
from dynid.signals.filters import ParallelFilter
from dynid.signals.settings import SignalSettings
from dynid.signals.signals import Signals

CHANCE = 0.01
"""Chance of a false effect, of all joints and quantities together."""
SMALLEST_CHANGE = 1.0
"""[°C] Smallest change of temperature within a recording that an effect is estimated from."""

_BLOCKS = 40  # of a recording, at most
_SHORTEST = 2.0  # [s] of a block: several reversals of most motions
_FEWEST = 10  # blocks of a recording
_ROWS = 20_000  # of a recording that are used
_VARIED = 1e-3  # variance of friction in a block over that of all: below, it shows no change


class Effect(NamedTuple):
    """How a quantity of a joint goes with temperature.

    Attributes:
        slope: change for each °C: of friction relative to it, of the mean error [N m or N].
        half_width: of the 95 % interval of ``slope``.
        found: whether it is more than chance.
        beyond_time: whether it is still seen if a steady change in time is allowed for.
    """

    slope: float
    half_width: float
    found: bool
    beyond_time: bool


@dataclass(frozen=True, eq=False)
class JointTemperature:
    """Temperature of a joint, and what goes with it.

    Attributes:
        joint: name.
        low, high: range over all recordings [°C]; NaN where not measured.
        friction: effect on friction; None where there is none, or it cannot be estimated.
        offset: effect on the mean torque error; None where it cannot be estimated.
        problem: why nothing can be estimated; empty otherwise.
        temperature: (K,) of the blocks that show friction, minus the mean of their recording [°C].
        change: (K,) of friction in these blocks minus the mean of their recording, relative.
    """

    joint: str
    low: float
    high: float
    friction: Effect | None = None
    offset: Effect | None = None
    problem: str = ""
    temperature: Array = field(default_factory=lambda: np.empty(0))
    change: Array = field(default_factory=lambda: np.empty(0))


@dataclass(frozen=True, eq=False)
class _Blocks:
    """Blocks of one joint, (K,) each; ``recording`` and ``number`` order them in time."""

    recording: NDArray[np.intp]
    number: NDArray[np.intp]
    time: Array
    temperature: Array
    moving_temperature: Array  # weighted as the friction
    friction: Array
    friction_weight: Array
    offset: Array
    offset_weight: Array


def temperature_effects(
    signals: Sequence[Signals],
    errors: Sequence[Array],
    mechanism: Mechanism,
    settings: SignalSettings,
) -> tuple[JointTemperature, ...]:
    """Estimate how friction and torque error of each joint go with its temperature.

    Args:
        signals: of each recording.
        errors: measured minus model torque of each recording (N, n) [N m or N].
        mechanism: the model.
        settings: with the filter of the torques.

    Returns:
        One for each joint; empty where no recording has temperatures.
    """
    warm = [number for number, one in enumerate(signals) if one.temperature is not None]
    if not warm:
        return ()
    kinds = {term.kind for term in mechanism.terms if term.traits.dissipative}
    parts = [_Part.of(signals[i], errors[i], mechanism, kinds, settings) for i in warm]
    names = signals[0].joint_names
    blocks = [_blocks(parts, joint) for joint in range(len(names))]
    tests = 2 * len(names)
    return tuple(
        _joint(name, [part.celsius[:, joint] for part in parts], blocks[joint], tests)
        for joint, name in enumerate(names)
    )


@dataclass(frozen=True, eq=False)
class _Part:
    """The rows of one recording that are used."""

    time: Array  # (m,)
    celsius: Array  # (m, n)
    error: Array
    friction: Array
    velocity: Array
    acceleration: Array

    @classmethod
    def of(
        cls,
        signals: Signals,
        error: Array,
        mechanism: Mechanism,
        kinds: set[str],
        settings: SignalSettings,
    ) -> _Part:
        motion = signals.position, signals.velocity, signals.acceleration
        smoother = ParallelFilter.from_settings(settings.parallel_filter, signals.sampling_rate)
        friction = smoother.smooth(torque_of_kinds(mechanism, *motion, kinds))
        rows = slice(None, None, max(1, -(-len(signals.time) // _ROWS)))
        heat = signals.temperature
        assert heat is not None  # noqa: S101  see temperature_effects()
        time = signals.time[rows]
        return cls(
            time,
            heat.at(time),
            error[rows],
            friction[rows],
            smoother.smooth(signals.velocity)[rows],
            smoother.smooth(signals.acceleration)[rows],
        )


def _joint(
    name: str, celsius: Sequence[Array], blocks: _Blocks | None, tests: int
) -> JointTemperature:
    known = [one[np.isfinite(one)] for one in celsius]
    if not any(map(len, known)):
        return JointTemperature(name, np.nan, np.nan, problem="not measured")
    low, high = (float(f(np.concatenate(known))) for f in (np.min, np.max))
    change = max(float(np.ptp(one)) for one in known if len(one))
    if change < SMALLEST_CHANGE:
        text = f"changed by less than {SMALLEST_CHANGE:g} °C within a recording"
        return JointTemperature(name, low, high, problem=text)
    if blocks is None:
        text = f"recordings are shorter than {_SHORTEST * _FEWEST:g} s"
        return JointTemperature(name, low, high, problem=text)
    seen = blocks.friction_weight > 0
    inside = blocks.recording[seen]
    return JointTemperature(
        name,
        low,
        high,
        _effect(blocks, blocks.moving_temperature, blocks.friction, blocks.friction_weight, tests),
        _effect(blocks, blocks.temperature, blocks.offset, blocks.offset_weight, tests),
        "",
        _centred(blocks.moving_temperature[seen], inside),
        _centred(blocks.friction[seen], inside),
    )


def _blocks(parts: Sequence[_Part], joint: int) -> _Blocks | None:
    """Return the blocks of a joint; None if no recording is long enough."""
    long = [
        part
        for part in parts
        if part.time[-1] - part.time[0] >= _SHORTEST * _FEWEST
        and np.isfinite(part.celsius[:, joint]).all()
    ]
    if not long:
        return None
    rest = _without_own(long, joint)
    variance = float(np.concatenate([part.friction[:, joint] for part in long]).var())
    rows: list[tuple[float, ...]] = []
    first = 0
    for number, part in enumerate(long):
        error = rest[first : first + len(part.time)]
        first += len(part.time)
        duration = part.time[-1] - part.time[0]
        count = int(min(_BLOCKS, duration // _SHORTEST))
        edges = np.searchsorted(part.time, part.time[0] + np.linspace(0, duration, count + 1)[1:-1])
        for block, span in enumerate(np.split(np.arange(len(part.time)), edges)):
            time, heat = part.time[span].mean(), part.celsius[span, joint].mean()
            friction = part.friction[span, joint]
            weight = (friction - friction.mean()) ** 2
            total = float(weight.sum())
            moving = weight @ part.celsius[span, joint] / total if total > 0 else heat
            found = _in_block(error[span], friction, variance)
            rows.append((number, block, time, heat, moving, *found))
    columns = np.array(rows).T
    return _Blocks(columns[0].astype(np.intp), columns[1].astype(np.intp), *columns[2:])


def _without_own(parts: Sequence[_Part], joint: int) -> Array:
    """Return errors (m,) without what a wrong shape of the joint's friction explains.

    Effects of temperature are fitted with it, so that it takes no part of them.
    """
    heat = np.concatenate([p.celsius[:, joint] - p.celsius[:, joint].mean() for p in parts])
    error, friction, velocity, acceleration = (
        np.concatenate([getattr(part, name)[:, joint] for part in parts])
        for name in ("error", "friction", "velocity", "acceleration")
    )
    own = np.column_stack(
        [
            np.ones_like(error),
            friction,
            velocity,
            np.sign(velocity),
            velocity * np.abs(velocity),
            acceleration,
        ]
    )
    count = own.shape[1]
    own = np.column_stack([own, heat * friction, heat])
    sizes = np.linalg.norm(own, axis=0)
    own = own / np.where(sizes > 0, sizes, 1.0)
    found = np.linalg.lstsq(own, error, rcond=1e-9)[0]
    return np.asarray(error - own[:, :count] @ found[:count])


def _in_block(error: Array, friction: Array, variance: float) -> tuple[float, float, float, float]:
    """Return the change of friction and the mean error in a block, each with its weight."""
    mean, size = float(friction.mean()), len(error)
    spread = float(np.sum((friction - mean) ** 2))
    if spread <= _VARIED * size * variance or spread == 0.0:  # at rest, or in one direction only
        return 0.0, 0.0, float(error.mean()), float(size)
    change = float(error @ (friction - mean)) / spread
    return change, spread, float(error.mean()) - change * mean, 1 / (1 / size + mean**2 / spread)


def _effect(
    blocks: _Blocks, temperature: Array, values: Array, weights: Array, tests: int
) -> Effect | None:
    used = weights > 0
    recordings = [r for r in np.unique(blocks.recording[used]) if _enough(blocks, used, r)]
    used &= np.isin(blocks.recording, recordings)
    if not used.any() or np.ptp(_centred(temperature[used], blocks.recording[used])) == 0:
        return None
    order = blocks.recording[used], blocks.number[used]
    constant = (blocks.recording[used][:, None] == np.array(recordings)).astype(float)
    heat, time = temperature[used], blocks.time[used]
    given = values[used], np.sqrt(weights[used])
    slope, deviation, freedom = last_coefficient(np.column_stack([constant, heat]), *given, order)
    if not deviation > 0 or freedom < 1:
        return None
    found = abs(slope) > float(student.ppf(1 - CHANCE / tests / 2, freedom)) * deviation
    steady = np.column_stack([constant, constant * (time - time.mean())[:, None], heat])
    other, spread, left = last_coefficient(steady, *given, order)
    beyond = (
        left >= 1
        and other * slope > 0
        and abs(other) > float(student.ppf(0.975, left)) * spread  # one more test, of one effect
    )
    half = float(student.ppf(0.975, freedom)) * deviation
    return Effect(slope, half, bool(found), bool(found and beyond))


def _enough(blocks: _Blocks, used: NDArray[np.bool_], recording: int) -> bool:
    return int(np.sum(used & (blocks.recording == recording))) >= _FEWEST


def _centred(values: Array, recording: NDArray[np.intp]) -> Array:
    """Return values (K,) minus the mean of their recording."""
    sums = np.bincount(recording, values, minlength=1)
    counts = np.maximum(np.bincount(recording, minlength=1), 1)
    return np.asarray(values - (sums / counts)[recording])
