"""``dynid robots``: the robots that come with dynid."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console
from rich.text import Text

from dynid.cli.judgement import print_json
from dynid.cli.options import AsJson
from dynid.profile import load_profile, shipped_profiles
from dynid.report.terminal.results import print_written, progress, result_console, roomy, table
from dynid.report.view.drawing import braille
from dynid.report.view.png import write_png
from dynid.report.view.robot_pictures import HEIGHT, WIDTH, bare_scene, contact_sheet
from dynid.report.write import written_together
from dynid.robot.summary import RobotSummary, summarize

if TYPE_CHECKING:
    from dynid.report.view.scene import Scene

SHEET = "robots.png"
_DRAWN_FROM = 115  # columns of a terminal in which a row has room for a drawing


def robots_command(
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="Folder for a picture of each and one of all."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List the robots that come with dynid: joints, base parameters, and what each is ready for.

    "base" are the base parameters with friction and all other joint terms, "rigid" those of the
    bodies alone. A terminal with room shows each robot; --output makes pictures.
    """
    console = result_console(as_json)
    names = shipped_profiles()
    rows: list[RobotSummary] = []
    scenes: dict[str, Scene] = {}
    pictured = console.is_terminal and console.width >= _DRAWN_FROM
    with progress(console, steps=len(names)) as step:
        for name in names:
            step(name)
            profile, urdf_xml = load_profile(name)
            rows.append(summarize(profile, urdf_xml))
            if pictured or output is not None:
                scenes[name] = bare_scene(profile, urdf_xml)
    written = [] if output is None else _draw(scenes, output)
    if as_json:
        print_json({"robots": [_entry(row) for row in rows]})
        return
    _print(console, rows, scenes if pictured else {})
    print_written(console, written)


def _print(console: Console, rows: list[RobotSummary], scenes: dict[str, Scene]) -> None:
    """Print a row for each robot, with a drawing where there is a scene."""
    head = ("joints", "kind", "base", "rigid", "excited", "simulated", "tracking")
    listed = table("name", *head, "recording", *([""] if scenes else []))
    for row in rows:
        cells = [
            row.joint_letters,
            row.kind,
            str(row.base_parameters),
            str(row.rigid_base_parameters),
            row.excitation or "–",
            "yes" if row.simulation else "–",
            row.tracking or "–",
            row.recording,
        ]
        picture = [braille(scenes[row.name])] if scenes else []
        listed.add_row(Text(row.name), *map(Text, [*cells, *picture]))
    roomy(console).print(listed)


def _draw(scenes: dict[str, Scene], folder: Path) -> list[Path]:
    with written_together(folder) as unfinished:
        for name, scene in scenes.items():
            write_png(scene, unfinished / f"{name}.png", width=WIDTH, height=HEIGHT)
        contact_sheet([unfinished / f"{name}.png" for name in scenes], unfinished / SHEET)
    return [folder / SHEET, *(folder / f"{name}.png" for name in scenes)]


def _entry(row: RobotSummary) -> dict[str, object]:
    return {
        "name": row.name,
        "joints": [
            {"name": name, "type": kind}
            for name, kind in zip(row.joints, row.joint_types, strict=True)
        ],
        "kind": row.kind,
        "base_parameters": row.base_parameters,
        "rigid_base_parameters": row.rigid_base_parameters,
        "excitation": row.excitation,
        "simulation": row.simulation,
        "tracking": row.tracking,
        "recording": row.recording,
    }
