"""A local web server for a scene's page."""

from __future__ import annotations

import os
import sys
import webbrowser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

from dynid.errors import OutputError
from dynid.report.view.html import render_html

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynid.report.view.scene import Scene

HOST = "127.0.0.1"


def serve(scene: Scene, *, port: int = 0, ready: Callable[[str], None], browse: bool) -> None:
    """Serve a scene's page on this machine until Ctrl-C.

    Args:
        scene: what to show.
        port: of the server, 0 for any free port.
        ready: called with the page's address when the server is ready.
        browse: whether to open it in the user's browser.

    Raises:
        OutputError: meshcat is not installed, or the port is in use.
    """
    with page_server(scene, port=port) as server:
        address = f"http://{HOST}:{server.server_port}/"
        ready(address)
        if browse:
            webbrowser.open(address)
        try:
            server.serve_forever(poll_interval=0.2)
        except KeyboardInterrupt:
            return


def page_server(scene: Scene, *, port: int = 0) -> ThreadingHTTPServer:
    """Return a server of the page, which does not answer requests yet.

    Raises:
        OutputError: meshcat is not installed, or the port is in use.
    """
    page = render_html(scene).encode("utf-8")

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            # pages of other sites must not read it by DNS rebinding
            if not _is_own(self.headers.get("Host", "")):
                self.send_error(403, "Only for this machine")
                return
            found = self.path.split("?")[0] == "/"
            content = page if found else b""
            self.send_response(200 if found else 404)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Write nothing: the terminal is for the command's output."""

    try:
        return ThreadingHTTPServer((HOST, port), Handler)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or error
        message = f"--port {port}: cannot be opened ({reason})."
        raise OutputError(message) from None


def _is_own(host: str) -> bool:
    """Return whether a request used one of this machine's own names."""
    name, _, port = host.partition(":")
    return name in {HOST, "localhost"} and (not port or port.isdigit())


def has_display() -> bool:
    """Return whether there is a display to open a browser on."""
    if sys.platform in {"darwin", "win32"}:
        return True
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
