"""No command writes to a file that it reads, with --force or without."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from support.pushed_robot import followed
from support.small_robot import write_small_robot
from support.stored_recording import stored
from typer.testing import CliRunner

from dynid.cli import app
from dynid.errors import WriteError
from dynid.profile import load_robot
from dynid.recording.convert import write_bag


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small robot's profile, recordings, and results."""
    folder = tmp_path_factory.mktemp("made")
    robot = load_robot(write_small_robot(folder))
    recording = followed(robot)
    stored(recording, folder / "log.npz")
    write_bag(recording, folder / "bag")
    profile = folder / "duo.yaml"
    result = run("identify", folder / "log.npz", "-p", profile, "-o", folder / "out")
    assert result.exit_code == 0, result.output
    return folder


def run(*arguments: object):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("export out/model.yaml --to mjcf --force", "out/model.yaml"),
        ("export out/model.yaml --to urdf --into duo.urdf --force", "duo.urdf"),
        ("limits -m out/model.yaml --velocity-scale 0.5 --force", "out/model.yaml"),
        ("excite -p duo.yaml --force", "duo.yaml"),
        ("model along log.npz -m out/model.yaml", "log.npz"),
        ("limits -m out/model.yaml --along bag --force", "bag/bag.mcap"),
        ("limits -m out/model.yaml --along bag --force", "bag/metadata.yaml"),
        ("model base -m out/model.yaml", "out/../out/model.yaml"),
        ("identify log.npz -p duo.yaml --urdf out/duo_identified.urdf", "out"),
        ("identify log.npz -p duo.yaml --urdf out/old_identified.urdf", "out"),
    ],
)
def test_an_input_is_never_an_output(made, tmp_path, monkeypatch, command, output):
    folder = tmp_path / "copy"
    shutil.copytree(made, folder)
    shutil.copy(folder / "duo.urdf", folder / "out" / "old_identified.urdf")
    monkeypatch.chdir(folder)
    before = {one: one.read_bytes() for one in folder.rglob("*") if one.is_file()}
    result = run(*command.split(), "-o", output)
    assert isinstance(result.exception, WriteError), result.output
    assert "is an input, which is never overwritten; name another output." in str(result.exception)
    assert {one: one.read_bytes() for one in folder.rglob("*") if one.is_file()} == before


def test_an_edit_by_hand_is_confirmed_in_its_file(made, tmp_path):
    model = tmp_path / "model.yaml"
    text = (made / "out" / "model.yaml").read_text()
    model.write_text(re.sub('      sha256: "[0-9a-f]+"', f'      sha256: "{"0" * 64}"', text))
    result = run("model", "seal", model)
    assert "the edit is confirmed" in result.output
