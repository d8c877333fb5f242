"""``dynid fleet``: many robots, many recordings, on this machine or on a Dask cluster."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dynid.cli.options import AsJson, Port, output_folder
from dynid_plugins.fleet.cli.options import (
    DataSetFolder,
    FalseAlarms,
    Memory,
    Reference,
    Scheduler,
    Seed,
    Simulations,
    Workers,
    connected,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from dynid_plugins.fleet.identify import FleetRun
    from dynid_plugins.fleet.watch import RobotState

fleet_app = typer.Typer(no_args_is_help=True, add_completion=False)


@fleet_app.callback()
def fleet() -> None:
    """Identify a fleet's recordings on many processes, and detect what changes."""


@fleet_app.command("identify")
def identify_command(
    fleet_file: Annotated[
        Path, typer.Argument(metavar="FLEET", help="fleet.yaml: types of robots and recordings.")
    ],
    scheduler: Scheduler = None,
    workers: Workers = None,
    memory: Memory = "auto",
    again: Annotated[
        bool, typer.Option("--again", help="Identify recordings that have results, too.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Identify all recordings of a fleet that are new or changed.

    One that fails does not end the others; an interrupted run goes on when it is called again.
    """
    from dynid.report.terminal.console import print_json, print_text, result_console
    from dynid.report.terminal.progress import progress

    console = result_console(as_json)
    with progress(console, "listing recordings") as shown:
        from dynid_plugins.fleet.identify import identify_fleet
        from dynid_plugins.fleet.settings import Fleet

        described = Fleet(fleet_file)
        with connected(scheduler, workers, memory) as client:
            run = identify_fleet(
                described, client, again=again, progress=shown.counted("recordings")
            )
    if as_json:
        print_json(run)
    else:
        print_text(console, _sentence(run))
        print_text(console, f"Data set: {described.data_set}")
    raise typer.Exit(1 if run.failed else 0)


@fleet_app.command("watch")
def watch_command(
    data_set: DataSetFolder,
    reference: Reference = 10,
    false_alarms_per_year: FalseAlarms = 0.1,
    simulations: Simulations = 500,
    seed: Seed = 0,
    scheduler: Scheduler = None,
    workers: Workers = None,
    memory: Memory = "auto",
    as_json: AsJson = False,
) -> None:
    """Detect the changes of every robot, and compare it with the others of its type.

    Robots are printed by what needs a person: the latest change first.
    """
    from dynid.report.terminal.console import print_json, result_console
    from dynid.report.terminal.progress import progress

    console = result_console(as_json)
    with progress(console, "reading results") as shown:
        from dynid_plugins.fleet.dataset import load
        from dynid_plugins.fleet.watch import watch_fleet

        results = load(data_set)
        with connected(scheduler, workers, memory) as client:
            states = watch_fleet(
                results,
                client,
                reference=reference,
                false_alarms_per_year=false_alarms_per_year,
                simulations=simulations,
                seed=seed,
                progress=shown.counted("robots"),
            )
    if as_json:
        print_json(_states_json(states))
    else:
        _print_states(console, states)


@fleet_app.command("report")
def report_command(
    data_set: DataSetFolder,
    output: Annotated[Path, output_folder(help="Folder of the pages.")],
    reference: Reference = 10,
    false_alarms_per_year: FalseAlarms = 0.1,
    simulations: Simulations = 500,
    seed: Seed = 0,
    scheduler: Scheduler = None,
    workers: Workers = None,
    memory: Memory = "auto",
) -> None:
    """Write pages about a fleet that work offline, without a server.

    The first page lists the robots by what needs a person; each robot has a page with its
    timelines, changes, recordings, and the comparison of its models.
    """
    from dynid.report.terminal.console import result_console
    from dynid.report.terminal.progress import progress

    with progress(result_console(), "reading results") as shown:
        from dynid_plugins.fleet.dataset import load
        from dynid_plugins.fleet.site.build import write_site
        from dynid_plugins.fleet.watch import watch_fleet

        results = load(data_set)
        with connected(scheduler, workers, memory) as client:
            states = watch_fleet(
                results,
                client,
                reference=reference,
                false_alarms_per_year=false_alarms_per_year,
                simulations=simulations,
                seed=seed,
                progress=shown.counted("robots watched"),
            )
            write_site(results, states, client, output, progress=shown.counted("pages"))
    typer.echo(f"wrote {output / 'index.html'}")


@fleet_app.command("serve")
def serve_command(
    data_set: DataSetFolder,
    port: Port = 0,
    reference: Reference = 10,
    false_alarms_per_year: FalseAlarms = 0.1,
    simulations: Simulations = 500,
    seed: Seed = 0,
    scheduler: Scheduler = None,
    workers: Workers = None,
    memory: Memory = "auto",
) -> None:
    """Show the same pages live, on this computer alone, until Ctrl-C.

    They are made again when the data set changes, and say how far a running 'fleet identify' is.
    """
    from functools import partial

    from dynid.report.local_server import has_display
    from dynid_plugins.fleet.site.live import serve_fleet
    from dynid_plugins.fleet.watch import watch_fleet

    with connected(scheduler, workers, memory) as client:
        serve_fleet(
            data_set,
            client,
            watch=partial(
                watch_fleet,
                reference=reference,
                false_alarms_per_year=false_alarms_per_year,
                simulations=simulations,
                seed=seed,
            ),
            port=port,
            ready=lambda address: typer.echo(f"{address}  (Ctrl-C ends)"),
            browse=has_display(),
        )


def _sentence(run: FleetRun) -> str:
    done = run.identified + run.failed
    rate = f", {done / run.seconds:.3g} recordings per second" if done else ""
    return (
        f"{run.identified} recordings identified, {run.failed} failed, {run.unchanged} unchanged, "
        f"in {run.seconds:.3g} s{rate}."
    )


def _print_states(console: Console, states: Sequence[RobotState]) -> None:
    """Print the robots that need a person, with the sentences, and the number of the others."""
    from dynid.report.terminal.console import print_sentences, print_text

    needy = [one for one in states if one.needs_a_person]
    for one in needy:
        until = f", until {one.last_recorded}" if one.last_recorded else ""
        title = f"{one.robot} ({one.type}, {one.recordings} recordings{until})"
        print_sentences(console, title, one.sentences, "yellow" if one.changed else "bold")
    quiet = len(states) - len(needy)
    print_text(console, f"{quiet} of {len(states)} robots: nothing found.")


def _states_json(states: Sequence[RobotState]) -> dict[str, Any]:
    """Return what ``dynid fleet watch --json`` prints."""
    from dynid_plugins.fleet.drift.printed import drift_json

    robots = [
        {
            "robot": one.robot,
            "type": one.type,
            "recordings": one.recordings,
            "failed": one.failed,
            "needs_a_person": one.needs_a_person,
            "sentences": one.sentences,
            "unusual": one.unusual,
            "drift": None if one.drift is None else drift_json(one.drift),
        }
        for one in states
    ]
    return {"robots": robots}
