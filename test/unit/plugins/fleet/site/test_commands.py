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


@pytest.mark.thorough
def test_report_writes_pages(run, data_set, tmp_path):
    folder = tmp_path / "site"
    code, out, _ = run("report", str(data_set), "-o", str(folder), "--simulations", "50")
    assert code == 0
    assert out == f"wrote {folder / 'index.html'}\n"
    assert len(list(folder.glob("*.html"))) == 5


PROGRAM = """
import gc, signal, sys
from dynid.cli import main
from dynid_plugins.fleet.site import live

signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in a shell's background job
announce, refresh = live.announce, live.LiveSite.refresh

def interrupted():
    signal.raise_signal(signal.SIGINT)

def announced(*arguments, **options):
    announce(*arguments, **options)
    interrupted()

def collected(site):
    names = {"__name__": "distributed.gc", "interrupted": interrupted}
    exec("def callback(phase, _):\\n    if phase == 'stop': interrupted()", names)
    gc.callbacks.append(names["callback"])
    gc.collect()
    gc.callbacks.remove(names["callback"])
    return refresh(site)

if sys.argv[1] == "announced":
    live.announce = announced
elif sys.argv[1] == "collected":
    live.LiveSite.refresh = collected
del sys.argv[1]
sys.exit(main())
"""


@contextmanager
def served(data_set, window):
    arguments = ["fleet", "serve", str(data_set), "--workers", "1", "--simulations", "50"]
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, window, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={key: value for key, value in os.environ.items() if key != "DISPLAY"},
        start_new_session=True,
    ) as server:
        try:
            yield server
        finally:
            server.kill()


@pytest.mark.thorough
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_ends_serve_without_a_complaint(data_set, number):
    with served(data_set, "any time") as server:
        address = server.stdout.readline().split()[0]
        with urlopen(f"{address}progress.json", timeout=LONGEST) as answer:  # noqa: S310
            assert json.load(answer)["build"] in {0, 1}
        # a terminal sends it to the whole group
        os.killpg(server.pid, number)
        _, complaints = server.communicate(timeout=LONGEST)
    assert (server.returncode, complaints) == (0, "")


# after the address was printed, and in Dask's callback of the garbage collector
@pytest.mark.thorough
@pytest.mark.parametrize("window", ["announced", "collected"])
def test_an_interruption_at_a_bad_moment_ends_serve_without_a_complaint(data_set, window):
    with served(data_set, window) as server:
        _, complaints = server.communicate(timeout=LONGEST)
    assert (server.returncode, complaints) == (0, "")
