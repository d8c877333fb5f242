"""``dynid drives``: torque factors from the data sheet, and the files of ethercat_driver."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynid.cli.options import Force, Profile, Set, Urdf, output_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dynid.robot.drive_profile import DriveProfile
    from dynid.robot.esi_drive import EsiDrive
    from dynid.robot.robot import Robot


_SMALLEST_MA = 50.0


def drives_command(
    profile: Profile,
    urdf: Urdf = None,
    rate: Annotated[float, typer.Option(metavar="HZ", help="Control cycles per second.")] = 1000.0,
    settings: Set = None,
    output: Annotated[Path | None, output_folder(help="Folder for the EtherCAT files.")] = None,
    esi: Annotated[
        Path | None, typer.Option(metavar="FILE", help="ESI file (XML) of the drives.")
    ] = None,
    device: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Drive of an ESI file with several: name or code."),
    ] = None,
    force: Force = False,
) -> None:
    """Compute torque factors of drives, and write EtherCAT files.

    Factors and limits follow from the data sheet in the profile. --output writes a slave file for
    each joint, and the <ros2_control> tag for each kind of hardware, which
    urdf/robot.ros2_control.xacro includes. --esi reads the drive's identity and PDOs from its ESI
    file, and names the objects that it lacks.
    """
    from dynid.cli.loading import load_robot
    from dynid.files import refuse_to_replace, write_texts
    from dynid.report.terminal.console import print_message, print_written, result_console
    from dynid.report.terminal.drives import print_drives
    from dynid.robot.drive_profile import load_drive

    robot = load_robot(profile, urdf=urdf, overrides=settings or [])
    drive = load_drive(robot.drives.drive)
    if robot.drives.encoder_counts is None and drive.encoder_counts is not None:
        sheet = robot.drives.model_copy(update={"encoder_counts": (drive.encoder_counts,)})
        robot = robot.model_copy(update={"drives": sheet})
    described = None if esi is None else _read(esi, device, drive, robot)
    console = result_console()
    print_drives(console, robot)
    drive, absent = (
        (drive, frozenset[int]()) if described is None else (described.profile, described.absent)
    )
    for note in (*_notes(robot, drive), *(described.notes if described else ())):
        print_message(note, kind="warning")
    if output is not None:
        texts = _texts(robot, drive, rate, output, absent)
        refuse_to_replace(texts, force)
        write_texts(texts)
        print_written(console, list(texts))


def _read(esi: Path, device: str | None, drive: DriveProfile, robot: Robot) -> EsiDrive:
    """Read the ESI file of the robot's drives, and print which drive it describes."""
    from dynid.report.terminal.console import print_message
    from dynid.robot.esi import read_esi
    from dynid.robot.esi_drive import drive_of_esi

    described = read_esi(esi, device)
    described_drive = drive_of_esi(described, drive, robot.drives, esi.name)
    print_message(
        f"{esi.name}: {described.name}, vendor 0x{described.vendor_id:08x}, product "
        f"0x{described.product_id:08x}, RxPDO 0x{described_drive.profile.rpdo:04x}, TxPDO "
        f"0x{described_drive.profile.tpdo:04x}, "
        f"assign_activate 0x{described_drive.profile.assign_activate:04x}",
        kind="note",
    )
    return described_drive


def _notes(robot: Robot, drive: DriveProfile) -> Iterator[str]:
    """Yield a sentence on each entry that is suspicious or missing."""
    from dynid.robot.drives import bus_addresses

    sheet = robot.drives
    if sheet.rated_current_ma and min(sheet.rated_current_ma) < _SMALLEST_MA:
        yield (
            f"drives.rated_current_ma: {min(sheet.rated_current_ma):g} mA is unusually small; "
            "multiply by 1000 if the value is in amperes."
        )
    for name in ("vendor_id", "product_id"):
        if not getattr(drive, name):
            yield (
                f"drive '{sheet.drive}': {name} is missing, so that the EtherCAT master will not "
                "find the slave; give the drive's ESI file with --esi, or set the value that "
                "`ethercat slaves -v` prints."
            )
    if any(address.alias for address in bus_addresses(sheet, len(robot.joints))):
        yield (
            "drives.alias: ethercat_driver ignores it when it writes start-up values such as "
            "0x60C2, and writes them to the slave at this position from the beginning of the bus; "
            "use alias 0 and positions on the bus, or write the values into the drives yourself."
        )


def _texts(
    robot: Robot, drive: DriveProfile, rate: float, folder: Path, absent: frozenset[int]
) -> dict[Path, str]:
    """Return the text of every file."""
    from dynid.control.ros2_control import HARDWARE, hardware_tag
    from dynid.robot.slave_files import check_position_range, slave_files, slave_path

    check_position_range(robot)
    slaves = slave_files(robot.joints, robot.drives, drive, rate, absent=absent)
    texts = {slave_path(folder, joint): text for joint, text in slaves.items()}
    for hardware in HARDWARE:
        root = ET.Element("robot")
        root.append(hardware_tag(robot, hardware, control_rate=rate, slaves=folder))
        ET.indent(root)
        texts[folder / f"{hardware}.ros2_control.xml"] = ET.tostring(root, "unicode") + "\n"
    return texts
