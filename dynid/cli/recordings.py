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
from dynid.report.terminal.results import print_recording_info


def convert_command(
    source: Annotated[Path, typer.Argument(help="CSV file, or folder of files.")],
    destination: Annotated[Path, typer.Argument(help="rosbag2 folder to create.")],
    columns: Annotated[
        Path | None, typer.Option(help="YAML file that says which column is what.")
    ] = None,
) -> None:
    """Write a CSV recording as a rosbag2 folder (MCAP)."""
    samples = convert(source, destination, _column_map(columns))
    count, joints = len(samples.stamps), len(samples.joint_names)
    Console().print(f"{destination}: {count} samples of {joints} joints.")


def info_command(
    recording: Annotated[Path, typer.Argument(help="Any recording.")],
    columns: Annotated[Path | None, typer.Option(help="Column map, for CSV.")] = None,
    profile: Annotated[
        str | None, typer.Option("--profile", "-p", help="Profile that has a column map.")
    ] = None,
) -> None:
    """Show what a recording holds."""
    column_map = _column_map(columns)
    if column_map is None and profile is not None:
        column_map = load_robot(profile).settings(RecordingSettings).columns
    print_recording_info(Console(), describe(recording, columns=column_map))


def _column_map(path: Path | None) -> ColumnMap | None:
    return None if path is None else parse(ColumnMap, read_yaml(path), path.name)
