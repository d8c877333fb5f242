"""Small mistakes in C++ source, made in its text: clang-format's spaces separate the operators.

Comments, strings and preprocessor lines are not changed. Mutants that do not compile are rejected
by the compiler.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_NOT_CODE = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|^[ \t]*#[^\n]*',
    re.DOTALL | re.MULTILINE,
)
_OPERATORS = {
    " + ": (" - ",),
    " - ": (" + ",),
    " * ": (" / ",),
    " / ": (" * ",),
    " % ": (" * ",),
    " < ": (" <= ", " >= "),
    " <= ": (" < ", " > "),
    " > ": (" >= ", " <= "),
    " >= ": (" > ", " < "),
    " == ": (" != ",),
    " != ": (" == ",),
    " && ": (" || ",),
    " || ": (" && ",),
    " += ": (" -= ", " = "),
    " -= ": (" += ", " = "),
    " *= ": (" /= ", " = "),
    " /= ": (" *= ", " = "),
}
_WORDS = {
    "std::min": ("std::max",),
    "std::max": ("std::min",),
    "std::abs": ("",),
    "true": ("false",),
    "false": ("true",),
    ".minCoeff()": (".maxCoeff()",),
    ".maxCoeff()": (".minCoeff()",),
    ".cwiseAbs()": ("",),
    ".transpose()": ("",),
    "break;": (";",),
    "continue;": (";",),
}
_OPERATOR = re.compile("|".join(re.escape(one) for one in _OPERATORS))
_WORD = re.compile(
    "|".join(rf"(?<![\w:]){re.escape(one)}(?!\w)" for one in _WORDS if one[0] != ".")
    + "|"
    + "|".join(re.escape(one) for one in _WORDS if one[0] == ".")
)
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d*)?(?:e[-+]?\d+)?(?![\w.])")
_MINUS = re.compile(r"(?:(?<=[(\[{=,?:<>] )|(?<=[(\[{])|(?<=return ))-(?=[\w(])")
_NOT = re.compile(r"!(?=[\w(])")
_CONDITION = re.compile(r"(?<=\bif \()(?=[^\n]*\) \{$)", re.MULTILINE)
_RETURN = re.compile(r"(?<=\breturn )[^;{}]+(?=;)")
_STATEMENT = re.compile(
    r"^[ ]{2,}(?!return|const |auto |using |using|throw|delete|case )[^\s/{}][^;{}]*;$",
    re.MULTILINE,
)
_PAIR = re.compile(r"(?<=\w\()([\w.\[\]]+), ([\w.\[\]]+)(?=[,)])")
_SYMMETRIC = re.compile(r"(?:min|max|hypot)\($")


@dataclass(frozen=True)
class TextPlace:
    """An interval of the text, and its possible replacements."""

    start: int
    end: int
    choices: tuple[str, ...]


def places(source: str) -> list[TextPlace]:
    """Every place of a source file where a mistake can be made, in the order of the text."""
    code = _NOT_CODE.sub(lambda found: re.sub(r"[^\n]", "\0", found.group()), source)
    found = [
        TextPlace(one.start(), one.end(), choices)
        for pattern, replaced in (
            (_OPERATOR, lambda one: _OPERATORS[one.group()]),
            (_WORD, lambda one: _WORDS[one.group()]),
            (_NUMBER, lambda one: _other_numbers(one.group())),
            (_MINUS, lambda one: ("",)),
            (_NOT, lambda one: ("",)),
            (_RETURN, lambda one: () if one.group() == "{}" else ("{}",)),
            (_STATEMENT, lambda one: (";",)),
            (_PAIR, lambda one: _swapped(code, one)),
        )
        for one in pattern.finditer(code)
        if (choices := replaced(one)) and "\0" not in one.group()
    ]
    for one in _CONDITION.finditer(code):
        end = code.index(") {\n", one.start())
        if "\0" not in code[one.start() : end] and ";" not in code[one.start() : end]:
            negated = f"!({source[one.start() : end]})"
            found.append(TextPlace(one.start(), end, (negated,)))
    return sorted(found, key=lambda one: (one.start, one.end))


def _other_numbers(number: str) -> tuple[str, ...]:
    if re.fullmatch(r"\d+", number):
        value = int(number)
        one_off = [str(value + 1), *([str(value - 1)] if value else [])]
        return (*one_off, *([str(10 * value)] if value > 2 else []))
    return (f"(10 * {number})", f"(-{number})") if float(number) else ("1.0",)


def _swapped(code: str, found: re.Match[str]) -> tuple[str, ...]:
    first, second = found.groups()
    if first == second or _SYMMETRIC.search(code[: found.start()]):
        return ()
    return (f"{second}, {first}",)
