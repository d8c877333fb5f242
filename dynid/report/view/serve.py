"""A local web server for a scene's page."""

from __future__ import annotations

from contextlib import suppress
from threading import Event
from typing import TYPE_CHECKING

from dynid.report.local_server import HttpResponse, announce, answering, make_server
from dynid.report.view.html import render_html

if TYPE_CHECKING:
    from collections.abc import Callable
    from http.server import ThreadingHTTPServer

    from dynid.report.view.scene import Scene


def serve(scene: Scene, *, port: int = 0, ready: Callable[[str], None], browse: bool) -> None:
    """Serve a scene's page on this machine until Ctrl-C.

    Args:
        scene: what to show.
        port: of the server, 0 for any free port.
        ready: called with the page's address when the server is ready.
        browse: whether to open it in the user's browser.

    Raises:
        WriteError: meshcat is not installed, or the port is in use.
    """
    server = page_server(scene, port=port)
    # whoever knows the address may end it
    with suppress(KeyboardInterrupt), answering(server) as address:
        announce(address, ready, browse=browse)
        Event().wait()


def page_server(scene: Scene, *, port: int = 0) -> ThreadingHTTPServer:
    """Return a server of the page, which does not answer requests yet.

    Raises:
        WriteError: meshcat is not installed, or the port is in use.
    """
    page = HttpResponse(render_html(scene).encode("utf-8"))
    return make_server({"/": page}.get, port=port)
