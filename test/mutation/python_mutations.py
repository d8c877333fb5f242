"""Small mistakes in Python source: where one can be made, and the source with one made.

Text for users is not mutated: strings, f-strings, docstrings, annotations, decorators, imports,
``__repr__``, ``__str__`` and ``if TYPE_CHECKING`` are not changed.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

ARITHMETIC = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.Pow: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
COMPARISONS = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_EXTREMES = {"min": "max", "minimum": "maximum", "argmin": "argmax", "nanmin": "nanmax"}
OPPOSITES = {**_EXTREMES, **{b: a for a, b in _EXTREMES.items()}, "any": "all", "all": "any"}
MAGNITUDES = ("abs", "absolute", "fabs")
NO_CODE = ("annotation", "returns", "decorator_list", "type_ignores", "type_comment")
FOR_PEOPLE = ("__repr__", "__str__")


@dataclass(frozen=True)
class Place:
    """A node of the tree that can be replaced; ``choices`` are the ways in which."""

    line: int
    statement: int
    before: str
    choices: tuple[ast.AST, ...]
    put: Callable[[ast.AST], None]


@dataclass
class _Around:
    """Context of a node: the line of its statement, and the names defined in its function."""

    statement: int = 0
    in_function: bool = False
    known: set[str] = field(default_factory=set)


def places(tree: ast.Module) -> list[Place]:
    """Every place of a module where a mistake can be made, in the order of the source."""
    return list(_below(tree, _Around()))


def text(node: ast.AST) -> str:
    """One line of source for a node, cut where it is long."""
    line = " ".join(ast.unparse(node).split())
    return line if len(line) <= 90 else line[:87] + "..."


def _below(node: ast.AST, around: _Around) -> Iterator[Place]:
    for name, value in ast.iter_fields(node):
        if name in NO_CODE:
            continue
        if isinstance(value, ast.AST):
            yield from _at(node, name, None, value, around)
        elif isinstance(value, list):
            for index, one in enumerate(value):
                if isinstance(one, ast.AST):
                    yield from _at(node, name, index, one, around)


def _at(
    parent: ast.AST, name: str, index: int | None, node: ast.AST, around: _Around
) -> Iterator[Place]:
    if _is_for_people(parent, node):
        return

    def put(new: ast.AST) -> None:
        ast.copy_location(new, node)
        ast.fix_missing_locations(new)
        if index is None:
            setattr(parent, name, new)
        else:
            getattr(parent, name)[index] = new

    if isinstance(node, ast.stmt):
        around = replace(around, statement=node.lineno)
    if isinstance(node, ast.FunctionDef):
        arguments = {one.arg for one in (*node.args.args, *node.args.kwonlyargs)}
        around = replace(around, in_function=True, known=arguments)
    choices = tuple(_replacements(parent, name, node, around))
    if choices:
        yield Place(node.lineno, around.statement, text(node), choices, put)
    yield from _below(node, around)
    if isinstance(node, ast.Assign):
        around.known.update(one.id for target in node.targets for one in _names(target))


def _names(target: ast.AST) -> list[ast.Name]:
    return [one for one in ast.walk(target) if isinstance(one, ast.Name)]


def _is_for_people(parent: ast.AST, node: ast.AST) -> bool:
    if isinstance(node, (ast.JoinedStr, ast.Import, ast.ImportFrom)):
        return True
    if isinstance(node, ast.FunctionDef) and node.name in FOR_PEOPLE:
        return True
    if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
        return True
    # zip(strict=True) is an assertion, always true in a correct program
    if isinstance(node, ast.keyword) and node.arg == "strict":
        return True
    # the text of an error is not behaviour, but raising it is
    return isinstance(parent, ast.Raise)


def _replacements(parent: ast.AST, name: str, node: ast.AST, around: _Around) -> Iterator[ast.AST]:
    if isinstance(node, ast.stmt):
        if around.in_function:
            yield from _of_statement(node, around.known)
    elif isinstance(node, ast.expr):
        if name == "test" or (isinstance(parent, ast.comprehension) and name == "ifs"):
            yield _negated(node)
        if isinstance(parent, ast.Slice) and not isinstance(node, (ast.Constant, ast.UnaryOp)):
            yield from _one_off(node)
        yield from _of_expression(node, in_function=around.in_function)


def _of_statement(node: ast.stmt, known: set[str]) -> Iterator[ast.stmt]:
    if isinstance(node, ast.Return):
        if node.value is not None and not _is_none(node.value):
            yield ast.Return(ast.Constant(None))
    elif isinstance(node, ast.Expr):
        if not isinstance(node.value, ast.Constant):
            yield ast.Pass()
    elif isinstance(node, (ast.Raise, ast.Continue, ast.Break)):
        yield ast.Pass()
    elif isinstance(node, (ast.Assign, ast.AugAssign)) and _is_text(node.value):
        return
    elif isinstance(node, ast.AugAssign):
        yield ast.Pass()
    elif isinstance(node, ast.Assign):
        names = {one.id for target in node.targets for one in _names(target)}
        plain = all(isinstance(one, (ast.Name, ast.Tuple)) for one in node.targets)
        # without the first assignment of a name there is only a NameError
        if not plain or names <= known:
            yield ast.Pass()


def _is_text(node: ast.AST) -> bool:
    string = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return string or isinstance(node, ast.JoinedStr)


def _is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _negated(node: ast.expr) -> ast.expr:
    return ast.UnaryOp(ast.Not(), copy.deepcopy(node))


def _one_off(node: ast.expr) -> Iterator[ast.expr]:
    yield ast.BinOp(copy.deepcopy(node), ast.Add(), ast.Constant(1))
    yield ast.BinOp(copy.deepcopy(node), ast.Sub(), ast.Constant(1))


def _of_expression(node: ast.expr, *, in_function: bool) -> Iterator[ast.expr]:
    if isinstance(node, ast.BinOp):
        yield from _of_operation(node, in_function=in_function)
    elif isinstance(node, ast.Compare):
        for number, operator in enumerate(node.ops):
            for other in COMPARISONS[type(operator)]:
                new = copy.deepcopy(node)
                new.ops[number] = other()
                yield new
    elif isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield ast.BoolOp(other, copy.deepcopy(node.values))
    elif isinstance(node, ast.UnaryOp):
        if isinstance(node.op, (ast.Not, ast.USub, ast.Invert)):
            yield copy.deepcopy(node.operand)
    elif isinstance(node, ast.Constant):
        yield from _of_constant(node.value)
    elif isinstance(node, ast.Call):
        yield from _of_call(node)


def _of_operation(node: ast.BinOp, *, in_function: bool) -> Iterator[ast.expr]:
    if any(_is_sequence(one) for one in (node.left, node.right)):
        return
    if isinstance(node.op, ast.BitOr) and not in_function:
        return  # a type
    if isinstance(node.op, (ast.MatMult, ast.Sub, ast.Div)):
        yield ast.BinOp(copy.deepcopy(node.right), node.op, copy.deepcopy(node.left))
    other = ARITHMETIC.get(type(node.op))
    if other is not None:
        yield ast.BinOp(copy.deepcopy(node.left), other(), copy.deepcopy(node.right))


def _is_sequence(node: ast.expr) -> bool:
    return _is_text(node) or isinstance(node, (ast.List, ast.Tuple))


def _of_constant(value: object) -> Iterator[ast.expr]:
    if isinstance(value, bool):
        yield ast.Constant(not value)
    elif isinstance(value, int):
        yield ast.Constant(value + 1)
        if value:
            yield ast.Constant(value - 1)
        if abs(value) > 2:
            yield ast.Constant(10 * value)
    elif isinstance(value, float):
        if value:
            yield ast.Constant(10 * value)
            yield ast.Constant(-value)
        else:
            yield ast.Constant(1.0)


def _of_call(node: ast.Call) -> Iterator[ast.expr]:
    name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
    if name in OPPOSITES:
        new = copy.deepcopy(node)
        if isinstance(new.func, ast.Name):
            new.func.id = OPPOSITES[name]
        else:
            new.func.attr = OPPOSITES[name]
        yield new
    if name in MAGNITUDES and len(node.args) == 1:
        yield copy.deepcopy(node.args[0])
    if name == "range" and not any(isinstance(one, ast.Constant) for one in node.args[-1:]):
        for other in _one_off(node.args[-1]):
            new = copy.deepcopy(node)
            new.args[-1] = other
            yield new
    if name not in _SYMMETRIC and _can_swap(node.args[:2]):
        new = copy.deepcopy(node)
        new.args[:2] = new.args[1::-1]
        yield new


def _can_swap(arguments: list[ast.expr]) -> bool:
    starred = any(isinstance(one, ast.Starred) for one in arguments)
    return len(arguments) == 2 and not starred and len({ast.dump(one) for one in arguments}) == 2


_SYMMETRIC = (*OPPOSITES, "hypot", "logical_and", "logical_or", "allclose", "array_equal")
