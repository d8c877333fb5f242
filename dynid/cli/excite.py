"""``dynid excite``."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
import typer

from dynid.cli.options import AsJson, Set, Urdf
from dynid.errors import ConfigurationError
from dynid.excitation.build import build_excitation
from dynid.excitation.checks import sliding_joints
from dynid.excitation.design.design import Wish
from dynid.excitation.design.optimise import Optimum, optimise
from dynid.excitation.design.proposal import propose_series
from dynid.excitation.design.search import Robot
from dynid.excitation.excitation_text import excitation_text
from dynid.excitation.prediction.advice import good
from dynid.excitation.prediction.noise import torque_noise
from dynid.excitation.prediction.prediction import Expectation, expect
from dynid.excitation.prediction.prediction_json import expectation_json
from dynid.excitation.settings import FourierSettings, SineSettings
from dynid.excitation.sine_proposal import propose_sine
from dynid.excitation.workspace.workspace import Workspace
from dynid.files import refuse_to_replace, write_text
from dynid.profile import RobotProfile, load_profile
from dynid.report.prediction import write_expectation_report
from dynid.report.prediction_picture import write_picture
from dynid.report.terminal.prediction import print_expectation
from dynid.report.terminal.results import (
    print_sentences,
    print_written,
    result_console,
    share_progress,
)
from dynid.report.terminal.sine import print_sine
from dynid.robot.model_reader import read_model

if TYPE_CHECKING:
    from rich.console import Console

    from dynid.dynamics.mechanism import Mechanism


_MARGIN = 0.9  # of the limits, where the profile does not say


def excite_command(
    profile: Annotated[
        str, typer.Option("--profile", "-p", help="Name of a shipped profile, or a YAML file.")
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", help="YAML file to write; a PNG and an HTML report go beside it."
        ),
    ] = Path("excitation.yaml"),
    kind: Annotated[
        Literal["fourier", "sine"], typer.Option("--type", help="What kind of motion.")
    ] = "fourier",
    duration: Annotated[
        float | None, typer.Option(min=0.1, help="Of the whole motion, in seconds.")
    ] = None,
    periods: Annotated[
        int | None, typer.Option(min=1, help="How often a series is repeated.")
    ] = None,
    harmonics: Annotated[
        int | None, typer.Option(help="Of a series, 3 or more; as limits suggest, if not given.")
    ] = None,
    objective: Annotated[
        Literal["condition", "determinant", "both"],
        typer.Option(help="What is best: evenly known (condition), precisely (determinant), both."),
    ] = "both",
    unscaled: Annotated[
        bool, typer.Option("--unscaled", help="Of the regressor as it is, not weighted or scaled.")
    ] = False,
    from_centre: Annotated[
        bool, typer.Option("--from-centre", help="Start and end at the excitation's centre.")
    ] = False,
    starts: Annotated[int, typer.Option(min=1, help="Random motions to begin from.")] = 4,
    seed: Annotated[int, typer.Option(min=0, help="Of these.")] = 0,
    model: Annotated[
        Path | None, typer.Option("--model", "-m", help="model.yaml to predict torque by.")
    ] = None,
    urdf: Urdf = None,
    settings: Set = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files that are there.")] = False,
    as_json: AsJson = False,
) -> None:
    """Find a motion that tells most of a robot's parameters within its limits.

    Exit code 1 where it would not tell all of them well.
    """
    files = _files(output)
    refuse_to_replace(files, force)
    robot, urdf_xml = load_profile(profile, urdf=urdf, overrides=settings or [])
    mechanism = _mechanism(robot, urdf_xml, model)
    console = result_console(as_json)
    notes: list[str] = []
    found: FourierSettings | SineSettings
    if kind == "sine":
        workspace = Workspace(robot, urdf_xml, mechanism)
        _refuse_series_options(harmonics, periods, from_centre=from_centre, unscaled=unscaled)
        margin = robot.excitation.margin if robot.excitation else _MARGIN
        found = propose_sine(
            robot, mechanism, workspace=workspace, duration=duration, margin=margin
        )
    else:
        series = propose_series(robot, duration=duration, periods=periods, harmonics=harmonics)
        wish = Wish(series, objective, scaled=not unscaled, from_centre=from_centre)
        found, notes = _optimised(robot, urdf_xml, mechanism, wish, starts, seed, console)
    excitation = build_excitation(
        found, robot.limits, robot.joints, prismatic=sliding_joints(mechanism)
    )
    expectation = expect(excitation, robot, mechanism, urdf_xml)
    _write(found, expectation, files)
    if as_json:
        content = expectation_json(expectation) | {"excitation": found.model_dump(mode="json")}
        typer.echo(json.dumps(content, allow_nan=False))
    else:
        print_expectation(console, expectation)
        if isinstance(found, SineSettings):
            print_sine(console, found, robot.limits, robot.joints)
        print_sentences(console, "How it was found", notes, "")
        print_written(console, files)
    raise typer.Exit(0 if good(expectation) else 1)


def _refuse_series_options(
    harmonics: int | None, periods: int | None, *, from_centre: bool, unscaled: bool
) -> None:
    given = {
        "--harmonics": harmonics is not None,
        "--periods": periods is not None,
        "--from-centre": from_centre,
        "--unscaled": unscaled,
    }
    for option, there in given.items():
        if there:
            message = f"{option} is of --type fourier; a sine excitation has none."
            raise ConfigurationError(message)


def _files(output: Path) -> list[Path]:
    if output.suffix not in {".yaml", ".yml"}:
        message = f"--output {output}: must end in .yaml."
        raise ConfigurationError(message)
    return [output, output.with_suffix(".png"), output.with_suffix(".html")]


def _mechanism(robot: RobotProfile, urdf_xml: str, model: Path | None) -> Mechanism:
    """The profile's mechanism, with the URDF's parameters or those of a model of it."""
    mechanism = robot.mechanism(urdf_xml)
    if model is None:
        return mechanism
    stored = read_model(model).mechanism()
    if stored.parameter_names != mechanism.parameter_names or stored.joints != mechanism.joints:
        message = (
            f"{model}: has other joints or terms than profile '{robot.robot}'; name the profile "
            "that it was identified with."
        )
        raise ConfigurationError(message)
    return mechanism.with_parameters(stored.parameters)


def _optimised(
    robot: RobotProfile,
    urdf_xml: str,
    mechanism: Mechanism,
    wish: Wish,
    starts: int,
    seed: int,
    console: Console,
) -> tuple[FourierSettings, list[str]]:
    """An optimised series, and sentences on how it was found."""
    still = np.zeros((1, len(robot.joints)))
    noise = torque_noise(robot, mechanism, still)
    whose = Robot(robot, urdf_xml, mechanism.parameters, noise.deviation)
    begun = time.perf_counter()
    with share_progress(console, "searching (Ctrl-C takes the best so far)") as told:
        found = optimise(whose, wish, starts=starts, seed=seed, progress=told)
    return found.settings, _account(found, wish, time.perf_counter() - begun)


def _account(found: Optimum, wish: Wish, seconds: float) -> list[str]:
    ended = [worth for worth in found.worths if np.isfinite(worth)]
    scaling = "weighted by noise, columns scaled" if wish.scaled else "as it is"
    spread = f", which differ by {np.ptp(ended):.2g}" if len(ended) > 1 else ""
    account = [
        f"{wish.settings.harmonics} harmonics of {wish.settings.base_frequency:.4g} Hz; objective "
        f"{wish.objective} of the base regressor with smooth terms ({scaling}): condition number "
        f"{found.condition_number:.3g} in {seconds:.1f} s; the best of {len(ended)} starts{spread}."
    ]
    if found.interrupted:
        account.append(
            "The search was interrupted: this is the best motion so far, and within all limits."
        )
    if found.size < 1:
        account.append(
            f"The motion was made {1 - found.size:.1%} smaller, so that limits hold at every "
            "instant."
        )
    return account


def _write(
    settings: FourierSettings | SineSettings, expectation: Expectation, files: list[Path]
) -> None:
    comments = [
        f"Excitation of {expectation.robot}, {expectation.duration:g} s, made by dynid excite.",
        "Condition number of the base regressor, rows weighted and columns scaled: "
        f"{expectation.precision.scaled_condition_number:.3g}.",
    ]
    text, picture, report = files
    write_text(text, excitation_text(settings, comments))
    write_picture(expectation, picture)
    write_expectation_report(expectation, report)
