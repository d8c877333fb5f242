"""What structure is left in the torque that a model does not predict, robot by robot.

A correction is fitted, joint by joint, to the residuals of what the model was fitted to, and its
effect on what was held out is printed: the share of the squared error that it removes there, all
joints together [%]. What is negative fits the fitted part alone.

- delay: torque that acts later than recorded (+) or earlier, by the median of joints below [ms]
- gain: a multiple of the predicted torque
- inertia: a multiple of the joint's acceleration
- friction: any function of the joint's velocity (20 values)
- load: friction that grows with the predicted torque
- position: any function of the joint's position (20 values)
- by direction: one such function for each direction

`above` is the share of the squared error held out above half the frequency of the low-pass through
which all is evaluated. Last are the shares of each joint [%].

Run: python benchmarks/residual_structure.py [--data FOLDER] [--robots NAME …] [--tool plain]
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from real_recordings import present, recordings_parser
from scipy.signal import welch
from threadpoolctl import threadpool_limits

from dynid.arrays import Array
from dynid.signals.signals import Signals
from dynid_plugins.bench.contenders.interface import FittedModel
from dynid_plugins.bench.evaluation import compared_torques, prepare
from dynid_plugins.bench.selection import contender

_VALUES = 20  # of a function of position or velocity


class Residual(NamedTuple):
    """Motion, prediction and residual of one joint (N,), and the rate of its predicted torque."""

    position: Array
    velocity: Array
    acceleration: Array
    predicted: Array
    rate: Array
    error: Array


Columns = Callable[[Residual, Residual], Array]
"""From a joint's residual, and that of the fit, which has its range, to columns (N, k)."""


def main() -> None:
    """Print the structure of every robot's residual."""
    parser = recordings_parser(__doc__)
    parser.add_argument("--tool", default="dynid")
    options = parser.parse_args()
    names = "".join(f"{name:>13s}" for name in CORRECTIONS)
    print(f"{'':<15s}{'error':>6s}{names}{'above':>7s}")
    for name, recording in present(options.data, options.robots):
        with threadpool_limits(1):
            task, unseen = prepare(recording, options.data)
            model = contender(options.tool).fit(task)
            fitted = residuals(model, task.signals, recording.cutoff_hz)
            held_out = residuals(model, unseen, recording.cutoff_hz)
        measured = np.concatenate([one.predicted + one.error for one in held_out])
        squares = np.array([one.error @ one.error for one in held_out])
        error = np.sqrt(squares.sum() / (measured @ measured))
        cells = "".join(
            f"{100 * removed(fitted, held_out, columns):13.1f}" for columns in CORRECTIONS.values()
        )
        rate = unseen[0].sampling_rate
        above = share_above(held_out, rate, recording.cutoff_hz / 2)
        print(f"{name:<15s}{100 * error:6.2f}{cells}{100 * above:7.1f}")
        delays = [1e3 * coefficients(delay, one, one)[0] for one in fitted]
        shares = " ".join(f"{100 * share:.0f}" for share in squares / squares.sum())
        print(f"  delay {np.median(delays):.2f} ms; joints {shares}", flush=True)


def residuals(model: FittedModel, signals: Sequence[Signals], cutoff_hz: float) -> list[Residual]:
    """Return the residual of every joint, parts of a recording one after the other."""
    parts = []
    for one in signals:
        measured, predicted = compared_torques(model, [one], cutoff_hz)
        rate = np.gradient(predicted, 1 / one.sampling_rate, axis=0)
        motion = one.position, one.velocity, one.acceleration
        parts.append((*motion, predicted, rate, measured - predicted))
    together = [np.concatenate(values) for values in zip(*parts, strict=True)]
    return [Residual(*joint) for joint in np.moveaxis(np.array(together), 2, 0)]


def coefficients(columns: Columns, joint: Residual, fitted: Residual) -> Array:
    """Return the coefficients of a correction."""
    return np.asarray(np.linalg.lstsq(columns(joint, fitted), joint.error, rcond=None)[0])


def removed(fitted: Sequence[Residual], held_out: Sequence[Residual], columns: Columns) -> float:
    """Return the share of the squared error held out that a correction removes."""
    before = after = 0.0
    for joint, unseen in zip(fitted, held_out, strict=True):
        correction = columns(unseen, joint) @ coefficients(columns, joint, joint)
        before += float(unseen.error @ unseen.error)
        after += float(np.sum((unseen.error - correction) ** 2))
    return 1 - after / before


def share_above(joints: Sequence[Residual], rate: float, frequency: float) -> float:
    """Return the share of squared error above a frequency [Hz]."""
    powers = [welch(one.error, rate, nperseg=min(len(one.error), 4096)) for one in joints]
    return float(
        sum(power[f > frequency].sum() for f, power in powers) / sum(p.sum() for _, p in powers)
    )


def delay(joint: Residual, fitted: Residual) -> Array:
    """Return the rate of the predicted torque: a shift in time changes torque by a multiple."""
    del fitted
    return joint.rate[:, None]


def _function(values: Array, range_of: Array) -> Array:
    """Return columns whose combinations are all step functions of a value."""
    edges = np.linspace(range_of.min(), range_of.max(), _VALUES + 1)[1:-1]
    return np.equal.outer(np.digitize(values, edges), np.arange(_VALUES)).astype(float)


def _by_direction(joint: Residual, fitted: Residual) -> Array:
    columns = _function(joint.position, fitted.position)
    return np.hstack([columns * (sign * joint.velocity > 0)[:, None] for sign in (1, -1)])


CORRECTIONS: dict[str, Columns] = {
    "delay": delay,
    "gain": lambda joint, _: joint.predicted[:, None],
    "inertia": lambda joint, _: joint.acceleration[:, None],
    "friction": lambda joint, fitted: _function(joint.velocity, fitted.velocity),
    "load": lambda joint, _: (np.sign(joint.velocity) * np.abs(joint.predicted))[:, None],
    "position": lambda joint, fitted: _function(joint.position, fitted.position),
    "by direction": _by_direction,
}


if __name__ == "__main__":
    main()
