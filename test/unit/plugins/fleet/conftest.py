from __future__ import annotations

from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING

import pytest
from support.command_line import run_dynid

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distributed import Client


_NEEDED = ("distributed", "fsspec", "pyarrow")  # of the extra fleet; drift is tested without it
collect_ignore_glob = [] if all(map(find_spec, _NEEDED)) else ["test_*.py", "site/*"]


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """Yield a client of a cluster of two threads in this process.

    Of a module, because Dask's threads draw random numbers, which Hypothesis refuses in its tests.
    """
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=1,
            threads_per_worker=2,
            processes=False,
            protocol="tcp",
            dashboard_address="127.0.0.1:0",
        ) as local,
        Client(local) as connected,
    ):
        yield connected


@pytest.fixture
def run(client, capsys, monkeypatch):
    """Return a function that calls the command on threads, which start faster than processes."""

    @contextmanager
    def threads(*_, **__):
        yield client

    monkeypatch.setattr("dynid_plugins.fleet.engine.cluster", threads)

    def call(*arguments: str) -> tuple[int, str, str]:
        code = run_dynid(monkeypatch, "fleet", *arguments)
        output = capsys.readouterr()
        return code, output.out, output.err

    return call
