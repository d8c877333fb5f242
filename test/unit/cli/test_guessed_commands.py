"""Command lines that a newcomer guesses: they run, or end in a sentence with the right words."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import dynid
from dynid.cli import app
from dynid.cli.command_table import GUESSED
from dynid.cli.commands import find_command, load_command
from dynid.errors import DynidError

MODEL = "/**:\n  ros__parameters:\n    model: {}\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("work.csv").write_text("t,q1\n")
    Path("arm.urdf").write_text("<robot/>")
    Path("model.yaml").write_text(MODEL)
    return tmp_path


def run(line: str) -> Result:
    return CliRunner().invoke(app, line.split()[1:])


def placed(line: str) -> dict[str, object]:
    """Return what the command of a line gets for robot, model and recordings."""
    _, name, *arguments = line.split()
    command = load_command(name)
    context = command.make_context(name, arguments)
    names = ("profile", "model", "recordings")
    given = {name: context.params.get(name) for name in names if context.params.get(name)}
    return {
        name: [str(one) for one in value] if isinstance(value, list) else str(value)
        for name, value in given.items()
    }


@pytest.mark.parametrize("line", ["dynid help", "dynid help identify", "dynid identify -h"])
def test_help_is_a_word_and_an_option(line: str) -> None:
    shown = run(line)
    assert "Usage:" in shown.output
    assert shown.exit_code == 0


def test_version_is_a_word_too() -> None:
    assert run("dynid version").stdout == f"dynid {dynid.__version__}\n"


@pytest.mark.parametrize(
    "line",
    [
        "dynid identify puma560 work.csv",
        "dynid identify work.csv puma560",
        "dynid identify --profile puma560 work.csv",
    ],
)
def test_a_robot_stands_anywhere_among_recordings(line: str) -> None:
    assert placed(line) == {"profile": "puma560", "recordings": ["work.csv"]}


@pytest.mark.parametrize("line", ["dynid puma560 view --help", "dynid arm.urdf view --help"])
def test_a_robot_may_come_before_the_command(line: str) -> None:
    assert run(line).stdout == run("dynid view --help").stdout


@pytest.mark.parametrize(
    "arguments", ["model.yaml work.csv", "work.csv model.yaml", "work.csv -m model.yaml"]
)
@pytest.mark.parametrize("command", ["validate", "diagnose"])
def test_a_model_stands_among_recordings(command: str, arguments: str) -> None:
    found = {"model": "model.yaml", "recordings": ["work.csv"]}
    assert placed(f"dynid {command} {arguments}") == found


def test_a_robot_and_a_model_may_stand_before_the_recordings() -> None:
    found = {"profile": "puma560", "model": "model.yaml", "recordings": ["work.csv"]}
    assert placed("dynid validate puma560 model.yaml work.csv") == found


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("dynid puma560", "dynid demo puma560"),
        ("dynid arm.urdf", "dynid demo arm.urdf"),
        ("dynid work.csv", "dynid info work.csv"),
        ("dynid plot work.csv", "dynid view"),
        ("dynid list", "dynid robots"),
        ("dynid identify work.csv", "needs a robot"),
        ("dynid diagnose work.csv", "needs a robot"),
        ("dynid identify puma506 work.csv", "did you mean 'puma560'?"),
        ("dynid identify gone.urdf work.csv", "gone.urdf: there is no such file"),
        ("dynid identify arm.urdf gone.csv", "gone.csv: there is no such file"),
        ("dynid info puma560", "dynid view puma560"),
        ("dynid info model.yaml", "is no recording"),
    ],
)
def test_another_line_ends_in_a_sentence(line: str, words: str) -> None:
    refusal = run(line).exception
    assert isinstance(refusal, DynidError)
    assert words in str(refusal)
    assert "\n" not in str(refusal)


def test_guessed_words_mean_commands_and_are_none() -> None:
    for command, words in GUESSED.items():
        assert find_command(command) is not None
        assert [word for word in words.split() if find_command(word) is not None] == []
