"""Formulas as SVG in the page, by ziamath: without a script and without the network."""

from __future__ import annotations

from functools import cache
from html import escape
from typing import TYPE_CHECKING, NamedTuple
from xml.etree import ElementTree as ET

from docutils import nodes
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

if TYPE_CHECKING:
    from sphinx.application import Sphinx
    from sphinx.writers.html5 import HTML5Translator

_LOGGER = logging.getLogger(__name__)
_SIZE = 16  # of the drawing; what is shown is in em


class _Drawing(NamedTuple):
    svg: str
    problem: str


@cache
def _drawing(tex: str, *, block: bool) -> _Drawing:
    from latex2mathml.converter import convert  # noqa: PLC0415  absent where MathJax is used
    from ziamath import Latex  # noqa: PLC0415

    try:
        if "\\" in convert(tex):
            return _Drawing("", "a command in it is unknown")
        drawn = Latex(tex, size=_SIZE, inline=not block, color="currentColor")
    except Exception as error:  # noqa: BLE001  whatever the two raise for what they cannot read
        return _Drawing("", f"{type(error).__name__}: {error}")
    svg = drawn.svgxml()
    width, height = (float(svg.get(name, "0").removesuffix("px")) for name in ("width", "height"))
    svg.set("role", "img")
    svg.set("aria-label", tex)
    svg.set(
        "style",
        f"width:{width / _SIZE:.3f}em;height:{height / _SIZE:.3f}em;"
        f"vertical-align:{drawn.getyofst() / _SIZE:.3f}em",
    )
    return _Drawing(ET.tostring(svg, encoding="unicode"), "")


def _formula(node: nodes.Element, *, block: bool) -> str:
    tex = node.astext()
    if block and r"\\" in tex and r"\begin" not in tex:
        tex = rf"\begin{{aligned}}{tex}\end{{aligned}}"
    svg, problem = _drawing(tex, block=block)
    if problem:
        _LOGGER.warning("formula %s: %s", tex, problem, location=node)
        return f"<code>{escape(tex)}</code>"
    return svg


def _visit_inline(writer: HTML5Translator, node: nodes.math) -> None:
    writer.body.append(f'<span class="formula">{_formula(node, block=False)}</span>')
    raise nodes.SkipNode


def _visit_block(writer: HTML5Translator, node: nodes.math_block) -> None:
    writer.body.append(writer.starttag(node, "div", CLASS="formula"))
    if node["number"]:
        writer.body.append(f'<span class="eqno">({get_node_equation_number(writer, node)})</span>')
    writer.body.append(f"{_formula(node, block=True)}</div>\n")
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    """Offer the renderer as ``html_math_renderer = "svg"``."""
    app.add_html_math_renderer("svg", (_visit_inline, None), (_visit_block, None))
