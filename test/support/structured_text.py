"""A parser and interpreter of function blocks in structured text: assignments and expressions.

Stricter than the standard (IEC 61131-3): reals have digits on both sides of their point, only the
functions below are known, and every variable is declared once and assigned before it is read.
"""

from __future__ import annotations

import re

import numpy as np

_TOKEN = re.compile(
    r"\s*(?:(?P<real>\d+\.\d+(?:E[+-]?\d+)?)|(?P<whole>\d+)|(?P<name>[A-Z](?:_?[A-Z0-9])*)"
    r"|(?P<sign>:=|\.\.|[-+*/()\[\],;:<>]))",
    re.IGNORECASE,
)
_FUNCTIONS = {
    "SIN": np.sin,
    "COS": np.cos,
    "EXP": np.exp,
    "SQRT": np.sqrt,
    "ABS": np.abs,
    "MAX": np.maximum,
    "MIN": np.minimum,
    "LIMIT": lambda low, value, high: np.clip(value, low, high),
    "SEL": lambda chosen, first, second: np.where(chosen, second, first),
}
_SECTIONS = ("VAR_INPUT", "VAR_OUTPUT", "VAR")


class FunctionBlock:
    """A parsed function block; ``execute`` runs it on arrays of samples."""

    def __init__(self, text: str) -> None:
        bare = re.sub(r"\(\*.*?\*\)", " ", text, flags=re.DOTALL)
        self._tokens = _tokens(bare)
        self._place = 0
        self.sizes: dict[str, int | None] = {}
        self.sections: dict[str, str] = {}
        self.values: dict[str, np.ndarray] = {}
        self._take("FUNCTION_BLOCK")
        self.name = self._take_name()
        while self._next().upper() in _SECTIONS:
            self._read_section(self._take().upper())
        self._start = self._place

    def execute(self, inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Return the outputs (N, n), or (N,), for inputs of those shapes."""
        number = len(next(iter(inputs.values())))
        assert set(inputs) == {name for name in self.sizes if self.sections[name] == "VAR_INPUT"}
        self._memory = {
            (name, k): column for name, value in inputs.items() for k, column in enumerate(value.T)
        }
        for name, values in self.values.items():
            self._memory.update({(name, k): value for k, value in enumerate(values)})
        self._place = self._start
        while self._next().upper() != "END_FUNCTION_BLOCK":
            target = self._variable()
            assert self.sections[target[0]] != "VAR_INPUT", target
            self._take(":=")
            self._memory[target] = self._sum()
            self._take(";")
        return {
            name: np.column_stack(
                [np.broadcast_to(self._memory[name, k], number) for k in range(size or 1)]
            )
            for name, size in self.sizes.items()
            if self.sections[name] == "VAR_OUTPUT"
        }

    def _read_section(self, section: str) -> None:
        while self._next().upper() != "END_VAR":
            names = [self._take_name()]
            while self._next() == ",":
                self._take(",")
                names.append(self._take_name())
            self._take(":")
            size = self._array_size()
            assert self._take().upper() in ("LREAL", "REAL")
            for name in names:
                assert name not in self.sizes, f"{name} is declared twice"
                self.sizes[name], self.sections[name] = size, section
            if self._next() == ":=":
                self._take(":=")
                (name,) = names
                self.values[name] = self._initial(size)
            self._take(";")
        self._take("END_VAR")

    def _array_size(self) -> int | None:
        if self._next().upper() != "ARRAY":
            return None
        for word in ("ARRAY", "[", "0", ".."):
            self._take(word)
        size = int(self._take()) + 1
        self._take("]")
        self._take("OF")
        return size

    def _initial(self, size: int | None) -> np.ndarray:
        self._take("[")
        values = [self._sum()]
        while self._next() == ",":
            self._take(",")
            values.append(self._sum())
        self._take("]")
        assert len(values) == size
        return np.array(values)

    def _comparison(self):
        left = self._sum()
        if self._next() not in ("<", ">"):
            return left
        sign, right = self._take(), self._sum()
        return left < right if sign == "<" else left > right

    def _sum(self):
        value = self._product()
        while self._next() in ("+", "-"):
            sign, term = self._take(), self._product()
            value = value + term if sign == "+" else value - term
        return value

    def _product(self):
        value = self._unary()
        while self._next() in ("*", "/"):
            sign, factor = self._take(), self._unary()
            value = value * factor if sign == "*" else value / factor
        return value

    def _unary(self):
        if self._next() == "-":
            self._take("-")
            return -self._unary()
        if self._next() == "(":
            self._take("(")
            value = self._comparison()
            self._take(")")
            return value
        if self._kind() == "real":
            return float(self._take())
        if self._tokens[self._place + 1][1] == "(":
            return self._call()
        return self._memory[self._variable()]

    def _call(self):
        function = _FUNCTIONS[self._take()]
        self._take("(")
        arguments = [self._comparison()]
        while self._next() == ",":
            self._take(",")
            arguments.append(self._comparison())
        self._take(")")
        return function(*arguments)

    def _variable(self) -> tuple[str, int]:
        name, index, size = self._take_name(), 0, None
        size = self.sizes[name]
        if size is not None:
            self._take("[")
            index = int(self._take())
            self._take("]")
            assert index < size
        return name, index

    def _take_name(self) -> str:
        assert self._kind() == "name", self._next()
        return self._take().lower()

    def _kind(self) -> str:
        return self._tokens[self._place][0]

    def _next(self) -> str:
        return self._tokens[self._place][1]

    def _take(self, expected: str | None = None) -> str:
        token = self._next()
        assert expected is None or token.upper() == expected, f"{token} in place of {expected}"
        self._place += 1
        return token


def _tokens(text: str) -> list[tuple[str, str]]:
    found, place = [], 0
    text = text.rstrip()
    while place < len(text):
        match = _TOKEN.match(text, place)
        assert match is not None, f"no token at {text[place : place + 30]!r}"
        found.append((match.lastgroup, match.group(match.lastgroup)))
        place = match.end()
    return found
