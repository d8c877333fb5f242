"""The registry of public recordings."""

from __future__ import annotations

import functools
import http.server
import re
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from dynid.errors import ConfigurationError
from dynid.profile import load_robot
from dynid_plugins.bench.registry import PublicRecording, download, public_recordings


@pytest.mark.parametrize("name", public_recordings())
def test_a_recording_has_what_others_need_to_repeat_its_row(name: str) -> None:
    one = public_recordings()[name]
    assert all((one.title, one.source, one.licence, one.citation, one.units, one.split.note))
    for part in (*one.split.fit, *one.split.held_out):
        assert any(path == part.path or path.startswith(f"{part.path}/") for path in one.files)
    for file in one.files.values():  # an address without a commit may have another file tomorrow
        assert not file.url or re.search("/[0-9a-f]{40}/", file.url)
    assert one.profile or one.urdf in one.files


@pytest.mark.parametrize("name", public_recordings())
def test_nothing_held_out_is_fitted(name: str) -> None:
    split = public_recordings()[name].split
    for fitted in split.fit:
        for unseen in split.held_out:
            ends = fitted.stop or float("inf"), unseen.stop or float("inf")
            apart = min(ends) <= max(fitted.start or 0.0, unseen.start or 0.0)
            assert fitted.path != unseen.path or apart


def test_a_robot_without_a_profile_has_what_its_entry_says(
    bench_folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "pendulum.urdf").write_text(load_robot("pendulum").urdf_xml, "utf-8")
    entry = yaml.safe_load((bench_folder / "recordings.yaml").read_text("utf-8"))["swing"]
    split = public_recordings(bench_folder)["swing"].split
    own = {"profile": None, "urdf": "pendulum.urdf", "data_sheet": {"gravity": [9.81, 0.0, 0.0]}}
    recording = PublicRecording.model_validate({**entry, **own, "split": split})
    assert recording.robot(tmp_path).gravity == (9.81, 0.0, 0.0)


def test_another_file_of_the_same_name_is_refused(bench_folder: Path, tmp_path: Path) -> None:
    one = public_recordings(bench_folder)["swing"]
    assert one.missing(bench_folder) == ""
    (tmp_path / "pendulum.npz").write_bytes(b"another")
    assert "SHA-256 differs" in one.missing(tmp_path)


def test_a_recording_without_a_split_is_refused(bench_folder: Path, tmp_path: Path) -> None:
    shutil.copy(bench_folder / "recordings.yaml", tmp_path)
    (tmp_path / "splits.yaml").write_text("swing: {note: x, fit: [], held_out: []}", "utf-8")
    with pytest.raises(ConfigurationError, match="absent is in only one of"):
        public_recordings(tmp_path)


@pytest.fixture
def served(bench_folder: Path) -> Iterator[str]:
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(bench_folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_a_file_is_fetched_once_and_checked(
    bench_folder: Path, served: str, tmp_path: Path
) -> None:
    pytest.importorskip("pooch")
    entry = yaml.safe_load((bench_folder / "recordings.yaml").read_text("utf-8"))["swing"]
    split = public_recordings(bench_folder)["swing"].split
    (file,) = entry["files"].values()

    def with_url(name: str) -> PublicRecording:
        files = {"a/pendulum.npz": {**file, "url": f"{served}/{name}"}}
        return PublicRecording.model_validate({**entry, "files": files, "split": split})

    assert "could not be fetched" in download(with_url("none.npz"), tmp_path)
    assert "could not be fetched" in download(with_url("splits.yaml"), tmp_path)
    assert with_url("").missing(tmp_path) != ""
    assert download(with_url("pendulum.npz"), tmp_path) == ""
    assert with_url("").missing(tmp_path) == ""
    assert download(with_url("none.npz"), tmp_path) == ""  # it is there
    unnamed = public_recordings(bench_folder)["swing"]
    assert "has no address of its own" in download(unnamed, tmp_path)
