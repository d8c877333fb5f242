"""A web server for this machine alone."""

from __future__ import annotations

import os
import shutil
import sys
import webbrowser
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import SEEK_END, BufferedIOBase, BytesIO
from pathlib import Path
from threading import Event, Thread
from typing import Any, BinaryIO, TypeAlias

from dynid.errors import WriteError

HOST = "127.0.0.1"
_POLL = 0.2  # [s] within which a server ends
_BEGINS = 10.0  # [s] within which its thread begins, if it was started at all
_CHUNK = 1 << 16  # [bytes]


@dataclass(frozen=True)
class HttpResponse:
    """What is sent for an address.

    Attributes:
        content: its bytes, or the file that has them.
        kind: its Content-Type.
        status: of HTTP.
        headers: further ones, by name.
    """

    content: bytes | Path
    kind: str = "text/html; charset=utf-8"
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


class HttpUpload:
    """What a page of this server has sent.

    Attributes:
        path: its address, without a query.
        length: number of bytes.
    """

    def __init__(self, path: str, length: int, source: BufferedIOBase) -> None:
        self.path = path
        self.length = length
        self._source = source
        self._left = length

    def read(self, size: int = -1) -> bytes:
        """Return up to ``size`` bytes, all that are left with -1; none at the end."""
        data = self._source.read(self._left if size < 0 else min(size, self._left))
        self._left = self._left - len(data) if data else 0
        return data


Answer: TypeAlias = Callable[[str], HttpResponse | None]
Accept: TypeAlias = Callable[[HttpUpload], HttpResponse | None]

_NOT_FOUND = HttpResponse(b"", status=404)
_OF_EVERY_PAGE = {"/favicon.ico": HttpResponse(b"", "image/x-icon")}  # browsers ask for it


def make_server(
    answer: Answer, *, accept: Accept = lambda _: None, port: int = 0
) -> ThreadingHTTPServer:
    """Return a server, which does not answer requests yet.

    Both functions are called by several threads.

    Args:
        answer: gives what is at a path such as ``/``, without its query; None for nothing.
        accept: takes what this server's own pages send, and answers; None where nothing is taken.
        port: 0 for any free port.

    Raises:
        WriteError: the port is in use.
    """
    try:
        return _LocalServer((HOST, port), partial(_LocalHandler, answer, accept))
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        raise WriteError(f"--port {port}: cannot be opened ({reason}).") from None


class _LocalServer(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        # a browser that leaves a page closes its connection
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


class _LocalHandler(BaseHTTPRequestHandler):
    def __init__(self, answer: Answer, accept: Accept, *connection: Any) -> None:
        self._answer, self._accept = answer, accept
        super().__init__(*connection)

    def do_GET(self) -> None:
        # pages of other sites must not read it by DNS rebinding
        if not _is_own(self.headers.get("Host", "")):
            self.send_error(403, "Only for this machine")
            return
        path = self.path.split("?")[0]
        self._send(self._answer(path) or _OF_EVERY_PAGE.get(path, _NOT_FOUND))

    def do_POST(self) -> None:
        # a page of another site may send here, but its browser states where it is from
        host, origin = self.headers.get("Host", ""), self.headers.get("Origin")
        if not _is_own(host) or origin != f"http://{host}":
            self.send_error(403, "Only for this server's own pages")
            return
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal():
            self.send_error(411, "Content-Length is missing")
            return
        upload = HttpUpload(self.path.split("?")[0], int(length), self.rfile)
        response = self._accept(upload)
        while upload.read(_CHUNK):
            pass  # a browser reads no answer before all was read
        self._send(response or _NOT_FOUND)

    def _send(self, response: HttpResponse) -> None:
        try:
            source = _opened(response.content)
        except OSError:
            source, response = BytesIO(), _NOT_FOUND
        with source:
            length = source.seek(0, SEEK_END)
            source.seek(0)
            self.send_response(response.status)
            for name, value in {
                "Content-Type": response.kind,
                "Content-Length": str(length),
                "Cache-Control": "no-store",
                "X-Content-Type-Options": "nosniff",
                **response.headers,
            }.items():
                self.send_header(name, value)
            self.end_headers()
            shutil.copyfileobj(source, self.wfile)

    def log_message(self, *_: object) -> None:
        """Write nothing: the terminal is for the command's output."""


def _opened(content: bytes | Path) -> BinaryIO:
    return BytesIO(content) if isinstance(content, bytes) else content.open("rb")


@contextmanager
def answering(server: ThreadingHTTPServer) -> Iterator[str]:
    """Answer requests by a thread of its own within the block, and yield the address."""
    begun = Event()

    def serve() -> None:
        begun.set()
        server.serve_forever(_POLL)

    with server:
        thread = Thread(target=serve, daemon=True)
        try:
            thread.start()
            yield f"http://{HOST}:{server.server_port}/"
        finally:
            # an interruption may come while the thread starts, which a closed server would fail in
            if begun.wait(_BEGINS):
                server.shutdown()
                thread.join()


def _print_address(address: str) -> None:
    sys.stdout.write(f"{address}  (Ctrl-C ends)\n")
    sys.stdout.flush()


def announce(address: str, ready: Callable[[str], None] = _print_address, *, browse: bool) -> None:
    """Report the address of a server that is ready, and open it in the user's browser if wanted."""
    ready(address)
    if browse:
        webbrowser.open(address)


def has_display() -> bool:
    """Return whether there is a display to open a browser on."""
    if sys.platform in {"darwin", "win32"}:
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def _is_own(host: str) -> bool:
    """Return whether a request used one of this machine's own names."""
    name, _, port = host.partition(":")
    return name in {HOST, "localhost"} and (not port or port.isdigit())
