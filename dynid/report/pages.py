"""Pages from templates: each is one HTML file without external resources."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined


def render(template: str, content: dict[str, Any]) -> str:
    """Return the page of a template of this package, filled with ``content``."""
    environment = Environment(
        loader=FunctionLoader(_text),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(template).render(**content, style=_text("style.css"))


def _text(name: str) -> str:
    return (files("dynid.report") / name).read_text("utf-8")
