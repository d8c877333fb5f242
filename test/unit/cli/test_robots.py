"""``dynid robots``: every shipped robot in a row, with a picture that shows it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from rich.console import Console
from support.synthetic import arm_robot
from typer.testing import CliRunner

from dynid import cli
from dynid.profile import load_robot
from dynid.report.robot_summary import RobotSummary, summarize
from dynid.report.view.robot_pictures import bare_scene, braille, contact_sheet
from dynid.robot.robot import Robot
from dynid.robot_files import shipped_profiles
from dynid.simulation.settings import SimulationSettings

TWO_ARMS = """
robot: two
convention: classic
angles: degrees
lengths: m
chains:
  - {prefix: left_, rows: [{alpha: 0, a: 1, d: 0, theta: 0}]}
  - {prefix: right_, rows: [{alpha: 0, a: 1, d: 0, theta: 180}]}
"""


def robots(*arguments: object) -> str:
    result = CliRunner().invoke(cli.app, ["robots", *map(str, arguments)])
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> tuple[str, ...]:
    names = ("puma560", "scara", "tx40")
    monkeypatch.setattr("dynid.robot_files.shipped_profiles", lambda: list(names))
    return names


def test_every_shipped_robot_has_a_line_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    def closed_chain(robot: Robot) -> RobotSummary:  # their counts take seconds
        return replace(row, name=robot.name, kind="closed chain", tracking="oscillate")

    row = summarize(load_robot("scara"))
    monkeypatch.setattr(
        "dynid.report.robot_summary.summarize", closed_chain
    )  # their counts take seconds
    listed = [line.split()[0] for line in robots().splitlines()[1:]]
    assert listed == shipped_profiles()


def test_json_has_joints_counts_and_available_motions(few: tuple[str, ...]) -> None:
    puma, scara, tx40 = json.loads(robots("--json"))["robots"]
    assert [one["name"] for one in (puma, scara, tx40)] == list(few)
    assert [joint["type"] for joint in scara["joints"]] == [
        "revolute",
        "revolute",
        "prismatic",
        "revolute",
    ]
    assert set(scara["joints"][0]) == {"name", "type"}
    assert set(puma) == {
        *("name", "joints", "kind", "base_parameters", "rigid_base_parameters"),
        *("excitation", "simulation", "tracking", "recording"),
    }
    assert puma["rigid_base_parameters"] == 36
    assert puma["base_parameters"] == 58  # Fv, Fc, Off of six joints, Ia of four
    assert puma["tracking"] == "oscillate"
    assert tx40["recording"] == "csv"
    assert tx40["simulation"] is False
    assert tx40["excitation"] is None


def test_pictures_are_one_of_each_and_one_of_all(few: tuple[str, ...], tmp_path: Path) -> None:
    robots("-o", tmp_path / "pictures", "--json")
    written = {path.name for path in (tmp_path / "pictures").iterdir()}
    assert written == {"robots.png", *(f"{name}.png" for name in few)}


@pytest.mark.parametrize(
    ("robot", "kind", "letters"),
    [
        ("puma560", "serial", "6R"),
        ("scara", "serial", "2R P R"),
        ("tx40", "coupled", "6R"),
        ("delta_3", "closed chain", "3R"),
    ],
)
def test_the_kind_of_a_robot_is_listed(robot: str, kind: str, letters: str) -> None:
    row = summarize(load_robot(robot))
    assert (row.kind, row.joint_letters) == (kind, letters)


def test_two_arms_on_one_root_are_a_tree(tmp_path: Path) -> None:
    (tmp_path / "two.yaml").write_text(TWO_ARMS)
    urdf = tmp_path / "two.urdf"
    files = [str(tmp_path / "two.yaml"), "-o", str(urdf), "--profile-out", str(tmp_path / "p.yaml")]
    assert CliRunner().invoke(cli.app, ["new", "dh", *files]).exit_code == 0
    row = summarize(load_robot(str(tmp_path / "p.yaml")))
    assert (row.kind, row.joint_letters) == ("tree", "2R")


def test_a_picture_has_no_markers_and_shows_the_start_of_the_simulation() -> None:
    robot = load_robot("scara")
    scene = bare_scene(robot)
    assert not scene.labels()
    assert {shape.role for shape in scene.shapes()} == {"robot"}
    still = bare_scene(robot.without_settings(SimulationSettings))
    assert scene.bodies[1].pose != still.bodies[1].pose


def test_a_drawing_fills_one_side_of_the_given_area() -> None:
    drawing = braille(bare_scene(arm_robot()), columns=10, rows=4)
    lines = drawing.split("\n")
    assert [len(line) for line in lines] == [10] * 4
    dots = np.array([[ord(letter) - 0x2800 for letter in line] for line in lines])
    assert dots.min() >= 0
    assert dots.max() < 256
    filled = dots > 0
    tall = filled[0].any() and filled[-1].any()
    wide = filled[:, 0].any() and filled[:, -1].any()
    assert tall or wide
    assert not filled.all()


def test_a_terminal_gets_drawings_and_a_pipe_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    console = Console(force_terminal=True, width=140, record=True, quiet=False)
    monkeypatch.setattr("dynid.report.terminal.console.result_console", lambda _: console)
    monkeypatch.setattr("dynid.robot_files.shipped_profiles", lambda: ["scara"])
    robots()
    assert any("\u2801" <= letter <= "\u28ff" for letter in console.export_text())
    monkeypatch.undo()
    monkeypatch.setattr("dynid.robot_files.shipped_profiles", lambda: ["scara"])
    assert not any("\u2800" <= letter <= "\u28ff" for letter in robots())


def test_the_sheet_has_a_place_for_each_picture(tmp_path: Path) -> None:
    paths = []
    for number in range(6):
        paths.append(tmp_path / f"{number}.png")
        Image.new("RGB", (420, 360), (40 * number, 0, 0)).save(paths[-1])
    contact_sheet(paths, tmp_path / "sheet.png")
    with Image.open(tmp_path / "sheet.png") as sheet:
        assert sheet.size == (5 * 420, 2 * 360)
        middles = [sheet.getpixel((210 + 420 * (n % 5), 180 + 360 * (n // 5))) for n in range(6)]
    assert [pixel[0] for pixel in middles] == [40 * number for number in range(6)]
