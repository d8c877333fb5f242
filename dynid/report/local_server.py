"""A web server for this machine alone."""

from __future__ import annotations

import webbrowser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread

from dynid.errors import WriteError

HOST = "127.0.0.1"
_POLL = 0.2  # [s] within which a server ends
_BEGINS = 10.0  # [s] within which its thread begins, if it was started at all


@dataclass(frozen=True)
class HttpResponse:
    """What is sent for an address.

    Attributes:
        content: its bytes.
        kind: its Content-Type.
    """

    content: bytes
    kind: str = "text/html; charset=utf-8"


def make_server(
    answer: Callable[[str], HttpResponse | None], *, port: int = 0
) -> ThreadingHTTPServer:
    """Return a server, which does not answer requests yet.

    Args:
        answer: gives what is at a path such as ``/``, without its query; None for nothing. It is
            called by several threads.
        port: 0 for any free port.

    Raises:
        WriteError: the port is in use.
    """

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            # pages of other sites must not read it by DNS rebinding
            if not _is_own(self.headers.get("Host", "")):
                self.send_error(403, "Only for this machine")
                return
            response = answer(self.path.split("?")[0])
            sent = HttpResponse(b"") if response is None else response
            self.send_response(404 if response is None else 200)
            self.send_header("Content-Type", sent.kind)
            self.send_header("Content-Length", str(len(sent.content)))
            self.send_header("Cache-Control", "no-store")
            self.send_header("X-Content-Type-Options", "nosniff")
            self.end_headers()
            self.wfile.write(sent.content)

        def log_message(self, *_: object) -> None:
            """Write nothing: the terminal is for the command's output."""

    try:
        return ThreadingHTTPServer((HOST, port), Handler)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        message = f"--port {port}: cannot be opened ({reason})."
        raise WriteError(message) from None


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


def announce(address: str, ready: Callable[[str], None], *, browse: bool) -> None:
    """Report the address of a server that is ready, and open it in the user's browser if wanted."""
    ready(address)
    if browse:
        webbrowser.open(address)


def _is_own(host: str) -> bool:
    """Return whether a request used one of this machine's own names."""
    name, _, port = host.partition(":")
    return name in {HOST, "localhost"} and (not port or port.isdigit())
