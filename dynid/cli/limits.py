"""``dynid check limits``: velocities and accelerations of a planner that keep torque limits."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import numpy as np
import typer

from dynid.cli.options import AsJson, CarriedPayload, Force, RobotModel, output_file

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynid.arrays import Array
    from dynid.control.trajectory_limits import TrajectoryLimits
    from dynid.robot.model import Model


def check_limits_command(
    model: RobotModel,
    payload: CarriedPayload = None,
    along: Annotated[
        Path | None,
        typer.Option(metavar="RECORDING", help="A recorded path, to which the limits apply."),
    ] = None,
    velocity_scale: Annotated[
        float | None,
        typer.Option(metavar="SHARE", help="Share of the velocities; default: the quickest."),
    ] = None,
    ramp_time: Annotated[
        float, typer.Option(metavar="SECONDS", help="Shortest time to the largest velocity.")
    ] = 0.05,
    output: Annotated[Path | None, output_file(help="joint_limits.yaml for MoveIt.")] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Find accelerations that keep torques within the drives' limits.

    They hold at all positions and velocities of the profile's limits, and leave three times the
    model's torque errors to the drives. --output writes them for MoveIt.
    """
    from dynid.control.carried_body import carrying, read_carried_body
    from dynid.control.trajectory_limits import trajectory_limits
    from dynid.files import check_folder, refuse_to_replace, write_text
    from dynid.profile import load_model
    from dynid.report.terminal.console import print_json, print_written, result_console
    from dynid.report.terminal.progress import progress

    base = load_model(model)
    mechanism = base.mechanism
    if payload is not None:
        mechanism = carrying(mechanism, read_carried_body(payload))
    if output is not None:
        refuse_to_replace([output], force)
        check_folder(output)
    console = result_console(as_json)
    with progress(console) as step:
        limits = trajectory_limits(
            base,
            mechanism,
            velocity_scale=velocity_scale,
            ramp_time=ramp_time,
            along=None if along is None else _path(along, base, step),
            progress=step,
        )
    if output is not None:
        write_text(output, limits.moveit_text(_header(limits, base, payload, along)))
    if as_json:
        print_json(limits)
        return
    _print(limits, base)
    print_written(console, [output])


def _path(along: Path, base: Model, step: Callable[[str], None]) -> Array:
    """Return the positions of a recording (N, n), without those at which the robot rests."""
    from dynid.cli.loading import load_recordings
    from dynid.errors import ConfigurationError
    from dynid.signals.preprocess import preprocess

    (recording,) = load_recordings([along], base.robot, None, None, step)
    positions = preprocess(recording, base.robot).position
    moved = np.abs(np.diff(positions, axis=0)).max(axis=1) > 0
    positions = positions[np.concatenate([[True], moved])]
    if len(positions) < 2:
        raise ConfigurationError(f"{along}: the robot does not move; expected a path.")
    return np.asarray(positions)


def _header(
    limits: TrajectoryLimits, base: Model, payload: Path | None, along: Path | None
) -> list[str]:
    source = base.source
    return [
        f"Limits of {base.robot.name} that keep torques within those of the drives, by `dynid "
        "limits`.",
        f"Model: {source.name}, SHA-256 {source.sha256}" if source else "Model: nominal",
        f"Payload: {payload.name}" if payload else "Payload: none",
        f"Path: {along.name}" if along else "Path: any within limits.position",
        f"Highest torque in {limits.checked} random states: "
        f"{100 * float(limits.highest_use.max()):.1f} % of the drives'.",
    ]


def _print(limits: TrajectoryLimits, base: Model) -> None:
    from dynid.report.terminal.console import print_text, result_console
    from dynid.report.terminal.tables import ResultTable

    sheet = [base.robot.limits.range_of("acceleration", j) for j in range(len(limits.joints))]
    table = ResultTable(["joint", "velocity", "acceleration", "profile", "highest torque"])
    for j, joint in enumerate(limits.joints):
        given = sheet[j]
        table.add_row(
            joint,
            f"{limits.velocity[j]:.4g}",
            f"{limits.acceleration[j]:.4g}",
            "" if given is None else f"{given[1]:.4g}",
            f"{100 * limits.highest_use[j]:.0f} %",
        )
    console = result_console()
    console.print(table)
    print_text(
        console,
        "Velocities and accelerations in rad/s and rad/s^2, or m/s and m/s^2; highest torque of "
        f"the drives' in {limits.checked} random states.",
    )
    if base.robot.gravity == "by_robot":
        print_text(
            console, "Gravity is the robot's own task: torque_max is taken as what it leaves."
        )
