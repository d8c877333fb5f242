"""Pipes and devices are refused as recordings: reading one blocks, or never ends."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from dynid.errors import ModelFileError, RecordingError
from dynid.recording.columns import ColumnMap
from dynid.recording.info import describe
from dynid.recording.load import read_samples
from dynid.robot.model_file import confirm_edit

from .conftest import ONE_JOINT

NAMES = ("work.mcap", "work.db3", "work.mcap.zstd", "work.npz", "work.csv", "work.rec", "work")


@pytest.fixture(params=NAMES)
def pipe(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / str(request.param)
    os.mkfifo(path)
    return path


@pytest.mark.parametrize("columns", [None, ONE_JOINT], ids=["", "with columns"])
def test_a_pipe_is_no_recording(pipe: Path, columns: ColumnMap | None) -> None:
    sentence = f"{pipe.name}: is a pipe; expected the name of a file."
    with pytest.raises(RecordingError, match=sentence):
        describe(pipe, columns=columns)
    with pytest.raises(RecordingError, match=sentence):
        read_samples(pipe, None, columns=columns)


@pytest.mark.parametrize("name", NAMES[:3])
def test_a_pipe_in_a_bag_is_no_storage_file(tmp_path: Path, name: str) -> None:
    os.mkfifo(tmp_path / name)
    for metadata in (False, True):
        if metadata:
            os.mkfifo(tmp_path / "metadata.yaml")
        with pytest.raises(RecordingError, match=f"{name}: is a pipe"):
            describe(tmp_path)


def test_a_device_is_no_recording() -> None:
    with pytest.raises(RecordingError, match="/dev/zero: is a device; expected the name of a file"):
        describe("/dev/zero")


def test_a_pipe_is_no_model_to_confirm(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "model.yaml")
    with pytest.raises(ModelFileError, match="is a pipe"):
        confirm_edit(tmp_path / "model.yaml", lambda *_: pytest.fail("no model was read"))
