"""Templates filled in: one HTML file that loads nothing from anywhere."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined


def render(template: str, content: dict[str, Any]) -> str:
    """Return the page that a template of this package makes of ``content``."""
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
