"""Pages from templates: each is one HTML file without external resources."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined

_OWN = "dynid.report"


def render(template: str, content: dict[str, Any], *, package: str = _OWN) -> str:
    """Return the page of a template of a package, filled with ``content`` and this one's style."""
    style = _text(_OWN, "style.css")
    return _environment(package).get_template(template).render(**content, style=style)


@cache
def _environment(package: str) -> Environment:
    """Return an environment that compiles each template once: a fleet has hundreds of pages."""
    return Environment(
        loader=FunctionLoader(lambda name: _text(package, name)),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def _text(package: str, name: str) -> str:
    return (files(package) / name).read_text("utf-8")
