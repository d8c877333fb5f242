"""``dynid fleet``: many robots, many recordings, on this machine or on a Dask cluster."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dynid.cli.options import AsJson

if TYPE_CHECKING:
    from distributed import Client

    from dynid.fleet.identify import FleetRun

fleet_app = typer.Typer(no_args_is_help=True, add_completion=False)

Scheduler = Annotated[
    str | None,
    typer.Option(metavar="ADDRESS", help="Of a Dask cluster, such as tcp://host:8786."),
]
Workers = Annotated[
    int | None,
    typer.Option(
        metavar="N", min=1, help="Processes on this machine; default: one for each processor."
    ),
]
Memory = Annotated[
    str,
    typer.Option(metavar="SIZE", help="Limit of each process on this machine, such as 2GB."),
]


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
    from dynid.cli.json_output import print_json
    from dynid.report.terminal.console import print_text, result_console
    from dynid.report.terminal.progress import progress

    console = result_console(as_json)
    with progress(console, "listing recordings") as shown:
        from dynid.fleet.identify import identify_fleet
        from dynid.fleet.settings import Fleet

        described = Fleet(fleet_file)

        def step(done: int, count: int) -> None:
            shown(f"{done} of {count} recordings")
            shown.share(done / count)

        with connected(scheduler, workers, memory) as client:
            run = identify_fleet(described, client, again=again, progress=step)
    if as_json:
        print_json(_json(run))
    else:
        print_text(console, _sentence(run))
        print_text(console, f"Data set: {described.data_set}")
    raise typer.Exit(1 if run.failed else 0)


@fleet_app.command("watch")
def watch_command(
    data_set: Annotated[
        Path, typer.Argument(metavar="DATA_SET", help="Folder that 'fleet identify' has written.")
    ],
    reference: Annotated[
        int,
        typer.Option(metavar="N", min=4, help="First recordings of a robot, taken as unchanged."),
    ] = 10,
    false_alarms_per_year: Annotated[
        float, typer.Option(metavar="RATE", help="Accepted rate for each robot.")
    ] = 0.1,
    simulations: Annotated[
        int, typer.Option(metavar="N", min=50, help="Simulated years for each threshold.")
    ] = 500,
    seed: Annotated[int, typer.Option(metavar="N", min=0, help="Of the simulated years.")] = 0,
    scheduler: Scheduler = None,
    workers: Workers = None,
    memory: Memory = "auto",
    as_json: AsJson = False,
) -> None:
    """Detect the changes of every robot, and compare it with the others of its type.

    Robots are printed by what needs a person: the latest change first.
    """
    from dynid.cli.json_output import print_json
    from dynid.report.terminal.console import result_console
    from dynid.report.terminal.progress import progress

    console = result_console(as_json)
    with progress(console, "reading results") as shown:
        import dynid.fleet
        from dynid.fleet.printed import print_states, states_json
        from dynid.fleet.watch import watch_fleet

        results = dynid.fleet.load(data_set)

        def step(done: int, count: int) -> None:
            shown(f"{done} of {count} robots")
            shown.share(done / count)

        with connected(scheduler, workers, memory) as client:
            states = watch_fleet(
                results,
                client,
                reference=reference,
                false_alarms_per_year=false_alarms_per_year,
                simulations=simulations,
                seed=seed,
                progress=step,
            )
    if as_json:
        print_json(states_json(states))
    else:
        print_states(console, states)


@contextmanager
def connected(scheduler: str | None, workers: int | None, memory: str) -> Iterator[Client]:
    """Yield a client of the cluster that the options name.

    Raises:
        ConfigurationError: they contradict each other, or Dask is not installed.
        TaskError: the cluster does not answer.
    """
    from dynid.errors import ConfigurationError
    from dynid.fleet.engine import cluster

    if scheduler is not None and workers is not None:
        raise ConfigurationError("--workers is for processes on this machine, not for --scheduler.")
    with cluster(scheduler, workers=workers, memory=memory) as client:
        yield client


def _sentence(run: FleetRun) -> str:
    done = run.identified + run.failed
    rate = f", {done / run.seconds:.3g} recordings per second" if done else ""
    return (
        f"{run.identified} recordings identified, {run.failed} failed, {run.unchanged} unchanged, "
        f"in {run.seconds:.3g} s{rate}."
    )


def _json(run: FleetRun) -> dict[str, float]:
    return {
        "identified": run.identified,
        "failed": run.failed,
        "unchanged": run.unchanged,
        "seconds": run.seconds,
    }
