"""Options that several commands have."""

from pathlib import Path
from typing import Annotated

import typer

Recordings = Annotated[
    list[Path],
    typer.Argument(help="rosbag2, .mcap, .db3, .npz or CSV; one or several."),
]
Profile = Annotated[
    str | None, typer.Option("--profile", "-p", help="Name of a shipped profile, or a YAML file.")
]
OwnProfile = Annotated[
    str | None,
    typer.Option("--profile", "-p", help="Profile to use; the model's own, if not given."),
]
Urdf = Annotated[Path | None, typer.Option(help="URDF to use in place of the profile's.")]
Start = Annotated[float | None, typer.Option(help="Leave out what lies before, in seconds.")]
Stop = Annotated[float | None, typer.Option(help="Leave out what lies behind, in seconds.")]
Set = Annotated[
    list[str] | None,
    typer.Option("--set", help="Override a key of the profile: identification.cutoff_hz=20."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object, and nothing else.")]
Output = Annotated[Path, typer.Option("--output", "-o", help="Folder for the results.")]
