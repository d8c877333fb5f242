"""Identify from recordings of a machine without a real-time kernel: errors on a second motion.

    python benchmarks/late_cycles_recordings.py [ROBOT ...] [--seeds 3] [--only NAME ...]

A simulated robot is recorded at 1 kHz. Then cycles come late: most within 50 us, and in bursts by 1
to 15 ms. Samples are of the late cycles, with true stamps, and missed cycles are skipped ("late
samples"); or of the regular cycles of a bus, and only their stamps are late, with the missed cycles
made up for ("late stamps") or skipped ("late stamps, skipped"). Messages are lost, and single gaps
are cut out. The model of each such recording is compared with that of the undisturbed one, on
another, undisturbed motion. Columns: mean over joints of the relative torque error, the largest
ratio of a seed to the undisturbed recording, and the share of the recording that is used.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import CubicSpline

import dynid
from dynid.arrays import Array
from dynid.errors import DynidError
from dynid.playback.plan import make_plan, second_seed
from dynid.profile import load_robot
from dynid.recording.model import Recording, Source
from dynid.recording.samples import NANOSECONDS, Samples
from dynid.recording.timeline import build_recording
from dynid.robot.model import Model
from dynid.robot.robot import Robot

_ON_TIME = 25e-6  # [s] standard deviation of most cycles
_BURST = (1e-3, 15e-3)  # [s] lateness at its beginning
_BETWEEN = 0.3  # [s] between bursts
_CATCHING_UP = 20e-6  # [s] between cycles that are made up for
_BUILT = 1_700_000_000_000_000_000  # [ns] stamp of the first sample


@dataclass(frozen=True)
class Lateness:
    """What happens to a recording.

    Attributes:
        sampled: whether the samples are late too, and not only their stamps.
        skipped: whether a loop that is late skips the cycles that it has missed.
        lost: share of messages that are lost.
        gaps: [s] lengths of single gaps.
    """

    sampled: bool
    skipped: bool
    lost: float = 0.0
    gaps: tuple[float, ...] = ()


SCENARIOS = {
    "late samples": Lateness(sampled=True, skipped=True),
    "late samples, made up": Lateness(sampled=True, skipped=False),
    "late stamps": Lateness(sampled=False, skipped=False),
    "late stamps, skipped": Lateness(sampled=False, skipped=True),
    "late samples, 0.1 % lost": Lateness(sampled=True, skipped=True, lost=0.001),
    "late samples, 26 % lost": Lateness(sampled=True, skipped=True, lost=0.26),
    "late stamps, 26 % lost": Lateness(sampled=False, skipped=False, lost=0.26),
    "late samples, 70 ms gap": Lateness(sampled=True, skipped=True, gaps=(0.07,)),
    "late samples, 70 ms and 1 s": Lateness(sampled=True, skipped=True, gaps=(0.07, 1.0)),
    "late stamps, 26 % lost, gaps": Lateness(
        sampled=False, skipped=False, lost=0.26, gaps=(0.07, 1.0)
    ),
}


def late_times(
    count: int, period: float, lateness: Lateness, random: np.random.Generator
) -> tuple[Array, NDArray[np.int64]]:
    """Return when cycles run (N,) [s], and their numbers (N,).

    Args:
        count: of cycles that were due.
        period: [s].
        lateness: of the cycles.
        random: for jitter and bursts.
    """
    times, cycles, busy, cycle = list[float](), list[int](), 0.0, 0
    wakes = np.arange(count) * period + random.normal(0.0, _ON_TIME, count)
    begins = random.random(count) < period / _BETWEEN
    lengths = random.uniform(*_BURST, count)
    while cycle < count:
        if begins[cycle]:
            busy = max(busy, wakes[cycle] + lengths[cycle])
        last = times[-1] + _CATCHING_UP if times else -np.inf
        times.append(float(max(wakes[cycle], busy, last)))
        cycles.append(cycle)
        due = int(np.ceil(times[-1] / period)) if lateness.skipped else 0
        cycle = max(cycle + 1, due)
    return np.array(times), np.array(cycles, dtype=np.int64)


def disturbed(recording: Recording, lateness: Lateness, seed: int) -> Samples:
    """Return the samples of a recording on a machine whose cycles come late."""
    random = np.random.default_rng(seed)
    period = 1 / recording.sampling_rate
    stamps, cycles = late_times(len(recording.time), period, lateness, random)
    kept = (random.random(len(stamps)) >= lateness.lost) & (stamps <= recording.time[-1])
    for length in lateness.gaps:
        begin = random.uniform(0.2, 0.8) * recording.duration
        kept &= (stamps < begin) | (stamps >= begin + length)
    stamps, cycles = stamps[kept], cycles[kept]
    measured = np.clip(stamps, 0.0, None) if lateness.sampled else recording.time[cycles]

    def at(values: Array) -> Array:
        return np.stack([np.interp(measured, recording.time, one) for one in values.T], axis=1)

    position = recording.position[cycles]
    if lateness.sampled:
        position = CubicSpline(recording.time, recording.position)(measured)
    return Samples(
        stamps=_BUILT + np.rint(stamps * NANOSECONDS).astype(np.int64),
        position=position,
        velocity=None if recording.velocity is None else at(recording.velocity),
        effort=at(recording.effort),
        joint_names=recording.joint_names,
        sources=(Source("late", "", "npz"),),
    )


def error_on(model: Model, recording: Recording) -> float:
    """Return the mean over joints of a model's relative torque error."""
    joints = dynid.validate(model, recording).verdict.joints
    return float(np.mean([joint.relative_error for joint in joints]))


def recordings_of(robot: Robot, seed: int) -> tuple[Recording, Recording]:
    """Return an excitation of the simulated robot, and another motion."""
    other = second_seed(robot)
    plans = make_plan(robot), make_plan(robot, seed=None if other is None else other + seed)
    first, second = (
        dynid.simulate(robot, plan.excitation, seed=10 * seed + k) for k, plan in enumerate(plans)
    )
    return first, second


def main() -> None:
    """Print a table for each robot."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("robots", nargs="*", default=["puma560", "scara"])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--only", nargs="*", default=list(SCENARIOS), choices=list(SCENARIOS))
    options = parser.parse_args()
    for name in options.robots:
        print_robot(load_robot(name), options.seeds, options.only)


def print_robot(robot: Robot, seeds: int, scenarios: list[str]) -> None:
    """Print the errors of a robot's models."""
    motions = [recordings_of(robot, seed) for seed in range(seeds)]
    reference = [error_on(dynid.identify(robot, one).model, other) for one, other in motions]
    print(f"{robot.name}, undisturbed: {100 * np.mean(reference):.3f} %")
    for name in scenarios:
        errors, used = list[float](), list[float]()
        for seed, (one, other) in enumerate(motions):
            try:
                late = build_recording(disturbed(one, SCENARIOS[name], seed))
                found = dynid.identify(robot, late)
            except DynidError as error:
                print(f"  {name}: {error}")
                continue
            errors.append(error_on(found.model, other))
            used.append(sum(len(s.time) for s in found.signals) / len(one.time))
        if errors:
            ratio = max(np.array(errors) / reference[: len(errors)])
            print(
                f"  {name:30} {100 * np.mean(errors):7.3f} %  ratio {ratio:5.2f}  "
                f"used {np.mean(used):.0%}",
                flush=True,
            )


if __name__ == "__main__":
    main()
