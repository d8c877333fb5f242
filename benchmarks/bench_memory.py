"""Peak memory of an identification that sees ten million samples of a six-joint robot.

    python benchmarks/bench_memory.py [--identify SECONDS]

With ``--identify`` a CSV file of so many seconds at 1 kHz is written, and ``dynid identify``, which
chooses filters and terms, runs in a process of its own.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import overload

import numpy as np
from swing import Swing

from dynid.dynamics.base_parameters import base_parameterization
from dynid.dynamics.mechanism import Mechanism
from dynid.estimation.least_squares import WeightedLeastSquares
from dynid.estimation.regression import Problem, Rows, make_rows
from dynid.profile import load_robot
from dynid.signals.filters import ParallelFilter
from dynid.signals.signals import Signals

_SAMPLES, _CHUNK, _RATE = 10_000_000, 50_000, 1000.0
_TERMS = "[{kind: viscous}, {kind: coulomb}, {kind: offset}, {kind: rotor_inertia}]"


class Simulated(Sequence[Rows]):
    """Rows of a robot that swings for hours, computed on demand."""

    def __init__(
        self, mechanism: Mechanism, parameters: np.ndarray, samples: int = _SAMPLES
    ) -> None:
        self._samples = samples
        self._mechanism = mechanism.with_parameters(parameters)
        self._swing = Swing(len(mechanism.joints), highest_hz=0.5)

    def __len__(self) -> int:
        return self._samples // _CHUNK

    @overload
    def __getitem__(self, number: int) -> Rows: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[Rows]: ...
    def __getitem__(self, number: int | slice) -> Rows | Sequence[Rows]:
        if isinstance(number, slice):
            return [self[i] for i in range(*number.indices(len(self)))]
        if not 0 <= number < len(self):
            raise IndexError(number)
        clock = (number * _CHUNK + np.arange(_CHUNK)) / _RATE
        q, dq, ddq = self._swing.at(clock)
        torque = self._mechanism.torque(q, dq, ddq, self._mechanism.parameters)
        torque += np.random.default_rng(number).standard_normal(torque.shape)
        signals = Signals(
            joint_names=self._mechanism.joints,
            time=clock,
            position=q,
            velocity=dq,
            acceleration=ddq,
            torque=torque,
            raw_position=q,
            raw_torque=torque,
            moving=np.ones(q.shape, dtype=bool),
            velocity_threshold=np.zeros(q.shape[1]),
            torque_per_effort=np.ones(q.shape[1]),
            effort_unit="N*m",
            sampling_rate=_RATE,
        )
        fold = np.arange(len(clock)) * 5 // len(clock)
        return make_rows(signals, ParallelFilter(None, 4, 1, _RATE), fold=fold, fit_all=True)


def write_csv(path: Path, simulated: Simulated) -> None:
    """Write time, position and torque of chunks of simulated rows."""
    with path.open("w", encoding="utf-8") as file:
        joints = range(1, simulated[0].torque.shape[1] + 1)
        names = ["time", *(f"q{joint}" for joint in joints), *(f"tau{joint}" for joint in joints)]
        file.write(",".join(names) + "\n")
        for rows in simulated:
            signals = rows.signals
            table = np.column_stack([signals.time, signals.position, signals.torque])
            np.savetxt(file, table, fmt="%.9g", delimiter=",")


def identify(seconds: int) -> None:
    """Run ``dynid identify`` on a CSV file, and print what it took."""
    robot = load_robot("ur10e", overrides=[f"terms={_TERMS}"])
    mechanism = robot.mechanism()
    simulated = Simulated(mechanism, _true_parameters(mechanism), round(seconds * _RATE))
    automatic = ("drives={effort: torque}", "terms=auto", "identification={}", "recording={}")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.csv"
        write_csv(path, simulated)
        command = [sys.executable, "-m", "dynid", "identify", "ur10e", str(path)]
        options = [word for setting in automatic for word in ("--set", setting)]
        start = time.perf_counter()
        subprocess.run([*command, *options, "--output", folder], check=True, capture_output=True)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{seconds} s at {_RATE:.0f} Hz, {len(mechanism.joints)} joints: ", end="")
    print(f"{time.perf_counter() - start:.0f} s, {used.ru_utime + used.ru_stime:.0f} s of CPU time")
    print(f"peak memory {used.ru_maxrss / 1024:.0f} MiB")


def _true_parameters(mechanism: Mechanism) -> np.ndarray:
    truth = np.array(mechanism.urdf_parameters)
    truth[10 * len(mechanism.joints) :] = 1.0
    return truth


def main() -> None:
    """Fit, and print how far the estimate is off and what it took."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--identify", metavar="SECONDS", type=int, help="run dynid identify")
    given = parser.parse_args()
    if given.identify is not None:
        identify(given.identify)
        return
    robot = load_robot("ur10e", overrides=[f"terms={_TERMS}"])
    mechanism = robot.mechanism()
    truth = _true_parameters(mechanism)
    base = base_parameterization(mechanism)
    before = _peak_mib()
    start = time.perf_counter()
    problem = Problem(mechanism, base, Simulated(mechanism, truth), folds=5)
    estimate = WeightedLeastSquares().fit(problem, mechanism.urdf_parameters)
    seconds = time.perf_counter() - start
    score = (estimate.base - base.project(truth)) / np.sqrt(np.diag(estimate.covariance))
    print(f"{_SAMPLES} samples x {len(mechanism.joints)} joints: {seconds:.0f} s")
    print(f"largest error of {len(score)} base parameters: {np.abs(score).max():.1f} σ")
    print(f"peak memory {_peak_mib():.0f} MiB, of which {before:.0f} MiB before the first sample")


def _peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
