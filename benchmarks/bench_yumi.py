"""One simulated arm of the ABB YuMi, with torque noise as large as the errors of a paper's model.

M. Taghbalout, J.-F. Antoine, G. Abba, "Dynamic identification of YuMi ABB collaborative robot",
state the NRMSE between filtered and estimated torque of each joint. Conditions as theirs: 250 Hz,
median of order 5, Butterworth filter of order 5 at 10 Hz both ways on torque and on every column of
the regressor. The motion is not theirs, which is not published, but the profile's.

White noise is added to noiseless torques, so much of it that what the filter leaves of it is the
paper's NRMSE times the range of the joint's noiseless torque. A perfect model then has the paper's
figures (row 'true parameters'), and no model can have smaller ones on motion that it was not fitted
to: dynid's can only come near them. How near its model is to the robot is in the last row, against
noiseless torque. This does not show how well dynid would explain a real YuMi, whose errors are not
white. Encoder counts and friction at rest (Stribeck), which no model has, are in the recordings.
NRMSE is over the range of the noiseless torque; its root mean square over the seeds.

Run: python benchmarks/bench_yumi.py [--seeds N]
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace

import numpy as np
from threadpoolctl import threadpool_limits

from dynid.arrays import Array
from dynid.dynamics.base_parameters import base_parameterization
from dynid.dynamics.mechanism import Mechanism
from dynid.estimation.fitting import build_problem, fit
from dynid.evaluation.errors import compare
from dynid.identification.settings import IdentificationSettings
from dynid.playback.plan import make_plan, second_seed
from dynid.profile import load_robot
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid.signals.filters import ParallelFilter
from dynid.signals.preprocess import preprocess
from dynid.signals.signals import Signals
from dynid.simulation.settings import SimulationSettings
from dynid.simulation.simulate import simulate
from dynid.simulation.true_parameters import true_parameters

_RATE = 250.0  # [Hz]
_PAPER = np.array([3.65, 1.37, 9.24, 3.77, 16.38, 16.86, 13.02]) / 100  # NRMSE, joints 1 to 7
_FILTERS = (
    "identification.median={order: 5}",
    "identification.cutoff_hz=10",
    "identification.filter_order=5",
    "identification.parallel_filter={cutoff_hz: 10, order: 5, decimation: 1}",
)
_NOISELESS = ("simulation.torque_noise=0", "simulation.rated_torque=0")


@dataclass(frozen=True)
class Motion:
    """A recording of the noiseless robot, and its torque through the parallel filter (N, n)."""

    recording: Recording
    torque: Array

    @property
    def range(self) -> Array:
        """Of each joint's torque, (n,)."""
        return np.asarray(np.ptp(self.torque, axis=0))


def main() -> None:
    """Print the values of the paper, of a perfect model, and of dynid's."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10, help="noises that are averaged")
    seeds = parser.parse_args().seeds
    with threadpool_limits(1, user_api="blas"):
        robot = load_robot("yumi_arm", overrides=[*_FILTERS, *_NOISELESS])
        first, second = (noiseless(robot, seed) for seed in (None, second_seed(robot)))
        mechanism = robot.mechanism()
        standard = true_parameters(
            mechanism, robot.find(SimulationSettings) or SimulationSettings()
        )
        truth = mechanism.with_parameters(standard)
        runs = [one_seed(robot, truth, first, second, seed) for seed in range(seeds)]
    print(f"yumi_arm, {_RATE:g} Hz, {seeds} seeds: NRMSE in %")
    print(" " * 34 + "".join(f"{'J' + str(joint):>7s}" for joint in range(1, len(_PAPER) + 1)))
    print_row("the paper's model, real robot", _PAPER)
    for name in runs[0]:
        print_row(name, np.sqrt(np.mean([run[name] ** 2 for run in runs], axis=0)))


def one_seed(
    robot: Robot, truth: Mechanism, first: Motion, second: Motion, seed: int
) -> dict[str, Array]:
    """NRMSE (n,) of one noise, by what it is of."""
    settings = robot.settings(IdentificationSettings)
    noisy = [
        preprocess(with_noise(motion, robot, 2 * seed + number), robot)
        for number, motion in enumerate((first, second))
    ]
    problem = build_problem(truth, base_parameterization(truth), noisy[:1], settings)
    model = truth.with_parameters(fit(problem, settings).standard)
    clean = preprocess(second.recording, robot)
    return {
        "true parameters, second motion": nrmse(truth, noisy[1], second, robot),
        "dynid, fitted motion": nrmse(model, noisy[0], first, robot),
        "dynid, second motion": nrmse(model, noisy[1], second, robot),
        "dynid, second, noiseless torque": nrmse(model, clean, second, robot),
    }


def nrmse(model: Mechanism, signals: Signals, motion: Motion, robot: Robot) -> Array:
    """RMS of the filtered torque error over the range of the noiseless torque, (n,)."""
    (one,) = compare(model, [signals], robot.settings(IdentificationSettings))
    rms = np.sqrt(np.mean((one.model - one.measured) ** 2, axis=0))
    return np.asarray(rms / motion.range)


def noiseless(robot: Robot, seed: int | None) -> Motion:
    """The simulated robot on the profile's excitation, or on that of another seed."""
    excitation = make_plan(robot, seed=seed).excitation
    recording = simulate(robot, excitation, control_rate=_RATE)
    return Motion(recording, filtered(recording.effort, robot))


def with_noise(motion: Motion, robot: Robot, seed: int) -> Recording:
    """The recording with white noise whose filtered size is that of the paper."""
    noise = np.random.default_rng(seed).standard_normal(motion.recording.effort.shape)
    left = np.sqrt(np.mean(filtered(noise, robot) ** 2, axis=0))
    effort = motion.recording.effort + noise * (_PAPER * motion.range / left)
    return replace(motion.recording, effort=effort)


def filtered(values: Array, robot: Robot) -> Array:
    """Through the parallel filter, (N, n)."""
    return ParallelFilter.of(robot.settings(IdentificationSettings), _RATE).smooth(values)


def print_row(name: str, values: Array) -> None:
    """A name and a percentage for each joint."""
    print(f"{name:34s}{''.join(f'{100 * value:7.2f}' for value in values)}")


if __name__ == "__main__":
    main()
