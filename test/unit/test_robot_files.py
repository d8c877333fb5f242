"""The file of a robot is found by its name, or the name that was probably meant is."""

from __future__ import annotations

from pathlib import Path

import pytest

from dynid.errors import ConfigurationError
from dynid.robot_files import find_robot_file, names_robot, shipped_profiles


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two files of robots, one in a subfolder, and a folder with the name of a shipped robot."""
    monkeypatch.chdir(tmp_path)
    Path("sub").mkdir()
    Path("scara").mkdir()
    for name in ("my_robot.urdf", "sub/gantry.yaml"):
        Path(name).touch()


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("puma561", "puma560"),
        ("UR10", "ur10"),
        ("ur-10e", "ur10e"),
        ("my_robt.yaml", "my_robot.urdf"),
        ("my_robot", "my_robot.urdf"),
        ("sub/gantri.yaml", "sub/gantry.yaml"),
    ],
)
def test_the_nearest_robot_is_suggested_for_a_mistyped_one(name: str, meant: str) -> None:
    with pytest.raises(ConfigurationError, match=f"{name}.*; did you mean '{meant}'[?]"):
        find_robot_file(name)


def test_without_a_near_name_the_shipped_robots_are_listed_after_a_short_excerpt() -> None:
    with pytest.raises(ConfigurationError) as refusal:
        find_robot_file("q" * 300)
    assert "q" * 81 not in str(refusal.value)
    assert ", ".join(shipped_profiles()) in str(refusal.value)


@pytest.mark.parametrize("name", ["nowhere/x.urdf", "zzz.yaml"])
def test_a_file_that_is_like_no_other_is_reported(name: str) -> None:
    with pytest.raises(ConfigurationError, match=f"{name}: there is no such file[.]"):
        find_robot_file(name)


def test_a_recording_is_no_robot() -> None:
    robots = ("puma560", "a.urdf", "a.XACRO", "a.yml")
    assert all(names_robot(name) for name in robots)
    assert not any(names_robot(name) for name in ("a.mcap", "bag", "scara", "puma561"))
