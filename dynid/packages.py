"""ROS packages by name, without ROS: for ``package://`` of a URDF and ``$(find …)`` of a xacro."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from dynid.errors import DynidError
from dynid.input_file import is_file, read_text
from dynid.text import listed
from dynid.xml_tree import xml_tree

PACKAGE_PATH = "DYNID_PACKAGE_PATH"
"""Environment variable: folders of packages, or that contain packages, separated by colons."""

PREFIXES = "AMENT_PREFIX_PATH"
"""Environment variable: where ROS 2 and its workspaces are installed."""

_DEEPEST = 3
"""Levels below a given folder in which a package is searched, as in the source of a workspace."""

_MOST_FOLDERS = 20_000
"""Folders that a search looks into; a larger tree is not one of robot descriptions."""


class Packages:
    """Where packages are searched: given folders, then the environment, then around a file.

    Args:
        folders: each a package, or a folder that contains packages.
        beside: a file within a package; the packages around it are found, too, and those in all
            repositories in the folder ``src`` of its workspace.
    """

    def __init__(self, folders: Iterable[Path] = (), beside: Path | None = None) -> None:
        self.folders = (*folders, *_of_environment())
        self._around = () if beside is None else tuple(beside.absolute().parents)

    def find(self, name: str) -> Path | None:
        """Return the folder of a package: the one that ``share/<name>`` would be, or None."""
        for folder in self.folders:
            for candidate in (folder, folder / name, folder / "share" / name):
                if _is_package(candidate, name):
                    return candidate
        for folder in self._around:
            for candidate in (folder, folder / name):
                if _is_package(candidate, name):
                    return candidate
        workspaces = [folder for folder in self._around if folder.name == "src"]
        return next(_below((*self.folders, *workspaces), name), None)

    def resolve(self, uri: str) -> Path | None:
        """Return the file that ``package://<name>/<path>`` means; None where there is none."""
        name, _, inner = uri.removeprefix("package://").partition("/")
        package = self.find(name)
        return None if package is None or not is_file(package / inner) else package / inner

    def searched(self) -> str:
        """Return the folders in words."""
        around = ["around the file"] if self._around else []
        return listed([*map(str, self.folders), *around] or ["no folder was given"])


def folders_in(variable: str) -> list[Path]:
    """Return the folders that a variable of the environment lists."""
    return [Path(folder) for folder in os.environ.get(variable, "").split(os.pathsep) if folder]


def _of_environment() -> Iterator[Path]:
    for variable in (PACKAGE_PATH, "ROS_PACKAGE_PATH", PREFIXES):
        yield from folders_in(variable)


def _is_package(folder: Path, name: str) -> bool:
    """Return whether a folder is the package: by its package.xml, without one by its name."""
    try:
        if not folder.is_dir():
            return False
    except OSError:  # too long, or in a folder without access
        return False
    manifest = folder / "package.xml"
    if not is_file(manifest):
        return folder.name == name
    try:
        stated = xml_tree(read_text(manifest), manifest.name).findtext("name", "").strip()
    except DynidError:  # damaged: the name of the folder decides
        return folder.name == name
    return stated == name


def _below(folders: Iterable[Path], name: str) -> Iterator[Path]:
    """Yield the packages of that name in the given folders' trees."""
    left = _MOST_FOLDERS
    for start in folders:
        level = [start]
        for _ in range(_DEEPEST):
            level = [inner for outer in level for inner in _subfolders(outer)]
            left -= len(level)
            yield from (folder for folder in level if left > 0 and _is_package(folder, name))
            if left <= 0:
                return


def _subfolders(folder: Path) -> list[Path]:
    try:
        inner = sorted(folder.iterdir())
        return [folder for folder in inner if not folder.name.startswith(".") and folder.is_dir()]
    except OSError:
        return []
