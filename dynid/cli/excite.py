"""``dynid excite``: the most informative motion within a robot's limits."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from dynid.cli.options import AsJson, Force, Profile, Set, TorqueModel, Urdf, output_file
from dynid.errors import ConfigurationError

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

    from dynid.dynamics.mechanism import Mechanism
    from dynid.excitation.design.design import ExcitationSpec
    from dynid.excitation.design.optimise import Optimum
    from dynid.excitation.prediction.prediction import Prediction
    from dynid.excitation.settings import FourierSettings, SineSettings
    from dynid.excitation.workspace.workspace import Workspace
    from dynid.robot.model import Model
    from dynid.robot.robot import Robot


_MARGIN = 0.9  # of the limits, where the profile does not say


def excite_command(
    profile: Profile,
    output: Annotated[
        Path,
        output_file(help="YAML file to write, with a PNG and an HTML report of the same name."),
    ] = Path("excitation.yaml"),
    kind: Annotated[
        Literal["fourier", "sine"], typer.Option("--type", help="Kind of motion.")
    ] = "fourier",
    duration: Annotated[
        float | None, typer.Option(metavar="SECONDS", min=0.1, help="Duration of the whole motion.")
    ] = None,
    periods: Annotated[
        int | None, typer.Option(metavar="NUMBER", min=1, help="Periods of the Fourier series.")
    ] = None,
    harmonics: Annotated[
        int | None,
        typer.Option(
            metavar="NUMBER", help="Harmonics, 3 or more; by default chosen from the limits."
        ),
    ] = None,
    objective: Annotated[
        Literal["condition", "determinant", "both"],
        typer.Option(
            metavar="NAME",
            help="Of the regressor: 'condition' number, 'determinant' of its Gramian, or 'both'.",
        ),
    ] = "both",
    unscaled: Annotated[
        bool,
        typer.Option(
            "--unscaled", help="Neither weight the regressor by noise nor scale its columns."
        ),
    ] = False,
    from_centre: Annotated[
        bool, typer.Option("--from-centre", help="Start and end at the centre of the motion.")
    ] = False,
    starts: Annotated[
        int, typer.Option(metavar="NUMBER", min=1, help="Random initial motions.")
    ] = 4,
    seed: Annotated[
        int, typer.Option(metavar="NUMBER", min=0, help="Seed of the initial motions.")
    ] = 0,
    model: TorqueModel = None,
    urdf: Urdf = None,
    settings: Set = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Optimise an excitation motion within the robot's limits.

    The result is the most informative motion for the robot's parameters. Ctrl-C or SIGTERM ends the
    search with the best motion so far, which is then checked and written whatever signal follows.
    Exit code 1: some parameters would stay uncertain.
    """
    from dynid.cli.interruption import interrupted_once
    from dynid.cli.loading import load_robot
    from dynid.excitation.build import build_excitation
    from dynid.excitation.checks import check_motion, kept_sentence, sliding_joints, unchecked
    from dynid.excitation.design.design import ExcitationSpec
    from dynid.excitation.design.optimise import propose_series
    from dynid.excitation.plausibility import urdf_doubts
    from dynid.excitation.prediction.advice import good
    from dynid.excitation.prediction.prediction import predict
    from dynid.excitation.workspace.workspace import Workspace
    from dynid.files import check_folder, refuse_to_replace
    from dynid.report.terminal.console import (
        print_json,
        print_sentences,
        print_text,
        print_written,
        result_console,
    )
    from dynid.report.terminal.prediction import prediction_json
    from dynid.simulation.settings import stated_torque_noise

    files = _files(output)
    check_folder(output)
    refuse_to_replace(files, force)
    robot = load_robot(profile, urdf=urdf, overrides=settings or [])
    identified = _model(robot, model)
    mechanism = identified.mechanism
    console = result_console(as_json)
    notes: list[str] = []
    proposal: FourierSettings | SineSettings
    with interrupted_once() as ignore_signals:
        workspace = Workspace(robot, mechanism)
        if kind == "sine":
            _refuse_series_options(harmonics, periods, from_centre=from_centre, unscaled=unscaled)
            proposal = _proposed_sine(robot, mechanism, workspace, duration)
            ignore_signals()
        else:
            series = propose_series(robot, duration=duration, periods=periods, harmonics=harmonics)
            spec = ExcitationSpec(series, objective, scaled=not unscaled, from_centre=from_centre)
            proposal, notes = _optimised(identified, spec, starts, seed, console, ignore_signals)
        excitation = build_excitation(
            proposal, robot.limits, robot.joints, prismatic=sliding_joints(mechanism)
        )
        check_motion(excitation, robot.limits, mechanism, workspace)
        left_open = unchecked(robot.limits, workspace)
        doubts = [doubt.sentence for doubt in urdf_doubts(robot, workspace)]
        prediction = predict(
            identified, excitation, stated_noise=stated_torque_noise(robot, mechanism)
        )
        _write(proposal, prediction, files)
    if as_json:
        limits = {
            "limits_verdict": kept_sentence(left_open),
            "unchecked": left_open,
            "doubts": doubts,
        }
        print_json({**prediction_json(prediction), "excitation": proposal, **limits})
    else:
        _print(console, prediction, proposal, robot, notes)
        print_text(console, kept_sentence(left_open), "yellow" if left_open else "green")
        print_sentences(console, "Doubtful", doubts, "yellow")
        print_written(console, files)
    raise typer.Exit(0 if good(prediction) else 1)


