"""Options that several commands of fleet and drift have, and the cluster that they name."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from distributed import Client

Scheduler = Annotated[
    str | None, typer.Option(metavar="ADDRESS", help="Of a Dask cluster, such as tcp://host:8786.")
]
Workers = Annotated[
    int | None,
    typer.Option(
        metavar="N", min=1, help="Processes on this machine; default: one for each processor."
    ),
]
Memory = Annotated[
    str, typer.Option(metavar="SIZE", help="Limit of each process on this machine, such as 2GB.")
]


def _data_set(path: Path) -> Path:
    """Return a folder as it is, and of a fleet.yaml that of its results."""
    from dynid.input_file import is_file  # not needed by help

    if not is_file(path):
        return path
    from dynid_plugins.fleet.settings import data_set_of

    return data_set_of(path)


DataSetFolder = Annotated[
    Path,
    typer.Argument(
        metavar="DATA_SET",
        callback=_data_set,
        help="Folder that 'fleet identify' has written, or its fleet.yaml.",
    ),
]

Reference = Annotated[
    int, typer.Option(metavar="N", min=4, help="First recordings of a robot, taken as unchanged.")
]
FalseAlarms = Annotated[float, typer.Option(metavar="RATE", help="Accepted rate for each robot.")]
Simulations = Annotated[
    int, typer.Option(metavar="N", min=50, help="Simulated years for each threshold.")
]
Seed = Annotated[int, typer.Option(metavar="N", min=0, help="Of the simulated years.")]

# and what it shares locks with its threads by
_DASK = ("dask", "distributed", "tornado", "asyncio", "concurrent", "logging")


@contextmanager
def connected(scheduler: str | None, workers: int | None, memory: str) -> Iterator[Client]:
    """Yield a client of the cluster that the options name.

    SIGINT and SIGTERM raise KeyboardInterrupt, but never within Dask.

    Raises:
        ConfigurationError: they contradict each other, or Dask is not installed.
        TaskError: the cluster does not answer.
    """
    from dynid.cli.interruption import interrupted_outside
    from dynid.errors import ConfigurationError
    from dynid_plugins.fleet.engine import cluster

    if scheduler is not None and workers is not None:
        raise ConfigurationError("--workers is for processes on this machine, not for --scheduler.")
    with interrupted_outside(_DASK), cluster(scheduler, workers=workers, memory=memory) as client:
        yield client
