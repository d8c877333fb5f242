"""The pages of a fleet from a server on this machine, made again when the data set changes."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

import pyarrow.compute as pc

from dynid.errors import ConfigurationError
from dynid.report.local_server import HttpResponse, announce, answering, make_server
from dynid.text import printable
from dynid_plugins.fleet.dataset import TABLES, FleetResults, load
from dynid_plugins.fleet.progress import read_progress
from dynid_plugins.fleet.site.build import overview_page, robot_pages
from dynid_plugins.fleet.site.pages import INDEX, fleet_page, page_name
from dynid_plugins.fleet.watch import RobotState, watch_fleet

if TYPE_CHECKING:
    from distributed import Client

Watch = Callable[..., tuple[RobotState, ...]]

_POLL = 2.0  # [s] between looks at the data set
_MODELS = "/data/"


def serve_fleet(
    folder: Path,
    client: Client,
    *,
    watch: Watch = watch_fleet,
    port: int = 0,
    ready: Callable[[str], None],
    browse: bool,
) -> None:
    """Serve the pages of a data set on this machine until Ctrl-C.

    Args:
        folder: of the data set.
        client: of the cluster that makes the pages.
        watch: ``watch_fleet``, with its settings.
        port: of the server, 0 for any free port.
        ready: called with the address when the server is ready, before the pages are made.
        browse: whether to open it in the user's browser.

    Raises:
        ConfigurationError: there is no such folder.
        WriteError: the port is in use.
        TaskError: the cluster ended.
    """
    if not folder.is_dir():
        raise ConfigurationError(
            f"{printable(folder)}: is not a folder; 'dynid fleet identify' writes a data set."
        )
    site = LiveSite(folder, client, watch)
    server = make_server(site.answer, port=port)
    # whoever knows the address may end it
    with suppress(KeyboardInterrupt), answering(server) as address:
        announce(address, ready, browse=browse)
        while True:
            site.refresh()
            time.sleep(_POLL)


class LiveSite:
    """The pages of a data set; other threads may ask for them while they are made again."""

    def __init__(self, folder: Path, client: Client, watch: Watch = watch_fleet) -> None:
        self._folder = folder
        self._client = client
        self._watch = watch
        self._seen: tuple[tuple[str, int, int], ...] | None = None
        self._results: FleetResults | None = None
        self._states: dict[str, RobotState] = {}
        # each is replaced as a whole
        self._pages: dict[str, bytes] = {}
        self._models: frozenset[str] = frozenset()
        self._build = 0
        self._work = "Reading the data set."

    def answer(self, path: str) -> HttpResponse | None:
        """Return what is at a path."""
        name = path.removeprefix("/") or INDEX
        if name == "progress.json":
            news = {"build": self._build, "text": self._words()}
            return HttpResponse(json.dumps(news).encode(), "application/json")
        if path.startswith(_MODELS):
            return self._model(unquote(path.removeprefix(_MODELS)))
        page = self._pages.get(unquote(name))
        if page is None and name == INDEX:
            page = fleet_page("waiting.html.j2", {"title": "Fleet"}, live=True).encode()
        return None if page is None else HttpResponse(page)

    def _model(self, name: str) -> HttpResponse | None:
        if name not in self._models:
            return None
        try:
            content = (self._folder / name).read_bytes()
        except OSError:
            return None  # replaced by a run
        return HttpResponse(content, "text/plain; charset=utf-8")

    def _words(self) -> str:
        run = read_progress(self._folder)
        said = []
        if run is not None and run.running:
            of = f"{run.done} of {run.count} recordings" if run.count else "reading recordings"
            said.append(f"dynid fleet identify is running: {of}.")
        elif run is not None and run.done < run.count:
            said.append(
                f"The last run of dynid fleet identify ended after {run.done} of {run.count} "
                "recordings; run it again."
            )
        return " ".join([*said, *filter(None, [self._work])])

    def refresh(self) -> bool:
        """Make the pages again if the data set has changed, and return whether it has.

        Raises:
            TaskError: the cluster ended.
        """
        seen = _fingerprint(self._folder)
        if seen == self._seen:
            return False
        self._seen = seen
        try:
            self._make(load(self._folder))
        except ConfigurationError as problem:
            self._work = str(problem)
            return False
        self._work = ""
        return True

    def _make(self, results: FleetResults) -> None:
        known = {name: one.drift for name, one in self._states.items() if one.drift is not None}
        states = self._watch(
            results,
            self._client,
            known=known,
            progress=lambda done, count: self._say(f"{done} of {count} robots watched."),
        )
        changed = [one for one in states if not self._is_shown(one, results)]
        names = {page_name(one.robot) for one in states}
        pages = {name: page for name, page in self._pages.items() if name in names}
        made = robot_pages(results, changed, self._client, models=_MODELS.lstrip("/"), live=True)
        for number, (name, text) in enumerate(made, 1):
            pages[name] = text.encode()
            self._say(f"{number} of {len(changed)} pages drawn.")
        pages[INDEX] = overview_page(results, states, live=True).encode()
        self._models = frozenset(filter(None, results.recordings["model"].to_pylist()))
        self._results, self._states = results, {one.robot: one for one in states}
        self._pages = pages
        self._build += 1

    def _say(self, text: str) -> None:
        self._work = f"New results: {text}"

    def _is_shown(self, state: RobotState, results: FleetResults) -> bool:
        """Return whether the page of a robot is what it would be now."""
        before = self._states.get(state.robot)
        if self._results is None or before is None:
            return False
        old, new = (
            one.recordings.filter(pc.field("robot") == state.robot)
            for one in (self._results, results)
        )
        return (
            state.drift is before.drift
            and state.sentences == before.sentences
            and bool(old.equals(new))
        )


def _fingerprint(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """Return names, sizes and times of the files of a data set."""
    found = []
    for path in sorted(one for table in TABLES for one in (folder / table).glob("*.parquet")):
        try:
            status = path.stat()
        except FileNotFoundError:
            continue
        found.append((str(path), status.st_size, status.st_mtime_ns))
    return tuple(found)
