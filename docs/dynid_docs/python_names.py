"""Python names in docstrings: short ones find their class, and rooms list their modules."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

from dynid_docs import ROOT

if TYPE_CHECKING:
    from sphinx.addnodes import pending_xref
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

_ATTRIBUTES = {"attribute", "data", "property"}
_SECTIONS = {"Args:", "Raises:", "Returns:"}


class ModulesDirective(SphinxDirective):
    """``{modules} dynid/signals``: a table of a folder's modules, and what each is for."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Parse the table as Markdown."""
        lines = ["| module | |", "|---|---|", *_module_rows(self.arguments[0])]
        container = nodes.container()
        self.state.nested_parse(StringList(lines, source=self.arguments[0]), 0, container)
        return list(container.children)


def _module_rows(folder: str) -> Iterator[str]:
    for path in sorted((ROOT / folder).rglob("*.py")):
        if path.name in ("__init__.py", "__main__.py"):
            continue
        docstring = ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""
        first = " ".join(docstring.split("\n\n")[0].split())
        name = ".".join(path.relative_to(ROOT / folder).with_suffix("").parts)
        yield f"| `{name}` | {first.replace('``', '`').replace('|', chr(92) + '|')} |"


def _before_napoleon(
    app: Sphinx, what: str, name: str, _obj: object, _options: object, lines: list[str]
) -> None:
    if what in _ATTRIBUTES and not _SECTIONS & {line.strip() for line in lines}:
        _kept(app)[name] = list(lines)


def _after_napoleon(
    app: Sphinx, _what: str, name: str, _obj: object, _options: object, lines: list[str]
) -> None:
    """Undo what napoleon did to an attribute: it takes text before a colon for its type."""
    lines[:] = _kept(app).pop(name, lines)


def _kept(app: Sphinx) -> dict[str, list[str]]:
    kept: dict[str, list[str]] = app.__dict__.setdefault("dynid_attribute_lines", {})
    return kept


def _find_short_name(
    app: Sphinx, env: BuildEnvironment, node: pending_xref, content: nodes.Element
) -> nodes.Element | None:
    """Resolve a name by its last part, where one documented object has it.

    Annotations that only type checkers evaluate reach Sphinx as they are written, and public names
    are documented in ``dynid``, wherever they are defined.
    """
    if node.get("refdomain") != "py":
        return None
    last = node["reftarget"].rpartition(".")[2]
    domain = env.domains["py"]
    found = {one.docname: name for name, one in domain.objects.items() if name.endswith(f".{last}")}  # type: ignore[attr-defined]
    if len(found) != 1:
        return None
    ((_, target),) = found.items()
    return domain.resolve_xref(env, node["refdoc"], app.builder, "obj", target, node, content)


def setup(app: Sphinx) -> None:
    """Connect both, and offer the directive."""
    app.add_directive("modules", ModulesDirective)
    app.connect("autodoc-process-docstring", _before_napoleon, priority=400)
    app.connect("autodoc-process-docstring", _after_napoleon, priority=600)
    app.connect("missing-reference", _find_short_name)
