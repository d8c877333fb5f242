"""Error of files with elastic joints against dynid's own simulated arm, under the same torques.

    PYTHONPATH=test python benchmarks/elastic_files.py [CYCLES]

Of three robots, as MJCF and, of the first two, as SDF: rms difference of the links' positions with
RK4 at 0.1 ms, where the model's own error remains, and with the file's integrator at 1 ms or less.
Then locked-joint frequency and static deflection against √(K/M) and τ/K. Each row is a joint.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
from support.elastic_rollouts import (
    FINE,
    ElasticCase,
    difference,
    elastic_case,
    locked_frequency,
    static_deflection,
    torques,
)
from support.small_robot import write_small_robot

START = 0.3  # [rad or m] of every link
DUO = ("elastic.stiffness=[3000,1000]", "elastic.damping=[3,1]", "elastic.rotor_inertia=[0.3,0.1]")
GRAVITY = "gravity=[-5.0,0.0,-8.4]"  # a tilt along the axis, too
AXIS = ("elastic.stiffness=2e5", "elastic.damping=100", "elastic.rotor_inertia=8", GRAVITY)
SIZE = {"duo": [2.0, 2.0], "axis_linear_tilted": [100.0], "kr300": [3000, 3000, 2000, 10, 10, 3]}


def main() -> None:
    """Print all differences."""
    cycles = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    with tempfile.TemporaryDirectory() as folder:
        duo = write_small_robot(Path(folder))
        for to in ("mjcf", "sdf"):
            print_case(elastic_case(duo, to, *DUO), to, cycles)
            print_case(elastic_case("axis_linear_tilted", to, *AXIS), to, cycles)
        print_case(elastic_case("kr300", "mjcf", "elastic.backlash=0"), "mjcf", cycles)


def print_case(case: ElasticCase, to: str, cycles: int) -> None:
    """Print the differences of one file."""
    name = case.model.robot.name
    start = np.full(len(case.arm.rotors), START)
    torque = torques(case, start, cycles, np.asarray(SIZE[name]))
    fine, own = (difference(case, start, torque, step) for step in (FINE, None))
    bent, expected = static_deflection(case, start)
    for place, joint in enumerate(case.written.joints):
        found, locked = locked_frequency(case, place)
        print(
            f"{name} {to} {joint.motor}: travel {fine.travel[place]:.3g}, deflection "
            f"{fine.deflection[place]:.3g}; motor {fine.motor[place]:.2g}, link "
            f"{fine.link[place]:.2g}; the file's integrator: motor {own.motor[place]:.2g}, link "
            f"{own.link[place]:.2g}; locked {found:.5g} Hz, {found / locked - 1:+.1e}; at rest "
            f"{bent[place]:.4g}, {bent[place] - expected[place]:+.1e}",
            flush=True,
        )


if __name__ == "__main__":
    main()
