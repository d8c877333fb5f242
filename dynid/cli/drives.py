"""``dynid drives``: torque factors from the data sheet, and the files of ethercat_driver."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynid.cli.options import Force, Profile, Set, Urdf

if TYPE_CHECKING:
    from dynid.robot.robot import Robot
    from dynid.robot.slave_files import DriveProfile


_SMALLEST_MA = 50.0


def drives_command(
    profile: Profile,
    urdf: Urdf = None,
    rate: Annotated[float, typer.Option(metavar="HZ", help="Control cycles per second.")] = 1000.0,
    settings: Set = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FOLDER", help="Folder for the EtherCAT files."),
    ] = None,
    force: Force = False,
) -> None:
    """Compute torque factors of drives, and write EtherCAT files.

    Factors and limits follow from the data sheet in the profile. --output writes a slave file for
    each joint, and the <ros2_control> tag for each kind of hardware, which
    urdf/robot.ros2_control.xacro includes.
    """
    from dynid.cli.loading import load_robot
    from dynid.files import refuse_to_replace, write_texts
    from dynid.report.terminal.console import print_message, print_written, result_console
    from dynid.report.terminal.drives import print_drives
    from dynid.robot.slave_files import load_drive

    robot = load_robot(profile, urdf=urdf, overrides=settings or [])
    drive = load_drive(robot.drives.drive)
    if robot.drives.encoder_counts is None and drive.encoder_counts is not None:
        sheet = robot.drives.model_copy(update={"encoder_counts": (drive.encoder_counts,)})
        robot = robot.model_copy(update={"drives": sheet})
    console = result_console()
    print_drives(console, robot)
    if robot.drives.rated_current_ma and min(robot.drives.rated_current_ma) < _SMALLEST_MA:
        print_message(
            f"drives.rated_current_ma: {min(robot.drives.rated_current_ma):g} mA is unusually "
            "small; multiply by 1000 if the value is in amperes.",
            kind="warning",
        )
    for name in ("vendor_id", "product_id"):
        if not getattr(drive, name):
            print_message(
                f"drive '{robot.drives.drive}': {name} is missing, so that the EtherCAT master "
                "will not find the slave; set the value that `ethercat slaves -v` prints.",
                kind="warning",
            )
    if output is not None:
        texts = _texts(robot, drive, rate, output)
        refuse_to_replace(texts, force)
        write_texts(texts)
        print_written(console, list(texts))


def _texts(robot: Robot, drive: DriveProfile, rate: float, folder: Path) -> dict[Path, str]:
    """Return the text of every file."""
    from dynid.control.ros2_control import HARDWARE, hardware_tag
    from dynid.robot.slave_files import slave_files, slave_path

    slaves = slave_files(robot.joints, robot.drives, drive, rate)
    texts = {slave_path(folder, joint): text for joint, text in slaves.items()}
    for hardware in HARDWARE:
        root = ET.Element("robot")
        root.append(hardware_tag(robot, hardware, control_rate=rate, slaves=folder))
        ET.indent(root)
        texts[folder / f"{hardware}.ros2_control.xml"] = ET.tostring(root, "unicode") + "\n"
    return texts
