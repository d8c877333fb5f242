"""Errors on recordings of real robots: default profile, shipped profile, plain script.

Up to four models of each robot are fitted to the same parts of the recordings, and evaluated on
these (fit) and on others (held out):

- default: URDF, and drives, coupling, closed chains and columns of the shipped profile where there
  is one, and nothing else;
- shipped: the profile as it comes with dynid, where it was made for these recordings;
- free: the model above without physical consistency; *blocks* are those of the fitted parts, left
  out once, with consistency and without;
- plain: the plain script of ``dynid bench``.

All are evaluated on the same signals through the same filter: position and torque resampled and
low-passed by the robot's cut-off below (zero-phase Butterworth, order 4), velocity and acceleration
differentiated; then model torque and measured torque pass one more such low-pass. Pauses count. An
error is the norm of model minus measured torque over the norm of the measured torque, in percent;
"all" is that of all joints together. *Over plain* is the squared held-out error over that of
*plain*, less 1, with the standard error of its scatter between ten parts of the held-out time:
smaller changes are chance. Signals of settings that would repair or remove samples
differently are those of dynid's defaults for all three.

The recordings are not part of this repository (docs/real-data.md).

Run: python benchmarks/real_robots.py [--data FOLDER] [--robots NAME …]
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from real_recordings import present, recordings_parser
from threadpoolctl import threadpool_limits

from dynid.dynamics.base_parameters import base_parameterization
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import DynidError
from dynid.evaluation.errors import compare
from dynid.evaluation.verdict import TorqueComparison
from dynid.identification.identify import identify
from dynid.identification.result import Identification
from dynid.signals.filters import ParallelFilter
from dynid.signals.settings import SignalSettings
from dynid.signals.signals import Signals
from dynid.signals.torque_delay import with_torque_delay
from dynid_plugins.bench.contenders.interface import FittedModel
from dynid_plugins.bench.contenders.model_based import PLAIN
from dynid_plugins.bench.evaluation import neutral_settings, prepare
from dynid_plugins.bench.registry import PublicRecording

_PARTS = 10  # of the held-out time, between which errors scatter


def main() -> None:
    """Print the table of each robot whose recordings are there."""
    options = recordings_parser(__doc__).parse_args()
    for name, recording in present(options.data, options.robots):
        with threadpool_limits(1, user_api="blas"):
            print_models(name, recording, options.data)


def print_models(name: str, recording: PublicRecording, folder: Path) -> None:
    """Print the errors of the models, on fitted and on held-out parts."""
    task, unseen = prepare(recording, folder)
    cutoff_hz = recording.cutoff_hz
    print(f"{name}: fitted and held out: {recording.split.note}; low-pass {cutoff_hz:g} Hz")
    joints = "".join(f"{f'J{number}':>7s}" for number in range(1, len(task.robot.joints) + 1))
    print(f"{'relative error [%]':<22s}{joints}{'mean':>7s}{'all':>7s}{'moving':>8s}")
    robots = {"default": task.robot} | ({"shipped": task.shipped} if task.shipped else {})
    compared = ("fit", task.signals), ("held out", unseen)
    held_out: dict[str, Sequence[TorqueComparison]] = {}
    for title, robot in robots.items():
        try:
            found = identify(robot, task.recordings)
        except DynidError as error:
            print(f"{title:<22s}  {error}")
            continue
        delay = found.model.robot.settings(SignalSettings).decided_torque_delay
        for label, model in ((title, found.model.mechanism), ("- free", unconstrained(found))):
            for where, signals in compared:
                moved = [with_torque_delay(one, delay) for one in signals]
                held_out[label] = compare(model, moved, neutral_settings(cutoff_hz))
                cells = error_cells(held_out[label])
                print(f"{f'{label}, {where}':<22s}{cells}", flush=True)
        print_price(found)
    try:
        plain = PLAIN.fit(task)
    except DynidError as error:
        print(f"plain: {error}\n")
        return
    comparisons: list[TorqueComparison] = []
    for where, signals in compared:
        comparisons = [comparison(plain, one, cutoff_hz) for one in signals]
        print(f"{f'plain, {where}':<22s}{error_cells(comparisons)}")
    for label, found_errors in held_out.items():
        if label in robots:
            print_over_plain(label, found_errors, comparisons)
    print()


def comparison(model: FittedModel, signals: Signals, cutoff_hz: float) -> TorqueComparison:
    """Return model and measured torque through the filter of every model."""
    parallel = ParallelFilter.of(neutral_settings(cutoff_hz), signals.sampling_rate)
    torque = model.torque(signals)
    return TorqueComparison(
        signals, parallel.smooth(signals.torque), parallel.smooth(torque), torque
    )


def print_over_plain(
    label: str, model: Sequence[TorqueComparison], plain: Sequence[TorqueComparison]
) -> None:
    """Print squared errors over those of the plain model, less 1, and their scatter."""
    squares, plain_squares = (
        np.array_split(np.concatenate([(c.model - c.measured) ** 2 for c in one]), _PARTS)
        for one in (model, plain)
    )
    of_parts = np.array([part.sum(axis=0) for part in plain_squares])
    change = (np.array([part.sum(axis=0) for part in squares]) - of_parts) / of_parts.sum(axis=0)
    for name, values in (
        (f"{label} over plain", change.sum(axis=0)),
        ("- standard error", np.std(change, axis=0, ddof=1) * np.sqrt(_PARTS)),
    ):
        print(f"{name:<22s}{''.join(f'{value:7.2f}' for value in values)}", flush=True)


def unconstrained(found: Identification) -> Mechanism:
    """Return the mechanism with the estimator's base parameters, not made consistent."""
    mechanism = found.model.mechanism
    values = np.array([parameter.value for parameter in found.base_parameters])
    # as for the estimate: load-dependent friction may join columns at other parameters
    base = base_parameterization(mechanism.with_parameters(mechanism.urdf_parameters))
    return mechanism.with_parameters(base.lift(values, mechanism.parameters))


def print_price(found: Identification) -> None:
    """Print errors on blocks of the fitted parts left out, with consistency and without."""
    price = found.consistency_price
    if price is None:
        return
    for label, errors in (("blocks", price.consistent), ("- free, blocks", price.unconstrained)):
        print(f"{label:<22s}{''.join(f'{100 * error:7.2f}' for error in errors)}")
    print(f"consistency {price.sentence()}", flush=True)


def error_cells(comparisons: Sequence[TorqueComparison]) -> str:
    """Return the relative error of each joint, their mean, and that of all together [%].

    The last one counts only samples in which the joint moves, all joints together.
    """
    errors = np.concatenate([c.model - c.measured for c in comparisons])
    torque = np.concatenate([c.measured for c in comparisons])
    moving = np.concatenate([c.signals.moving for c in comparisons])
    each = 100 * np.linalg.norm(errors, axis=0) / np.linalg.norm(torque, axis=0)
    together = 100 * np.linalg.norm(errors) / np.linalg.norm(torque)
    in_motion = 100 * np.linalg.norm(errors[moving]) / np.linalg.norm(torque[moving])
    cells = "".join(f"{value:7.2f}" for value in (*each, each.mean(), together))
    return f"{cells}{in_motion:8.2f}"


if __name__ == "__main__":
    main()
