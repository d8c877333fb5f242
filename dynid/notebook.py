"""Results as a person looks at them: text, HTML tables, data frames if pandas is installed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from os import PathLike
from typing import TYPE_CHECKING, Any

from dynid.errors import ConfigurationError
from dynid.guessed_names import unknown_name
from dynid.plugins import naming_extra

if TYPE_CHECKING:
    from pandas import DataFrame

_LOADERS = {"Model": "load_model", "Recording": "load_recording", "Robot": "load_robot"}
_OF_FILES = {"load", "read", "open", "from"}  # first words of names that are guessed


class ReadFromFile(type):
    """Class of what functions of dynid read, which names them where a class is used instead."""

    if not TYPE_CHECKING:  # a type checker must refuse these calls and names

        def __call__(cls, *arguments: object, **keywords: object) -> object:
            """Raise a ConfigurationError for ``Recording("work.csv")``, or without anything."""
            given = arguments[0] if len(arguments) == 1 else None
            named = isinstance(given, str | PathLike)
            if cls.__name__ in _LOADERS and not keywords and (named or not arguments):
                file = repr(str(given)) if named else "FILE"
                raise ConfigurationError(
                    f"{cls.__name__}({file if named else ''}): a file is read by "
                    f"dynid.{_LOADERS[cls.__name__]}({file})."
                )
            return super().__call__(*arguments, **keywords)

        def __getattr__(cls, name: str) -> object:
            """Raise an AttributeError that names the function, or a name that is meant."""
            kind = f"class '{cls.__name__}'"
            if cls.__name__ in _LOADERS and name.partition("_")[0] in _OF_FILES:
                loader, first = _LOADERS[cls.__name__], name.partition("_")[0]
                names = {name for kind in cls.__mro__ if _is_own(kind) for name in vars(kind)}
                own = sorted(other for other in names if other.startswith(f"{first}_"))
                also = f" ({', '.join(own)} exist)" if own else ""
                message = f"no attribute '{name}'{also}; dynid.{loader}(FILE) reads a file"
                raise AttributeError(f"{kind} has {message}", name=name)
            inherited = getattr(super(), "__getattr__", None)
            if inherited is not None:
                return inherited(name)
            known = [] if name.startswith("_") else [n for n in dir(cls) if n[:1] != "_"]
            raise AttributeError(unknown_name(kind, name, known), name=name)


class Shown(metaclass=ReadFromFile):
    """What has a text of a few lines, and answers a guessed name by the one that exists."""

    def summary(self) -> str:
        """Return the text that ``print`` shows."""
        return repr(self)

    if not TYPE_CHECKING:  # a type checker must refuse unknown names

        def __getattr__(self, name: str) -> object:
            """Raise an AttributeError that names what is meant, also of an attribute's own."""
            raise unknown_attribute(self, name)


def unknown_attribute(owner: object, name: str) -> AttributeError:
    """Return the error on an attribute that an object does not have."""
    known: list[str] = []
    if not name.startswith("_"):  # libraries try many of these
        known = [other for other in dir(owner) if not other.startswith("_")]
        known += [
            f"{part}.{name}"
            for part, value in vars(owner).items()
            if any(name in vars(kind) for kind in type(value).__mro__ if _is_own(kind))
        ]
    kind = f"'{type(owner).__name__}' object"
    return AttributeError(unknown_name(kind, name, known), name=name)


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
    with naming_extra("to_frame()", "pandas"):
        from pandas import DataFrame  # noqa: PLC0415  optional

    return DataFrame(dict(columns))
