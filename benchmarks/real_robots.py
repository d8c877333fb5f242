"""Errors on recordings of real robots: default profile, shipped profile, plain script.

Up to four models of each robot are fitted to the same parts of the recordings, and evaluated on
these (fit) and on others (held out):

- default: URDF, and drives, coupling, closed chains and columns of the shipped profile where there
  is one, and nothing else;
- shipped: the profile as it comes with dynid, where it was made for these recordings;
- free: the model above without physical consistency; *blocks* are those of the fitted parts, left
  out once, with consistency and without;
- plain: numpy and pinocchio's regressor, ordinary least squares for each joint's rows weighted by
  their own residual (WLS), with viscous friction, tanh(v / 0.01 rad/s), offset and rotor inertia at
  every joint.

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

import argparse
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pinocchio
from real_recordings import DATA, TRIALS, Trial, present
from threadpoolctl import threadpool_limits

from dynid.arrays import Array
from dynid.dynamics.base_parameters import base_parameterization
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import DynidError
from dynid.evaluation.errors import compare
from dynid.evaluation.verdict import TorqueComparison
from dynid.identification.identify import identify
from dynid.identification.result import Identification
from dynid.identification.settings import IdentificationSettings
from dynid.profile import load_robot
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid.signals.filters import ParallelFilter
from dynid.signals.preprocess import preprocess
from dynid.signals.settings import ParallelFilterSettings
from dynid.signals.signals import Signals

SMOOTHING = 0.01  # [rad/s] of the plain script's sign, [m/s] of a prismatic joint
_PARTS = 10  # of the held-out time, between which errors scatter


def main() -> None:
    """Print the table of each robot whose recordings are there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the recordings")
    parser.add_argument("--robots", nargs="*", default=[one.name for one in TRIALS])
    options = parser.parse_args()
    for trial in present(options.data, options.robots):
        with threadpool_limits(1, user_api="blas"):
            print_trial(trial, options.data)


def print_trial(trial: Trial, folder: Path) -> None:
    """Print the errors of the models, on fitted and on held-out parts."""
    robot = trial.robot(folder)
    parts = trial.recordings(folder, robot)
    fitted, unseen = (
        [neutral_signals(robot, recording, trial.cutoff_hz) for recording in part] for part in parts
    )
    print(f"{trial.name}: fitted and held out: {trial.note}; low-pass {trial.cutoff_hz:g} Hz")
    joints = "".join(f"{f'J{number}':>7s}" for number in range(1, len(robot.joints) + 1))
    print(f"{'relative error [%]':<22s}{joints}{'mean':>7s}{'all':>7s}{'moving':>8s}")
    robots = {"default": robot}
    if trial.profile is not None and trial.shipped:
        robots["shipped"] = load_robot(trial.profile)
    compared = ("fit", fitted), ("held out", unseen)
    held_out: dict[str, Sequence[TorqueComparison]] = {}
    for name, chosen in robots.items():
        try:
            found = identify(chosen, parts[0])
        except DynidError as error:
            print(f"{name:<22s}  {error}")
            continue
        for label, model in ((name, found.model.mechanism), ("- free", unconstrained(found))):
            for where, signals in compared:
                held_out[label] = compare(model, signals, neutral_settings(trial.cutoff_hz))
                cells = error_cells(held_out[label])
                print(f"{f'{label}, {where}':<22s}{cells}", flush=True)
        print_price(found)
    if robot.closed_chain.passive:
        print("plain: not for closed chains\n")
        return
    plain = PlainModel.fitted(robot, fitted)
    comparisons: list[TorqueComparison] = []
    for where, signals in compared:
        comparisons = [plain.comparison(one, trial.cutoff_hz) for one in signals]
        print(f"{f'plain, {where}':<22s}{error_cells(comparisons)}")
    for label, found_errors in held_out.items():
        if label in robots:
            print_over_plain(label, found_errors, comparisons)
    print()


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


def neutral_settings(cutoff_hz: float) -> IdentificationSettings:
    """Return the filters with which every model is evaluated."""
    return IdentificationSettings(
        cutoff_hz=cutoff_hz,
        filter_torque=False,
        parallel_filter=ParallelFilterSettings(cutoff_hz=cutoff_hz),
        trim_rest=False,
        border=0.0,
    )


def neutral_signals(robot: Robot, recording: Recording, cutoff_hz: float) -> Signals:
    """Preprocess a recording with the filters of every model."""
    return preprocess(recording, robot.with_settings(neutral_settings(cutoff_hz)))


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


class PlainModel:
    """What a script of some fifty lines does, without any code of dynid's models."""

    def __init__(self, robot: Robot) -> None:
        whole = pinocchio.buildModelFromXML(robot.urdf_xml)
        others = [whole.getJointId(name) for name in whole.names[1:] if name not in robot.joints]
        model = pinocchio.buildReducedModel(whole, others, pinocchio.neutral(whole))
        model.gravity.linear = np.array(robot.gravity)
        self._model, self._data = model, model.createData()
        self._order = [model.joints[model.getJointId(name)].idx_v for name in robot.joints]
        self._parameters: Array = np.zeros(0)

    @classmethod
    def fitted(cls, robot: Robot, signals: Sequence[Signals]) -> PlainModel:
        """Fit by least squares, each joint's rows over the rms of their residual."""
        made = cls(robot)
        regressor = np.concatenate([made.regressor(one) for one in signals])  # (N, n, p)
        torque = np.concatenate([one.torque for one in signals])
        weight = np.ones(torque.shape[1])
        for _ in range(2):
            rows = (regressor * weight[:, None]).reshape(-1, regressor.shape[2])
            found = np.linalg.lstsq(rows, (torque * weight).ravel(), rcond=1e-9)[0]
            made._parameters = np.asarray(found, dtype=float)
            weight = 1 / np.std(regressor @ made._parameters - torque, axis=0)
        return made

    def regressor(self, signals: Signals) -> Array:
        """Return rows (N, n, p) of bodies, viscous and Coulomb friction, offset, rotor."""
        count = len(self._order)
        rows = np.zeros((len(signals.time), count, 10 * count + 4 * count))
        for sample, motion in enumerate(
            zip(signals.position, signals.velocity, signals.acceleration, strict=True)
        ):
            ordered = [np.empty(count) for _ in motion]
            for to, values in zip(ordered, motion, strict=True):
                to[self._order] = values
            found = pinocchio.computeJointTorqueRegressor(self._model, self._data, *ordered)
            rows[sample, :, : 10 * count] = found[self._order]
        each = np.arange(count)
        columns: tuple[Array | float, ...] = (
            signals.velocity,
            np.tanh(signals.velocity / SMOOTHING),
            1.0,
            signals.acceleration,
        )
        for number, column in enumerate(columns):
            rows[:, each, 10 * count + number * count + each] = column
        return rows

    def comparison(self, signals: Signals, cutoff_hz: float) -> TorqueComparison:
        """Return model and measured torque through the filter of every model."""
        settings = neutral_settings(cutoff_hz)
        parallel = ParallelFilter.of(settings, signals.sampling_rate)
        torque = self.regressor(signals) @ self._parameters
        return TorqueComparison(
            signals, parallel.smooth(signals.torque), parallel.smooth(torque), torque
        )


if __name__ == "__main__":
    main()
