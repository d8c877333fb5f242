"""The addresses of the page: a secret one, files of the folder, and uploads into it."""

from __future__ import annotations

import io
import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.deadlines import LONGEST

from dynid.cli.start.session import StartSession
from dynid.cli.start.site import StartSite
from dynid.report.local_server import HttpResponse, HttpUpload


@pytest.fixture
def site(tmp_path: Path) -> StartSite:
    return StartSite(StartSession(tmp_path / "out", "scara"))


def send(site: StartSite, place: str, content: Any, length: int | None = None) -> HttpResponse:
    data = content if isinstance(content, bytes) else json.dumps(content).encode()
    size = len(data) if length is None else length
    answer = site.accept(HttpUpload(site.root + place, size, io.BytesIO(data)))
    assert answer is not None
    return answer


def test_the_page_is_only_at_an_address_that_differs_each_time(
    site: StartSite, tmp_path: Path
) -> None:
    other = StartSite(StartSession(tmp_path))
    page = site.answer(site.root)
    assert page is not None
    assert b"From a robot to its model" in page.content
    assert len(site.root) > 24
    for path in ("/", "/state", other.root, f"{other.root}state", f"{site.root}none", "", "//"):
        assert site.answer(path) is None
    upload = HttpUpload(f"{other.root}run", 2, io.BytesIO(b"{}"))
    assert site.accept(upload) is None


def test_an_upload_becomes_a_recording_and_replaces_nothing(
    site: StartSite, tmp_path: Path
) -> None:
    state = json.loads(send(site, "upload/my%20work.csv", b"t,q\n").content)
    path = tmp_path / "out" / "my work.csv"
    assert path.read_bytes() == b"t,q\n"
    assert [one["name"] for one in state["recordings"]] == [str(path)]
    again = send(site, "upload/my%20work.csv", b"other")
    assert (again.status, path.read_bytes()) == (409, b"t,q\n")
    assert b"already exists" in again.content


@pytest.mark.parametrize(
    "name",
    ["..%2Fa.csv", "%2Fetc%2Fa.csv", ".a.csv", "-a.csv", "a.py", "a", "", "a%00.csv", "a/b.csv"],
)
def test_an_upload_goes_nowhere_else(site: StartSite, tmp_path: Path, name: str) -> None:
    assert send(site, f"upload/{name}", b"x").status == 409
    assert list(tmp_path.rglob("*.csv")) == []


def test_a_folder_that_cannot_be_created_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    site = StartSite(StartSession(tmp_path / "file" / "out", "scara"))
    for place, content in (("upload/a.csv", b"x"), ("run", {"step": "check"})):
        answer = send(site, place, content)
        assert (answer.status, b"cannot be created" in answer.content) == (409, True)


def test_an_upload_that_breaks_off_leaves_nothing(site: StartSite, tmp_path: Path) -> None:
    answer = send(site, "upload/a.csv", b"12", length=100)
    assert (answer.status, b"not sent completely" in answer.content) == (409, True)
    assert list((tmp_path / "out").iterdir()) == []


def test_files_run_their_scripts_without_access_to_the_page(
    site: StartSite, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    out.mkdir()
    for name in ("report.html", "model.yaml"):
        (out / name).write_text("x")
    (tmp_path / "secret.html").touch()
    page, model = (
        site.answer(f"{site.root}files/{name}") for name in ("report.html", "model.yaml")
    )
    assert page is not None
    assert model is not None
    assert page.headers["Content-Security-Policy"].startswith("sandbox allow-scripts;")
    assert model.headers["Content-Disposition"].startswith("attachment;")
    for name in ("..%2Fsecret.html", "../secret.html", "none.html", ""):
        assert site.answer(f"{site.root}files/{name}") is None


@pytest.mark.parametrize(
    ("place", "content", "sentence"),
    [
        ("run", {"step": "identify"}, "Choose a recording for identification first."),
        ("run", {}, "there is none that runs"),
        ("run", b"[", "there is none that runs"),
        ("robot", {"robot": "/etc/passwd"}, "is not in the list"),
        ("use", {"recording": "a.csv", "use": "validation"}, "is not in the list"),
    ],
)
def test_a_request_that_cannot_be_done_is_a_sentence(
    site: StartSite, place: str, content: Any, sentence: str
) -> None:
    answer = send(site, place, content)
    assert (answer.status, sentence in bytes(answer.content).decode()) == (409, True)


def test_choices_change_the_commands(site: StartSite) -> None:
    send(site, "upload/work.csv", b"t,q\n")
    state = json.loads(send(site, "robot", {"robot": "puma560"}).content)
    name = state["recordings"][0]["name"]
    commands = {one["name"]: one["command"] for one in state["steps"]}
    assert commands["info"] == f"dynid info {name} -p puma560"
    state = json.loads(send(site, "use", {"recording": name, "use": "validation"}).content)
    commands = {one["name"]: one["command"] for one in state["steps"]}
    assert commands["info"] == "dynid info RECORDING -p puma560"
    assert name in commands["test"]


START = """
import runpy, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in a shell's background job
sys.argv[:1] = ["dynid", "start", "scara", "-o"]
runpy.run_module("dynid", run_name="__main__")
"""


def test_ctrl_c_ends_the_command_in_order(tmp_path: Path) -> None:
    words = [sys.executable, "-c", START, str(tmp_path / "out")]
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as ran:
        assert ran.stdout is not None
        address = ran.stdout.readline()
        ran.send_signal(signal.SIGINT)
        try:
            _, errors = ran.communicate(timeout=LONGEST)
        finally:
            ran.kill()
    assert address.startswith("http://127.0.0.1:")
    assert (ran.returncode, errors) == (0, "")
    assert list(tmp_path.iterdir()) == []
