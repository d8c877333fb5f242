"""Expressions of a xacro, evaluated with what robot descriptions need and nothing else.

Python's ``eval`` without built-in functions is no barrier: attributes lead from any value to all
classes of the interpreter. So an expression is refused unless every part of it is on a list, and
each attribute is looked up in a table of harmless methods when it is evaluated.
"""

from __future__ import annotations

import ast
from functools import cache
from types import CodeType, ModuleType
from typing import Any

_NOT_OFFERED = ("type", "vars")
"""Functions of xacro with which expressions reach the attributes of classes."""

_SYNTAX = (
    *(ast.Expression, ast.expr_context, ast.Constant, ast.Name, ast.Attribute, ast.Subscript),
    *(ast.Slice, ast.Call, ast.keyword, ast.Starred, ast.Lambda, ast.arguments, ast.arg),
    *(ast.BoolOp, ast.BinOp, ast.UnaryOp, ast.Compare, ast.IfExp, ast.boolop, ast.operator),
    *(ast.unaryop, ast.cmpop, ast.List, ast.Tuple, ast.Set, ast.Dict, ast.ListComp, ast.SetComp),
    *(ast.DictComp, ast.GeneratorExp, ast.comprehension, ast.JoinedStr, ast.FormattedValue),
)

_METHODS = {
    str: "capitalize casefold center count endswith find index isalnum isalpha isdecimal isdigit "
    "islower isnumeric isspace istitle isupper join ljust lower lstrip partition removeprefix "
    "removesuffix replace rfind rindex rjust rpartition rsplit rstrip split splitlines startswith "
    "strip swapcase title upper zfill",
    dict: "copy get items keys pop setdefault update values",
    list: "append copy count extend index insert pop remove reverse sort",
    tuple: "count index",
    set: "add copy difference discard intersection issubset remove union update",
    frozenset: "copy difference intersection issubset union",
    float: "is_integer",
    int: "bit_length",
    complex: "conjugate imag real",
}
"""Methods of values by their type, that compute and neither read nor lead to anything else."""

_ATTRIBUTE = "attribute of"
"""Name of the function that replaces the operator ``.``; no expression can contain it."""


class ExpansionError(Exception):
    """Why a file is not expanded: one sentence without its end."""


def confine(xacro: ModuleType) -> None:
    """Let the package xacro evaluate ``${…}`` and ``$(eval …)`` by this module.

    Raises:
        AttributeError: the package is older than 2.0.8.
    """
    symbols = xacro._global_symbols  # noqa: SLF001  xacro has no other way to set it
    python = symbols["python"]
    for name in _NOT_OFFERED:
        dict.pop(python, name, None)
    xacro.safe_eval = _evaluate  # type: ignore[attr-defined]
    # hides the built-in function in that module, whose expressions have all functions of Python
    xacro.substitution_args.eval = lambda expression, _, names: _evaluate(
        expression, dict(python), names
    )


def _evaluate(expression: str, names: dict[str, Any], inner: Any = None) -> object:
    """Return the value of an expression, as xacro's own ``safe_eval``."""
    names.update({"__builtins__": {}, _ATTRIBUTE: _attribute})
    return eval(_code(expression.strip()), names, inner)  # noqa: S307  all its parts are listed


@cache
def _code(expression: str) -> CodeType:
    """Return the code of an expression, all of whose parts are listed."""
    tree = ast.parse(expression, mode="eval")
    for node in ast.walk(tree):
        if not isinstance(node, _SYNTAX):
            raise ExpansionError(
                f"an expression contains {type(node).__name__}, which is not allowed"
            )
        name = getattr(node, "id", getattr(node, "arg", ""))
        if isinstance(name, str) and name.startswith("__"):
            raise ExpansionError(f"an expression uses the name '{name}', which is not allowed")
    tree = ast.fix_missing_locations(_Attributes().visit(tree))
    return compile(tree, "<expression>", "eval")


class _Attributes(ast.NodeTransformer):
    """Replaces each ``value.name`` by a call of the function that looks the name up."""

    def visit_Attribute(self, node: ast.Attribute) -> ast.Call:
        """Return the call."""
        arguments = [self.visit(node.value), ast.Constant(node.attr)]
        return ast.copy_location(ast.Call(ast.Name(_ATTRIBUTE, ast.Load()), arguments, []), node)


def _attribute(value: Any, name: str) -> object:
    """Return the entry of a YAML file or namespace, or a harmless method of a value."""
    if isinstance(value, dict) and name in value:
        return value[name]
    for kind, names in _METHODS.items():
        if isinstance(value, kind) and name in names.split():
            return getattr(value, name)
    if isinstance(value, dict):
        raise NameError(f"name '{name}' is not defined")
    raise ExpansionError(
        f"an expression uses '.{name}' of a value of type {type(value).__name__}, which is not "
        "allowed"
    )
