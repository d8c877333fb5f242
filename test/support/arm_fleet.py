"""A fleet of simulated three-joint arms: recordings, profile and fleet.yaml."""

from __future__ import annotations

from typing import TYPE_CHECKING

import yaml

from support.stored_recording import stored
from support.synthetic import ARM_URDF, arm_robot, recorded, true_parameters

if TYPE_CHECKING:
    from pathlib import Path

SAMPLES = 500


def record_day(path: Path, *, seed: int, payload: float = 0.0, samples: int = SAMPLES) -> Path:
    """Write a recording of an arm, which may carry a payload [kg]."""
    mechanism = arm_robot().mechanism()
    parameters = true_parameters(mechanism)
    parameters[10 * mechanism.payload_body] += payload
    path.parent.mkdir(parents=True, exist_ok=True)
    return stored(recorded(mechanism, parameters, samples=samples, noise=0.1, seed=seed), path)


def write_profile(folder: Path) -> Path:
    (folder / "arm.urdf").write_text(ARM_URDF)
    path = folder / "arm.yaml"
    path.write_text(yaml.safe_dump(arm_robot().yaml_content(exclude_unset=True)))
    return path


def write_fleet(folder: Path, *, robots: int = 2, days: int = 2) -> Path:
    """Write recordings ``rec/<robot>/<day>.npz``, and return the path of fleet.yaml."""
    write_profile(folder)
    for robot in range(robots):
        for day in range(days):
            record_day(folder / "rec" / f"cell_{robot}" / f"{day}.npz", seed=100 * robot + day)
    path = folder / "fleet.yaml"
    path.write_text("types: {arm: {profile: arm.yaml, recordings: 'rec/{robot}/*.npz'}}\n")
    return path
