"""Wheel and source distribution are complete, by what setuptools would put into them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from wheel_check.contents import missing_in_sdist, missing_in_wheel

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What setuptools copies and lists without compiling."""
    folder = tmp_path_factory.mktemp("packed")
    commands = [
        *("egg_info", "--egg-base", str(folder)),
        *("build_py", "--build-lib", str(folder / "wheel")),
        *("install_data", "--install-dir", str(folder / "wheel")),
    ]
    done = subprocess.run(
        [sys.executable, "setup.py", "--quiet", *commands],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder


def _members(folder: Path) -> list[str]:
    return [str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()]


def test_the_wheel_has_every_file_of_packages_config_and_urdf(packed: Path) -> None:
    assert missing_in_wheel(_members(packed / "wheel"), ROOT) == []


def test_the_source_distribution_has_every_file_that_a_build_needs(packed: Path) -> None:
    names = (packed / "dynid.egg-info/SOURCES.txt").read_text("utf-8").split("\n")
    assert missing_in_sdist(names, ROOT) == []


def test_a_missing_template_profile_or_source_is_found(packed: Path) -> None:
    members = _members(packed / "wheel")
    for name in ("dynid/report/style.css", "share/dynid/config/robots/puma560.yaml"):
        assert missing_in_wheel([one for one in members if one != name], ROOT) == [name]
    names = (packed / "dynid.egg-info/SOURCES.txt").read_text("utf-8").split("\n")
    header = "cpp/core/include/dynid/mechanism.hpp"
    assert missing_in_sdist([one for one in names if one != header], ROOT) == [header]


def test_members_below_the_data_folder_of_a_wheel_are_recognised(packed: Path) -> None:
    members = [
        f"dynid-1.2.3.data/data/{name}" if name.startswith("share/") else name
        for name in _members(packed / "wheel")
    ]
    assert missing_in_wheel(members, ROOT) == []
