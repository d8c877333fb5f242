"""What dynid needs and this Python lacks is named, with the command that installs it."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from dynid.requirements import requirements, unmet_requirements, unmet_sentence

_HIDING = """
import sys
class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "PACKAGE":
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)
sys.meta_path.insert(0, Hidden())
from importlib import metadata
version = metadata.version
def shown(name):
    if name == "PACKAGE":
        raise metadata.PackageNotFoundError(name)
    return version(name)
metadata.version = shown
"""


def run_without(package: str, tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a module of Python that has everything but a package."""
    (tmp_path / "sitecustomize.py").write_text(_HIDING.replace("PACKAGE", package), "utf-8")
    paths = os.pathsep.join([str(tmp_path), *sys.path])
    return subprocess.run(
        [sys.executable, "-m", *arguments],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("package", ["pydantic", "typer"])
def test_a_command_without_a_library_names_it_in_one_sentence(tmp_path: Path, package: str) -> None:
    ended = run_without(package, tmp_path, "dynid", "robots")
    assert ended.returncode == 2
    assert ended.stderr.startswith(f"dynid: this Python lacks {package}<")
    assert ended.stderr.endswith("'.\n")
    assert "Traceback" not in ended.stderr


def test_a_node_without_a_library_names_it_in_one_sentence(tmp_path: Path) -> None:
    pytest.importorskip("rclpy")
    ended = run_without("pydantic", tmp_path, "dynid_ros.programs", "recorder")
    assert ended.returncode == 2
    assert ended.stderr.startswith("dynid: this Python lacks pydantic<")
    assert "Traceback" not in ended.stderr


def test_a_version_out_of_range_is_named_with_the_one_that_is_here(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pytest.importorskip("packaging")
    version = metadata.version
    here = {"pydantic": "1.10.14", "numpy": "1.24.2"}
    monkeypatch.setattr(metadata, "version", lambda name: here.get(name) or version(name))
    assert {one.partition("<")[0] for one in unmet_requirements()} == {"numpy", "pydantic"}
    assert "(here: numpy 1.24.2 and pydantic 1.10.14): pip install 'numpy<" in unmet_sentence()


def test_pinocchio_of_ros_or_a_distribution_has_no_metadata_of_pip(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    version = metadata.version

    def shown(name: str) -> str:
        if name == "pin":
            raise metadata.PackageNotFoundError(name)
        return version(name)

    monkeypatch.setattr(metadata, "version", shown)
    assert unmet_requirements() == []


def test_nothing_is_missing_where_pip_has_installed_dynid() -> None:
    assert len(requirements()) > 10
    assert unmet_sentence() == ""
