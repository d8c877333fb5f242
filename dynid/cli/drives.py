"""``dynid drives``: torque factors from the data sheet, and the files of ethercat_driver."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import Console

from dynid.control.ros2_control import HARDWARE, hardware_tag
from dynid.files import refuse_to_replace, write_texts
from dynid.profile import load_robot
from dynid.report.terminal.console import print_written
from dynid.report.terminal.drives import print_drives
from dynid.robot.slave_files import DriveProfile, load_drive, slave_files, slave_path

if TYPE_CHECKING:
    from dynid.robot.robot import Robot


_SMALLEST_MA = 50.0


def drives_command(
    profile: Annotated[
        str, typer.Option("--profile", "-p", help="Name of a shipped profile, or a YAML file.")
    ],
    urdf: Annotated[
        Path | None, typer.Option(help="URDF to use in place of the profile's.")
    ] = None,
    rate: Annotated[float, typer.Option(help="Control cycles per second, in Hz.")] = 1000.0,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", help="Override a key of the profile: drives.gear_ratio=100."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Folder for the files of the drives.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files that are there.")] = False,
) -> None:
    """Compute torque factors and limits from the drives' data sheet, and write their files.

    With --output: a slave file for each joint, and the <ros2_control> tag for each kind of
    hardware, which urdf/robot.ros2_control.xacro includes.
    """
    robot = load_robot(profile, urdf=urdf, overrides=settings or [])
    drive = load_drive(robot.drives.drive)
    if robot.drives.encoder_counts is None and drive.encoder_counts is not None:
        sheet = robot.drives.model_copy(update={"encoder_counts": (drive.encoder_counts,)})
        robot = robot.model_copy(update={"drives": sheet})
    console = Console()
    print_drives(console, robot)
    if robot.drives.rated_current_ma and min(robot.drives.rated_current_ma) < _SMALLEST_MA:
        typer.echo(
            f"warning: a rated current of {min(robot.drives.rated_current_ma):g} mA is small for a "
            "robot: were amperes meant? Then times 1000.",
            err=True,
        )
    for name in ("vendor_id", "product_id"):
        if not getattr(drive, name):
            typer.echo(
                f"warning: {name} of drive '{robot.drives.drive}' is not known, and no slave with "
                "0 is found: set what `ethercat slaves -v` prints.",
                err=True,
            )
    if output is not None:
        texts = _texts(robot, drive, rate, output)
        refuse_to_replace(texts, force)
        write_texts(texts)
        print_written(console, list(texts))


def _texts(robot: Robot, drive: DriveProfile, rate: float, folder: Path) -> dict[Path, str]:
    """Every file, made before the first is written."""
    slaves = slave_files(robot.joints, robot.drives, drive, rate)
    texts = {slave_path(folder, joint): text for joint, text in slaves.items()}
    for hardware in HARDWARE:
        root = ET.Element("robot")
        root.append(hardware_tag(robot, hardware, control_rate=rate, slaves=folder))
        ET.indent(root)
        texts[folder / f"{hardware}.ros2_control.xml"] = ET.tostring(root, "unicode") + "\n"
    return texts
