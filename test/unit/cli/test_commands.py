"""The list of commands, which is shown without loading any of them."""

from __future__ import annotations

import subprocess
import sys

import pytest
from typer.testing import CliRunner

import dynid
from dynid.cli import app
from dynid.cli.commands import all_commands, load_command

HEAVY = ("clarabel", "matplotlib", "numpy", "pinocchio", "pydantic", "rosbags", "scipy", "yaml")


@pytest.mark.parametrize("name", all_commands())
def test_summary_is_the_first_line_of_the_help_of_its_command(name: str) -> None:
    command = load_command(name)
    assert command.name == name
    paragraph = command.help.split("\n\n")[0].split("\f")[0]
    assert " ".join(paragraph.split()) == all_commands()[name].summary


def test_help_lists_every_command() -> None:
    shown = CliRunner().invoke(app, ["--help"])
    assert shown.exit_code == 0
    for name in all_commands():
        assert f" {name} " in shown.stdout


def test_version_is_that_of_the_package() -> None:
    shown = CliRunner().invoke(app, ["--version"])
    assert (shown.exit_code, shown.stdout) == (0, f"dynid {dynid.__version__}\n")


def test_a_misspelt_command_is_answered_with_the_nearest_one() -> None:
    shown = CliRunner().invoke(app, ["identfy"])
    assert shown.exit_code == 2
    assert "'identify'" in shown.output


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_and_version_import_nothing_that_computes(option: str) -> None:
    script = (
        "import sys; from dynid.cli import main\n"
        f"sys.argv = ['dynid', '{option}']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
    )
    command = [sys.executable, "-c", script]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603
    assert ran.stderr.strip() == "[]"
