"""Peak memory of an identification that sees ten million samples of a six-joint robot."""

from __future__ import annotations

import resource
import time
from collections.abc import Sequence
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


class Simulated(Sequence[Rows]):
    """Rows of a robot that swings for hours, computed on demand."""

    def __init__(self, mechanism: Mechanism, parameters: np.ndarray) -> None:
        self._mechanism = mechanism.with_parameters(parameters)
        self._swing = Swing(len(mechanism.joints), highest_hz=0.5)

    def __len__(self) -> int:
        return _SAMPLES // _CHUNK

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


def main() -> None:
    """Fit, and print how far the estimate is off and what it took."""
    terms = "[{kind: viscous}, {kind: coulomb}, {kind: offset}, {kind: rotor_inertia}]"
    robot = load_robot("ur10e", overrides=[f"terms={terms}"])
    mechanism = robot.mechanism()
    truth = mechanism.urdf_parameters.copy()
    truth[10 * len(mechanism.joints) :] = 1.0
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
