"""``dynid convert`` and ``dynid info``: recordings from one format to another, and contents."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynid.cli.completion import complete_robot

if TYPE_CHECKING:
    from dynid.recording.columns import ColumnMap
    from dynid.recording.settings import TemperatureTopic


_COLUMNS = typer.Option(metavar="FILE", help="Column map of a CSV file (docs/recordings.md).")
_PROFILE = typer.Option(
    "--profile",
    "-p",
    metavar="ROBOT",
    autocompletion=complete_robot,
    help="Shipped robot or profile with a column map.",
)


def convert_command(
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
        chosen = _column_map(columns, profile)
        samples = convert(source, destination, chosen, temperature=_temperature(profile))
    count, joints = len(samples.stamps), len(samples.joint_names)
    print_text(console, f"{destination}: {count} samples of {joints} joints.")
    print_sentences(console, "Repaired", samples.repairs, "yellow")


def info_command(
    recording: Annotated[
        Path,
        typer.Argument(metavar="RECORDING", help="rosbag2 folder, .mcap, .db3, .npz, .csv, .REC."),
    ],
    columns: Annotated[Path | None, _COLUMNS] = None,
    profile: Annotated[str | None, _PROFILE] = None,
) -> None:
    """Show the contents of a recording."""
    from dynid.recording.info import describe
    from dynid.report.terminal.console import result_console
    from dynid.report.terminal.progress import progress
    from dynid.report.terminal.results import print_recording_info

    console = result_console()
    with progress(console, f"reading {recording.name}"):
        map_of_columns = _column_map(columns, profile)
        info = describe(
            recording,
            columns=map_of_columns,
            sampling_rate=_sampling_rate(profile),
            joints=_joints(profile),
        )
    print_recording_info(console, info)


def _temperature(profile: str | None) -> TemperatureTopic | None:
    """Return the topic of temperatures of the profile, for bags."""
    from dynid.profile import load_robot
    from dynid.recording.settings import RecordingSettings

    return None if profile is None else load_robot(profile).settings(RecordingSettings).temperature


def _joints(profile: str | None) -> tuple[str, ...]:
    """Return the joints of the profile's robot, for a column map that names them."""
    from dynid.profile import load_robot

    return () if profile is None else load_robot(profile).joints


def _sampling_rate(profile: str | None) -> float | None:
    """Return the sampling rate of the profile [Hz], for files that state none."""
    from dynid.profile import load_robot
    from dynid.recording.settings import RecordingSettings

    if profile is None:
        return None
    return load_robot(profile).settings(RecordingSettings).sampling_rate


def _column_map(path: Path | None, profile: str | None) -> ColumnMap | None:
    """Return the column map of the file, else of the profile, if either is given."""
    from dynid.cli.loading import load_robot
    from dynid.configuration import parse, read_yaml
    from dynid.recording.columns import ColumnMap
    from dynid.recording.settings import RecordingSettings

    if path is not None:
        return parse(ColumnMap, read_yaml(path), path.name)
    return None if profile is None else load_robot(profile).settings(RecordingSettings).columns
