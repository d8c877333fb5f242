"""Checks of what a release states about itself: ``make release-check [TAG=vX.Y.Z]``."""

from __future__ import annotations

import argparse
import re
import sys
from configparser import ConfigParser
from pathlib import Path

_PLACEHOLDERS = {
    "address": re.compile(r"[\w.-]+@[\w.-]*\bexample\b"),
    "URL": re.compile(r"https?://[\w.-]*\bexample\b[\w./-]*"),
}
_DATED = re.compile(r"^## \[(?P<version>[^]]+)\] - (?P<date>\d{4}-\d{2}-\d{2})$", re.MULTILINE)
_CITED = re.compile(r"^date-released: (\S+)$", re.MULTILINE)
_VERSIONS = {
    "CMakeLists.txt": r"^project\(dynid VERSION (\S+)",
    "dynid/__init__.py": r'^__version__ = "([^"]+)"$',
    "package.xml": r"<version>([^<]+)</version>",
    "interfaces/CMakeLists.txt": r"^project\(dynid_interfaces VERSION ([^)\s]+)",
    "interfaces/package.xml": r"<version>([^<]+)</version>",
    "interfaces/pyproject.toml": r'^version = "([^"]+)"$',
    "CITATION.cff": r"^version: (\S+)$",
    "pixi.toml": r'^version = "([^"]+)"$',
    "recipe/recipe.yaml": r'^  version: "([^"]+)"$',
}
_WITH_MAINTAINER = ("package.xml", "interfaces/package.xml", "setup.cfg", "recipe/recipe.yaml")


def problems(root: Path, tag: str = "") -> list[str]:
    """Return a sentence for each thing that has to change before a release.

    Args:
        root: of the repository.
        tag: of the release, such as ``vX.Y.Z``; empty if there is none yet.
    """
    setup = ConfigParser()
    setup.read(root / "setup.cfg", encoding="utf-8")
    version = setup["metadata"]["version"]
    found = []
    if tag and tag != f"v{version}":
        found.append(f"The tag is {tag}, but setup.cfg has version {version}.")
    for name, pattern in _VERSIONS.items():
        match = re.search(pattern, (root / name).read_text("utf-8"), re.MULTILINE)
        if match is None or match[1] != version:
            stated = "no version" if match is None else f"version {match[1]}"
            found.append(f"{name} has {stated}, but setup.cfg has {version}.")
    changes = (root / "CHANGELOG.md").read_text("utf-8")
    dates = {match["version"]: match["date"] for match in _DATED.finditer(changes)}
    cited = _CITED.search((root / "CITATION.cff").read_text("utf-8"))
    if version not in dates:
        found.append(f"CHANGELOG.md has no heading '## [{version}] - DATE'.")
    elif cited is None or cited[1] != dates[version]:
        stated = "no date-released" if cited is None else f"date-released {cited[1]}"
        found.append(f"CITATION.cff has {stated}, but CHANGELOG.md has {dates[version]}.")
    for name in _WITH_MAINTAINER:
        text = (root / name).read_text("utf-8")
        found += [
            f"{name} has a placeholder in place of the maintainers' {kind}: {placeholder}."
            for kind, pattern in _PLACEHOLDERS.items()
            for placeholder in dict.fromkeys(pattern.findall(text))
        ]
        if name.endswith(".xml") and '<url type="repository">' not in text:
            found.append(f"{name} has no <url> of the repository.")
    return found


def main() -> None:
    """Print the problems, and fail if there are any."""
    parser = argparse.ArgumentParser(description="What has to change before a release.")
    parser.add_argument("--tag", default="", help="tag of the release, such as vX.Y.Z")
    found = problems(Path(__file__).parents[2], parser.parse_args().tag)
    sys.stdout.writelines(f"{line}\n" for line in found)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
