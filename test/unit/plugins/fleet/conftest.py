from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from dynid.cli import main

if TYPE_CHECKING:
    from collections.abc import Iterator

    from distributed import Client


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    """Yield a client of a cluster of two threads in this process.

    Of a module, because Dask's threads draw random numbers, which Hypothesis refuses in its tests.
    """
    distributed = pytest.importorskip("distributed", reason="Dask: pip install 'dynid[fleet]'")
    pytest.importorskip("pyarrow", reason="pyarrow: pip install 'dynid[fleet]'")
    with (
        distributed.LocalCluster(
            n_workers=1,
            threads_per_worker=2,
            processes=False,
            protocol="tcp",
            dashboard_address="127.0.0.1:0",
        ) as local,
        distributed.Client(local) as connected,
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
        monkeypatch.setattr(sys, "argv", ["dynid", "fleet", *arguments])
        with pytest.raises(SystemExit) as end:
            main()
        output = capsys.readouterr()
        return end.value.code or 0, output.out, output.err

    return call
