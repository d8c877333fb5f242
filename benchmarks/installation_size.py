"""What each dependency of dynid adds to an installation, in MB.

Run it in an environment with dynid alone: ``time pip install dynid``, then ``python
benchmarks/installation_size.py``. A package that two of them need is counted at neither.
"""

from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path

MEGABYTE = 1e6


def _name(requirement: str) -> str:
    return re.split(r"[^\w.-]", requirement)[0].lower().replace("_", "-")


def _needed(package: str) -> list[str]:
    """Return what a package needs without extras, of what is installed."""
    try:
        lines = metadata.requires(package) or ()
    except metadata.PackageNotFoundError:
        return []
    return [_name(line) for line in lines if "extra ==" not in line]


def _closure(packages: list[str]) -> set[str]:
    """Return packages with all that they need."""
    found: set[str] = set()
    waiting = list(packages)
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting += _needed(one)
    return found


def _size(package: str) -> float:
    try:
        files = metadata.files(package) or ()
    except metadata.PackageNotFoundError:
        return 0.0
    paths = (Path(file.locate()) for file in files)
    return sum(path.stat().st_size for path in paths if path.exists()) / MEGABYTE


def main() -> None:
    """Print the dependencies, the largest first."""
    needed = _needed("dynid")
    everything = _closure(needed)
    alone = {
        one: everything - _closure([other for other in needed if other != one]) for one in needed
    }
    sizes = {one: sum(map(_size, packages)) for one, packages in alone.items()}
    for one in sorted(needed, key=lambda name: -sizes[name]):
        if alone[one]:
            print(f"{one:13} {sizes[one]:6.1f} MB in {len(alone[one])} packages")
    shared = everything - set().union(*alone.values())
    print(f"{'shared':13} {sum(map(_size, shared)):6.1f} MB: {', '.join(sorted(shared))}")
    print(f"{'together':13} {sum(map(_size, everything)):6.1f} MB in {len(everything)} packages")


if __name__ == "__main__":
    main()
