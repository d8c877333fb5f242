"""The small robot's model, free motion, and the same motion with a push at its elbow."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dynid.excitation.build import build_excitation
from dynid.excitation.settings import find_excitation
from dynid.identification.identify import identify
from dynid.profile import load_robot
from dynid.recording.convert import write_bag
from dynid.simulation.simulate import simulate
from support.small_robot import write_small_robot

if TYPE_CHECKING:
    from pathlib import Path

    from dynid.recording.model import Recording
    from dynid.robot.robot import Robot

ONSET, LENGTH, PUSH = 2.0, 0.3, 40.0  # [s], [s], [N m] far beyond any error of this robot


def followed(robot: Robot, seed: int = 0) -> Recording:
    """Return a recording of the simulated robot that follows its excitation."""
    settings = find_excitation(robot)
    assert settings is not None
    motion = build_excitation(settings, robot.limits, robot.joints)
    return simulate(robot, motion, seed=seed)


def write_pushed_robot(folder: Path, **free: int) -> None:
    """Write its profile, model.yaml, ``pushed``, and recordings of free motion by their seeds."""
    robot = load_robot(write_small_robot(folder))
    motion = followed(robot)
    time = motion.time - motion.time[0]
    effort = np.array(motion.effort)
    effort[(time >= ONSET) & (time < ONSET + LENGTH), 1] -= PUSH
    write_bag(replace(motion, effort=effort), folder / "pushed")
    for name, seed in free.items():
        write_bag(followed(robot, seed), folder / name)
    identify(robot, motion).model.save(folder / "model.yaml")
