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


def write_dated_fleet(folder: Path, payloads: dict[str, list[float]]) -> Path:
    """Write a recording of each robot and day with its payload [kg], a table, and fleet.yaml."""
    write_profile(folder)
    lines = ["robot,recording,time"]
    for number, (robot, masses) in enumerate(payloads.items()):
        for day, mass in enumerate(masses):
            name = f"{robot}-{day:02d}.npz"
            record_day(folder / name, seed=100 * number + day, payload=mass, samples=1500)
            lines.append(f"{robot},{name},2026-03-{day + 1:02d}T08:00:00Z")
    (folder / "days.csv").write_text("\n".join(lines))
    path = folder / "fleet.yaml"
    path.write_text("types: {arm: {profile: arm.yaml, table: days.csv}}\n")
    return path
