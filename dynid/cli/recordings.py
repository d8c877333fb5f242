"""``dynid info`` and ``dynid info convert``: contents of recordings, and other formats."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynid.cli.options import AsJson, OneRecording, complete_robot

if TYPE_CHECKING:
    from dynid.recording.info import AsRobot
    from dynid.recording.settings import RecordingSettings
    from dynid.robot.robot import Robot


_COLUMNS = typer.Option(metavar="FILE", help="Column map of a CSV file (docs/recordings.md).")
_PROFILE = typer.Option(
    "--profile",
    "-p",
    metavar="ROBOT",
    autocompletion=complete_robot,
    help="Shipped robot or profile with a column map.",
)


def info_convert_command(
    source: Annotated[
        Path, typer.Argument(metavar="RECORDING", help="CSV file, or another recording.")
    ],
    destination: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="rosbag2 folder to create.")
    ],
    columns: Annotated[Path | None, _COLUMNS] = None,
    profile: Annotated[str | None, _PROFILE] = None,
) -> None:
    """Convert a recording, such as CSV, to rosbag2 (MCAP)."""
    from dynid.recording.convert import convert
    from dynid.report.terminal.console import print_sentences, print_text, result_console
    from dynid.report.terminal.progress import progress

    console = result_console()
    with progress(console, f"converting {source.name}"):
        settings, _ = _profile(profile, columns)
        samples = convert(source, destination, settings.columns, temperature=settings.temperature)
    count, joints = len(samples.stamps), len(samples.joint_names)
    print_text(console, f"{destination}: {count} samples of {joints} joints.")
    print_sentences(console, "Repaired", samples.repairs, "yellow")


def info_command(
    recording: OneRecording,
    columns: Annotated[Path | None, _COLUMNS] = None,
    profile: Annotated[str | None, _PROFILE] = None,
    as_json: AsJson = False,
) -> None:
    """Show the contents of a recording, and what in it contradicts itself."""
    from dynid.recording.info import describe
    from dynid.report.terminal.console import print_result, result_console
    from dynid.report.terminal.progress import progress
    from dynid.report.terminal.results import print_recording_info, recording_info_json

    console = result_console(as_json)
    with progress(console, f"reading {recording.name}"):
        settings, robot = _profile(profile, columns)
        joints = () if robot is None else robot.joints
        info = describe(
            recording,
            columns=settings.columns,
            sampling_rate=settings.sampling_rate,
            joints=joints,
            as_robot=_as_robot(settings, robot),
        )
    print_result(console, recording_info_json, print_recording_info, info)


def _as_robot(settings: RecordingSettings, robot: Robot | None) -> AsRobot:
    """Return how a robot reads a recording, and what of it contradicts the robot."""
    from dynid.identification.settings import IdentificationSettings
    from dynid.recording.info import AsRobot
    from dynid.recording.joint_names import recorded_names
    from dynid.robot.plausible_motion import beyond_limits, check_motion_is_possible, endless_joints

    if robot is None:
        return AsRobot(corrections=settings.corrections)
    recorded = recorded_names(robot.joints, settings.names)
    return AsRobot(
        dict(zip(recorded, robot.joints, strict=True)),
        settings.corrections,
        endless_joints(robot),
        unsigned_torque=robot.settings(IdentificationSettings).unsigned_torque,
        refuse=partial(check_motion_is_possible, robot=robot),
        against_robot=partial(beyond_limits, robot=robot),
    )


def _profile(profile: str | None, columns: Path | None) -> tuple[RecordingSettings, Robot | None]:
    """Return the settings of recordings and the robot of a profile, with another column map.

    Args:
        profile: None: default settings, and no robot.
        columns: file of the column map; None: that of the profile.
    """
    from dynid import profile as profiles
    from dynid.cli.loading import load_robot
    from dynid.configuration import parse, read_yaml
    from dynid.recording.columns import ColumnMap
    from dynid.recording.settings import RecordingSettings

    given = None if columns is None else parse(ColumnMap, read_yaml(columns), columns.name)
    settings, robot = RecordingSettings(), None
    if profile is not None:
        # what is assumed of a robot without a profile concerns its column map
        robot = load_robot(profile) if given is None else profiles.load_robot(profile)
        settings = robot.settings(RecordingSettings)
    return settings if given is None else settings.model_copy(update={"columns": given}), robot
