"""``dynid collisions wrench``: contacts and wrenches of recordings, as files, table and JSON."""

from __future__ import annotations

import csv
import json
import shutil
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from support.command_line import Ran, dynid
from support.pushed_robot import LENGTH, ONSET, PUSH, write_pushed_robot

from dynid.control.wrench.uncertainty import read_uncertainty, uncertainty_text
from dynid.errors import ConfigurationError
from dynid.profile import load_robot
from dynid.recording.convert import write_bag
from dynid.robot.recordings import load_recording

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A robot's model, free motion, and the same motion with an external torque at the elbow."""
    folder = tmp_path_factory.mktemp("workshop")
    write_pushed_robot(folder, free_3=3, free_4=4)
    return folder


def wrench(workshop: Path, *more: object, of: object = "pushed") -> Ran:
    return dynid("collisions", "wrench", workshop / str(of), "-m", workshop / "model.yaml", *more)


def free(workshop: Path, *names: str) -> list[str]:
    return [f"--free={workshop / name}" for name in names]


@pytest.fixture(scope="module")
def uncertainty(workshop: Path) -> Path:
    """The file with the uncertainty from free motion."""
    assert wrench(workshop, *free(workshop, "free_3"), "-o", workshop / "out").code == 0
    return workshop / "out" / "wrench_uncertainty.yaml"


def test_files_and_table_show_the_contact(workshop: Path, tmp_path: Path) -> None:
    out, given = tmp_path / "out", free(workshop, "free_3", "free_4")
    ran = wrench(workshop, *given, "-o", out)
    assert ran.code == 0
    assert "pushed: 1 contact in" in ran.out
    assert "lower" in ran.out
    names = {"pushed_wrench.csv", "pushed_wrench.png", "wrench_uncertainty.yaml"}
    assert {path.name for path in out.iterdir()} == names
    with (out / "pushed_wrench.csv").open() as file:
        rows = list(csv.DictReader(file))
    touched = [float(row["time"]) for row in rows if row["contact"] == "1"]
    assert min(touched) == pytest.approx(ONSET, abs=0.05)
    assert max(touched) == pytest.approx(ONSET + LENGTH, abs=0.3)
    peak = max(rows, key=lambda row: float(row["distance"]))
    # after 0.3 s and nine time constants; the model's errors are below 1 N m
    assert float(peak["torque_elbow"]) == pytest.approx(PUSH, abs=1.0)
    assert float(peak["torque_elbow_sd"]) < 1.0

    found = json.loads(wrench(workshop, *given, "--start", "1", "--json").out)
    (contact,) = found["recordings"][0]["contacts"]
    assert contact["start"] == pytest.approx(ONSET, abs=0.05), "counted from the recording's start"

    again = wrench(workshop, *given, "-o", out)
    assert again.code == 2
    assert "already exists" in again.err
    assert wrench(workshop, *given, "-o", out, "--force").code == 0


def test_json_with_a_stored_uncertainty_equals_the_one_with_free_motion(
    workshop: Path, uncertainty: Path
) -> None:
    first = json.loads(wrench(workshop, *free(workshop, "free_3"), "--json").out)
    assert json.loads(wrench(workshop, "--uncertainty", uncertainty, "--json").out) == first
    assert set(first) == {"robot", "uncertainty", "recordings"}
    (one,) = first["recordings"]
    assert one["frame"] == "lower"
    assert one["rms"][2] is None, "a planar arm does not feel it"
    (contact,) = one["contacts"]
    assert contact["links"] == ["lower"]


def test_without_free_motion_it_says_where_the_uncertainty_is_from(workshop: Path) -> None:
    ran = wrench(workshop)
    assert ran.code == 0
    assert "The rate of false contacts is unknown" in ran.said


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
def test_a_mistake_is_one_sentence(workshop: Path, more: list[str], sentence: str) -> None:
    ran = wrench(workshop, *more)
    assert ran.code == 2
    assert sentence in ran.said


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


def test_recordings_of_the_same_name_are_both_shown(workshop: Path, tmp_path: Path) -> None:
    other = shutil.copytree(workshop / "free_3", tmp_path / "pushed")
    found = json.loads(wrench(workshop, other, "--json").out)["recordings"]
    assert [one["recording"] for one in found] == [str(workshop / "pushed"), str(other)]
    assert len(found[0]["contacts"]) == 1


def test_free_motion_that_the_model_does_not_describe_is_refused(
    workshop: Path, tmp_path: Path
) -> None:
    motion = load_recording(workshop / "free_3", load_robot(workshop / "duo.yaml"))
    write_bag(replace(motion, effort=1000 * motion.effort), tmp_path / "in N mm")
    ran = wrench(workshop, f"--free={tmp_path / 'in N mm'}")
    assert ran.code == 2
    assert ".mcap: the model leaves" in ran.err


@pytest.mark.parametrize("gain", ["30", "1e-300"])
def test_recordings_that_are_too_short_for_the_observer_are_refused(
    workshop: Path, tmp_path: Path, gain: str
) -> None:
    motion = load_recording(workshop / "free_3", load_robot(workshop / "duo.yaml"))
    write_bag(motion.cut(1.0, 1.015), tmp_path / "short")
    given = ["-p", workshop / "duo.yaml", f"--set=collision.observer_gain={gain}"]
    for ran in (
        wrench(workshop, *given, of=tmp_path / "short"),
        wrench(workshop, *given, f"--free={tmp_path / 'short'}"),
    ):
        assert ran.code == 2
        assert "samples, but the observer needs more than" in ran.err
        assert len(ran.err) < 200
