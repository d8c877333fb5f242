"""Links from pages to files of the repository.

A link such as ``../config/robots/puma560.yaml`` leads to a page of the site with that file's text,
one to a folder to a list of its files.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from docutils import nodes
from sphinx.util import logging

from dynid_docs import ROOT

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_LOGGER = logging.getLogger(__name__)
_LINK = re.compile(r"\]\((?![a-z]+:|#)([^)\s#]+)(#[^)\s]*)?\)")
_FENCE = re.compile(r" {0,3}(```|~~~|:::)")
_SCHEME = "repo:"
_LANGUAGES = {
    **dict.fromkeys((".yaml", ".yml"), "yaml"),
    **dict.fromkeys((".xml", ".urdf", ".xacro"), "xml"),
    **dict.fromkeys((".cpp", ".hpp"), "cpp"),
    **dict.fromkeys((".py", ".pyi"), "python"),
    ".sh": "bash",
    ".md": "markdown",
}


def rewritten(text: str, folder: Path, page: str) -> str:
    """Return a page's Markdown with links to the pages of the site.

    Args:
        text: Markdown of the page.
        folder: of the repository, that the links are relative to.
        page: name of the page on the site, such as ``api/python``.
    """
    lines, fenced = [], False
    for line in text.splitlines():
        fence = _FENCE.match(line)
        fenced ^= fence is not None and fence[1] != ":::"
        lines.append(line if fenced else _LINK.sub(lambda m: _link(m, folder, page), line))
    return "\n".join(lines) + "\n"


def _link(found: re.Match[str], folder: Path, page: str) -> str:
    target = Path(os.path.normpath(folder / found[1]))
    anchor = found[2] or ""
    docs = ROOT / "docs"
    if target.is_relative_to(docs):
        return f"]({os.path.relpath(target, (docs / page).parent)}{anchor})"
    if target.exists() and target.is_relative_to(ROOT):
        return f"]({_SCHEME}{target.relative_to(ROOT)})"
    return found[0]  # MyST warns of it


def _read(app: Sphinx, page: str, source: list[str]) -> None:
    if app.env.doc2path(page).suffix != ".rst":
        source[0] = rewritten(source[0], (ROOT / "docs" / page).parent, page)


def _resolve(app: Sphinx, document: nodes.document, page: str) -> None:
    """Turn links with our scheme into relative ones, and note which files they name."""
    shown: set[str] = app.env.__dict__.setdefault("dynid_repository_files", set())
    for node in document.findall(nodes.reference):
        uri = node.get("refuri", "")
        if uri.startswith(_SCHEME) and app.builder.format == "html":
            path = uri.removeprefix(_SCHEME)
            shown.add(path)
            node["refuri"] = app.builder.get_relative_uri(page, _page_of(path))
            node["internal"] = True


def _page_of(path: str) -> str:
    return f"_files/{path}"


def _pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Yield a page for each linked file and folder, and for the files of those folders."""
    todo: list[str] = sorted(getattr(app.env, "dynid_repository_files", ()))
    done: set[str] = set()
    while todo:
        path = todo.pop(0)
        if path in done:
            continue
        done.add(path)
        if (ROOT / path).is_dir():
            entries = sorted(
                e for e in (ROOT / path).iterdir() if not e.name.startswith((".", "__"))
            )
            todo += [str(entry.relative_to(ROOT)) for entry in entries]
            links = (
                f'<li><a href="{_relative(app, path, entry)}">{escape(entry.name)}</a></li>'
                for entry in entries
            )
            body = f"<ul>{''.join(links)}</ul>"
        else:
            body = _highlighted(app, ROOT / path)
        yield _page_of(path), {"title": path, "body": f"<h1>{escape(path)}</h1>{body}"}, "page.html"


def _relative(app: Sphinx, page: str, entry: Path) -> str:
    return app.builder.get_relative_uri(_page_of(page), _page_of(str(entry.relative_to(ROOT))))


def _highlighted(app: Sphinx, path: Path) -> str:
    try:
        text = path.read_text("utf-8")
    except UnicodeDecodeError:
        return "<p>Not a text file.</p>"
    language = "cmake" if path.name == "CMakeLists.txt" else _LANGUAGES.get(path.suffix, "text")
    block: str = app.builder.highlighter.highlight_block(text, language)  # type: ignore[attr-defined]
    return block


def setup(app: Sphinx) -> None:
    """Connect to reading, resolving and writing."""
    app.connect("source-read", _read)
    app.connect("doctree-resolved", _resolve)
    app.connect("html-collect-pages", _pages)
