"""Random motions checked against a workspace, and accepted ones against an oracle.

Run with ``python benchmarks/workspace_proof.py``. The oracle samples every millisecond; a refusal
has room where the least margin found by it is above twice what the proof needs.
"""

from __future__ import annotations

from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.excitation.build import build_excitation
from dynid.excitation.motion import Motion
from dynid.excitation.settings import FourierSettings, find_excitation
from dynid.excitation.workspace.proof import RESERVE, workspace_uses
from dynid.excitation.workspace.workspace import Workspace
from dynid.profile import load_robot

SEEDS = 100
ROBOTS = {
    "puma560": (
        "workspace.self_collision=true",
        "workspace.tool_speed=1.3",
        "workspace.planes.wall={point: [0, 0.75, 0], normal: [0, -1, 0]}",
    ),
    "ur10": (
        "workspace.clearance=0",
        "workspace.tool_speed=2.6",
        "workspace.planes.wall={point: [0, 0.9, 0], normal: [0, -1, 0]}",
        "excitation.span=0.8",
    ),
    "scara": ("workspace.tool_speed=3", "excitation.span=[1.5, 1.5, 0.08, 3]"),
    "delta_3": ("workspace.clearance=0.005", "workspace.tool_speed=1.1"),
}


class CountedWorkspace(Workspace):
    """Counts the samples that a proof takes."""

    samples = 0

    def margins(self, motion: Motion, wanted: NDArray[np.bool_] | None = None) -> Array:
        """Return the margin of each constraint (N, C)."""
        self.samples += len(motion.position)
        return super().margins(motion, wanted)


def row(name: str, overrides: tuple[str, ...]) -> str:
    """Return a robot's line of the table."""
    robot = load_robot(name, overrides=overrides)
    excitation = find_excitation(robot)
    if not isinstance(excitation, FourierSettings):
        raise TypeError(f"{name}: the profile's excitation must be of type fourier")
    workspace = CountedWorkspace(robot, robot.mechanism())
    accepted = violated = with_room = samples = 0
    seconds = 0.0
    for seed in range(SEEDS):
        settings = FourierSettings(
            base_frequency=0.2,
            harmonics=5,
            periods=1,
            ramp=1.0,
            seed=seed,
            span=excitation.span or (0.6,),
            centre=excitation.centre,
        )
        motion = build_excitation(settings, robot.limits, robot.joints)
        workspace.samples, start = 0, perf_counter()
        safe = all(use.passed is None for use in workspace_uses(motion, workspace))
        seconds, samples = seconds + perf_counter() - start, samples + workspace.samples
        dense = motion.evaluate(np.linspace(0, motion.duration, round(1e3 * motion.duration) + 1))
        least = workspace.margins(dense)
        accepted += safe
        violated += safe and bool(np.any(least < 0))
        with_room += not safe and bool(np.all(least > 2 * RESERVE * workspace.scale))
    return (
        f"| {name} | {len(workspace.names)} | {accepted} | {violated} | {SEEDS - accepted} "
        f"| {with_room} | {samples / SEEDS:.0f} | {1e3 * seconds / SEEDS:.0f} ms |"
    )


if __name__ == "__main__":
    for name, options in ROBOTS.items():
        print(row(name, options))
