"""``dynid robots``: the robots that come with dynid."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynid.cli.options import AsJson, output_folder
from dynid.errors import ConfigurationError

if TYPE_CHECKING:
    from rich.console import Console

    from dynid.report.robot_summary import RobotSummary
    from dynid.report.view.scene import Scene
    from dynid.robot.robot import Robot

SHEET = "robots.png"
_DRAWN_FROM = 115  # columns of a terminal in which a row has room for a drawing


def robots_command(
    output: Annotated[
        Path | None, output_folder(help="Folder for a picture of each and one of all.")
    ] = None,
    motors: Annotated[
        bool, typer.Option("--motors", help="List data of motors in place of robots.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List the robots that come with dynid.

    "base" is the number of base parameters including friction and other joint terms, "rigid" that
    of the rigid bodies alone. A wide terminal also shows a drawing of each robot. With --motors:
    published data of motors, each value with its source.
    """
    from threadpoolctl import threadpool_limits

    from dynid.profile import load_robot
    from dynid.report.robot_summary import summarize
    from dynid.report.terminal.console import print_json, print_written, result_console
    from dynid.report.terminal.progress import progress
    from dynid.robot_files import shipped_profiles

    console = result_console(as_json)
    if motors:
        if output is not None:
            raise ConfigurationError("--output: motors have no pictures; leave it or --motors out.")
        _list_motors(console, as_json=as_json)
        return
    names = shipped_profiles()
    robots: list[Robot] = []
    rows: list[RobotSummary] = []
    scenes: dict[str, Scene] = {}
    pictured = console.is_terminal and console.width >= _DRAWN_FROM
    # matrices are small: more threads would slow each other down
    with progress(console) as step, threadpool_limits(1, user_api="blas"):
        for name in step.each(names, lambda name: f"loading {name}"):
            robots.append(load_robot(name))
            rows.append(summarize(robots[-1]))
        if pictured or output is not None:
            # what draws takes a second to import, and most lists have no pictures
            from dynid.report.view.robot_pictures import bare_scene

            scenes = {robot.name: bare_scene(robot) for robot in robots}
    written = [] if output is None else _draw(scenes, output)
    if as_json:
        print_json({"robots": [_entry(row) for row in rows]})
        return
    _print(console, rows, scenes if pictured else {})
    print_written(console, written)


def _list_motors(console: Console, *, as_json: bool) -> None:
    """Print the motors with a row for each value, then their sources."""
    from dynid.report.terminal.console import print_json, print_sentences, roomy
    from dynid.report.terminal.tables import table
    from dynid.robot.servo import QUANTITIES, shipped_motors
    from dynid.text import significant

    found = shipped_motors()
    if as_json:
        entries = {name: motor.model_dump(mode="json") for name, motor in found.items()}
        print_json({"units": dict(QUANTITIES), "motors": entries})
        return
    for name, motor in found.items():
        rows = table(name, "value", "unit", "std. dev.", "source")
        for quantity, one in motor.values.items():
            given = one.standard_deviation
            deviation = given if isinstance(given, str) else significant(given)
            rows.add_row(
                quantity, significant(one.value), QUANTITIES[quantity], deviation, one.source
            )
        roomy(console).print(rows)
        sources = [
            f"{key}: {source.name}; {source.licence}; {source.url}"
            for key, source in motor.sources.items()
        ]
        print_sentences(console, motor.label, sources, "")


def _print(console: Console, rows: list[RobotSummary], scenes: dict[str, Scene]) -> None:
    """Print a row for each robot, with a drawing where there is a scene."""
    from dynid.report.terminal.console import roomy
    from dynid.report.terminal.tables import table

    drawings = {}
    if scenes:
        from dynid.report.view.robot_pictures import braille

        drawings = {name: braille(scene) for name, scene in scenes.items()}
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
        picture = [drawings[row.name]] if scenes else []
        listed.add_row(row.name, *cells, *picture)
    roomy(console).print(listed)


def _draw(scenes: dict[str, Scene], folder: Path) -> list[Path]:
    from dynid.report.view.png import write_png
    from dynid.report.view.robot_pictures import HEIGHT, WIDTH, contact_sheet
    from dynid.transaction import written_together

    with written_together(folder) as unfinished:
        for name, scene in scenes.items():
            write_png(scene, unfinished / f"{name}.png", width=WIDTH, height=HEIGHT)
        contact_sheet([unfinished / f"{name}.png" for name in scenes], unfinished / SHEET)
    return [folder / SHEET, *(folder / f"{name}.png" for name in scenes)]


def _entry(row: RobotSummary) -> dict[str, object]:
    from dynid.json_text import json_fields

    pairs = zip(row.joints, row.joint_types, strict=True)
    joints = [{"name": name, "type": kind} for name, kind in pairs]
    return json_fields(row, without=["joint_types"]) | {"joints": joints}
