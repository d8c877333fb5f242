"""A robot's files, and a folder with results that must not change."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml
from support.arm_files import write_arm

from dynid.identification.identify import identify
from dynid.profile import load_robot
from dynid.report.write import write_outputs
from dynid.robot.recordings import load_recording


@dataclass(frozen=True)
class Workshop:
    folder: Path
    profile: Path
    bag: Path
    other_bag: Path
    model: Path

    def identify(self, out: Path, *more: object) -> list[object]:
        return ["identify", self.bag, "-p", self.profile, "-o", out, *more]


@pytest.fixture(scope="session")
def workshop() -> Iterator[Workshop]:
    """In a folder that every user may read."""
    folder = Path(tempfile.mkdtemp(prefix="dynid-faults-"))
    folder.chmod(0o755)
    drives = {
        "rated_current_ma": 3400,
        "peak_current_ma": 9000,
        "torque_constant": 0.2,
        "gear_ratio": 100,
        "encoder_counts": 131072,
    }
    arm = write_arm(folder)
    content = yaml.safe_load(arm.profile.read_text())
    (folder / "driven.yaml").write_text(yaml.safe_dump({**content, "drives": drives}))
    robot = load_robot(arm.profile)
    write_outputs(identify(robot, load_recording(arm.bag, robot)), folder / "model")
    yield Workshop(folder, arm.profile, arm.bag, arm.other_bag, folder / "model" / "model.yaml")
    shutil.rmtree(folder)


@pytest.fixture
def folder(workshop) -> Iterator[Path]:
    """Beside the robot's files, so that other users can reach it too."""
    made = Path(tempfile.mkdtemp(dir=workshop.folder))
    made.chmod(0o755)
    yield made
    for path, folders, _ in os.walk(made):
        for name in folders:
            (Path(path) / name).chmod(0o755)
    shutil.rmtree(made)


@pytest.fixture
def earlier(workshop, folder) -> Path:
    """An output folder with the results of an earlier identification."""
    out = folder / "out"
    shutil.copytree(workshop.model.parent, out)
    return out
