"""``dynid fleet report`` and ``dynid fleet serve`` as a user calls them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from urllib.request import urlopen

import pytest
from support.deadlines import LONGEST

from dynid.cli import main


def test_report_writes_pages(client, data_set, tmp_path, capsys, monkeypatch):
    @contextmanager
    def threads(*_, **__):
        yield client

    monkeypatch.setattr("dynid.fleet.engine.cluster", threads)
    folder = tmp_path / "site"
    arguments = ["report", str(data_set), "-o", str(folder), "--simulations", "50"]
    monkeypatch.setattr(sys, "argv", ["dynid", "fleet", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code in {0, None}
    assert capsys.readouterr().out == f"wrote {folder / 'index.html'}\n"
    assert len(list(folder.glob("*.html"))) == 5


def test_an_interruption_ends_serve_without_a_complaint(data_set):
    program = "import sys; from dynid.cli import main; sys.exit(main())"
    arguments = ["fleet", "serve", str(data_set), "--workers", "1", "--simulations", "50"]
    with subprocess.Popen(  # noqa: S603
        [sys.executable, "-c", program, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={key: value for key, value in os.environ.items() if key != "DISPLAY"},
        start_new_session=True,
    ) as server:
        try:
            assert server.stdout is not None
            address = server.stdout.readline().split()[0]
            with urlopen(f"{address}progress.json", timeout=LONGEST) as answer:  # noqa: S310
                assert json.load(answer)["build"] in {0, 1}
            # a terminal sends it to the whole group
            os.killpg(server.pid, signal.SIGINT)
            _, complaints = server.communicate(timeout=LONGEST)
        finally:
            server.kill()
    assert (server.returncode, complaints) == (0, "")
