"""``dynid identify friction``: the friction model of each joint, by cross-validation."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dynid.cli.options import AsJson, Output, Profile, Recordings, Run, Set, Start, Stop, Urdf

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
        loaded = load_recordings(recordings, given, start, stop, step, run)
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
