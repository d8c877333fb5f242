"""``dynid identify``, ``identify friction`` and ``validate``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dynid.cli.options import (
    AsJson,
    EstimatorName,
    ModelFile,
    OptionalProfile,
    Output,
    OwnProfile,
    Profile,
    Recordings,
    Run,
    Set,
    Start,
    Stop,
    Urdf,
    output_folder,
    with_estimator,
)
from dynid.errors import ConfigurationError


def identify_command(
    recordings: Recordings,
    profile: OptionalProfile = None,
    urdf: Urdf = None,
    start: Start = None,
    stop: Stop = None,
    run: Run = None,
    estimator: EstimatorName = None,
    unsigned_torque: Annotated[
        bool,
        typer.Option(
            "--unsigned-torque", help="Reconstruct the sign of torque, which was recorded without."
        ),
    ] = False,
    bootstrap: Annotated[
        int, typer.Option(metavar="N", help="Replicates for 95 % intervals of base parameters.")
    ] = 0,
    settings: Set = None,
    output: Output = Path("out"),
    as_json: AsJson = False,
) -> None:
    """Identify the dynamic model of a robot.

    Exit code 0: the model is good; 1: it failed its criterion; 2: bad input.
    """
    if profile is None:
        raise ConfigurationError(
            "identify needs a robot: name one before the recordings (dynid robots lists those "
            "shipped)."
        )
    from dynid.cli.loading import load_recordings, load_robot
    from dynid.identification.identify import identify
    from dynid.report.card import NamedInputs, reading_options
    from dynid.report.terminal.console import print_result, result_console
    from dynid.report.terminal.progress import progress
    from dynid.report.terminal.results import print_identification, print_kept_model
    from dynid.report.verdict_json import identification_json
    from dynid.report.write import write_outputs

    overrides = with_estimator(settings, estimator)
    if bootstrap:
        overrides.append(f"identification.bootstrap={bootstrap}")
    if unsigned_torque:
        overrides.append("identification.unsigned_torque=true")
    robot = load_robot(profile, urdf=urdf, overrides=overrides)
    named = NamedInputs(
        profile,
        tuple(map(str, recordings)),
        reading_options(start, stop, run, urdf, overrides),
        output,
    )
    console = result_console(as_json)
    with progress(console) as step:
        loaded = load_recordings(recordings, robot, start, stop, step, run, averaged=True)
        identification = identify(robot, loaded, progress=step, share=step.share)
        step("writing the report")
        written = write_outputs(identification, output, named)
    print_result(
        console,
        lambda: identification_json(identification, identification, named),
        lambda _: print_identification(console, identification, named),
        written=written,
    )
    success = identification.verdict.success
    print_kept_model(output, success=success)
    raise typer.Exit(0 if success else 1)


def validate_command(
    recordings: Recordings,
    model: ModelFile,
    profile: OwnProfile = None,
    start: Start = None,
    stop: Stop = None,
    run: Run = None,
    output: Annotated[
        Path | None, output_folder(help="Folder for a report and the signals.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Evaluate a model on unseen recordings.

    Exit code 0: the model is good; 1: it failed its criterion; 2: bad input.
    """
    from dynid.cli.loading import load_model_for, load_recordings, robot_of_model
    from dynid.identification.validate import validate
    from dynid.profile import load_model
    from dynid.report.card import Card, NamedInputs, reading_options
    from dynid.report.terminal.console import print_json, print_written, result_console
    from dynid.report.terminal.progress import progress
    from dynid.report.terminal.results import print_next, print_verdict
    from dynid.report.verdict_json import verdict_json
    from dynid.report.write import write_validation_outputs

    given = load_model(model)
    loaded_model = given if profile is None else load_model_for(model, profile, force=True)
    named = NamedInputs(
        profile or robot_of_model(given, model) or NamedInputs.robot,
        tuple(map(str, recordings)),
        reading_options(start, stop, run),
        output,
        str(model),
        tuned=bool(given.thresholds),
    )
    console = result_console(as_json)
    with progress(console) as step:
        loaded = load_recordings(
            recordings, loaded_model.robot, start, stop, step, run, averaged=True
        )
        step("evaluating")
        validation = validate(loaded_model, loaded)
        written = [] if output is None else write_validation_outputs(validation, output, named)
    card = Card.of(validation, named)
    if as_json:
        made = loaded_model.identified_provenance
        print_json(
            verdict_json(
                card,
                condition_number=made.condition_number,
                base_parameters=made.base_parameter_count,
                samples=validation.samples,
            )
        )
    else:
        print_verdict(console, card, notes=validation.notes)
        print_next(console, card)
        print_written(console, written)
    raise typer.Exit(0 if validation.verdict.success else 1)


_NOTE = "Terms selected by `dynid identify friction`."


def identify_friction_command(
    recordings: Recordings,
    profile: Profile,
    validate: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="RECORDING",
            help="Unseen recording to compare the given and the selected terms on; repeatable.",
        ),
    ] = None,
    urdf: Urdf = None,
    start: Start = None,
    stop: Stop = None,
    run: Run = None,
    settings: Set = None,
    output: Output = Path("out"),
    as_json: AsJson = False,
) -> None:
    """Select the friction model of each joint.

    The simplest model whose error on data that were left out is within one standard error of the
    best is written to a profile, where it is better than the terms given. Takes minutes.
    """
    from dynid.cli.loading import load_recordings, load_robot
    from dynid.files import write_text
    from dynid.identification.friction.search import select_friction
    from dynid.identification.friction.validation import compare_profiles
    from dynid.profile import profile_text, write_profile
    from dynid.report.friction import print_friction, selection_json, write_page
    from dynid.report.terminal.console import print_result, result_console
    from dynid.report.terminal.progress import progress
    from dynid.transaction import written_together

    given = load_robot(profile, urdf=urdf, overrides=settings or [])
    console = result_console(as_json)
    with progress(console) as step:
        loaded = load_recordings(recordings, given, start, stop, step, run, averaged=True)
        unseen = load_recordings(validate or [], given, None, None, step)
        selection = select_friction(given, loaded, progress=step, share=step.share)
        # its URDF is written beside it
        chosen = selection.robot.model_copy(update={"urdf": Path(given.urdf).name})
        comparisons = compare_profiles(given, chosen, loaded, unseen, progress=step)
        step("writing the profile")
        with written_together(output) as unfinished:
            path = unfinished / f"{chosen.name}_friction.yaml"
            write_profile(chosen, path, given=profile_text(profile), note=_NOTE)
            write_text(unfinished / chosen.urdf, chosen.urdf_xml)
            write_page(selection, unfinished / "friction.html")
            names = sorted(path.name for path in unfinished.iterdir())
    written = [output / name for name in names]
    print_result(console, selection_json, print_friction, selection, comparisons, written=written)
