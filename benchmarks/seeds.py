"""Trials of a benchmark over seeds, on processes of this machine or on a Dask cluster.

A trial gets its seed as an argument, and results are in the order of the arguments: numbers are the
same whatever the number of processes. Workers of a cluster need this folder in their PYTHONPATH.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeVar

from threadpoolctl import threadpool_limits

from dynid_plugins.fleet.engine import WorkerLost, cluster, completed

Result = TypeVar("Result")
_FOLDER = Path(__file__).resolve().parent


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add ``--workers`` and ``--scheduler``."""
    parser.add_argument("--workers", type=int, default=0, help="processes; 0: this one")
    parser.add_argument("--scheduler", help="of a Dask cluster, such as tcp://host:8786")


def trials(
    options: argparse.Namespace,
    function: Callable[..., Result],
    arguments: Iterable[tuple[Any, ...]],
) -> list[Result]:
    """Return the results of a function of a benchmark for each of its arguments, in their order."""
    if not options.workers and options.scheduler is None:
        with threadpool_limits(1, user_api="blas"):
            return [function(*one) for one in arguments]
    # processes on this machine take it from here
    os.environ["PYTHONPATH"] = os.pathsep.join([str(_FOLDER), os.environ.get("PYTHONPATH", "")])
    found: dict[int, Result] = {}
    with cluster(options.scheduler, workers=options.workers or None) as client:
        for number, result in completed(client, _importable(function), enumerate(arguments)):
            if isinstance(result, WorkerLost):
                raise SystemExit(f"The processes of trial {number} ended.")
            found[number] = result
    return [found[number] for number in sorted(found)]


def _importable(function: Callable[..., Result]) -> Callable[..., Result]:
    """Return the same function of a module that other processes can import."""
    if function.__module__ != "__main__":
        return function
    path = Path(str(sys.modules["__main__"].__file__))
    return getattr(importlib.import_module(path.stem), function.__name__)  # type: ignore[no-any-return]
