"""Pages in a headless Chromium: what they load, what they report, and how wide they are."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import pytest

from support.deadlines import LONGEST

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_OPTIONS = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@dataclass
class Visit:
    """A page that is open.

    Attributes:
        page: of Playwright.
        errors: messages of its console and uncaught exceptions, also of its security policy.
        requests: addresses that it has loaded.
    """

    page: Page
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    @property
    def external(self) -> list[str]:
        """Addresses on other machines."""
        return [one for one in self.requests if not _is_here(one)]

    @property
    def overflow(self) -> int:
        """Width by which the page exceeds the window [px]."""
        script = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        return int(self.page.evaluate(script))


Visitor = Callable[..., Visit]
"""``visit(place, width=1400, height=900, **options)``: a path or address; options of a context of
Playwright, such as ``color_scheme="dark"`` and ``java_script_enabled=False``."""


def _is_here(address: str) -> bool:
    parts = urlsplit(address)
    return parts.scheme in {"file", "data", "blob"} or parts.hostname == "127.0.0.1"


# a session would keep Playwright's event loop in the main thread while other tests run
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Yield a Chromium; without one, or without Playwright, the test is skipped."""
    playwright = pytest.importorskip(
        "playwright.sync_api", reason="Playwright: pip install 'dynid[test]'"
    )
    found = next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        pytest.skip("Chromium: apt install chromium")
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(
            executable_path=found,
            args=_OPTIONS,
            chromium_sandbox=os.geteuid() != 0,  # Chromium refuses it to root
            timeout=1e3 * LONGEST,
        )
        yield chromium
        chromium.close()


@pytest.fixture
def visit(browser: Browser) -> Iterator[Visitor]:
    """Yield a function that opens a page (``Visitor``); it is closed after the test."""
    contexts = []

    def opened(place: str | Path, width: int = 1400, height: int = 900, **options: Any) -> Visit:
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        context.set_default_timeout(1e3 * LONGEST)
        found = Visit(context.new_page())
        found.page.on(
            "console", lambda said: found.errors.append(said.text) if said.type == "error" else None
        )
        found.page.on("pageerror", lambda problem: found.errors.append(str(problem)))
        found.page.on("request", lambda request: found.requests.append(request.url))
        found.page.goto(place.absolute().as_uri() if isinstance(place, Path) else place)
        return found

    yield opened
    for context in contexts:
        context.close()