def _print(
    console: Console,
    prediction: Prediction,
    proposal: FourierSettings | SineSettings,
    robot: Robot,
    notes: list[str],
) -> None:
    from dynid.excitation.settings import SineSettings
    from dynid.report.terminal.console import print_sentences
    from dynid.report.terminal.prediction import print_prediction
    from dynid.report.terminal.sine import print_sine

    print_prediction(console, prediction)
    if isinstance(proposal, SineSettings):
        print_sine(console, proposal, robot.limits, robot.joints)
    print_sentences(console, "Optimisation", notes, "")


def _refuse_series_options(
    harmonics: int | None, periods: int | None, *, from_centre: bool, unscaled: bool
) -> None:
    given = {
        "--harmonics": harmonics is not None,
        "--periods": periods is not None,
        "--from-centre": from_centre,
        "--unscaled": unscaled,
    }
    for option, is_given in given.items():
        if is_given:
            message = f"{option} does not apply to --type sine; use it with --type fourier."
            raise ConfigurationError(message)


def _files(output: Path) -> list[Path]:
    if output.suffix not in {".yaml", ".yml"}:
        raise ConfigurationError(f"--output {output}: must end in .yaml.")
    return [output, output.with_suffix(".png"), output.with_suffix(".html")]


def _model(robot: Robot, path: Path | None) -> Model:
    """Return the profile's model with the parameters of an identified one, if there is one."""
    from dynid.profile import load_model
    from dynid.robot.model import nominal_model

    nominal = nominal_model(robot)
    if path is None:
        return nominal
    model = load_model(path)
    if (
        model.parameter_names != nominal.parameter_names
        or model.mechanism.joints != nominal.mechanism.joints
    ):
        raise ConfigurationError(
            f"{path}: has other joints or joint terms than profile '{robot.name}'; name the "
            "profile that the model was identified with."
        )
    return replace(
        model, robot=robot, mechanism=nominal.mechanism.with_parameters(model.parameters)
    )


def _proposed_sine(
    robot: Robot, mechanism: Mechanism, workspace: Workspace, duration: float | None
) -> SineSettings:
    """Return a sine motion with the profile's margin."""
    from dynid.excitation.settings import find_excitation
    from dynid.excitation.sine_proposal import propose_sine

    excitation = find_excitation(robot)
    margin = _MARGIN if excitation is None else excitation.margin
    return propose_sine(robot, mechanism, workspace=workspace, duration=duration, margin=margin)


def _optimised(
    model: Model,
    spec: ExcitationSpec,
    starts: int,
    seed: int,
    console: Console,
    searched: Callable[[], None],
) -> tuple[FourierSettings, list[str]]:
    """Return an optimised series, and sentences on the optimisation.

    ``searched`` is called at the end of the search, before the proof, unless it was interrupted.
    """
    import numpy as np

    from dynid.excitation.design.optimise import optimise
    from dynid.excitation.prediction.precision import torque_noise
    from dynid.report.terminal.progress import progress
    from dynid.simulation.settings import stated_torque_noise

    robot, mechanism = model.robot, model.mechanism
    still = np.zeros((1, len(robot.joints)))
    stated = stated_torque_noise(robot, mechanism)
    noise = torque_noise(robot, mechanism, still, stated=stated)
    begun = time.perf_counter()
    with progress(console, "optimising (Ctrl-C ends with the best motion so far)") as step:

        def advance(share: float) -> None:
            if share >= 1:
                searched()
            step.share(share)

        step.share(0.0)
        optimum = optimise(
            model, spec, noise.standard_deviation, starts=starts, seed=seed, progress=advance
        )
    return optimum.settings, _account(optimum, spec, time.perf_counter() - begun)


def _account(optimum: Optimum, spec: ExcitationSpec, seconds: float) -> list[str]:
    import numpy as np

    from dynid.text import percent

    ended = [value for value in optimum.objectives if np.isfinite(value)]
    scaling = "weighted by noise, columns scaled" if spec.scaled else "as it is"
    spread = f", which differ by {np.ptp(ended):.2g}" if len(ended) > 1 else ""
    account = [
        f"{spec.settings.harmonics} harmonics of {spec.settings.base_frequency:.4g} Hz; objective "
        f"{spec.objective} of the base regressor with smooth terms ({scaling}): condition number "
        f"{optimum.condition_number:.3g} after {seconds:.1f} s; best of "
        f"{len(ended)} starts{spread}."
    ]
    if optimum.interrupted:
        account.append(
            "The search was interrupted: this is the best motion found so far, within all limits."
        )
    if optimum.size < 1:
        account.append(
            f"The amplitude was reduced by {percent(1 - optimum.size)} to respect the limits at "
            "all times."
        )
    return account


def _write(
    settings: FourierSettings | SineSettings, prediction: Prediction, files: list[Path]
) -> None:
    from dynid.excitation.files import excitation_text
    from dynid.files import write_text
    from dynid.report.prediction import write_picture, write_prediction_report
    from dynid.transaction import written_together

    comments = [
        f"Excitation of {prediction.robot.name}, {prediction.duration:g} s, made by dynid excite.",
        "Condition number of the base regressor, rows weighted and columns scaled: "
        f"{prediction.precision.scaled_condition_number:.3g}.",
    ]
    text, picture, report = (path.name for path in files)
    with written_together(files[0].parent) as unfinished:
        write_text(unfinished / text, excitation_text(settings, comments))
        write_picture(prediction, unfinished / picture)
        write_prediction_report(prediction, unfinished / report)
