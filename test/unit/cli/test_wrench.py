"""``dynid collisions wrench``: contacts and wrenches of recordings, as files, table and JSON."""

from __future__ import annotations

import csv
import json
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from support.command_line import run_dynid
from support.small_robot import write_small_robot

from dynid.control.wrench.uncertainty import read_uncertainty, uncertainty_text
from dynid.errors import ConfigurationError
from dynid.excitation.build import build_excitation
from dynid.excitation.settings import find_excitation
from dynid.identification.identify import identify
from dynid.profile import load_robot
from dynid.recording.convert import write_bag
from dynid.robot.recordings import load_recording
from dynid.simulation.simulate import simulate

if TYPE_CHECKING:
    from pathlib import Path

ONSET, LENGTH, PUSH = 2.0, 0.3, 40.0  # [s], [s], [N m] far beyond any error of this robot


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A robot's model, free motion, and the same motion with an external torque at the elbow."""
    folder = tmp_path_factory.mktemp("workshop")
    robot = load_robot(write_small_robot(folder))
    settings = find_excitation(robot)
    assert settings is not None
    motion = build_excitation(settings, robot.limits, robot.joints)
    free = simulate(robot, motion)
    time = free.time - free.time[0]
    effort = np.array(free.effort)
    effort[(time >= ONSET) & (time < ONSET + LENGTH), 1] -= PUSH
    for seed in (3, 4):
        write_bag(simulate(robot, motion, seed=seed), folder / f"free_{seed}")
    write_bag(replace(free, effort=effort), folder / "pushed")
    identify(robot, free).model.save(folder / "model.yaml")
    return folder


@pytest.fixture(scope="module")
def uncertainty(workshop: Path) -> Path:
    """The file with the uncertainty from free motion."""
    folder = workshop / "out"
    given = [workshop / "pushed", "-m", workshop / "model.yaml", f"--free={workshop / 'free_3'}"]
    with pytest.MonkeyPatch.context() as patch:
        assert run(patch, *given, "-o", folder) == 0
    return folder / "wrench_uncertainty.yaml"


def run(monkeypatch: pytest.MonkeyPatch, *arguments: object) -> int:
    return run_dynid(monkeypatch, "collisions", "wrench", *arguments)


