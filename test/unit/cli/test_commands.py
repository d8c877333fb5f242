"""The list of commands, which is shown without loading any of them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

import dynid
from dynid.cli import app
from dynid.cli.command_table import RENAMED
from dynid.cli.commands import (
    all_commands,
    commands_below,
    find_command,
    load_command,
)
from dynid.guessed_names import REMOVED_IN

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
    for name in commands_below(""):
        assert f" {name} " in shown.stdout


def test_there_are_at_most_20_commands() -> None:
    assert len(commands_below("")) <= 20


@pytest.mark.parametrize("name", [name for name in all_commands() if " " in name])
def test_help_of_a_command_lists_those_below_it(name: str) -> None:
    family, word = name.split()
    shown = CliRunner().invoke(app, [family, "--help"], env={"COLUMNS": "400"}).stdout
    assert re.search(rf" {word}:? +{re.escape(all_commands()[name].summary)}", shown)


@pytest.mark.parametrize(("former", "present"), RENAMED.items())
def test_a_former_name_works_with_a_hint_and_is_not_listed(former: str, present: str) -> None:
    name, *flags = former.split()
    before = CliRunner().invoke(app, [name, "a.mcap", *flags, "--help"])
    after = CliRunner().invoke(app, [*present.split(), "--help"])
    assert (before.exit_code, before.stdout) == (0, after.stdout)
    hint = " ".join(before.stderr.split())
    assert f"`dynid {former}` is now `dynid {present}`" in hint
    assert f"removed in {REMOVED_IN}." in hint
    assert find_command(present) is not None
    assert present not in RENAMED
    assert former not in all_commands() or not all_commands()[former].module


@pytest.mark.parametrize("words", [["payload"], ["payload", "identfy"], ["collisions", "--help"]])
def test_a_name_with_commands_below_it_alone_is_no_former_name(words: list[str]) -> None:
    shown = CliRunner().invoke(app, words)
    assert "is now" not in shown.stderr
    assert "identify" in shown.output or "tune" in shown.output


@pytest.mark.parametrize("option", ["--version", "-V"])
def test_version_is_that_of_the_package(option: str) -> None:
    shown = CliRunner().invoke(app, [option])
    assert (shown.exit_code, shown.stdout) == (0, f"dynid {dynid.__version__}\n")


def test_a_misspelt_command_is_answered_with_the_nearest_one() -> None:
    shown = CliRunner().invoke(app, ["identfy"])
    assert shown.exit_code == 2
    assert "'identify'" in shown.output


@pytest.mark.parametrize("words", [[], ["demo"], ["model", "at"]])
def test_help_has_a_short_option(words: list[str]) -> None:
    long, short = (CliRunner().invoke(app, [*words, option]).output for option in ("--help", "-h"))
    assert short == long
    assert "Usage:" in short


@pytest.mark.parametrize(
    ("words", "profile"),
    [
        ("demo scara", "scara"),
        ("demo --json -o scara scara", "scara"),
        ("demo -p scara", "scara"),
        ("demo", "puma560"),
        ("tracking my.yaml --json", "my.yaml"),
        ("view -p scara -o a.png", "scara"),
        ("view my.urdf", "my.urdf"),
        ("excite my.urdf", "my.urdf"),
        ("check my.yaml motion.yaml", "my.yaml"),
        ("check motion.yaml -p my.yaml", "my.yaml"),
        ("identify scara a.mcap b.csv", "scara"),
        ("identify -o out my.xacro a.mcap", "my.xacro"),
        ("identify a.mcap b.csv", None),
        ("start", None),
        ("start scara", "scara"),
        ("start my.urdf a.mcap -o out", "my.urdf"),
        ("diagnose my.yml a.mcap", "my.yml"),
    ],
)
def test_the_robot_may_come_first(words: str, profile: str | None) -> None:
    name, *arguments = words.split()
    context = load_command(name).make_context(name, arguments)
    given = context.params
    assert given.get("profile", given.get("robot")) == profile
    assert not any(profile == str(path) for path in given.get("recordings") or ())


@pytest.mark.parametrize(
    ("name", "words", "profile"),
    [
        ("identify friction", "scara a.mcap", "scara"),
        ("info convert", "a.yaml bag", None),
        ("info convert", "scara a.csv bag", "scara"),
    ],
)
def test_the_robot_may_come_behind_two_words(name: str, words: str, profile: str | None) -> None:
    given = load_command(name).make_context(name, words.split()).params
    assert given["profile"] == profile


def test_the_robot_may_come_first_in_commands_of_a_group() -> None:
    base = load_command("model").commands["base"]
    assert base.make_context("base", ["scara"]).params["profile"] == "scara"


def test_a_recording_with_the_name_of_a_robot_stays_a_recording(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("scara").mkdir()
    context = load_command("identify").make_context("identify", ["scara", "a.mcap"])
    assert context.params["profile"] is None
    assert context.params["recordings"] == [Path("scara"), Path("a.mcap")]


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["identify", "missing.csv", "-p", "puma560"], "missing.csv: there is no such file or fo"),
        (["demo", "UR10"], "profile 'UR10': .* did you mean 'ur10'"),
    ],
)
def test_a_missing_input_is_reported_before_anything_that_computes_is_imported(
    words: list[str], sentence: str, tmp_path: Path
) -> None:
    script = (
        "import sys; from dynid.cli import main\n"
        f"sys.argv = ['dynid', *{words!r}]\n"
        "try:\n    main()\nexcept SystemExit as end:\n    print(end.code)\n"
        "print([name for name in ('pinocchio', 'scipy') if name in sys.modules])"
    )
    command = [sys.executable, "-c", script]
    ran = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert ran.stdout.split("\n")[:2] == ["2", "[]"]
    assert re.match(f"dynid: {sentence}", ran.stderr), ran.stderr
    assert len(ran.stderr.splitlines()) == 1


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_and_version_import_nothing_that_computes(option: str) -> None:
    script = (
        "import sys; from dynid.cli import main\n"
        f"sys.argv = ['dynid', '{option}']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
    )
    command = [sys.executable, "-c", script]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ran.stderr.strip() == "[]"
