"""``dynid view``: a robot, the path of its tool and its torque errors, in a browser or as a PNG."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynid.cli.options import OptionalModel, Port, Set, Urdf, complete_robot, output_file
from dynid.errors import ConfigurationError

if TYPE_CHECKING:
    from dynid.report.view.joint_motion import JointMotion
    from dynid.report.view.scene import Scene
    from dynid.robot.model import Model
    from dynid.robot.robot import Robot


_SUFFIXES = (".html", ".png")


def view_command(
    profile: Annotated[
        str | None,
        typer.Argument(
            metavar="ROBOT",
            autocompletion=complete_robot,
            help="Shipped robot (dynid robots), profile (.yaml), URDF or xacro.",
        ),
    ] = None,
    model: OptionalModel = None,
    recording: Annotated[
        Path | None,
        typer.Option(
            "--recording",
            "-r",
            metavar="RECORDING",
            help="Motion to show in place of the excitation.",
        ),
    ] = None,
    excitation: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Excitation to show in place of the profile's."),
    ] = None,
    at: Annotated[
        float | None, typer.Option(metavar="SECONDS", help="Time of the pose to show.")
    ] = None,
    tool: Annotated[
        str | None,
        typer.Option(metavar="LINK", help="Link whose path is drawn; the last by default."),
    ] = None,
    urdf: Urdf = None,
    output: Annotated[Path | None, output_file(help="File to write: .html or .png.")] = None,
    port: Port = 0,
    settings: Set = None,
) -> None:
    """Show a robot and its motion in a browser or as a picture.

    Without --output the page is served on this computer until Ctrl-C, and opened if there is a
    display. With --model and --recording, joints are coloured by their largest torque error, or by
    the one at the time --at.
    """
    from dynid.files import check_folder
    from dynid.report.local_server import has_display
    from dynid.report.terminal.console import result_console
    from dynid.report.terminal.progress import progress
    from dynid.report.view.html import serve, write_html
    from dynid.report.view.png import write_png

    if output is not None and output.suffix.lower() not in _SUFFIXES:
        raise ConfigurationError(f"--output {output}: must end in {' or '.join(_SUFFIXES)}.")
    if output is not None:
        check_folder(output)
    with progress(result_console(), "drawing the robot"):
        scene = _scene(profile, model, recording, excitation, at, tool, urdf, settings or [])
    if output is None:
        serve(scene, port=port, browse=has_display())
        return
    if output.suffix.lower() == ".png":
        write_png(scene, output)
    else:
        write_html(scene, output)
    typer.echo(f"wrote {output}")


def _scene(
    name: str | None,
    model: Path | None,
    recording: Path | None,
    excitation: Path | None,
    at: float | None,
    tool: str | None,
    urdf: Path | None,
    settings: list[str],
) -> Scene:
    from dynid.cli.loading import load_robot
    from dynid.profile import load_model
    from dynid.report.terminal.console import print_message
    from dynid.report.view.joint_motion import resting_position
    from dynid.report.view.picture import RobotPicture, check_same_joints

    stored = None if model is None else load_model(model)
    if name is not None:
        robot = load_robot(name, urdf=urdf, overrides=settings)
    elif stored is None:
        message = "view needs a robot (dynid robots lists those shipped), or a --model."
        raise ConfigurationError(message)
    elif urdf is not None or settings:
        raise ConfigurationError("--urdf and --set change a profile; name one besides --model.")
    else:
        robot = stored.robot
    if stored is not None and model is not None:
        check_same_joints(stored.robot, robot, model)
    picture = RobotPicture(robot, tool=tool, meshes=True)
    if picture.note:
        print_message(picture.note, kind="note")
    motion = _motion(robot, stored, recording, excitation)
    if motion is None:
        if at is not None:
            message = f"--at {at:g} needs a motion: profile {robot.name} has no excitation; name a "
            message += "--recording."
            raise ConfigurationError(message)
        return picture.scene(resting_position(robot))
    moment = 0 if at is None else motion.index(at)
    error = motion.peak_errors()
    if at is not None and motion.torque_error is not None:
        error = motion.torque_error[moment]
    return picture.scene(
        motion.position[moment],
        torque_error=error,
        paths=picture.tool_paths(motion),
        motion=motion,
        time=float(motion.time[moment]),
        title=_title(robot.name, at, peak=error is not None and at is None),
    )


def _motion(
    robot: Robot, model: Model | None, recording: Path | None, excitation: Path | None
) -> JointMotion | None:
    """Return a recorded motion, else an excitation, with a note if it is refused."""
    from dynid.report.terminal.console import print_message
    from dynid.report.view.joint_motion import excitation_motion, recorded_motion
    from dynid.robot.recordings import load_recording

    if recording is not None:
        recorded = robot if model is None else model.robot
        loaded = load_recording(recording, recorded)
        return recorded_motion(recorded, loaded, None if model is None else model.mechanism)
    motion = excitation_motion(robot, excitation)
    if motion is not None and motion.violation is not None:
        print_message(f"the excitation is refused: {motion.violation}", kind="note")
    return motion


def _title(robot: str, at: float | None, *, peak: bool) -> str:
    if at is not None:
        return f"{robot} at {at:g} s"
    return f"{robot}: largest torque errors" if peak else robot
