"""``dynid bench`` on a real recording, which is not part of this repository."""

from __future__ import annotations

import json

import pytest
from support.real_recordings import DATA, EMPS, needs
from typer.testing import CliRunner

from dynid.cli import app


@pytest.mark.thorough
@needs(EMPS)
def test_dynid_is_better_than_the_plain_script_and_the_published_model_on_the_pulses() -> None:
    words = ["bench", "--data", str(DATA), "--only", "emps", "--tools", "plain,dynid", "--json"]
    shown = CliRunner().invoke(app, words)
    assert shown.exit_code == 0, shown.output
    plain, ours = json.loads(shown.stdout)["errors"]
    assert ours["held_out"] < 0.9 * plain["held_out"]
    assert ours["held_out"] < 0.0598
