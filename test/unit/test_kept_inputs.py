"""Inputs are kept under any name, also by results in Python that were made from them."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
import yaml
from support.swung_arm import LIMITS, swung
from support.synthetic import ARM_URDF, arm_robot

import dynid
from dynid.errors import WriteError
from dynid.files import refuse_to_replace, write_text
from dynid.identification.result import Identification
from dynid.input_file import inputs_kept
from dynid.recording.convert import write_bag
from dynid.report.write import write_outputs, write_validation_outputs
from dynid.transaction import written_together

REFUSED = "is an input, which is never overwritten; name another output"


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A profile, its URDF under a name that outputs have, and a recording."""
    folder = tmp_path_factory.mktemp("made_from")
    robot = arm_robot(limits=LIMITS)
    (folder / "arm_identified.urdf").write_text(ARM_URDF)
    content = robot.yaml_content() | {"urdf": "arm_identified.urdf"}
    (folder / "arm.yaml").write_text(yaml.safe_dump(content))
    recording = swung(robot, duration=8.0)
    np.savez(
        folder / "work.npz",
        time=recording.time,
        position=recording.position,
        effort=recording.effort,
        joint_names=recording.joint_names,
    )
    return folder


@pytest.fixture(scope="module")
def identified(folder) -> Identification:
    robot = dynid.load_robot(folder / "arm.yaml")
    return dynid.identify(robot, dynid.load_recording(folder / "work.npz", robot))


def contents(folder: Path) -> dict[str, bytes]:
    return {one.name: one.read_bytes() for one in folder.iterdir() if one.is_file()}


@pytest.mark.parametrize("name", ["work.npz", "arm.yaml", "arm_identified.urdf"])
def test_a_model_is_not_saved_over_what_it_was_made_from(folder, identified, name):
    before = contents(folder)
    with pytest.raises(WriteError, match=REFUSED):
        identified.model.save(folder / name)
    assert contents(folder) == before


def test_a_link_to_an_input_is_no_way_around(folder, identified, tmp_path):
    (tmp_path / "model.yaml").symlink_to(folder / "arm.yaml")
    before = contents(folder)
    with pytest.raises(WriteError, match=REFUSED):
        identified.model.save(tmp_path / "model.yaml")
    assert contents(folder) == before


def test_outputs_do_not_remove_the_urdf_that_was_read(folder, identified):
    """Identified URDFs of earlier runs are removed, but this one is the robot's own."""
    before = contents(folder)
    with pytest.raises(WriteError, match=rf"arm_identified\.urdf: {REFUSED}"):
        write_outputs(identified, folder)
    assert contents(folder) == before


def test_outputs_do_not_replace_the_recording(folder, identified, tmp_path):
    write_outputs(identified, tmp_path / "out")
    robot = identified.robot
    write_bag(swung(robot, duration=8.0), tmp_path / "bag")
    shutil.copy(next((tmp_path / "bag").glob("*.mcap")), tmp_path / "out" / "signals.mcap")
    recording = dynid.load_recording(tmp_path / "out" / "signals.mcap", robot)
    before = contents(tmp_path / "out")
    with pytest.raises(WriteError, match=rf"signals\.mcap: {REFUSED}"):
        write_outputs(dynid.identify(robot, recording), tmp_path / "out")
    assert contents(tmp_path / "out") == before


def test_a_validation_does_not_replace_its_recording(identified, tmp_path):
    write_bag(swung(identified.robot, duration=8.0), tmp_path / "bag")
    shutil.copy(next((tmp_path / "bag").glob("*.mcap")), tmp_path / "validation.mcap")
    recording = dynid.load_recording(tmp_path / "validation.mcap", identified.robot)
    before = contents(tmp_path)
    with pytest.raises(WriteError, match=rf"validation\.mcap: {REFUSED}"):
        write_validation_outputs(dynid.validate(identified.model, recording), tmp_path)
    assert contents(tmp_path) == before


def test_an_export_does_not_replace_the_urdf(folder, identified):
    before = contents(folder)
    export = dynid.export_model(identified.model, "mjcf")
    with pytest.raises(WriteError, match=REFUSED):
        export.save(folder / "arm_identified.urdf")
    assert contents(folder) == before


def test_elsewhere_everything_is_written(identified, tmp_path):
    identified.model.save(tmp_path / "model.yaml")
    model = dynid.load_model(tmp_path / "model.yaml")
    assert model.inputs == ()  # of this process
    model.save(tmp_path / "model.yaml")
    assert str(tmp_path) not in (tmp_path / "model.yaml").read_text()


def test_robots_from_different_files_are_equal(folder, tmp_path):
    for name in ("arm.yaml", "arm_identified.urdf"):
        shutil.copy(folder / name, tmp_path / name)
    first, second = (dynid.load_robot(one / "arm.yaml") for one in (folder, tmp_path))
    assert first == second
    assert first.files == (folder / "arm.yaml", folder / "arm_identified.urdf")
    assert first.with_terms(first.explicit_terms).files == first.files


# --- inputs of a command ------------------------------------------------------------------------


@pytest.fixture
def given(tmp_path: Path) -> Path:
    path = tmp_path / "given.yaml"
    path.write_text("mine")
    (tmp_path / "link.yaml").symlink_to(path)
    return path


@pytest.mark.parametrize("name", ["given.yaml", "link.yaml", "../{folder}/given.yaml"])
def test_an_input_is_kept_under_any_name(given, name):
    output = given.parent / name.format(folder=given.parent.name)
    with inputs_kept([given]):
        with pytest.raises(WriteError, match=REFUSED):
            refuse_to_replace([output], force=True)
        with pytest.raises(WriteError, match=REFUSED):
            write_text(output, "other")
    assert given.read_text() == "mine"
    write_text(output, "other")
    assert given.read_text() == "other"


@pytest.mark.parametrize("new", ["given.yaml", "link.yaml", "other.yaml"])
def test_files_written_together_neither_replace_nor_remove_an_input(given, new):
    with (
        inputs_kept([given]),
        pytest.raises(WriteError, match=REFUSED),
        written_together(given.parent, stale=["given*"]) as folder,
    ):
        (folder / new).write_text("other")
    assert given.read_text() == "mine"
    assert sorted(one.name for one in given.parent.iterdir()) == ["given.yaml", "link.yaml"]
