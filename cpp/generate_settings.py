"""Make members, bounds and parameters of controllers from dynid's classes of settings.

    python generate_settings.py header declared_settings.hpp
    python generate_settings.py parameters OTHERS.yaml PARAMETERS.yaml

A setting is declared once, as a field of a ``ControlSettings`` of dynid: name, type, bounds,
default, and a sentence with the unit. This program reads these classes without importing dynid,
because a build has neither pydantic nor numpy. The header has enumerations and structs with
defaults, and ``visit()`` for loops over members: checks, bindings and parameters are such loops.
The parameters are those of generate_parameter_library, beside others in a file of that form.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from inspect import cleandoc
from itertools import groupby, pairwise
from math import inf, isfinite
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ("dynid/robot/torque_settings.py", "dynid/control/torque_mode_settings.py")
ALIASES = "dynid/configuration.py"

_UNIT = re.compile(r"\s*\[([^\]]+)\]")
_NONE = re.compile(r";\s*(?:None|null):\s*(.*?)\.?$")
_REQUIRED = object()


@dataclass(frozen=True)
class Setting:
    """One declared setting; ``kind``: double, bool, or the name of an enumeration."""

    struct: str = ""
    group: str = ""
    name: str = ""
    kind: str = "double"
    choices: tuple[str, ...] = ()
    per_drive: bool = False
    optional: bool = False
    live: bool = False
    lowest: float = -inf
    above: bool = False
    highest: float = inf
    otherwise: float | None = None
    default: object = _REQUIRED
    text: str = ""
    none: str = ""

    @property
    def parameter(self) -> object:
        """The default of its parameter; an empty list: none."""
        if self.default is None and self.per_drive:
            return (
                [] if self.otherwise is None or not isfinite(self.otherwise) else [self.otherwise]
            )
        if self.default is None:
            return self.otherwise
        return list(self.default) if isinstance(self.default, tuple) else self.default


_BASIC = {
    "float": Setting(),
    "bool": Setting(kind="bool"),
    "PositiveFloat": Setting(lowest=0.0, above=True),
    "NonNegativeFloat": Setting(lowest=0.0),
}


def declared(root: Path = ROOT) -> list[Setting]:
    """Return all settings that are declared, in the order of their classes."""
    trees = [ast.parse((root / path).read_text("utf-8")) for path in (ALIASES, *SOURCES)]
    types = {name: value for tree in trees for name, value in _assigned(tree.body)}
    classes = [node for tree in trees[1:] for node in tree.body if isinstance(node, ast.ClassDef)]
    return [setting for one in classes for setting in _of_class(one, types)]


def _assigned(body: Sequence[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    for node in body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            yield node.targets[0].id, node.value


def _of_class(node: ast.ClassDef, types: Mapping[str, ast.expr]) -> Iterator[Setting]:
    constants = dict(_assigned(node.body))
    for field, sentence in pairwise(node.body) if "parameters" in constants else ():
        if isinstance(field, ast.AnnAssign) and isinstance(sentence, ast.Expr):
            text = " ".join(cleandoc(_value(sentence.value)).split()).replace("``", "")
            none = _NONE.search(text)
            yield replace(
                _described(field.annotation, types),
                struct=_value(constants["struct"]),
                group=_value(constants["parameters"]),
                name=ast.unparse(field.target),
                default=_REQUIRED if field.value is None else _value(field.value),
                text=_NONE.sub(".", text),
                none=none[1] if none else "",
            )


def _described(node: ast.expr, types: Mapping[str, ast.expr], name: str = "") -> Setting:
    """Return what an annotation says of a setting; ``name``: of the annotation."""
    if isinstance(node, ast.Name):
        known = _BASIC.get(node.id)
        return known or _described(types[node.id], types, node.id)
    if isinstance(node, ast.BinOp):  # X | None
        found = _described(node.left, types)
        return replace(found, optional=True, otherwise=inf if found.per_drive else None)
    if not isinstance(node, ast.Subscript):
        raise TypeError(ast.unparse(node))
    kind = ast.unparse(node.value)
    parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if kind == "Literal":
        return Setting(kind=name, choices=tuple(map(_value, parts)))
    found = _described(parts[0], types)
    if kind == "tuple":
        return replace(found, per_drive=True)
    if kind == "Live":
        return replace(found, live=True)
    for part in parts[1:]:  # of Annotated
        arguments, bounds = (part.args, part.keywords) if isinstance(part, ast.Call) else ([], [])
        if ast.unparse(part).startswith("Otherwise"):
            found = replace(found, otherwise=_value(arguments[0]))
        for bound in bounds:
            key = {"ge": "lowest", "gt": "lowest", "le": "highest"}[str(bound.arg)]
            limit: dict[str, Any] = {key: float(_value(bound.value))}
            found = replace(found, above=bound.arg == "gt", **limit)
    return found


def _value(node: ast.expr) -> Any:
    text = ast.unparse(node)
    return float(text) if text in ("inf", "-inf") else ast.literal_eval(node)


# --- C++ --------------------------------------------------------------------------------------
_HEADER = """// made by cpp/generate_settings.py from dynid's classes of settings: edit those
#pragma once

#include <Eigen/Core>
#include <array>

#include "dynid/setting.hpp"

