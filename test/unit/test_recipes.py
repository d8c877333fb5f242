"""What the recipes for robots with their own driver tell a reader to write is accepted."""

from __future__ import annotations

import re

import pytest
import yaml
from support.pages import ROOT

from dynid.profile import make_robot

RECIPES = {"Universal Robots": 6, "Franka": 7, "KUKA LBR": 7, "KUKA KR": 6, "ABB": 6}  # joints
WITHOUT_EFFORT = ("ABB",)  # drivers from which identify.launch.py records no torque
PAGE = (ROOT / "docs" / "recipes.md").read_text("utf-8")


def recipe(name: str) -> str:
    """Return the section of a robot."""
    return PAGE.partition(f"\n## {name}\n")[2].partition("\n## ")[0]


def chain(joints: int) -> str:
    """Return the URDF of a chain."""
    inertial = (
        '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
        "</inertial>"
    )
    links = "".join(f'<link name="link_{j}">{inertial}</link>' for j in range(joints + 1))
    moved = "".join(
        f'<joint name="joint_{j + 1}" type="revolute"><parent link="link_{j}"/>'
        f'<child link="link_{j + 1}"/><origin xyz="0.2 0 0" rpy="1.57 0 0"/><axis xyz="0 0 1"/>'
        '<limit lower="-3" upper="3" velocity="2" effort="100"/></joint>'
        for j in range(joints)
    )
    return f'<robot name="chain">{links}{moved}</robot>'


@pytest.mark.parametrize("name", RECIPES)
def test_every_yaml_of_a_recipe_is_a_valid_part_of_a_profile(name: str) -> None:
    joints = RECIPES[name]
    content = {
        "robot": "chain",
        "urdf": "chain.urdf",
        "joints": [f"joint_{j}" for j in range(1, joints + 1)],
    }
    blocks = re.findall(r"^```yaml\n(.*?)^```", recipe(name), re.MULTILINE | re.DOTALL)
    assert blocks
    for block in blocks:
        robot = make_robot({**content, **yaml.safe_load(block)}, chain(joints))
        assert robot.mechanism().joints == robot.joints


@pytest.mark.parametrize("name", [name for name in RECIPES if name not in WITHOUT_EFFORT])
def test_a_recipe_names_arguments_that_the_launch_files_have(name: str) -> None:
    launch = "".join(
        (ROOT / "launch" / f"{file}.launch.py").read_text() for file in ("robot", "identify")
    )
    known = set(re.findall(r'DeclareLaunchArgument\(\s*"(\w+)"', launch))
    commands = re.findall(
        r"ros2 launch dynid identify\.launch\.py((?:[^\n]*\\\n)*[^\n]*)", recipe(name)
    )
    assert commands
    for command in commands:
        given = dict(re.findall(r"(\w+):=(\S+)", command))
        assert set(given) <= known
        assert given["hardware"] == "external"


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_states_that_it_was_not_run_and_names_its_sources(name: str) -> None:
    assert "has not been run on" in PAGE
    assert recipe(name).partition("Sources:")[2].count("https://github.com/") >= 3
