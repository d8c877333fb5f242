"""Help of every command: plain text, within the terminal, and no former name of an option."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from dynid.cli import app
from dynid.cli.commands import all_commands, load_command, plain_help
from dynid.cli.robot_argument import RobotCommand

SUBCOMMANDS = ("at", "along", "base", "code", "seal")
WORDS = [[], *(name.split() for name in all_commands()), *(["model", name] for name in SUBCOMMANDS)]


def help_text(words: list[str], width: int = 80) -> str:
    shown = CliRunner().invoke(app, [*words, "--help"], env={"COLUMNS": str(width)})
    assert shown.exit_code == 0
    return shown.stdout


def parameters(command: Any) -> Iterator[Any]:
    yield from command.params
    for below in getattr(command, "commands", {}).values():
        yield from parameters(below)


def words_in(text: str) -> list[str]:
    return re.sub(r"[│╭╮╰╯─]", " ", text).split()


@pytest.mark.parametrize("width", [80, 100])
@pytest.mark.parametrize("words", WORDS, ids=" ".join)
def test_nothing_is_cut_off_or_wider_than_the_terminal(words: list[str], width: int) -> None:
    text = help_text(words, width)
    assert "…" not in text
    assert max(map(len, text.splitlines())) <= width


@pytest.mark.parametrize("name", all_commands())
def test_every_parameter_has_a_help_that_is_shown_as_it_is_written(name: str) -> None:
    command = load_command(name)
    words = name.split()
    groups = [words, *([*words, one] for one in getattr(command, "commands", {}))]
    shown = " ".join(words_in(" ".join(help_text(one, 400) for one in groups)))
    for parameter in parameters(command):
        assert parameter.help, parameter.name
        assert parameter.help.replace("\\[", "[") in shown, parameter.name


@pytest.mark.parametrize(
    ("words", "units"),
    [([], ["[m]", "[rad]", "[m/s]", "[n]"]), (["move"], ["[m/s]", "[kg]"])],
)
def test_units_in_brackets_are_shown_in_every_kind_of_help(
    words: list[str], units: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    program = typer.Typer(help="Lengths in [m].", epilog="Angles in [rad].")

    @program.command(help="Speeds in [m/s].")
    def move(mass: float = typer.Option(1.0, help="Mass [kg].")) -> None: ...

    @program.command(help="Torques in [n].")
    def push() -> None: ...

    command = typer.main.get_command(program)
    plain_help(command)
    with pytest.raises(SystemExit):
        command([*words, "--help"])
    shown = capsys.readouterr().out
    for unit in units:
        assert unit in shown


def test_paragraphs_wrap_where_the_terminal_ends() -> None:
    lines = help_text(["collisions", "tune"], 120).splitlines()
    (line,) = (line for line in lines if line.strip().startswith("Thresholds are as low"))
    assert len(line.rstrip()) > 100


@pytest.mark.parametrize("name", [name for name, one in all_commands().items() if one.old_options])
def test_former_names_of_options_work_and_are_not_shown(name: str) -> None:
    command = load_command(name)
    assert isinstance(command, RobotCommand)
    present = {option for parameter in command.params for option in parameter.opts}
    for old, new in all_commands()[name].old_options.items():
        assert new in present
        assert old not in help_text([name])
        assert command._renamed(old) == new
        assert command._renamed(f"{old}=scara") == f"{new}=scara"
        context = command.make_context(name, [old, "scara"])
        assert "scara" in context.params.values()
