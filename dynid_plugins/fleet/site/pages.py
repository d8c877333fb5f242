"""What the pages of a fleet share: names, states of robots, style, scripts and their policy."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import cache
from importlib.resources import files
from typing import Any
from urllib.parse import quote

from markupsafe import Markup

from dynid.file_names import encoded_file_name
from dynid.report.pages import render
from dynid.text import NOT_KNOWN, count, iso_time
from dynid_plugins.fleet.watch import RobotState

INDEX = "index.html"
ROBOT_PREFIX = "robot-"
STATES = {
    "changed": "changed",
    "unlike": "unlike its type",
    "failed": "failed recordings",
    "unknown": "not evaluated",
    "fine": "nothing found",
}
"""Words for the states of a robot, those first that need a person most."""
_PACKAGE = "dynid_plugins.fleet.site"


def page_name(robot: str) -> str:
    """Return the file name of a robot's page."""
    return f"{ROBOT_PREFIX}{encoded_file_name(robot)}.html"


def badges(state: RobotState) -> tuple[str, ...]:
    """Return the states of a robot, as keys of ``STATES``."""
    found = {
        "changed": state.drift is not None and bool(state.drift.changes),
        "unlike": bool(state.unusual),
        "failed": state.failed > 0,
        "unknown": state.problem is not None,
    }
    return tuple(name for name, present in found.items() if present) or ("fine",)


def date(moment: datetime | None) -> str:
    """Return a date in UTC."""
    return NOT_KNOWN if moment is None else iso_time(moment)[:10]


def fleet_page(template: str, content: Mapping[str, Any], *, live: bool) -> str:
    """Return a page without external resources, which runs no script but those of dynid.

    Args:
        template: of this package.
        content: of the template.
        live: whether a server shows it, which the page may ask for news.
    """
    return render(
        template,
        {
            **content,
            "words": STATES,
            "badges": badges,
            "count": count,
            "date": date,
            "address": lambda robot: quote(page_name(robot)),  # relative to any page
            "index": INDEX,
            "live": live,
            "site_style": Markup(_style()),  # noqa: S704  our own
        },
        # a table that the server renews keeps its order
        scripts=["filter.js", "live.js" if live else "tables.js"],
        package=_PACKAGE,
        from_server=["connect"] if live else (),
    )


@cache
def _style() -> str:
    return (files(_PACKAGE) / "site.css").read_text("utf-8")
