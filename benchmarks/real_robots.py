"""Errors on recordings of real robots: default profile, shipped profile, plain script.

Three models of each robot are fitted to the same parts of the recordings, and evaluated on these
(fit) and on others (held out):

- default: URDF, drives, coupling and columns of the shipped profile, and nothing else;
- shipped: the profile as it comes with dynid;
- plain: numpy and pinocchio's regressor, ordinary least squares for each joint's rows weighted by
  their own residual (WLS), with viscous friction, tanh(v / 0.01 rad/s), offset and rotor inertia at
  every joint.

All are evaluated on the same signals through the same filter: position and torque resampled and
low-passed by the robot's cut-off below (zero-phase Butterworth, order 4), velocity and acceleration
differentiated; then model torque and measured torque pass one more such low-pass. Pauses count. An
error is the norm of model minus measured torque over the norm of the measured torque, in percent;
"all" is that of all joints together. Signals of settings that would repair or remove samples
differently are those of dynid's defaults for all three.

The recordings are not part of this repository (docs/real-data.md).

Run: python benchmarks/real_robots.py [--data FOLDER] [--robots NAME …]
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pinocchio
from threadpoolctl import threadpool_limits

from dynid.arrays import Array
from dynid.errors import DynidError
from dynid.evaluation.errors import compare
from dynid.evaluation.verdict import TorqueComparison
from dynid.identification.identify import identify
from dynid.identification.settings import IdentificationSettings
from dynid.profile import load_robot, make_robot
from dynid.robot.recordings import load_recording
from dynid.robot.robot import Robot
from dynid.signals.filters import ParallelFilter
from dynid.signals.preprocess import preprocess
from dynid.signals.settings import ParallelFilterSettings
from dynid.signals.signals import Signals

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
ROBOT_KEYS = ("robot", "urdf", "joints", "gravity", "coupling", "drives", "recording", "limits")
SMOOTHING = 0.01  # [rad/s] of the plain script's sign


@dataclass(frozen=True)
class Part:
    """Seconds of a recording, from ``start`` to ``stop``."""

    path: str
    start: float | None = None
    stop: float | None = None


@dataclass(frozen=True)
class Trial:
    """What is fitted and what is held out; ``note`` says how they were divided."""

    robot: str
    cutoff_hz: float
    fitted: tuple[Part, ...]
    held_out: tuple[Part, ...]
    note: str


_UR10 = "ur10/ur10_exciting_trajectory.db3"
_UR10E = "ur10e/ur-20_{}.csv"
_LWR = "lwr/recording_1.npz"
_PANDA = "panda/exciting_trajectory.csv"
TRIALS = (
    Trial("ur10", 5.0, (Part(_UR10, stop=19.26),), (Part(_UR10, start=19.26),), "first 70 %, rest"),
    Trial(
        "ur10e",
        10.0,
        (Part(_UR10E.format("02_12-50sec_12harm")),),
        tuple(
            Part(_UR10E.format(name))
            for name in (
                "01_17-ptp_10_points",
                "02_19_14harm50sec",
                "02_10-30sec_12harm",
                "01_31-unload",
            )
        ),
        "one excitation, four recordings of other days",
    ),
    Trial(
        "tx40",
        20.0,
        (Part("tx40", stop=3.0), Part("tx40", start=5.0)),
        (Part("tx40", start=3.0, stop=5.0),),
        "before 3 s and after 5 s, between them (its end moves little)",
    ),
    Trial(
        "panda", 10.0, (Part(_PANDA, stop=14.7),), (Part(_PANDA, start=14.7),), "first 70 %, rest"
    ),
    Trial("lwr4", 10.0, (Part(_LWR, stop=17.6),), (Part(_LWR, start=17.6),), "first 70 %, rest"),
)


def main() -> None:
    """Print the table of each robot whose recordings are there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the recordings")
    parser.add_argument("--robots", nargs="*", default=[one.robot for one in TRIALS])
    options = parser.parse_args()
    for trial in TRIALS:
        if trial.robot not in options.robots:
            continue
        if not (options.data / trial.fitted[0].path).exists():
            print(f"{trial.robot}: its recordings are not in {options.data}.\n")
            continue
        with threadpool_limits(1, user_api="blas"):
            print_trial(trial, options.data)


