"""The server answers this machine's browsers, and takes requests from its own pages alone."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from threading import Event

import pytest
from support.deadlines import LONGEST

from dynid.report.local_server import HOST, HttpResponse, HttpUpload, answering, make_server


@pytest.fixture
def taken() -> list[tuple[str, bytes]]:
    return []


@pytest.fixture
def port(taken: list[tuple[str, bytes]], tmp_path: Path) -> Iterator[int]:
    (tmp_path / "file").write_bytes(b"content")
    pages = {
        "/": HttpResponse(b"page"),
        "/file": HttpResponse(tmp_path / "file", "text/plain", headers={"X-Own": "1"}),
        "/gone": HttpResponse(tmp_path / "gone"),
    }

    def accept(upload: HttpUpload) -> HttpResponse | None:
        taken.append((upload.path, upload.read(4)))
        return HttpResponse(b"no", status=409) if upload.path == "/refused" else None

    with answering(make_server(pages.get, accept=accept)) as address:
        yield int(address.rsplit(":", 1)[1].rstrip("/"))


def ask(
    port: int, path: str, body: bytes | None = None, **headers: str
) -> tuple[int, bytes, dict[str, str]]:
    connection = HTTPConnection(HOST, port, timeout=LONGEST)
    connection.request("GET" if body is None else "POST", path, body=body, headers=headers)
    answer = connection.getresponse()
    found = (answer.status, answer.read(), dict(answer.getheaders()))
    connection.close()
    return found


def test_a_file_is_sent_with_its_headers_and_a_missing_one_is_not_found(port: int) -> None:
    status, content, headers = ask(port, "/file")
    assert (status, content, headers["X-Own"]) == (200, b"content", "1")
    assert ask(port, "/gone")[:2] == (404, b"")


@pytest.mark.parametrize("name", ["127.0.0.1", "localhost"])
def test_what_its_own_page_sends_is_taken_and_answered(
    port: int, name: str, taken: list[tuple[str, bytes]]
) -> None:
    own = f"{name}:{port}"
    answer = ask(port, "/refused?x", b"12345678", Host=own, Origin=f"http://{own}")
    assert answer[:2] == (409, b"no")
    assert taken == [("/refused", b"1234")]
    assert ask(port, "/other", b"", Host=own, Origin=f"http://{own}")[0] == 404


@pytest.mark.parametrize(
    ("host", "origin"),
    [
        ("127.0.0.1:{port}", None),
        ("127.0.0.1:{port}", "null"),  # a page in a sandbox
        ("127.0.0.1:{port}", "http://evil.example"),
        ("127.0.0.1:{port}", "http://127.0.0.1:1"),  # another server on this machine
        ("127.0.0.1:{port}", "http://localhost:{port}"),
        ("127.0.0.1:{port}", "https://127.0.0.1:{port}"),
        ("evil.example:{port}", "http://evil.example:{port}"),
    ],
)
def test_nothing_is_taken_from_pages_of_others(
    port: int, host: str, origin: str | None, taken: list[tuple[str, bytes]]
) -> None:
    headers = {} if origin is None else {"Origin": origin.format(port=port)}
    assert ask(port, "/refused", b"1", Host=host.format(port=port), **headers)[0] == 403
    assert taken == []


@pytest.mark.parametrize("length", ["-1", "many", ""])
def test_a_request_without_its_length_is_refused(
    port: int, length: str, taken: list[tuple[str, bytes]]
) -> None:
    own = f"{HOST}:{port}"
    headers = {"Host": own, "Origin": f"http://{own}", "Content-Length": length}
    assert ask(port, "/refused", b"", **headers)[0] == 411
    assert taken == []


def test_nothing_is_taken_where_nothing_is_expected() -> None:
    with answering(make_server({}.get)) as address:
        own = address.split("/")[2]
        port = int(own.rpartition(":")[2])
        assert ask(port, "/", b"1", Host=own, Origin=f"http://{own}")[0] == 404


def test_a_browser_that_leaves_is_no_error(capfd: pytest.CaptureFixture[str]) -> None:
    left = Event()

    def answer(_: str) -> HttpResponse:
        left.wait(LONGEST)
        return HttpResponse(b"x" * 10_000_000)

    with answering(make_server(answer)) as address:
        port = int(address.rsplit(":", 1)[1].rstrip("/"))
        leaving = socket.create_connection((HOST, port))
        leaving.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        leaving.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        leaving.close()
        left.set()
        assert ask(port, "/")[0] == 200
    assert capfd.readouterr().err == ""
