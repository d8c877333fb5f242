"""Coverage of the standard deviations of elastic joints: simulated rods with two encoders.

    python benchmarks/elastic_coverage.py [SEEDS]

Each seed has its own motion and noise. Prints in how many of them the true stiffness, damping and
backlash are within two standard deviations, with the link's model given, and identified from the
same recording.
"""

from __future__ import annotations

import sys

import numpy as np

from dynid.arrays import Array
from dynid.profile import load_robot
from dynid.recording.model import Recording
from dynid.robot.model import Model, nominal_model
from dynid.robot.robot import Robot
from dynid_plugins.elastic.identification import identify_elastic
from dynid_plugins.elastic.result import Estimated
from dynid_plugins.elastic.simulated_arm import ElasticArm, Encoders, follow, recorded

CYCLE = 1e-3  # [s]
DURATION = 10.0  # [s]
RAMP = 2.0  # [s] until a motion has its full size
ROTOR = 0.5  # [kg*m^2]
TRUE = {"stiffness": 5000.0, "damping": 8.0, "backlash": 4e-4}
ENCODERS = Encoders(noise=2e-5, torque_noise=0.3, delay=2e-3, offset=0.01)


def rod() -> Robot:
    """Return the profile of the rod, whose rotor's inertia is known."""
    return load_robot(
        "pendulum",
        overrides=[
            f"elastic.rotor_inertia={ROTOR}",
            "elastic.most_harmonics=0",
            "identification.cutoff_hz=20",
            "identification.parallel_filter={cutoff_hz: 20, decimation: 2}",
            "terms=[viscous, {kind: coulomb, smoothing: 0.01}, offset]",
        ],
    )


def arm(robot: Robot) -> ElasticArm:
    """Return the simulated rod."""
    (stiffness, damping, backlash) = (np.array([value]) for value in TRUE.values())
    links = robot.mechanism().without_terms()
    friction = np.array([0.3]), np.array([0.5])
    return ElasticArm(
        links, np.array([ROTOR]), stiffness, damping, backlash, np.zeros(1), *friction
    )


def motions(seeds: int) -> Array:
    """Return a motion of each seed (N, seeds, 1) [rad]: sines of 0.2 to 2 Hz around the bottom."""
    time = np.arange(round(DURATION / CYCLE)) * CYCLE
    ramp = np.clip(time / RAMP, 0, 1)
    swelling = ramp**3 * (10 - 15 * ramp + 6 * ramp**2)
    moved = []
    for seed in range(seeds):
        random = np.random.default_rng([7, seed])
        rates = 2 * np.pi * random.uniform(0.2, 2.0, 6)
        phases = random.uniform(0, 2 * np.pi, 6)
        waves = np.sin(np.outer(time, rates) + phases) / rates
        moved.append(swelling * (waves @ random.uniform(0.4, 1.0, 6)))
    return np.stack(moved, axis=1)[:, :, None]


def recordings(seeds: int) -> tuple[Robot, list[Recording]]:
    """Return the robot and a recording of each seed."""
    robot = rod()
    run = follow(arm(robot), motions(seeds), CYCLE)
    return robot, recorded(run, robot, ENCODERS, every=4)


def deviations(robot: Robot, pairs: list[Recording], model: Model | None) -> dict[str, Array]:
    """Return (found - true) / standard deviation of each quantity in each recording."""
    found: dict[str, list[float]] = {name: [] for name in TRUE}
    for pair in pairs:
        (joint,) = identify_elastic(robot, [pair], model=model).joints
        for name, true in TRUE.items():
            quantity: Estimated | None = getattr(joint, name)
            if quantity is None:
                found[name].append(float("nan"))
            else:
                found[name].append((quantity.value - true) / quantity.deviation)
    return {name: np.array(values) for name, values in found.items()}


def main() -> None:
    """Print the coverage."""
    seeds = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    robot, pairs = recordings(seeds)
    for title, model in (("model given", nominal_model(robot)), ("model identified", None)):
        for name, values in deviations(robot, pairs, model).items():
            share = float(np.mean(np.abs(values) <= 2))
            print(
                f"{title}: {name} within two standard deviations in {100 * share:.1f} % of {seeds} "
                f"seeds; mean {np.nanmean(values):+.2f}, scatter {np.nanstd(values):.2f}"
            )


if __name__ == "__main__":
    main()
