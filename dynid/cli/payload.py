"""``dynid payload``: the body that a robot carries, identified, measured, and for controllers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from dynid.cli.options import (
    AsJson,
    BaseModel,
    EstimatorName,
    Force,
    Output,
    OwnProfile,
    Recordings,
    RobotModel,
    Run,
    Set,
    Start,
    Stop,
    Urdf,
    output_file,
    output_folder,
    with_estimator,
)
from dynid.errors import ConfigurationError, ModelFileError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dynid.identification.payload.payload import Payload
    from dynid.robot.model import Model


_FILE = "payload.yaml"


def _load_base(
    path: Path, *, profile: str | None, urdf: Path | None, overrides: Sequence[str]
) -> Model:
    """Read the model of the robot without payload.

    Args:
        path: of its model.yaml.
        profile: with the settings of preprocessing; None for those in the model.
        urdf: in place of the profile's.
        overrides: of the profile's keys.

    Raises:
        ModelFileError: it cannot be read, is of another robot, or its identification failed.
        ConfigurationError: no such profile, or options that need one.
    """
    from dynid.cli.loading import load_model_for

    if profile is None and (urdf is not None or overrides):
        raise ConfigurationError(
            "--set, --estimator and --urdf change a profile; name it with --profile, because "
            "a payload is otherwise identified with the settings in the base model."
        )
    model = load_model_for(path, profile, urdf=urdf, overrides=overrides, force=True)
    if model.failed:
        raise ModelFileError(
            f"{path}: its identification failed, so that its torque error would be taken for the "
            "payload; identify the robot without payload again."
        )
    return model


def payload_identify_command(
    recordings: Recordings,
    base_model: BaseModel,
    profile: OwnProfile = None,
    urdf: Urdf = None,
    start: Start = None,
    stop: Stop = None,
    run: Run = None,
    estimator: EstimatorName = None,
    settings: Set = None,
    output: Output = Path("out"),
    as_json: AsJson = False,
) -> None:
    """Identify a payload with a known model of the robot.

    Exit code 0: payload.yaml is written; 1: no payload was found in the recordings; 2: bad input.
    """
    from dynid.cli.loading import load_recordings
    from dynid.identification.payload.identification import identify_payload
    from dynid.report.terminal.console import print_result, result_console
    from dynid.report.terminal.payload import (
        identification_evidence,
        payload_identification_json,
        print_payload_identification,
    )
    from dynid.report.terminal.progress import progress

    overrides = with_estimator(settings, estimator)
    base = _load_base(base_model, profile=profile, urdf=urdf, overrides=overrides)
    console = result_console(as_json)
    with progress(console) as step:
        identification = identify_payload(
            base, load_recordings(recordings, base.robot, start, stop, step, run), progress=step
        )
    success = identification.verdict.success
    payload = identification.payload if success else None
    written = _written(payload, lambda: identification_evidence(identification), output)
    shown = (payload_identification_json, print_payload_identification, identification)
    print_result(console, *shown, written=written)
    raise typer.Exit(0 if success else 1)


def payload_measure_command(
    recordings: Recordings,
    base_model: BaseModel,
    profile: OwnProfile = None,
    urdf: Urdf = None,
    start: Start = None,
    stop: Stop = None,
    run: Run = None,
    settings: Set = None,
    output: Annotated[Path | None, output_folder(help="Folder for payload.yaml.")] = None,
    as_json: AsJson = False,
) -> None:
    """Measure a payload's mass and centre with the robot at rest.

    Needs recordings in several poses. Friction at rest limits the accuracy; exit code 1: it is
    too large to find the mass.
    """
    from dynid.cli.loading import load_recordings
    from dynid.identification.payload.static import payload_at_rest
    from dynid.report.terminal.console import print_result, result_console
    from dynid.report.terminal.payload import (
        print_static_payload,
        static_evidence,
        static_payload_json,
    )
    from dynid.report.terminal.progress import progress

    base = _load_base(base_model, profile=profile, urdf=urdf, overrides=settings or [])
    console = result_console(as_json)
    with progress(console) as step:
        identification = payload_at_rest(
            base, load_recordings(recordings, base.robot, start, stop, step, run), progress=step
        )
    payload = identification.payload if identification.success else None
    written = _written(payload, lambda: static_evidence(identification), output)
    shown = (static_payload_json, print_static_payload, identification)
    print_result(console, *shown, written=written)
    raise typer.Exit(0 if identification.success else 1)


def _written(
    found: Payload | None, evidence: Callable[[], Sequence[str]], output: Path | None
) -> list[Path]:
    """Write payload.yaml where a payload was found, or report that an earlier one was kept."""
    from dynid.identification.payload.payload import write_payload
    from dynid.report.terminal.console import print_message

    path = None if output is None else output / _FILE
    if path is not None and found is not None:
        write_payload(found, evidence(), path)
        return [path]
    if path is not None and path.exists():
        print_message(f"{path} of an earlier identification was kept unchanged.", kind="note")
    return []


def payload_write_command(
    payload: Annotated[
        Path, typer.Argument(metavar="PAYLOAD", help="payload.yaml of `dynid payload identify`.")
    ],
    model: RobotModel,
    to: Annotated[
        Literal["ur", "ur-ros2", "franka", "abb", "kuka", "fanuc", "force-sensor"],
        typer.Option(help="The controller that takes it."),
    ],
    flange: Annotated[
        str | None,
        typer.Option(metavar="LINK", help="Link of the flange; default: tool0 or the last link."),
    ] = None,
    name: Annotated[
        str, typer.Option(metavar="NAME", help="ABB: the variable; KUKA, FANUC: the number.")
    ] = "",
    output: Annotated[Path | None, output_file(help="File in place of the terminal.")] = None,
    force: Force = False,
) -> None:
    """Write a payload as the robot's own controller takes it.

    Mass, centre of mass and inertia in the frame, units and order of UR, Franka, ABB, KUKA or
    FANUC. The payload may be on axis 3 of a KUKA too, if the profile names it as payload_joint.
    force-sensor writes parameters of ROS's filter that takes its weight off a force sensor.
    """
    from dynid.control.carried_body import read_carried_body
    from dynid.control.load_data import UNITS, body_at_flange, flange_of, gravity_filter, load_text
    from dynid.files import refuse_to_replace, write_text
    from dynid.profile import load_model
    from dynid.report.terminal.console import print_message, print_written, result_console

    body, base = read_carried_body(payload), load_model(model)
    mechanism = base.mechanism
    joint = _carrier(payload, base)
    link = flange_of(mechanism, flange)
    seen = body_at_flange(mechanism, body, joint, link)
    if to == "force-sensor":
        if name:
            raise ConfigurationError("--name: a force sensor's load has no name; leave it out.")
        root = base.robot.kinematics().root
        text, units = gravity_filter(seen, link, root, mechanism.gravity), "kg, m, m/s^2"
    else:
        text = load_text(to, seen, name=name, axis=_axis(base, joint))
        units = UNITS[to]
    print_message(f"In the frame of link '{link}'; {units}.", kind="note")
    if output is None:
        typer.echo(text)
        return
    refuse_to_replace([output], force)
    write_text(output, f"{text}\n")
    print_written(result_console(), [output])


def _carrier(payload: Path, base: Model) -> str:
    """Return the joint that carries the payload.

    Raises:
        ConfigurationError: the file names another than the model.
    """
    from dynid.control.carried_body import carrier_in

    mechanism = base.mechanism
    joint, named = mechanism.body_joints[mechanism.payload_body], carrier_in(payload)
    if named is not None and named != joint:
        raise ConfigurationError(
            f"{payload}: is in the frame of joint '{named}', but the payload of {base.robot.name} "
            f"is on joint '{joint}'; name the model that the payload was identified with."
        )
    return joint


def _axis(base: Model, joint: str) -> int:
    """Return the number of the axis that carries the payload; 0 if it is the last one."""
    joints = base.mechanism.joints
    return 0 if joint not in joints[:-1] else joints.index(joint) + 1
