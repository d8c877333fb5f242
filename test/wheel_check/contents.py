"""Which files a wheel and a source distribution must have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

PACKAGES = ("dynid", "dynid_plugins", "dynid_ros")
SHARED = ("config", "urdf")
"""Folders that a wheel installs into share/dynid."""
SOURCES = ("cmake", "config", "cpp", "interfaces", "launch", "rviz", "urdf", *PACKAGES)
SOURCE_FILES = (
    "CHANGELOG.md",
    "CITATION.cff",
    "CMakeLists.txt",
    "LICENSE",
    "MANIFEST.in",
    "README.md",
    "constraints.txt",
    "package.xml",
    "pyproject.toml",
    "ros-requirements.txt",
    "setup.cfg",
    "setup.py",
)
_BUILT = {".so", ".pyc"}


def missing_in_wheel(names: Iterable[str], root: Path) -> list[str]:
    """Return the files of the repository that a wheel should have and has not.

    Args:
        names: of the wheel's members.
        root: of the repository.
    """
    shared = re.compile(r"^dynid-[^/]+\.data/data/(?=share/)")
    present = {shared.sub("", name) for name in names}
    expected = {str(path) for path in _files(root, PACKAGES)}
    expected |= {f"share/dynid/{path}" for path in _files(root, SHARED)}
    return sorted(expected - present)


def missing_in_sdist(names: Iterable[str], root: Path) -> list[str]:
    """Return the files of the repository that a build needs and the names do not have.

    Args:
        names: relative to the source distribution's folder.
        root: of the repository.
    """
    expected = {str(path) for path in _files(root, SOURCES)} | set(SOURCE_FILES)
    return sorted(expected - set(names))


def _files(root: Path, folders: Iterable[str]) -> Iterator[Path]:
    for folder in folders:
        for path in (root / folder).rglob("*"):
            if path.is_file() and path.suffix not in _BUILT and "__pycache__" not in path.parts:
                yield path.relative_to(root)
