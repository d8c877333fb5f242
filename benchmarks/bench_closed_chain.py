"""Cost of closing the loops: inverse dynamics of closed chains against the open tree.

Both go over the same motion in one run, best of several: of the mechanism with loops solved and
projected, and of its tree with every joint driven. Run: python benchmarks/bench_closed_chain.py
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from dynid.dynamics.mechanism import Mechanism
from dynid.excitation.build import build_excitation
from dynid.excitation.settings import find_excitation
from dynid.profile import load_robot
from dynid.robot_files import shipped_profiles

_RATE = 1000.0  # [Hz] of the motion: a control cycle's step
_REPEATS = 9


def _best(function: Callable[[], object]) -> float:
    """Shortest processor time of several [s]."""
    times = []
    for _ in range(_REPEATS):
        begun = time.process_time()
        function()
        times.append(time.process_time() - begun)
    return min(times)


def main() -> None:
    """Print a row for each shipped robot with closed chains."""
    print("robot        actuated  passive  closed [us]  tree [us]  ratio")
    for name in shipped_profiles():
        robot = load_robot(name)
        excitation = find_excitation(robot)
        if not robot.closed_chain.passive or excitation is None:
            continue
        mechanism = robot.mechanism()
        tree = Mechanism(robot.urdf_xml, mechanism.moving_joints, gravity=robot.gravity)
        motion = build_excitation(excitation, robot.limits, robot.joints)
        q, dq, ddq = motion.evaluate(np.arange(0.0, motion.duration, 1 / _RATE))
        all_q = mechanism.moving_positions(q)
        still = np.zeros_like(all_q)
        closed = _best(lambda: mechanism.inverse_dynamics(q, dq, ddq))  # noqa: B023  called here
        opened = _best(lambda: tree.inverse_dynamics(all_q, still + 1.0, still + 1.0))  # noqa: B023
        scale = 1e6 / len(q)
        passive = len(robot.closed_chain.passive)
        print(
            f"{name:<12} {len(robot.joints):>8} {passive:>8} {closed * scale:>12.2f} "
            f"{opened * scale:>10.2f} {closed / opened:>6.1f}"
        )


if __name__ == "__main__":
    main()
