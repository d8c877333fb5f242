"""Pages from templates: each is one HTML file without external resources."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined

_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def render(template: str, content: dict[str, Any], *, scripts: Sequence[str] = ()) -> str:
    """Return the page of a template of this package, filled with ``content``.

    Args:
        template: name of its file.
        content: for the template.
        scripts: names of files in ``assets``. The page's security policy allows exactly these.
    """
    environment = Environment(
        loader=FunctionLoader(_text),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    script = "".join(['"use strict";\n', *(_text(f"assets/{name}") for name in scripts)])
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
    return environment.get_template(template).render(
        **content,
        style=_text("style.css"),
        script=script,
        policy=f"{_POLICY}; script-src 'sha256-{digest}'" if scripts else _POLICY,
    )


def _text(name: str) -> str:
    return (files("dynid.report") / name).read_text("utf-8")
