"""The commands of the page are those of the command line and of the launch files."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from dynid.cli.commands import find_command, load_command
from dynid.cli.start.steps import _NEEDED, STEPS, StartStep, StepInputs

ROOT = Path(__file__).parents[4]


@pytest.fixture
def complete(tmp_path: Path) -> StepInputs:
    for name in ("model.yaml", "scara_excitation.yaml"):
        (tmp_path / name).touch()
    return StepInputs(tmp_path, "scara", ("a.mcap", "b.mcap"), ("c.mcap",), has_ros=True)


def named(steps: tuple[StartStep, ...], program: str) -> list[StartStep]:
    given = StepInputs(Path("out"))
    return [step for step in steps if step.words(given)[:2] == program.split()[:2]] or [
        step for step in steps if step.words(given)[0] == program
    ]


@pytest.mark.parametrize("step", named(STEPS, "dynid"), ids=lambda step: step.name)
def test_the_command_line_takes_every_command(step: StartStep, complete: StepInputs) -> None:
    words = step.words(complete)[1:]
    two = " ".join(words[:2])
    name, rest = (two, words[2:]) if find_command(two) else (words[0], words[1:])
    given = load_command(name).make_context(name, rest).params
    assert step.missing(complete) == ("" if step.name != "profile" else _NEEDED["description"])
    assert given.get("profile", given.get("robot")) in {None, "scara"}
    assert ("robot" in step.needs) == ("scara" in words)


@pytest.mark.parametrize("step", named(STEPS, "ros2 launch"), ids=lambda step: step.name)
def test_launch_files_declare_every_argument_and_are_not_run(
    step: StartStep, complete: StepInputs
) -> None:
    _, _, _, file, *arguments = step.words(complete)
    declared = (ROOT / "launch" / file).read_text() + (ROOT / "launch/robot.launch.py").read_text()
    assert not step.runs
    for argument in arguments:
        assert re.search(rf'"{argument.partition(":=")[0]}",', declared), argument


def test_words_stand_for_what_is_not_chosen_yet() -> None:
    nothing = StepInputs(Path("out"))
    lines = {step.name: " ".join(step.words(nothing)) for step in STEPS}
    assert lines["identify"] == "dynid identify ROBOT RECORDING -o out"
    assert lines["validate"] == "dynid validate ANOTHER_RECORDING --model out/model.yaml -o out"
    assert all(step.missing(nothing) for step in STEPS)


def test_a_motion_that_was_found_replaces_that_of_the_profile(
    complete: StepInputs, tmp_path: Path
) -> None:
    (check,) = (step for step in STEPS if step.name == "check")
    assert str(tmp_path / "scara_excitation.yaml") in check.words(complete)
    assert check.words(replace(complete, robot="puma560"))[3] == "-o"
    assert check.words(StepInputs(Path("out"), "scara"))[:4] == ["dynid", "check", "scara", "-o"]


def test_names_are_unique_and_nothing_that_moves_a_robot_runs() -> None:
    names = [step.name for step in STEPS]
    assert len(set(names)) == len(names)
    programs = {tuple(step.words(StepInputs(Path("out")))[:3]) for step in STEPS if step.runs}
    assert {words for words in programs if words[0] != "dynid"} == {("ros2", "run", "dynid")}
