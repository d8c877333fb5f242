"""Results as a person looks at them: text, HTML tables, data frames if pandas is installed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from dynid.errors import ConfigurationError
from dynid.guessed_names import unknown_name

if TYPE_CHECKING:
    from pandas import DataFrame


class Shown:
    """What has a text of a few lines, and answers a guessed name by the one that exists."""

    def summary(self) -> str:
        """Return the text that ``print`` shows."""
        return repr(self)

    if not TYPE_CHECKING:  # a type checker must refuse unknown names

        def __getattr__(self, name: str) -> object:
            """Raise an AttributeError that names what is meant, also of an attribute's own."""
            known: list[str] = []
            if not name.startswith("_"):  # libraries try many of these
                known = [other for other in dir(self) if not other.startswith("_")]
                known += [
                    f"{part}.{name}"
                    for part, value in vars(self).items()
                    if any(name in vars(kind) for kind in type(value).__mro__ if _is_own(kind))
                ]
            kind = f"'{type(self).__name__}' object"
            raise AttributeError(unknown_name(kind, name, known), name=name)


def _is_own(kind: type) -> bool:
    return kind.__module__.startswith("dynid.")


def html_lines(lines: Sequence[str]) -> str:
    """Return a paragraph with one line for each text."""
    return f"<p>{'<br>'.join(escape(line) for line in lines)}</p>"


def html_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a plain HTML table in the style of notebooks."""
    head = "".join(f"<th>{escape(name)}</th>" for name in header)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def data_frame(columns: Mapping[str, Any]) -> DataFrame:
    """Return a pandas DataFrame.

    Raises:
        ConfigurationError: pandas is not installed; dynid does not need it otherwise.
    """
    if find_spec("pandas") is None:
        raise ConfigurationError(
            "to_frame() needs pandas, which is not installed: pip install pandas."
        )
    from pandas import DataFrame  # noqa: PLC0415  optional

    return DataFrame(dict(columns))
