"""Python packages that dynid needs, and whether this Python has them.

pip installs them with dynid. A ROS 2 workspace gets them in other ways, so that some can be missing
or of another version there.
"""

from __future__ import annotations

import re
from importlib import metadata
from importlib.util import find_spec

from dynid.text import listed

_MODULES = {"pin": "pinocchio"}
"""Modules of packages that distributions and ROS 2 ship without pip's metadata."""


def requirements(extra: str = "") -> list[str]:
    """Return what an extra of dynid needs, without one what dynid itself needs, in pip's words."""
    marker = re.compile(rf"extra\s*==\s*['\"]{extra}['\"]")
    try:
        lines = metadata.requires("dynid") or ()
    except metadata.PackageNotFoundError:  # a source tree on PYTHONPATH
        return []
    return [
        requirement.strip()
        for requirement, _, condition in (line.partition(";") for line in lines)
        if (marker.search(condition) if extra else "extra" not in condition)
    ]


def package_name(requirement: str) -> str:
    """Return the name of the package in a requirement."""
    return re.split(r"[^\w.-]", requirement)[0]


def installed_version(name: str) -> str:
    """Return the installed version of a package; "" if it is missing."""
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


def unmet_requirements() -> list[str]:
    """Return what dynid itself needs that is missing or has another version, in pip's words."""
    return [one for one in requirements() if not _is_met(one)]


def unmet_sentence() -> str:
    """Return a sentence on what is missing for dynid itself, and the remedy; "" if nothing is."""
    unmet = unmet_requirements()
    if not unmet:
        return ""
    versions = {name: installed_version(name) for name in map(package_name, unmet)}
    others = [f"{name} {version}" for name, version in versions.items() if version]
    here = f" (here: {listed(others)})" if others else ""
    return f"this Python lacks {listed(unmet)}{here}: {pip_install(unmet)}."


def pip_install(needed: list[str]) -> str:
    """Return pip's command for some requirements."""
    return " ".join(["pip install", *(f"'{one}'" for one in needed)])


def _is_met(requirement: str) -> bool:
    name = package_name(requirement)
    version = installed_version(name)
    if not version:
        return name in _MODULES and find_spec(_MODULES[name]) is not None
    try:
        from packaging.requirements import Requirement  # noqa: PLC0415
    except ImportError:  # it comes with matplotlib
        return True
    return Requirement(requirement).specifier.contains(version, prereleases=True)