def test_files_and_table_show_the_contact(
    workshop: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    out = tmp_path / "out"
    free = [f"--free={workshop / name}" for name in ("free_3", "free_4")]
    given = [workshop / "pushed", "-m", workshop / "model.yaml", *free, "-o", out]
    assert run(monkeypatch, *given) == 0
    shown = capsys.readouterr().out
    assert "pushed: 1 contact in" in shown
    assert "lower" in shown
    assert {path.name for path in out.iterdir()} == {
        "pushed_wrench.csv",
        "pushed_wrench.png",
        "wrench_uncertainty.yaml",
    }
    with (out / "pushed_wrench.csv").open() as file:
        rows = list(csv.DictReader(file))
    touched = [float(row["time"]) for row in rows if row["contact"] == "1"]
    assert min(touched) == pytest.approx(ONSET, abs=0.05)
    assert max(touched) == pytest.approx(ONSET + LENGTH, abs=0.3)
    peak = max(rows, key=lambda row: float(row["distance"]))
    # after 0.3 s and nine time constants; the model's errors are below 1 N m
    assert float(peak["torque_elbow"]) == pytest.approx(PUSH, abs=1.0)
    assert float(peak["torque_elbow_sd"]) < 1.0

    assert run(monkeypatch, *given[:3], *free, "--start", "1", "--json") == 0
    (contact,) = json.loads(capsys.readouterr().out)["recordings"][0]["contacts"]
    assert contact["start"] == pytest.approx(ONSET, abs=0.05), "counted from the recording's start"

    assert run(monkeypatch, *given) == 2
    assert "already exists" in capsys.readouterr().err
    assert run(monkeypatch, *given, "--force") == 0


def test_json_with_a_stored_uncertainty_equals_the_one_with_free_motion(
    workshop: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    given = [workshop / "pushed", "-m", workshop / "model.yaml"]
    free = f"--free={workshop / 'free_3'}"
    assert run(monkeypatch, *given, free, "-o", tmp_path, "--json") == 0
    first = json.loads(capsys.readouterr().out)
    stored = tmp_path / "wrench_uncertainty.yaml"
    assert run(monkeypatch, *given, "--uncertainty", stored, "--json") == 0
    assert json.loads(capsys.readouterr().out) == first
    assert set(first) == {"robot", "uncertainty", "recordings"}
    (one,) = first["recordings"]
    assert one["frame"] == "lower"
    assert one["rms"][2] is None, "a planar arm does not feel it"
    (contact,) = one["contacts"]
    assert contact["links"] == ["lower"]


def test_without_free_motion_it_says_where_the_uncertainty_is_from(
    workshop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, workshop / "pushed", "-m", workshop / "model.yaml") == 0
    assert "The rate of false contacts is unknown" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (["--confidence", "1.5"], "must be from 0.5 to below 1"),
        (["--false-alarms-per-hour", "0"], "must be from 1e-09 to"),
        (["--frame", "hand"], "the URDF has no such link"),
        (["--free", "a.mcap", "--uncertainty", "b.yaml"], "give one of them"),
        (["--uncertainty", "nowhere.yaml"], "there is no such file"),
    ],
)
def test_a_mistake_is_one_sentence(
    workshop: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    more: list[str],
    sentence: str,
) -> None:
    assert run(monkeypatch, workshop / "pushed", "-m", workshop / "model.yaml", *more) == 2
    assert sentence in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("joints: ['shoulder', 'elbow']", "joints: [a, b]", "is of joints a, b"),
        ("threshold: ", "treshold: ", "treshold"),
        ("constant: [", "constant: [1.0, ", "one value for each of 2 joints"),
        ("correlation:\n  - [1.0", "correlation:\n  - [2.0", "correlation must be a symmetric"),
        ("per_speed: [", "per_speed: [.nan, ", "per_speed"),
    ],
)
def test_a_damaged_uncertainty_is_refused(
    workshop: Path, uncertainty: Path, tmp_path: Path, old: str, new: str, sentence: str
) -> None:
    robot = load_robot(workshop / "duo.yaml")
    text = uncertainty.read_text()
    assert uncertainty_text(read_uncertainty(uncertainty, robot), []) in text
    assert old in text
    path = tmp_path / "damaged.yaml"
    path.write_text(text.replace(old, new))
    with pytest.raises(ConfigurationError, match=sentence):
        read_uncertainty(path, robot)


def test_recordings_of_the_same_name_are_both_shown(
    workshop: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    other = tmp_path / "pushed"
    shutil.copytree(workshop / "free_3", other)
    given = [workshop / "pushed", other, "-m", workshop / "model.yaml", "--json"]
    assert run(monkeypatch, *given) == 0
    found = json.loads(capsys.readouterr().out)["recordings"]
    assert [one["recording"] for one in found] == [str(workshop / "pushed"), str(other)]
    assert len(found[0]["contacts"]) == 1


def test_free_motion_that_the_model_does_not_describe_is_refused(
    workshop: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    robot = load_robot(workshop / "duo.yaml")
    free = load_recording(workshop / "free_3", robot)
    write_bag(replace(free, effort=1000 * free.effort), tmp_path / "in N mm")
    given = [workshop / "pushed", "-m", workshop / "model.yaml", f"--free={tmp_path / 'in N mm'}"]
    assert run(monkeypatch, *given) == 2
    assert ".mcap: the model leaves" in capsys.readouterr().err


@pytest.mark.parametrize("gain", ["30", "1e-300"])
def test_recordings_that_are_too_short_for_the_observer_are_refused(
    workshop: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    gain: str,
) -> None:
    free = load_recording(workshop / "free_3", load_robot(workshop / "duo.yaml"))
    write_bag(free.cut(1.0, 1.015), tmp_path / "short")
    given = ["-m", workshop / "model.yaml", "-p", workshop / "duo.yaml"]
    given = [*given, f"--set=collision.observer_gain={gain}"]
    assert run(monkeypatch, tmp_path / "short", *given) == 2
    assert run(monkeypatch, workshop / "pushed", *given, f"--free={tmp_path / 'short'}") == 2
    said = capsys.readouterr().err
    assert said.count("samples, but the observer needs more than") == 2
    assert len(said) < 400
