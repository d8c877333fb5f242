"""``dynid check``: a motion against all limits, and limits of a planner that keep torques."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynid.cli.options import (
    AsJson,
    CarriedPayload,
    Force,
    OptionalProfile,
    RobotModel,
    Set,
    TorqueModel,
    Urdf,
    check_png,
    output_file,
)
from dynid.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

    from dynid.arrays import Array
    from dynid.control.trajectory_limits import TrajectoryLimits
    from dynid.excitation.checks import MotionCheck
    from dynid.excitation.limit_use import LimitUse
    from dynid.robot.model import Model


def check_command(
    excitation: Annotated[
        Path | None,
        typer.Argument(
            metavar="MOTION",
            help="YAML with a group 'excitation', or a trajectory (CSV or JointTrajectory); "
            "without one, the motion of the profile.",
            show_default=False,
        ),
    ] = None,
    profile: OptionalProfile = None,
    model: TorqueModel = None,
    output: Annotated[
        Path | None,
        output_file(help="PNG of the robot at the first violation, else where bodies are closest."),
    ] = None,
    urdf: Urdf = None,
    settings: Set = None,
    as_json: AsJson = False,
) -> None:
    """Check a motion against all limits of the robot.

    Checked are position, velocity, acceleration, torque, the reach of closed chains, and the
    workspace in the profile. Exit code 0: the motion is safe; 1: it is not; 2: bad input.
    """
    from dynid.cli.loading import load_robot
    from dynid.excitation.workspace.workspace import Workspace
    from dynid.playback.plan import examine_plan
    from dynid.profile import load_model
    from dynid.report.terminal.console import (
        print_json,
        print_text,
        print_written,
        result_console,
        roomy,
    )
    from dynid.report.terminal.progress import progress
    from dynid.report.view.check_picture import write_check_picture

    check_png(output)
    if profile is None:
        profile, excitation = _robot_alone(excitation), None
    robot = load_robot(profile, urdf=urdf, overrides=settings or [])
    name = "the motion of the profile" if excitation is None else excitation.name
    loaded = None if model is None else load_model(model)
    console = result_console(as_json)
    with progress(console) as step:
        step(f"checking {name}")
        motion, check = examine_plan(robot, excitation=excitation, model=loaded)
        if output is not None:
            step("drawing")
            workspace = Workspace(robot, robot.mechanism())
            title = f"{robot.name}: {name}"
            write_check_picture(check, motion, workspace, title, output)
    if as_json:
        file = None if excitation is None else str(excitation)
        about = {"robot": robot.name, "excitation": file, "duration": motion.duration}
        print_json({**about, **_check_json(check)})
    else:
        print_text(console, f"{robot.name}: {excitation or name}, {motion.duration:.3f} s")
        console.print()
        _print_check(roomy(console), check)
        if output is not None:
            print_written(console, [output])
    if check.violation is not None:
        raise typer.Exit(1)


def _robot_alone(given: Path | None) -> str:
    """Return the robot that is the only argument.

    Raises:
        ConfigurationError: there is none, or it is a motion.
    """
    from dynid.configuration import read_yaml
    from dynid.robot_files import names_robot

    named = given is not None and names_robot(str(given))
    if named and given is not None and given.suffix.lower() in {".yaml", ".yml"}:
        named = "excitation" not in (content := read_yaml(given)) or "robot" in content
    if given is None or not named:
        raise ConfigurationError(
            f"check needs the robot whose limits are to be kept: dynid check ROBOT "
            f"{given or '[MOTION]'}, with a shipped robot (dynid robots), a profile or a URDF."
        )
    return str(given)


def _print_check(console: Console, check: MotionCheck) -> None:

    from dynid.report.terminal.console import print_sentences, print_text
    from dynid.report.terminal.tables import table
    from dynid.text import percent, significant, unit

    rows = table("joint or bodies", "limit", "reached", "allowed", "used", "at")
    for use in check.uses:
        in_unit = unit(use.unit.replace(" ", "*"))
        rows.add_row(
            use.of,
            use.limit.removeprefix("the "),
            f"{significant(use.most.value, 3)} {in_unit}",
            f"{significant(use.most.allowed, 3)} {in_unit}",
            "" if use.used is None else percent(use.used),
            f"{use.most.time:.3f} s",
            style="red" if use.passed is not None else "",
        )
    console.print(rows)
    print_sentences(console, "Basis", check.grounds, "")
    print_sentences(console, "Doubtful", check.doubts, "yellow")
    style = "red" if check.violation else "yellow" if check.unchecked else "green"
    print_text(console, check.verdict, f"bold {style}")


def _check_json(check: MotionCheck) -> dict[str, object]:
    return {
        "safe": check.violation is None,
        "verdict": check.verdict,
        "unchecked": check.unchecked,
        "violation": check.violation,
        "violation_time": check.time,
        "limits": [_use_json(use) for use in check.uses],
        "grounds": check.grounds,
        "doubts": check.doubts,
        "pairs": {"checked": check.pairs, "left_out": [pair._asdict() for pair in check.left_out]},
    }


def _use_json(use: LimitUse) -> dict[str, object]:
    return {
        "limit": use.limit.removeprefix("the "),
        "of": use.of,
        "unit": use.unit,
        **use.most._asdict(),
        "used": use.used,
        "passed": use.passed,
    }


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
    import numpy as np

    from dynid.cli.loading import load_recordings
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
