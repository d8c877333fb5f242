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
import scipy
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.dynamics.mechanism import Mechanism
from dynid.evaluation.autocorrelated_regression import last_coefficient
from dynid.evaluation.error_blocks import FEWEST, SHORTEST, Blocks, Part, divide
from dynid.signals.settings import SignalSettings
from dynid.signals.signals import Signals

CHANCE = 0.01
"""Chance of a false effect, of all joints and quantities together."""
SMALLEST_CHANGE = 1.0
"""[°C] Smallest change of temperature within a recording that an effect is estimated from."""


class Effect(NamedTuple):
    """How a quantity of a joint goes with temperature.

    Attributes:
        slope: change for each °C: of friction relative to it, of the mean error [N m or N].
        half_width: of the 95 % interval of ``slope``.
        significant: whether it is more than chance.
        beyond_time: whether it is still seen if a steady change in time is allowed for.
    """

    slope: float
    half_width: float
    significant: bool
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
    warm = [number for number, recording in enumerate(signals) if recording.temperature is not None]
    if not warm:
        return ()
    kinds = {term.kind for term in mechanism.terms if term.traits.dissipative}
    parts = [Part.of(signals[i], errors[i], mechanism, kinds, settings) for i in warm]
    names = signals[0].joint_names
    blocks = [divide(parts, joint) for joint in range(len(names))]
    tests = 2 * len(names)
    return tuple(
        _joint(name, [part.celsius[:, joint] for part in parts], blocks[joint], tests)
        for joint, name in enumerate(names)
    )


def _joint(
    name: str, celsius: Sequence[Array], blocks: Blocks | None, tests: int
) -> JointTemperature:
    known = [temperatures[np.isfinite(temperatures)] for temperatures in celsius]
    if not any(map(len, known)):
        return JointTemperature(name, np.nan, np.nan, problem="not measured")
    low, high = (float(f(np.concatenate(known))) for f in (np.min, np.max))
    change = max(float(np.ptp(temperatures)) for temperatures in known if len(temperatures))
    if change < SMALLEST_CHANGE:
        text = f"changed by less than {SMALLEST_CHANGE:g} °C within a recording"
        return JointTemperature(name, low, high, problem=text)
    if blocks is None:
        text = f"recordings are shorter than {SHORTEST * FEWEST:g} s"
        return JointTemperature(name, low, high, problem=text)
    seen = blocks.friction_weight > 0
    inside = blocks.recording[seen]
    return JointTemperature(
        name,
        low,
        high,
        _effect(
            blocks,
            (blocks.moving_time, blocks.moving_temperature),
            (blocks.friction, blocks.friction_weight),
            tests,
        ),
        _effect(
            blocks, (blocks.time, blocks.temperature), (blocks.offset, blocks.offset_weight), tests
        ),
        "",
        _centred(blocks.moving_temperature[seen], inside),
        _centred(blocks.friction[seen], inside),
    )


def _effect(
    blocks: Blocks, along: tuple[Array, Array], weighted: tuple[Array, Array], tests: int
) -> Effect | None:
    """Estimate how values with weights go with time and temperature."""
    (time, temperature), (values, weights) = along, weighted
    used = weights > 0
    recordings = [r for r in np.unique(blocks.recording[used]) if _enough(blocks, used, r)]
    used &= np.isin(blocks.recording, recordings)
    if not used.any() or np.ptp(_centred(temperature[used], blocks.recording[used])) == 0:
        return None
    order = blocks.recording[used], blocks.number[used]
    constant = (blocks.recording[used][:, None] == np.array(recordings)).astype(float)
    heat, time = temperature[used], time[used]
    given = values[used], np.sqrt(weights[used])
    slope, deviation, freedom = last_coefficient(np.column_stack([constant, heat]), *given, order)
    if not deviation > 0 or freedom < 1:
        return None
    significant = (
        abs(slope) > float(scipy.special.stdtrit(freedom, 1 - CHANCE / tests / 2)) * deviation
    )
    steady = np.column_stack([constant, constant * (time - time.mean())[:, None], heat])
    other, spread, left = last_coefficient(steady, *given, order)
    beyond = (
        left >= 1
        and other * slope > 0
        # one more test, of one effect
        and abs(other) > float(scipy.special.stdtrit(left, 0.975)) * spread
    )
    half = float(scipy.special.stdtrit(freedom, 0.975)) * deviation
    return Effect(slope, half, bool(significant), bool(significant and beyond))


def _enough(blocks: Blocks, used: NDArray[np.bool_], recording: int) -> bool:
    return int(np.sum(used & (blocks.recording == recording))) >= FEWEST


def _centred(values: Array, recording: NDArray[np.intp]) -> Array:
    """Return values (K,) minus the mean of their recording."""
    sums = np.bincount(recording, values, minlength=1)
    counts = np.maximum(np.bincount(recording, minlength=1), 1)
    return np.asarray(values - (sums / counts)[recording])