def print_trial(trial: Trial, folder: Path) -> None:
    """Print the errors of the three models, on fitted and on held-out parts."""
    shipped = load_robot(trial.robot)
    fitted = [neutral_signals(shipped, part, trial, folder) for part in trial.fitted]
    unseen = [neutral_signals(shipped, part, trial, folder) for part in trial.held_out]
    count = len(shipped.joints)
    print(f"{trial.robot}: fitted and held out: {trial.note}; low-pass {trial.cutoff_hz:g} Hz")
    joints = "".join(f"{f'J{number}':>7s}" for number in range(1, count + 1))
    print(f"{'relative error [%]':<22s}{joints}{'mean':>7s}{'all':>7s}")
    for name, robot in (("default", default_robot(trial.robot)), ("shipped", shipped)):
        for where, found in _of_dynid(robot, trial, folder, fitted, unseen):
            print(f"{f'{name}, {where}':<22s}{found}", flush=True)
    plain = PlainModel.fitted(shipped, fitted)
    for where, signals in (("fit", fitted), ("held out", unseen)):
        comparisons = [plain.comparison(one, trial.cutoff_hz) for one in signals]
        print(f"{f'plain, {where}':<22s}{error_cells(comparisons)}")
    print()


def _of_dynid(
    robot: Robot, trial: Trial, folder: Path, fitted: list[Signals], unseen: list[Signals]
) -> list[tuple[str, str]]:
    recordings = [
        load_recording(folder / part.path, robot, start=part.start, stop=part.stop)
        for part in trial.fitted
    ]
    try:
        mechanism = identify(robot, recordings).model.mechanism
    except DynidError as error:
        return [("fit", f"  {error}")]
    settings = neutral_settings(trial.cutoff_hz)
    return [
        (where, error_cells(compare(mechanism, signals, settings)))
        for where, signals in (("fit", fitted), ("held out", unseen))
    ]


def default_robot(name: str) -> Robot:
    """Return the robot with what its URDF and its data sheets say, and no settings of a task."""
    shipped = load_robot(name)
    content = shipped.yaml_content(exclude_unset=True)
    kept = {key: content[key] for key in ROBOT_KEYS if key in content}
    return make_robot(kept, shipped.urdf_xml, where=name)


def neutral_settings(cutoff_hz: float) -> IdentificationSettings:
    """Return the filters with which every model is evaluated."""
    return IdentificationSettings(
        cutoff_hz=cutoff_hz,
        filter_torque=False,
        parallel_filter=ParallelFilterSettings(cutoff_hz=cutoff_hz),
        trim_rest=False,
        border=0.0,
    )


def neutral_signals(robot: Robot, part: Part, trial: Trial, folder: Path) -> Signals:
    """Read and preprocess a part with the filters of every model."""
    recording = load_recording(folder / part.path, robot, start=part.start, stop=part.stop)
    return preprocess(recording, robot.with_settings(neutral_settings(trial.cutoff_hz)))


def error_cells(comparisons: Sequence[TorqueComparison]) -> str:
    """Return the relative error of each joint, their mean, and that of all together [%]."""
    error = sum(np.sum((c.model - c.measured) ** 2, axis=0) for c in comparisons)
    torque = sum(np.sum(c.measured**2, axis=0) for c in comparisons)
    each = 100 * np.sqrt(error / torque)
    together = 100 * np.sqrt(np.sum(error) / np.sum(torque))
    return "".join(f"{value:7.2f}" for value in (*each, each.mean(), together))


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
        parallel = ParallelFilter.from_settings(settings.parallel_filter, signals.sampling_rate)
        torque = self.regressor(signals) @ self._parameters
        return TorqueComparison(
            signals, parallel.smooth(signals.torque), parallel.smooth(torque), torque
        )


if __name__ == "__main__":
    main()
