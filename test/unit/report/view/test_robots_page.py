"""docs/robots.md: its pictures exist, and its commands are correct."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from dynid.playback.plan import examine_plan
from dynid.profile import make_robot
from dynid.robot.dh.chain import chains_of
from dynid.robot.dh.table import read_table
from dynid.robot.dh.urdf import profile_text, urdf_of
from dynid.robot_files import shipped_profiles
from dynid.simulation.settings import SimulationSettings

DOCS = Path(__file__).resolve().parents[4] / "docs"
PAGE = (DOCS / "robots.md").read_text(encoding="utf-8")
(TABLE,) = re.findall(r"```yaml\n(robot: desk_arm\nconvention.*?)```", PAGE, re.DOTALL)
PICTURES = re.findall(r"!\[\]\((images/robots/\w+\.png)\)", PAGE)


@pytest.mark.parametrize("name", shipped_profiles())
def test_names_every_shipped_robot(name: str) -> None:
    assert f"`{name}`" in PAGE


def test_pictures_are_there_and_small() -> None:
    assert PICTURES
    assert all((DOCS / picture).stat().st_size < 40_000 for picture in PICTURES)


def test_its_table_makes_a_robot_and_a_profile_that_moves(tmp_path: Path) -> None:
    path = tmp_path / "desk_arm.dh.yaml"
    path.write_text(TABLE, encoding="utf-8")
    table = read_table(path)
    chains = chains_of(table, path.name)
    text = profile_text(table.robot, "desk_arm.urdf", chains, table.gravity, path.name)
    robot = make_robot(
        yaml.safe_load(text), urdf_of(table.robot, chains, path.name), where="desk_arm.yaml"
    )
    mechanism = robot.mechanism()
    assert mechanism.joints == ("joint_1", "joint_2", "joint_3", "joint_4")
    assert robot.limits.position is not None
    _, check = examine_plan(robot)
    assert check.violation is None
    assert robot.find(SimulationSettings) is not None
