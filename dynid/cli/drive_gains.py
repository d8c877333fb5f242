"""``dynid drives gains``: torque constants from recordings without and with a known payload."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynid.cli.options import AsJson, Profile, Recordings, Set, Urdf, output_folder

if TYPE_CHECKING:
    from dynid.identification.drive_gains.identification import DriveGains


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
    from dynid.report.terminal.drive_gains import drive_gains_json, print_drive_gains
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
    from dynid.report.terminal.drive_gains import profile_fragment
    from dynid.transaction import written_together

    name = _FILE if gains.success else _FAILED
    with written_together(folder, stale=[_FAILED] if gains.success else []) as unfinished:
        write_text(unfinished / name, profile_fragment(gains))
    return folder / name
