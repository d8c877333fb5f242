"""``dynid drives``: torque factors, the files of ethercat_driver, and torque constants."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynid.cli.options import AsJson, Force, Profile, Recordings, Set, Urdf, output_folder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dynid.identification.drive_gains.identification import DriveGains
    from dynid.robot.drive_objects import DriveProfile
    from dynid.robot.esi import EsiDrive
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
    from dynid.robot.drive_objects import load_drive

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
    from dynid.robot.esi import drive_of_esi, read_esi

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
    from dynid.control.ros2_hardware import HARDWARE, hardware_tag
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


_FILE, _FAILED = "drive_gains.yaml", "drive_gains.failed.yaml"
Centre = tuple[float, float, float]
Inertia = tuple[float, float, float, float, float, float]


def drives_gains_command(
    recordings: Recordings,
    profile: Profile,
    loaded: Annotated[
        list[Path],
        typer.Option(metavar="RECORDING", help="Recording with the payload; repeatable."),
    ],
    payload_mass: Annotated[float, typer.Option(metavar="KG", help="Mass of the payload.")],
    payload_centre: Annotated[
        Centre | None,
        typer.Option(
            metavar="X Y Z", help="Its centre of mass in the frame of the last joint [m]."
        ),
    ] = None,
    payload_inertia: Annotated[
        Inertia | None,
        typer.Option(
            metavar="XX ... ZZ",
            help="Its inertia about its centre of mass: xx xy yy xz yz zz [kg m^2].",
        ),
    ] = None,
    urdf: Urdf = None,
    settings: Set = None,
    output: Annotated[Path | None, output_folder(help="Folder for drive_gains.yaml.")] = None,
    as_json: AsJson = False,
) -> None:
    """Identify the torque constants of the drives.

    Needs recordings of motor current without payload, and with a payload of known mass, which
    sets the scale of all torques. Exit code 1: the constant of a joint is not identifiable.
    """
    from dynid.cli.loading import load_recordings, load_robot
    from dynid.identification.drive_gains.identification import identify_drive_gains
    from dynid.identification.drive_gains.known_payload import KnownPayload
    from dynid.report.terminal.console import print_result, result_console
    from dynid.report.terminal.drives import drive_gains_json, print_drive_gains
    from dynid.report.terminal.progress import progress

    robot = load_robot(profile, urdf=urdf, overrides=settings or [])
    payload = KnownPayload(payload_mass, payload_centre, payload_inertia)
    console = result_console(as_json)
    with progress(console) as step:
        without, with_it = (
            load_recordings(paths, robot, None, None, step) for paths in (recordings, loaded)
        )
        gains = identify_drive_gains(robot, without, with_it, payload, progress=step)
    written = [] if output is None or not any(gains.identifiable) else [_write(gains, output)]
    print_result(console, drive_gains_json, print_drive_gains, gains, written=written)
    raise typer.Exit(0 if gains.success else 1)


def _write(gains: DriveGains, folder: Path) -> Path:
    """Write the lines for the profile; a failed identification keeps those of an earlier one."""
    from dynid.files import write_text
    from dynid.report.terminal.drives import profile_fragment
    from dynid.transaction import written_together

    name = _FILE if gains.success else _FAILED
    with written_together(folder, stale=[_FAILED] if gains.success else []) as unfinished:
        write_text(unfinished / name, profile_fragment(gains))
    return folder / name
