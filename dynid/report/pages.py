"""Pages from templates: each is one HTML file without external resources."""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined

from dynid.text import NOT_KNOWN, percent, significant, unit

_OWN = "dynid.report"
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_SHORT_SUM = 48  # [characters]


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
        template: name of its file, in the package or this one.
        content: for the template.
        scripts: names of files in ``assets`` of the package, or of this one. The page's security
            policy allows exactly these.
        package: of the template.
        from_server: what the page may load from the server that it is from: ``connect`` for its
            scripts' requests, ``img``, ``frame``.
    """
    script, policy = "", _POLICY
    if scripts:
        script = "".join(['"use strict";\n', *(_asset(package, name) for name in scripts)])
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
        policy += f"; script-src 'sha256-{digest}'"
    policy += "".join(f"; {what}-src 'self'" for what in from_server)
    style = (files(_OWN) / "style.css").read_text("utf-8")
    page = environment(package).get_template(template)
    return page.render(**content, style=style, script=script, policy=policy)


@cache
def environment(package: str) -> Environment:
    """Return what compiles each template once: a fleet has hundreds of pages.

    Numbers and units are shown by its filters ``significant``, ``percent``, ``plus_minus`` and
    ``unit``.
    """
    made = Environment(
        loader=ChoiceLoader([PackageLoader(name, "") for name in (package, _OWN)]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters = (significant, percent, unit, plus_minus, split_sum)
    made.filters |= {one.__name__: one for one in filters}
    return made


def plus_minus(value: float) -> str:
    """Return a standard deviation as text, a dash if it is not known."""
    return f"± {significant(value, 2)}" if math.isfinite(value) else NOT_KNOWN


def split_sum(expression: str) -> tuple[str, str]:
    """Return a base parameter's sum, and what of a long one is collapsed: some terms at its end."""
    # the name it starts with is in another column
    text = expression.partition(" = ")[2] or expression
    cut = len(text)
    if cut > _SHORT_SUM:
        cut = max(text.rfind(sign, 0, _SHORT_SUM) for sign in (" + ", " - "))
    return text[:cut], text[cut:]


def _asset(package: str, name: str) -> str:
    asset = files(package) / "assets" / name
    owner = asset if asset.is_file() else files(_OWN) / "assets" / name
    return owner.read_text("utf-8")