namespace dynid
{
"""
_ENUMERATION = """/// {text}
enum class {kind}
{{
  {names}
}};

constexpr std::array<const char *, {count}> choices({kind}) noexcept
{{
  return {{{texts}}};
}}
"""
_STRUCT = """struct {struct}
{{
{members}

  static constexpr std::array<Setting, {count}> all{{{{
{settings}
  }}}};

  /// Calls visit(setting, member) for each.
  template <typename Visit>
  static void visit(Visit && visit)
  {{
{visits}
  }}

  /// Calls visit(setting, member, parameter) for each.
  template <typename Parameters, typename Visit>
  static void visit(Parameters & parameters, Visit && visit)
  {{
{parameters}
  }}
}};
"""


def header(settings: Sequence[Setting]) -> str:
    """Return the C++ header with all structs and enumerations."""
    parts = [_HEADER]
    for kind, one in {one.kind: one for one in settings if one.choices}.items():
        names, texts = ",\n  ".join(one.choices), ", ".join(f'"{name}"' for name in one.choices)
        count = len(one.choices)
        parts.append(
            _ENUMERATION.format(text=one.text, kind=kind, names=names, count=count, texts=texts)
        )
    parts.append("namespace declared\n{\n")
    for struct, group in groupby(sorted(settings, key=_struct_of), key=_struct_of):
        parts.append(_struct(struct, list(group)))
    return "\n".join([*parts, "}  // namespace declared\n}  // namespace dynid\n"])


def _struct_of(setting: Setting) -> str:
    return setting.struct


def _struct(struct: str, settings: Sequence[Setting]) -> str:
    members = [
        f"  {'Eigen::VectorXd' if one.per_drive else one.kind} {one.name}{_initial(one)};"
        f"  ///< {one.text}"
        for one in settings
    ]
    visits = [f"    visit(all[{k}], &{struct}::{one.name}" for k, one in enumerate(settings)]
    places = [f"parameters.{one.group}.{one.name}".replace("..", ".") for one in settings]
    return _STRUCT.format(
        struct=struct,
        members="\n".join(members),
        count=len(settings),
        settings="\n".join(f"    {_setting(one)}," for one in settings),
        visits="\n".join(f"{visit});" for visit in visits),
        parameters="\n".join(f"{v}, {place});" for v, place in zip(visits, places, strict=True)),
    )


def _initial(one: Setting) -> str:
    if one.per_drive:
        return ""
    return f" = {one.kind}::{one.default}" if one.choices else f" = {_number(one.parameter)}"


def _setting(one: Setting) -> str:
    """Return the Setting of C++; booleans of drives are 0 or 1."""
    lowest, highest = (0.0, 1.0) if one.kind == "bool" else (one.lowest, one.highest)
    unlimited = one.otherwise is not None and not isfinite(one.otherwise)
    if one.kind == "double" and not isfinite(highest) and not unlimited:
        highest = sys.float_info.max
    otherwise = "nan" if one.otherwise is None else _number(one.otherwise)
    least = "Setting::least" if one.above else _number(lowest)
    flags = (one.kind == "bool", one.live, one.parameter == [])
    values = (f'"{one.group}"', f'"{one.name}"', least, _number(highest), otherwise)
    return f"{{{', '.join([*values, *map(_number, flags)])}}}"


def _number(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    number = float(str(value))
    if number == sys.float_info.max:
        return "Setting::most"
    sign = "-" if number < 0 else ""
    return repr(number) if isfinite(number) else f"{sign}infinity"


# --- parameters of ROS 2 ----------------------------------------------------------------------
def with_parameters(
    others: Mapping[str, Any], settings: Sequence[Setting] | None = None
) -> dict[str, Any]:
    """Return the content for generate_parameter_library.

    Args:
        others: the controller's other parameters.
        settings: declared ones; None: all.
    """
    ((controller, content),) = others.items()
    groups: dict[str, Any] = dict(content)
    for one in declared() if settings is None else settings:
        group = {**groups.get(one.group, {}), one.name: _parameter(one)}
        groups |= {one.group: group} if one.group else {one.name: _parameter(one)}
    single = {name: one for name, one in groups.items() if "type" in one}
    return {controller: {**single, **groups}}


def _parameter(one: Setting) -> dict[str, Any]:
    kind = "string" if one.choices else one.kind
    entry: dict[str, Any] = {"type": f"{kind}_array" if one.per_drive else kind}
    if one.default is not _REQUIRED:
        entry["default_value"] = one.parameter
    ends = ["per joint, or one for all"] if one.per_drive else []
    if one.parameter == []:
        ends.append("empty: none")
    elif one.optional and not (one.per_drive and one.default is None):
        ends.append(f"{'infinite' if one.per_drive else f'{one.otherwise:g}'}: {one.none}")
    entry["description"] = "; ".join([one.text.removesuffix("."), *ends]) + "."
    if not one.live:
        entry["read_only"] = True
    rules = _rules(one)
    return {**entry, "validation": rules} if rules else entry


def _rules(one: Setting) -> dict[str, Any]:
    rules: dict[str, Any] = {"not_empty<>": None} if one.per_drive and one.parameter != [] else {}
    if one.choices:
        rules["one_of<>"] = [list(one.choices)]
    elif one.kind == "double" and isfinite(one.lowest):
        if one.per_drive:
            rules["lower_element_bounds<>"] = [one.lowest]
        elif isfinite(one.highest):
            least = one.otherwise if one.optional and one.otherwise is not None else one.lowest
            rules["bounds<>"] = [min(least, one.lowest), one.highest]
        else:
            rules["gt<>" if one.above else "gt_eq<>"] = [one.lowest]
    return rules


def main(arguments: Sequence[str]) -> None:
    """Write the header, or the parameters; a file that has this text already is left alone."""
    path = Path(arguments[-1])
    if arguments[0] == "header":
        text = header(declared())
    else:
        import yaml  # noqa: PLC0415  # only where there is ROS 2

        content = with_parameters(yaml.safe_load(Path(arguments[1]).read_text("utf-8")))
        text = yaml.safe_dump(content, sort_keys=False, width=1000)
    if not path.exists() or path.read_text("utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
