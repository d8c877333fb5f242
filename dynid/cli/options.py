"""Options that several commands have, how a shell completes them, and a check of one."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer
from typer.models import OptionInfo

from dynid.errors import ConfigurationError
from dynid.estimation.estimators import CORE, estimator_names
from dynid.files import check_folder
from dynid.robot_files import shipped_profiles


def complete_robot(incomplete: str) -> list[str]:
    """Return names of shipped robots; where none fits, the shell completes files."""
    return [name for name in shipped_profiles() if name.startswith(incomplete)]


def complete_estimator(incomplete: str) -> list[str]:
    """Return names of estimators."""
    return [name for name in estimator_names() if name.startswith(incomplete)]


def check_png(output: Path | None) -> None:
    """Check where a picture is to be written, before any work.

    Raises:
        ConfigurationError: it is no .png.
        WriteError: its folder does not exist.
    """
    if output is None:
        return
    if output.suffix.lower() != ".png":
        raise ConfigurationError(f"--output {output}: must end in .png.")
    check_folder(output)


def profile_option(description: str) -> OptionInfo:
    """Return the option ``--profile`` with its completion; see :class:`RobotCommand`."""
    option: OptionInfo = typer.Option(
        "--profile", "-p", metavar="ROBOT", autocompletion=complete_robot, help=description
    )
    return option


output_file = partial(typer.Option, "--output", "-o", metavar="FILE")
output_folder = partial(typer.Option, "--output", "-o", metavar="FOLDER")
model_file = partial(typer.Option, "--model", "-m", metavar="FILE")


def _changed_key(example: str) -> OptionInfo:
    """Return the option that changes keys of the profile."""
    option: OptionInfo = typer.Option(
        "--set",
        metavar="KEY=VALUE",
        help=f"Change a key of the profile, such as {example}; repeatable.",
    )
    return option


Recordings = Annotated[
    list[Path],
    typer.Argument(metavar="RECORDING", help="One or more, of any format (docs/recordings.md)."),
]
OneRecording = Annotated[
    Path,
    typer.Argument(metavar="RECORDING", help="Bag or file of any format (docs/recordings.md)."),
]
Profile = Annotated[
    str, profile_option("Shipped robot (dynid robots), profile (.yaml), URDF or xacro.")
]
OptionalProfile = Annotated[
    str | None, profile_option("Shipped robot (dynid robots), profile (.yaml), URDF or xacro.")
]
OwnProfile = Annotated[
    str | None, profile_option("Profile to use in place of the one in the model.")
]
ModelFile = Annotated[Path, model_file(help="model.yaml of an identification.")]
OptionalModel = Annotated[Path | None, model_file(help="model.yaml of an identification.")]
RobotModel = Annotated[Path, model_file(help="model.yaml of the robot.")]
TorqueModel = Annotated[Path | None, model_file(help="model.yaml that predicts torque.")]
BaseModel = Annotated[
    Path,
    typer.Option(
        "--model", "--base-model", metavar="FILE", help="model.yaml of the robot without payload."
    ),
]
Urdf = Annotated[
    Path | None, typer.Option(metavar="FILE", help="URDF to use in place of the profile's.")
]
Start = Annotated[
    float | None, typer.Option(metavar="SECONDS", help="Ignore the recording before this time.")
]
Stop = Annotated[
    float | None, typer.Option(metavar="SECONDS", help="Ignore the recording after this time.")
]
Run = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        min=1,
        help="Read the N-th stretch of a recording whose clock was set back; times count in it.",
    ),
]
Set = Annotated[list[str] | None, _changed_key("identification.cutoff_hz=20")]
EstimatorName = Annotated[
    str | None,
    typer.Option(
        "--estimator",
        metavar="NAME",
        autocompletion=complete_estimator,
        help=f"One of {', '.join(CORE)}, or of a plug-in (docs/estimators.md).",
    ),
]
SetCollision = Annotated[list[str] | None, _changed_key("collision.debounce_time=0.01")]
Force = Annotated[bool, typer.Option("--force", help="Replace existing files.")]
ForceModel = Annotated[
    bool, typer.Option("--force", help="Accept a model whose identification failed.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")]
Output = Annotated[Path, output_folder(help="Folder for the results.")]
CarriedPayload = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="payload.yaml of the body that the robot carries."),
]
Without = Annotated[
    list[str] | None,
    typer.Option(
        metavar="KIND", help="Kind of joint terms to omit, such as presliding; repeatable."
    ),
]
MappedJoints = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        metavar="JOINT=NAME",
        help="Name of a joint in the file, where it differs from the robot's; repeatable.",
    ),
]
Port = Annotated[
    int, typer.Option(metavar="NUMBER", min=0, max=65535, help="HTTP port; 0: any free one.")
]


def mapped_joints(pairs: list[str] | None) -> dict[str, str]:
    """Return the values of ``--map JOINT=NAME``, names by joints.

    Raises:
        ConfigurationError: one is not such a pair.
    """
    names = {}
    for pair in pairs or []:
        joint, equals, name = pair.partition("=")
        if not (equals and joint and name):
            raise ConfigurationError(f"--map {pair}: expected JOINT=NAME.")
        names[joint] = name
    return names


def with_estimator(settings: list[str] | None, name: str | None) -> list[str]:
    """Return the values of ``--set`` with that of ``--estimator``, if it is given."""
    return [*(settings or []), *([] if name is None else [f"identification.estimator={name}"])]
