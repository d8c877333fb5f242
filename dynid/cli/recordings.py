"""``dynid convert`` and ``dynid info``: what recordings hold."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from dynid.configuration import parse, read_yaml
from dynid.profile import load_robot
from dynid.recording.columns import ColumnMap
from dynid.recording.convert import convert
from dynid.recording.info import describe
from dynid.recording.settings import RecordingSettings
from dynid.report.terminal.console import print_sentences
from dynid.report.terminal.results import print_recording_info

_PROFILE = typer.Option("--profile", "-p", help="Profile that has a column map.")


def convert_command(
    source: Annotated[Path, typer.Argument(help="CSV file, or folder of files.")],
    destination: Annotated[Path, typer.Argument(help="rosbag2 folder to create.")],
    columns: Annotated[
        Path | None, typer.Option(help="YAML file that says which column is what.")
    ] = None,
    profile: Annotated[str | None, _PROFILE] = None,
) -> None:
    """Write a recording, most often CSV, as a rosbag2 folder (MCAP)."""
    samples = convert(source, destination, _column_map(columns, profile))
    count, joints = len(samples.stamps), len(samples.joint_names)
    Console().print(f"{destination}: {count} samples of {joints} joints.", markup=False)
    print_sentences(Console(), "In the recording", samples.repairs, "yellow")


def info_command(
    recording: Annotated[Path, typer.Argument(help="Any recording.")],
    columns: Annotated[Path | None, typer.Option(help="Column map, for CSV.")] = None,
    profile: Annotated[str | None, _PROFILE] = None,
) -> None:
    """Show what a recording holds."""
    info = describe(recording, columns=_column_map(columns, profile))
    print_recording_info(Console(), info)


def _column_map(path: Path | None, profile: str | None) -> ColumnMap | None:
    """That of the file, else of the profile, if either is given."""
    if path is not None:
        return parse(ColumnMap, read_yaml(path), path.name)
    return None if profile is None else load_robot(profile).settings(RecordingSettings).columns
