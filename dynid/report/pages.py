"""Pages from templates: each is one HTML file without external resources."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined

_OWN = "dynid.report"
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"


def render(
    template: str,
    content: Mapping[str, Any],
    *,
    scripts: Sequence[str] = (),
    package: str = _OWN,
    from_server: Sequence[str] = (),
) -> str:
    """Return the page of a template, filled with ``content`` and the style of all pages.

    Args:
        template: name of its file.
        content: for the template.
        scripts: names of files in ``assets`` of the package, or of this one. The page's security
            policy allows exactly these.
        package: of the template.
        from_server: what the page may load from the server that it is from: ``connect`` for its
            scripts' requests, ``img``, ``frame``.
    """
    script = "".join(['"use strict";\n', *(_asset(package, name) for name in scripts)])
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
    policy = f"{_POLICY}; script-src 'sha256-{digest}'" if scripts else _POLICY
    policy += "".join(f"; {what}-src 'self'" for what in from_server)
    return (
        _environment(package)
        .get_template(template)
        .render(**content, style=_text(_OWN, "style.css"), script=script, policy=policy)
    )


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


def _asset(package: str, name: str) -> str:
    asset = files(package) / "assets" / name
    return asset.read_text("utf-8") if asset.is_file() else _text(_OWN, f"assets/{name}")


def _text(package: str, name: str) -> str:
    return (files(package) / name).read_text("utf-8")
