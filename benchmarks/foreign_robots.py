"""Rehearse robots of which there is only a URDF, and print a row for each.

Each runs through all of `dynid demo`: a default motion, derived drives, recording, identification,
and validation on a second motion:

    python benchmarks/foreign_robots.py FOLDER_OR_URDF ... [--half 1|2] [--json]

In a folder, every URDF with a movable joint is taken, one of several copies with the same content.
`--half` takes every second one, by name. Packages such as example-robot-data and pybullet contain
URDFs. Errors are relative, of the second motion; the parameters' error is in units of their
standard deviations, root mean square over all base parameters.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from rich.console import Console
from rich.text import Text

from dynid.demonstration import Demonstration, run_demo
from dynid.errors import DynidError
from dynid.report.terminal.console import roomy
from dynid.report.terminal.tables import table
from dynid.simulation.true_parameters import standardised_errors
from dynid.text import percent, significant

_MOVABLE = ('type="revolute"', 'type="continuous"', 'type="prismatic"')


@dataclass(frozen=True)
class Rehearsed:
    """Result of a rehearsal.

    Attributes:
        robot: name of the URDF file, and of its folder.
        joints: their number.
        result: "passed", "failed", or a sentence that names the entry to give.
        relative_error: (n,) of the second motion.
        parameter_error: in standard deviations.
        seconds: wall-clock time [s].
    """

    robot: str
    joints: int
    result: str
    relative_error: tuple[float, ...] = ()
    parameter_error: float = float("nan")
    seconds: float = 0.0


def main() -> None:
    """Rehearse the robots selected on the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("places", nargs="+", type=Path, metavar="FOLDER_OR_URDF")
    parser.add_argument("--half", type=int, choices=(1, 2), help="every second robot, by name")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    files = urdf_files(options.places)
    if options.half:
        files = files[options.half - 1 :: 2]
    console, found = Console(stderr=True), []
    for file in files:
        found.append(rehearse(file))
        console.print(Text(f"{found[-1].robot}: {found[-1].result}"))
    if options.json:
        print(json.dumps([asdict(one) for one in found]))
    else:
        _print(Console(), found)


def urdf_files(places: Iterable[Path]) -> list[Path]:
    """Return the URDFs with movable joints in files and folders, by name, each content once."""
    by_content: dict[str, Path] = {}
    for place in places:
        for path in sorted(place.rglob("*.urdf")) if place.is_dir() else [place]:
            text = path.read_text(encoding="utf-8", errors="replace")
            if any(kind in text for kind in _MOVABLE):
                by_content.setdefault(text, path)
    return sorted(by_content.values(), key=lambda path: (path.name.lower(), str(path)))


def rehearse(file: Path) -> Rehearsed:
    """Run the demonstration of a URDF."""
    name, begun = f"{file.stem} ({file.parent.name})", time.perf_counter()
    with TemporaryDirectory() as folder:
        try:
            shown = run_demo(str(file), Path(folder), lambda _: None)
        except DynidError as error:
            return Rehearsed(name, 0, str(error), seconds=time.perf_counter() - begun)
    return _rehearsed(name, shown, time.perf_counter() - begun)


def _rehearsed(name: str, shown: Demonstration, seconds: float) -> Rehearsed:
    last = shown.validation or shown.identification
    errors = list(standardised_errors(shown.identification).values())
    return Rehearsed(
        robot=name,
        joints=len(shown.identification.robot.joints),
        result="passed" if shown.success else "failed: " + " ".join(last.verdict.reasons),
        relative_error=tuple(joint.relative_error for joint in last.verdict.joints),
        parameter_error=float(np.sqrt(np.mean(np.square(errors)))) if errors else float("nan"),
        seconds=seconds,
    )


def _print(console: Console, found: list[Rehearsed]) -> None:
    shown = table("robot", "joints", "mean error", "largest", "parameters", "seconds")
    for one in found:
        errors = np.array(one.relative_error or [np.nan])
        shown.add_row(
            one.robot,
            str(one.joints or "–"),
            percent(float(errors.mean())),
            percent(float(errors.max())),
            significant(one.parameter_error, 2),
            f"{one.seconds:.0f}",
        )
    console = roomy(console)
    console.print(shown)
    passed = sum(one.result == "passed" for one in found)
    for one in found:
        if one.result != "passed":
            console.print(Text(f"{one.robot}: {one.result}"), soft_wrap=True)
    console.print(f"{passed} of {len(found)} robots passed.")


if __name__ == "__main__":
    main()
