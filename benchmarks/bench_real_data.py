"""Every estimator on recordings of three real robots: errors on motion it was not fitted to.

UR10: fitted to the first 19.26 s, tested on the rest. TX40: tested on the seconds from 3 to 5,
fitted to what is before and after (its last seconds move little). UR10e: fitted to one excitation,
tested on motion between ten points, pauses included. Profiles are the shipped ones; errors are RMS
of model minus measured torque (UR10e: current), over the standard deviation of what was measured,
in percent; for the UR10e also in ampere. Time is the processor's for the fit, repeated where
friction grows with load, and the physically consistent step; 'free' is the mean error without it.
The column 'x wls' is the time over that of wls, fitted in the same run for this purpose.

The recordings are no part of this repository: see docs/real-data.md.

Run: python benchmarks/bench_real_data.py [--data FOLDER] [--robots NAME …] [--only NAME …]
    [--patience SECONDS]
"""

from __future__ import annotations

import argparse
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import NoReturn

import numpy as np
from threadpoolctl import threadpool_limits

from dynid.arrays import Array
from dynid.dynamics.base_parameters import base_parameterization
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import DynidError
from dynid.estimation.estimators import estimator_names
from dynid.estimation.fitting import Fit, build_problem, fit
from dynid.evaluation.errors import compare
from dynid.identification.settings import IdentificationSettings
from dynid.profile import load_robot
from dynid.robot.recordings import load_recording
from dynid.robot.robot import Robot
from dynid.signals.preprocess import preprocess
from dynid.signals.signals import Signals

_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@dataclass(frozen=True)
class Part:
    """Seconds of a recording, from ``start`` to ``stop``."""

    path: str
    start: float | None = None
    stop: float | None = None

    def signals(self, folder: Path, robot: Robot) -> Signals:
        """Read and preprocess it."""
        recording = load_recording(folder / self.path, robot, start=self.start, stop=self.stop)
        return preprocess(recording, robot)


_BAG = "ur10/ur10_exciting_trajectory.db3"
_SPLITS = {  # what is fitted, and what is held out
    "ur10": ([Part(_BAG, stop=19.26)], Part(_BAG, start=19.26)),
    "tx40": ([Part("tx40", stop=3.0), Part("tx40", start=5.0)], Part("tx40", start=3.0, stop=5.0)),
    "ur10e": (
        [Part("ur10e/ur-20_02_12-50sec_12harm.csv")],
        Part("ur10e/ur-20_01_17-ptp_10_points.csv"),
    ),
}


def main() -> None:
    """Print a table for each robot whose recordings are there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=_DATA, help="folder of the recordings")
    parser.add_argument("--robots", nargs="*", default=list(_SPLITS), help="of the three")
    parser.add_argument("--only", nargs="*", default=list(estimator_names()), help="estimators")
    parser.add_argument("--patience", type=float, default=30.0, help="[s] for each fit")
    options = parser.parse_args()
    for name in options.robots:
        if (options.data / name).is_dir():
            with threadpool_limits(1, user_api="blas"):
                compare_estimators(name, options.data, options.only, options.patience)
        else:
            print(f"{name}: its recordings are not in {options.data}, so that it is left out.")


def compare_estimators(name: str, folder: Path, names: list[str], patience: float) -> None:
    """Print a row for each estimator, or its error."""
    robot = load_robot(name)
    parts, held_out = _SPLITS[name]
    fitted = [part.signals(folder, robot) for part in parts]
    unseen = held_out.signals(folder, robot)
    mechanism = robot.mechanism()
    ampere = unseen.effort_unit == "A"
    joints = [f"J{number}" for number in range(1, len(robot.joints) + 1)]
    header = "".join(f"{joint:>7s}" for joint in joints)
    unit = "".join(f"{joint + ' [A]':>8s}" for joint in joints) if ampere else ""
    print(f"{name}: {len(unseen.time)} samples held out, errors in % of standard deviation")
    print(f"{'':10s}{header}{'mean':>7s}{'free':>7s}{'time [s]':>10s}{'x wls':>8s}{unit}")
    # the first fit of a process takes longer
    _, unit_time = [timed_fit("wls", robot, mechanism, fitted) for _ in range(2)][-1]
    for estimator in names:
        text = row_or_reason(estimator, robot, mechanism, fitted, unseen, patience, unit_time)
        print(text, flush=True)
    print()


def row_or_reason(
    estimator: str,
    robot: Robot,
    mechanism: Mechanism,
    fitted: list[Signals],
    unseen: Signals,
    patience: float,
    unit_time: float,
) -> str:
    """One estimator's row, or why it is not applicable."""
    try:
        with at_most(patience):
            return row(estimator, robot, mechanism, fitted, unseen, unit_time)
    except DynidError as error:
        return f"{estimator:10s}  {error}"
    except TimeoutError:
        return f"{estimator:10s}  takes longer than {patience:g} s; --patience allows more."


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raise a TimeoutError once the block has used that much of the processor's time."""

    def stop(_number: int, _frame: FrameType | None) -> NoReturn:
        raise TimeoutError

    before = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def row(
    estimator: str,
    robot: Robot,
    mechanism: Mechanism,
    fitted: list[Signals],
    unseen: Signals,
    unit_time: float,
) -> str:
    """Fit, and evaluate the model on held-out data."""
    settings = robot.settings(IdentificationSettings)
    found, seconds = timed_fit(estimator, robot, mechanism, fitted)

    def errors(standard: Array) -> tuple[Array, Array]:
        (one,) = compare(mechanism.with_parameters(standard), [unseen], settings)
        rmse = np.sqrt(np.mean((one.model - one.measured) ** 2, axis=0))
        return 100 * rmse / one.measured.std(axis=0), rmse / np.abs(unseen.torque_per_effort)

    relative, absolute = errors(found.standard)
    free, _ = errors(found.unconstrained)
    values = "".join(f"{value:7.1f}" for value in [*relative, relative.mean(), free.mean()])
    ampere = "".join(f"{value:8.3f}" for value in absolute) if unseen.effort_unit == "A" else ""
    return f"{estimator:10s}{values}{seconds:10.2f}{seconds / unit_time:8.1f}{ampere}"


def timed_fit(
    estimator: str, robot: Robot, mechanism: Mechanism, fitted: list[Signals]
) -> tuple[Fit, float]:
    """Fit, and return the processor's time for it [s]."""
    settings = robot.settings(IdentificationSettings).model_copy(update={"estimator": estimator})
    problem = build_problem(mechanism, base_parameterization(mechanism), fitted, settings)
    begun = time.process_time()
    found = fit(problem, settings)
    return found, time.process_time() - begun


if __name__ == "__main__":
    main()
