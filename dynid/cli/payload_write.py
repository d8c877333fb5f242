"""``dynid payload write``: an identified payload for the controller of a robot's maker."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynid.cli.options import Force, RobotModel, output_file
from dynid.errors import ConfigurationError

if TYPE_CHECKING:
    from dynid.robot.model import Model


class _Controller(str, Enum):
    """Whose controller takes the payload."""

    ur = "ur"
    ur_ros2 = "ur-ros2"
    franka = "franka"
    abb = "abb"
    kuka = "kuka"
    fanuc = "fanuc"
    force_sensor = "force-sensor"


def payload_write_command(
    payload: Annotated[
        Path, typer.Argument(metavar="PAYLOAD", help="payload.yaml of `dynid payload identify`.")
    ],
    model: RobotModel,
    to: Annotated[_Controller, typer.Option(help="The controller that takes it.")],
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
    if to is _Controller.force_sensor:
        if name:
            raise ConfigurationError("--name: a force sensor's load has no name; leave it out.")
        root = base.robot.kinematics().root
        text, units = gravity_filter(seen, link, root, mechanism.gravity), "kg, m, m/s^2"
    else:
        text = load_text(to.value, seen, name=name, axis=_axis(base, joint))
        units = UNITS[to.value]
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
