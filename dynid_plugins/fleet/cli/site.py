"""``dynid fleet report`` and ``dynid fleet serve``: the pages of a fleet."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from dynid.cli.options import Port, output_folder
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
