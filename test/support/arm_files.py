"""Input of an identification: a small robot's profile, its URDF and bags of its motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import yaml

from dynid.recording.convert import write_bag
from support.synthetic import ARM_URDF, arm_robot, recorded, true_parameters

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True)
class ArmFiles:
    profile: Path
    bag: Path
    other_bag: Path  # another motion


def write_arm(folder: Path, **changes: object) -> ArmFiles:
    robot = arm_robot(**changes)
    (folder / "arm.urdf").write_text(ARM_URDF)
    path = folder / "arm.yaml"
    path.write_text(yaml.safe_dump(robot.yaml_content()))
    mechanism = robot.mechanism()
    for name, seed in (("bag", 0), ("other_bag", 7)):
        motion = recorded(mechanism, true_parameters(mechanism), samples=2000, noise=0.3, seed=seed)
        write_bag(motion, folder / name)
    return ArmFiles(path, folder / "bag", folder / "other_bag")
