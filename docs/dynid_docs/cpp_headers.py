"""The directive ``cpp-header``: public declarations of a header, with their comments.

It reads dynid's own headers alone, in place of Doxygen, which no Python package brings: it relies
on their layout, which clang-format keeps, and Sphinx warns of what its C++ domain cannot parse.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

from dynid_docs import ROOT

if TYPE_CHECKING:
    from sphinx.application import Sphinx

HEADERS = ROOT / "cpp/core/include"
_COMPOUND = re.compile(r"(?:template\s*<[^>]*>\s*)?(class|struct|enum class)\s+(\w+)[^;{]*\{")
_NOT_SHOWN = re.compile(
    r"friend\b|namespace\b|#|using namespace|static_assert|.*=\s*(default|delete)$|.*~"
)
_FORWARD = re.compile(r"(class|struct|enum class)\s+\w+$")


@dataclass
class Declaration:
    """One declaration, its comment, and the lines between its braces."""

    text: str
    comment: list[str]
    body: list[str]


class HeaderDirective(SphinxDirective):
    """``{cpp-header} dynid/mechanism.hpp``."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Parse what the header amounts to as Markdown."""
        path = HEADERS / self.arguments[0]
        self.env.note_dependency(str(path))
        lines = list(as_markdown(path.read_text("utf-8")))
        container = nodes.container()
        self.state.nested_parse(StringList(lines, source=str(path)), 0, container)
        return list(container.children)


def as_markdown(header: str) -> Iterator[str]:
    """Markdown with a directive of Sphinx's C++ domain for each declaration in namespace dynid."""
    opening = re.search(r"^namespace dynid\n\{\n(.*)^\}", header, re.MULTILINE | re.DOTALL)
    if opening is not None:
        yield from _directives(opening[1].splitlines(), "")


def public_headers() -> list[str]:
    """All headers that are installed, such as ``dynid/mechanism.hpp``."""
    return sorted(str(path.relative_to(HEADERS)) for path in Path(HEADERS).rglob("*.hpp"))


def _directives(lines: list[str], scope: str) -> Iterator[str]:
    for found in _declarations(lines):
        compound = _COMPOUND.match(found.text)
        if compound is not None:
            yield from _compound(found, compound, scope)
            continue
        text = _signature(found.text)
        if not text or _NOT_SHOWN.match(text) or _FORWARD.match(text):
            continue
        if text.startswith("using "):
            kind, text = "type", text.removeprefix("using ")
        else:
            kind = "function" if _is_function(text) else "member"
        yield from _directive(kind, text, found.comment, [], scope)


def _compound(found: Declaration, compound: re.Match[str], scope: str) -> Iterator[str]:
    kind, name = compound[1], compound[2]
    if kind == "enum class":
        inner = [line for one in _enumerators(found.body) for line in one]
        yield from _directive("enum-class", name, found.comment, inner, scope)
        return
    inner = list(_directives(_public(found.body, public=kind == "struct"), f"{scope}:"))
    yield from _directive(kind, name, found.comment, inner, scope)


def _directive(
    kind: str, text: str, comment: list[str], inner: list[str], scope: str
) -> Iterator[str]:
    fence = ":" * (9 - 2 * len(scope))
    yield f"{fence}{{cpp:{kind}}} {' '.join(text.split())}"
    yield ""
    yield from (_escaped(line) for line in comment)
    yield ""
    yield from inner
    yield fence
    yield ""


def _enumerators(body: list[str]) -> Iterator[Iterator[str]]:
    comment: list[str] = []
    for line in body:
        code, _, trailing = line.strip().partition("///< ")
        if line.strip().startswith("/// "):
            comment.append(line.strip().removeprefix("/// "))
        elif name := code.strip().rstrip(","):
            yield _directive("enumerator", name.split(" =")[0], [*comment, trailing], [], ":::")
            comment = []


def _public(body: list[str], *, public: bool) -> list[str]:
    """Return the lines of a class that are not behind ``private:``."""
    shown = []
    for line in body:
        access = re.fullmatch(r"\s*(public|protected|private):\s*", line)
        if access is not None:
            public = access[1] == "public"
        elif public:
            shown.append(line)
    return shown


def _signature(text: str) -> str:
    """Return a declaration without body, initial value and attributes."""
    text = " ".join(text.replace("[[nodiscard]] ", "").rstrip(";").split())
    if text.startswith("using "):
        return text
    text = re.sub(r" = \{\}| /\*\w*\*/", "", text)
    if _is_function(text):
        text = re.split(r" \{|(?<=[)\w]) : ", text)[0]
        return text.removesuffix(" override")
    return re.split(r"\{| = ", text)[0]


def _is_function(text: str) -> bool:
    before, parenthesis, after = text.partition("(")
    if not parenthesis or after.startswith("*"):  # a pointer to a function
        return False
    return "{" not in before and " = " not in before.replace("operator =", "")


def _escaped(line: str) -> str:
    """Return a comment line as Markdown, with * and < escaped outside backticks."""
    parts = line.split("`")
    parts[::2] = [re.sub(r"([*<|\[\]])", r"\\\1", part) for part in parts[::2]]
    return "`".join(parts)


def _declarations(lines: list[str]) -> list[Declaration]:
    found: list[Declaration] = []
    comment: list[str] = []
    text: list[str] = []  # lines of a declaration that goes on, with the comments in its braces
    code = ""  # the same without comments
    for line in lines:
        here, mark, note = line.partition("///")
        here = here.split("//")[0].rstrip()
        if "{" in code:
            text.append(line)
        elif not here.strip():
            if mark and note.startswith("<"):  # goes on below a declaration
                found[-1].comment.append(note.removeprefix("<").strip())
            elif mark:
                comment.append(note.removeprefix(" "))
            else:
                comment = comment if text else []
            continue
        elif here.startswith("#"):
            continue
        else:
            text.append(here)
            comment += [note.removeprefix("<").strip()] if mark else []
        code += f"{here}\n"
        if _balance(code) == 0 and code.endswith((";\n", "}\n")):
            whole = "\n".join(text).strip()
            found.append(Declaration(whole, comment, _body(whole)))
            comment, text, code = [], [], ""
    return found


def _balance(text: str) -> int:
    return sum(text.count(c) for c in "({") - sum(text.count(c) for c in ")}")


def _body(whole: str) -> list[str]:
    opening, closing = whole.find("{"), whole.rfind("}")
    return whole[opening + 1 : closing].splitlines() if opening >= 0 else []


def setup(app: Sphinx) -> None:
    """Offer the directive."""
    app.add_directive("cpp-header", HeaderDirective)
