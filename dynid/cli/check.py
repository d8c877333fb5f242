"""``dynid check``: whether a motion respects all limits, and its first violation if not."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynid.cli.options import (
    AsJson,
    OptionalProfile,
    Set,
    TorqueModel,
    Urdf,
    check_png,
    output_file,
)
from dynid.errors import ConfigurationError

if TYPE_CHECKING:
    from rich.console import Console

    from dynid.excitation.checks import MotionCheck
    from dynid.excitation.limit_use import LimitUse


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
