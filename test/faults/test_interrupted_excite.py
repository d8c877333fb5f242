"""``dynid excite`` that is stopped by signals while it searches."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.small_robot import write_small_robot

from dynid.excitation.files import read_excitation

DEADLINE = 600.0  # [s] for a process to end

STOPPED = """
import os, signal, sys
from dynid import cli
from dynid.report.terminal.progress import Progress

share = Progress.share

def stopped(progress, done):
    share(progress, done)
    if 0 < done < 1:
        try:
            os.kill(os.getpid(), signal.{first})
        finally:  # again, while the result of the search is being checked and written
            os.kill(os.getpid(), signal.{second})

Progress.share = stopped
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in a shell's background job
cli.main()
"""


@pytest.mark.thorough
@pytest.mark.parametrize("first", ["SIGINT", "SIGTERM"])
@pytest.mark.parametrize("second", ["SIGINT", "SIGTERM"])
def test_the_best_motion_so_far_is_saved(first: str, second: str, tmp_path: Path) -> None:
    profile = write_small_robot(tmp_path)
    output = tmp_path / "best.yaml"
    done = subprocess.run(
        [
            *(sys.executable, "-c", STOPPED.format(first=first, second=second)),
            *("excite", "-p", str(profile), "-o", str(output)),
        ],
        capture_output=True,
        text=True,
        timeout=DEADLINE,
        check=False,
        env=os.environ | {"COLUMNS": "200"},
        start_new_session=True,
    )
    assert done.returncode in {0, 1}, done.stderr  # 1: some parameters would stay uncertain
    assert "The search was interrupted: this is the best motion found so far" in done.stdout
    assert read_excitation(output).type == "fourier"
    assert output.with_suffix(".html").is_file()
