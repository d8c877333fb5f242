"""Import every script of a folder, and print what is wrong with those that cannot be imported.

Run in a process of its own: python -m support.imported_scripts FOLDER. Scripts are left out that
need a package from elsewhere which is not installed, whether they say so and exit or not.
"""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

_OURS = ("dynid", "dynid_plugins", "dynid_ros", "support")


def failures(folder: Path) -> list[str]:
    scripts = sorted(folder.glob("*.py"))
    ours = {*_OURS, *(script.stem for script in scripts)}
    found = []
    for script in scripts:
        try:
            # not by import: a script may have the name of a package
            runpy.run_path(str(script), run_name=script.stem)
        except (Exception, SystemExit) as error:  # noqa: PERF203  of any script
            if not _lacks_a_package(error, ours):
                found.append(f"{script.name}: {type(error).__name__}: {error}")
    return found


def _lacks_a_package(error: BaseException, ours: set[str]) -> bool:
    cause = error.__context__ if isinstance(error, SystemExit) else error
    if not isinstance(cause, ModuleNotFoundError) or cause.name is None:
        return False
    return cause.name.partition(".")[0] not in ours


if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])
    sys.stdout.writelines(f"{line}\n" for line in failures(Path(sys.argv[1])))
