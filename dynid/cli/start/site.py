"""The addresses of the page: what it shows, and what it may ask for."""

from __future__ import annotations

import json
import secrets
from itertools import groupby
from mimetypes import guess_type
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote

from dynid.cli.start.folder import store
from dynid.cli.start.steps import STEPS, StartStep
from dynid.errors import DynidError
from dynid.report.local_server import HttpResponse
from dynid.report.pages import render

if TYPE_CHECKING:
    from dynid.cli.start.session import StartSession
    from dynid.report.local_server import HttpUpload

_LONGEST_REQUEST = 1 << 16  # [bytes], except of a file
_SHOWN = {".html": "text/html; charset=utf-8", ".png": "image/png"}
# results may hold names from files of others: their scripts run without access to this page
_CONFINED = (
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src data: blob:"
)


class StartSite:
    """The page of a session, below an address that nobody can guess.

    Whoever knows the address may run the commands of the page, so other users of this machine must
    not know it.
    """

    def __init__(self, session: StartSession) -> None:
        self._session = session
        self.root = f"/{secrets.token_urlsafe(24)}/"
        self._page = render(
            "page.html.j2",
            {"title": "dynid", "sections": _sections()},
            scripts=["page.js"],
            package="dynid.cli.start",
            from_server=["connect", "img", "frame"],
        ).encode()

    def answer(self, path: str) -> HttpResponse | None:
        """Return what is at a path."""
        own = {"Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY"}
        place = self._below_root(path)
        if place == "":
            return HttpResponse(self._page, headers=own)
        if place == "state":
            return HttpResponse(json.dumps(self._session.state()).encode(), "application/json")
        name = unquote(place.removeprefix("files/")) if place else ""
        file = self._session.file(name)
        if place is None or not place.startswith("files/") or file is None:
            return None
        kind = _SHOWN.get(file.suffix)
        if kind is None:
            attachment = f"attachment; filename*=UTF-8''{quote(file.name)}"
            kind = guess_type(file.name)[0] or "application/octet-stream"
            return HttpResponse(file, kind, headers={"Content-Disposition": attachment})
        return HttpResponse(file, kind, headers={"Content-Security-Policy": _CONFINED})

    def accept(self, upload: HttpUpload) -> HttpResponse | None:
        """Do what the page asks for, and answer with its new state, or with a sentence."""
        place = self._below_root(upload.path)
        if place is None:
            return None
        try:
            if place.startswith("upload/"):
                store(self._session.folder, unquote(place.removeprefix("upload/")), upload)
            elif not self._do(place, _content(upload)):
                return None
        except DynidError as error:
            return HttpResponse(str(error).encode(), "text/plain; charset=utf-8", 409)
        return HttpResponse(json.dumps(self._session.state()).encode(), "application/json")

    def _do(self, what: str, content: dict[str, Any]) -> bool:
        """Do what a request names, and return whether there is such a thing."""
        if what == "run":
            self._session.run(str(content.get("step")))
        elif what == "stop":
            self._session.stop()
        elif what == "robot":
            self._session.choose_robot(str(content.get("robot")))
        elif what == "use":
            self._session.choose_use(str(content.get("recording")), str(content.get("use")))
        else:
            return False
        return True

    def _below_root(self, path: str) -> str | None:
        """Return a path below the secret address, or None where it is not below."""
        start, rest = path[: len(self.root)], path[len(self.root) :]
        return rest if secrets.compare_digest(start.encode(), self.root.encode()) else None


def _sections() -> dict[str, list[StartStep]]:
    """Return the steps below each heading."""
    return {name: list(steps) for name, steps in groupby(STEPS, lambda step: step.section)}


def _content(upload: HttpUpload) -> dict[str, Any]:
    if upload.length > _LONGEST_REQUEST:
        return {}
    try:
        content = json.loads(upload.read())
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}
