"""Names of robots and joints, and names of files, that are no ordinary ones."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from support.arm_files import write_arm
from typer.testing import CliRunner

from dynid.cli import app
from dynid.errors import ConfigurationError, RecordingError
from dynid.file_names import checked_file_name, encoded_file_name, likely_file_name
from dynid.files import write_text
from dynid.profile import load_model, load_robot
from dynid.recording.bag_writer import BagWriter
from dynid.recording.model import Source

PATHS = ["../../evil", "acme/arm", "/abs", "..", ".", ".hidden"]
UNPRINTABLE = ["", "a\nb", "a\0b", "\x1b", "x" * 300]
NOT_UTF8 = os.fsdecode(b"\xff\xfe")


@pytest.mark.parametrize("name", PATHS + UNPRINTABLE)
def test_a_robot_that_files_cannot_be_named_after_is_refused_when_the_profile_is_read(
    tmp_path, name
) -> None:
    arm = write_arm(tmp_path)
    content = yaml.safe_load(arm.profile.read_text())
    arm.profile.write_text(yaml.safe_dump({**content, "robot": name}))
    with pytest.raises(ConfigurationError, match=r"'robot'.*is not a valid one"):
        load_robot(arm.profile)


@pytest.mark.parametrize("name", ["arm", "ur10 (left)", "Stäubli-TX40", "a.b", "机器人", "x" * 200])
def test_other_names_of_robots_are_accepted(name) -> None:
    assert checked_file_name(name) == name
    assert encoded_file_name(name) == name
    assert likely_file_name(name, "robot") == name


def test_the_robot_of_a_urdf_with_such_a_name_gets_the_nearest_valid_one(tmp_path) -> None:
    arm = write_arm(tmp_path)
    urdf = next(tmp_path.glob("*.urdf"))
    root = ET.fromstring(urdf.read_text())  # noqa: S314  the test's own
    for named, taken in (("../acme/arm", "_acme_arm"), ("", "robot"), ("..", "robot")):
        root.set("name", named)
        urdf.write_text(ET.tostring(root, "unicode"))
        assert load_robot(urdf).name == taken
    assert arm.profile.exists()


def test_a_table_of_such_a_robot_is_refused(tmp_path) -> None:
    table = tmp_path / "table.yaml"
    rows = [{"d": 0.1, "a": 0.2, "alpha": 0.0}]
    table.write_text(yaml.safe_dump({"robot": "../evil", "rows": rows}))
    result = CliRunner().invoke(app, ["new", "dh", str(table)])
    assert isinstance(result.exception, ConfigurationError)
    assert "is not a valid one" in str(result.exception)


@given(st.lists(st.text(), min_size=2, max_size=5, unique=True))
def test_every_name_has_a_unique_file_name_that_is_not_a_path(names) -> None:
    encoded = [encoded_file_name(name) for name in names]
    assert len(set(encoded)) == len(encoded)
    for one in encoded:
        assert "/" not in one
        assert not one.startswith(".")
        assert one.isprintable()


@given(st.text())
def test_a_likely_name_is_a_valid_file_name(name) -> None:
    assert checked_file_name(likely_file_name(name, "robot"))


def test_drives_of_joints_with_slashes_stay_in_the_folder(tmp_path) -> None:
    work = tmp_path / "deep" / "work"
    work.mkdir(parents=True)
    source = Path(__file__).parents[2]
    profile = yaml.safe_load((source / "config/robots/puma560.yaml").read_text())
    urdf = (source / "urdf" / profile["urdf"]).read_text()
    first, second = profile["joints"][:2]
    text = (source / "config/robots/puma560.yaml").read_text()
    for old, new in ((first, "../../evilj"), (second, "left/elbow")):
        urdf = urdf.replace(f'"{old}"', f'"{new}"')
        text = text.replace(old, new)
    (work / profile["urdf"]).write_text(urdf)
    (work / "p.yaml").write_text(text)
    before = {path for path in tmp_path.rglob("*") if work not in path.parents}
    sheet = {
        "drives.rated_current_ma": 3400,
        "drives.peak_current_ma": 9000,
        "drives.torque_constant": 0.2,
        "drives.gear_ratio": 100,
        "drives.encoder_counts": 131072,
        "limits.torque_max": "null",
    }
    settings = [word for key, value in sheet.items() for word in ("--set", f"{key}={value}")]
    options = ["-p", str(work / "p.yaml"), "-o", str(work / "slaves")]
    result = CliRunner().invoke(app, ["drives", *options, *settings])
    assert result.exit_code == 0, (result.output, result.exception)
    names = {path.name for path in (work / "slaves").iterdir()}
    assert {"%2E.%2F..%2Fevilj.yaml", "left%2Felbow.yaml"} <= names
    assert {path for path in tmp_path.rglob("*") if work not in path.parents} == before
    tag = (work / "slaves" / "ethercat.ros2_control.xml").read_text()
    assert "left%2Felbow.yaml" in tag


@pytest.mark.thorough
def test_a_recording_whose_name_is_not_text_is_identified_and_named_in_every_result(
    tmp_path,
) -> None:
    arm = write_arm(tmp_path)
    odd = tmp_path / f"rec{NOT_UTF8}\n.mcap"
    (recording,) = arm.bag.glob("*.mcap")
    recording.rename(odd)
    out = tmp_path / f"out{NOT_UTF8}"
    command = [sys.executable, "-m", "dynid", "identify", odd, "-p", arm.profile, "-o", out]
    done = subprocess.run(list(map(os.fsencode, command)), check=False, capture_output=True)
    assert done.returncode == 0, done.stderr
    (source,) = load_model(out / "model.yaml").identified_provenance.sources
    assert source.name == r"rec\xff\xfe\n.mcap"
    assert r"rec\xff\xfe\n.mcap" in (out / "report.html").read_text()
    json.dumps(source.name).encode("ascii")


def test_a_name_that_is_not_text_is_reported_in_a_sentence(tmp_path) -> None:
    with pytest.raises(RecordingError) as raised:
        BagWriter(tmp_path / f"bag{NOT_UTF8}")
    str(raised.value).encode("utf-8")
    assert r"bag\xff\xfe: the name of a bag is stored in its metadata.yaml" in str(raised.value)
    assert list(tmp_path.iterdir()) == []


def test_a_text_with_such_a_name_is_written(tmp_path) -> None:
    write_text(tmp_path / "x.yaml", f"# {NOT_UTF8}\na: 1\n")
    assert yaml.safe_load((tmp_path / "x.yaml").read_text()) == {"a": 1}


def test_the_name_of_a_source_can_be_written_everywhere() -> None:
    assert Source(f"a{NOT_UTF8}\n", "", "csv").name == r"a\xff\xfe\n"
    assert Source("topic /joint_states, live", "", "live").name == "topic /joint_states, live"
