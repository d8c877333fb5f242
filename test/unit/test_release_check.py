"""A release is refused while versions differ, placeholders are left or the changelog is open."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from dynid_docs.release_check import problems

import dynid
from dynid import _core

ROOT = Path(__file__).parents[2]
FILES = (
    "setup.cfg",
    "CMakeLists.txt",
    "dynid/__init__.py",
    "package.xml",
    "interfaces/CMakeLists.txt",
    "interfaces/package.xml",
    "interfaces/pyproject.toml",
    "CITATION.cff",
    "pixi.toml",
    "recipe/recipe.yaml",
    "CHANGELOG.md",
)


@pytest.fixture
def ready(tmp_path: Path) -> Path:
    """The repository's files, as they would be for version 9.8.7."""
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
        text = (ROOT / name).read_text("utf-8").replace(dynid.__version__, "9.8.7")
        text = text.replace("dynid.example", "robots.org")
        heading = re.compile(r"^## \[(Unreleased|9\.8\.7)\].*$", re.MULTILINE)
        text = heading.sub("## [9.8.7] - 2031-01-31", text)
        text = re.sub(r"(?<=\ndate-released: ).*", "2031-01-31", text)
        (tmp_path / name).write_text(text, "utf-8")
    return tmp_path


def test_a_ready_release_has_no_problems(ready: Path) -> None:
    assert problems(ready, "v9.8.7") == []
    assert problems(ready) == []


@pytest.mark.parametrize("name", [name for name in FILES if name != "CHANGELOG.md"])
def test_another_version_is_named(ready: Path, name: str) -> None:
    text = (ready / name).read_text("utf-8")
    (ready / name).write_text(text.replace("9.8.7", "9.8.6"), "utf-8")
    assert problems(ready)


def test_tag_changelog_and_placeholders_are_named(ready: Path) -> None:
    assert problems(ready, "v9.8.8") == ["The tag is v9.8.8, but setup.cfg has version 9.8.7."]
    (ready / "CHANGELOG.md").write_text("## [Unreleased]\n", "utf-8")
    shutil.copy(ROOT / "package.xml", ready)
    interfaces = ready / "interfaces/package.xml"
    interfaces.write_text(interfaces.read_text("utf-8").replace("<url", "<note"), "utf-8")
    said = " ".join(problems(ready))
    for part in (
        "CHANGELOG.md has no heading",
        "package.xml has a placeholder in place of the maintainers' address: maintainers@",
        "package.xml has a placeholder in place of the maintainers' URL: https://dynid.example.",
        "package.xml has a placeholder in place of the maintainers' URL: https://git.dynid.example/dynid/issues.",
        "interfaces/package.xml has no <url>",
        "package.xml has version",
    ):
        assert part in said


def test_the_versions_of_this_repository_agree() -> None:
    assert not [line for line in problems(ROOT) if "version" in line]
    assert dynid.__version__ == _core.version


def test_another_date_in_the_citation_is_named(ready: Path) -> None:
    text = (ready / "CITATION.cff").read_text("utf-8")
    (ready / "CITATION.cff").write_text(text.replace("2031-01-31", "2031-01-30"), "utf-8")
    assert problems(ready) == [
        "CITATION.cff has date-released 2031-01-30, but CHANGELOG.md has 2031-01-31."
    ]


def test_the_package_index_names_every_python_that_gets_a_wheel() -> None:
    built = re.findall(r'"cp3(\d+)-\*"', (ROOT / "pyproject.toml").read_text("utf-8"))
    named = re.findall(
        r":: Python :: 3\.(\d+)$", (ROOT / "setup.cfg").read_text("utf-8"), re.MULTILINE
    )
    assert built
    assert named == built
