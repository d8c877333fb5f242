"""Jupyter notebooks as pages, with the outputs that they were saved with; nothing is executed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from myst_parser.parsers.sphinx_ import MystParser

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_PICTURES = ("image/svg+xml", "image/png")


class NotebookParser(MystParser):
    """Parses the Markdown that ``source-read`` has made of a notebook."""

    supported = ("notebook",)


def as_markdown(notebook: str) -> str:
    """Return the Markdown of a notebook: its cells, and below each its saved outputs."""
    cells = json.loads(notebook)["cells"]
    return "\n\n".join(part for cell in cells for part in _cell(cell))


def _cell(cell: Mapping[str, Any]) -> Iterator[str]:
    source = _text(cell["source"])
    if cell["cell_type"] == "markdown":
        yield source
    elif cell["cell_type"] == "code":
        yield _fenced("python", source)
        for output in cell["outputs"]:
            yield _output(output)


def _output(output: Mapping[str, Any]) -> str:
    data = output.get("data", {})
    for kind in _PICTURES:
        if kind in data:
            text = _text(data[kind])
            if kind == "image/svg+xml":
                return _fenced("{raw} html", text)
            return f"![output](data:{kind};base64,{''.join(text.split())})"
    if "text/html" in data:
        html = f'<div class="notebook-output">{_text(data["text/html"])}</div>'
        return _fenced("{raw} html", html)
    plain = _text(output.get("text", data.get("text/plain", "")))
    return _fenced("text", plain.rstrip()) if plain.strip() else ""


def _text(lines: str | list[str]) -> str:
    return lines if isinstance(lines, str) else "".join(lines)


def _fenced(language: str, text: str) -> str:
    fence = "`" * max(3, 1 + _longest_run(text))
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def _longest_run(text: str) -> int:
    runs = "".join(c if c == "`" else " " for c in text).split()
    return max(map(len, runs), default=0)


def _read(app: Sphinx, name: str, source: list[str]) -> None:
    if str(app.env.doc2path(name)).endswith(".ipynb"):
        source[0] = as_markdown(source[0])


def setup(app: Sphinx) -> None:
    """Read ``.ipynb`` files as pages."""
    app.add_source_suffix(".ipynb", "notebook")
    app.add_source_parser(NotebookParser)
    app.connect("source-read", _read, priority=400)
