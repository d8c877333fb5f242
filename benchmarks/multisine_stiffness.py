"""Stiffness of simulated arms from their motors' encoders, excited by multisines.

python benchmarks/multisine_stiffness.py
Each arm with gears that bend and with rigid ones, with dry and Stribeck friction, noise and delays
as in its profile, and drives of their bandwidth; the links' model is the true one.
"""

from __future__ import annotations

import numpy as np

from dynid.excitation.build import described_excitation
from dynid.profile import load_robot
from dynid.robot.model import nominal_model
from dynid.simulation.simulate import simulate
from dynid.simulation.true_parameters import simulated_model
from dynid_plugins.elastic.arm_stiffness import ArmStiffness, identify_arm
from dynid_plugins.elastic.multisine import MultisineSpec, propose_multisine

_ARMS = {  # stiffness [N*m/rad or N/m] and damping of each joint
    "scara_2r": ([3e4, 8e3], [10, 3]),
    "scara": ([4e4, 8e3, 4e5, 60], [20, 4, 100, 0.02]),
    "spatial_3r": ([2e4, 2e4, 5e3], [10, 10, 3]),
    "spatial_3r, soft": ([5e3, 8e3, 1e3], [5, 5, 1]),
    "puma560": ([6e4, 6e4, 3e4, 5e3, 5e3, 3e3], [30, 30, 15, 1, 1, 0.1]),
    "ur10": ([9e4, 9e4, 5e4, 1e4, 1e4, 8e3], [50, 50, 30, 5, 5, 4]),
    "panda": ([2e4, 2e4, 1.5e4, 1.5e4, 8e3, 8e3, 5e3], [10, 10, 8, 8, 4, 4, 3]),
}
_SEEDS = (0, 1)


def main() -> None:
    """Print stated stiffness over the truth, in percent and standard deviations."""
    print(f"{'arm':18} seed joint  stated/true - 1    deviation       z   bending named of rigid")
    normalised = []
    for name, (stiffness, damping) in _ARMS.items():
        for seed in _SEEDS:
            robot = name.split(",")[0]
            rigid = _identified(robot, seed)
            wrong = [row["joint"] for row in rigid.rows() if row["bends"]]
            found = _identified(
                robot, seed, f"elastic.stiffness={stiffness}", f"elastic.damping={damping}"
            )
            for joint, true in enumerate(stiffness):
                stated = found.stiffness(joint)
                if stated is None:
                    continue
                z = (stated.value - true) / stated.deviation
                normalised.append(z)
                print(
                    f"{name:18} {seed:4} {joint + 1:5} {stated.value / true - 1:16.1%} "
                    f"{stated.deviation / true:12.1%} {z:7.1f}   {', '.join(wrong) or 'none'}",
                    flush=True,
                )
    rms = float(np.sqrt(np.mean(np.square(normalised))))
    within = float(np.mean(np.abs(normalised) < 2))
    print(f"{len(normalised)} values: rms of z {rms:.2f}, within two deviations {within:.0%}")


def _identified(name: str, seed: int, *overrides: str) -> ArmStiffness:
    known, simulated = load_robot(name), load_robot(name, overrides=overrides)
    waves = [
        propose_multisine(nominal_model(known), joint, MultisineSpec(seed=seed))
        for joint in range(len(known.joints))
    ]
    recordings = [
        simulate(simulated, described_excitation(one, known.limits, known.joints)) for one in waves
    ]
    return identify_arm(known, recordings, waves[0], model=simulated_model(known))


if __name__ == "__main__":
    main()
