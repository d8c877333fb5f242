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
from dataclasses import dataclass, field, replace
from inspect import cleandoc
from itertools import groupby, pairwise
from math import inf, isfinite
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ("dynid/robot/torque_settings.py", "dynid/control/torque_mode_settings.py")
ALIASES = "dynid/configuration.py"

_UNIT = re.compile(r"\s*\[([^\]]+)\]")
_NONE = re.compile(r";\s*(?:None|null):\s*(.*?)\.?$", re.DOTALL)
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
    unit: str = ""


@dataclass(frozen=True)
class _Names:
    """Types by name, and what they stand for."""

    types: dict[str, ast.expr] = field(default_factory=dict)

    def read(self, tree: ast.Module) -> None:
        for node in tree.body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                self.types[node.targets[0].id] = node.value

    def setting(self, node: ast.expr, name: str = "") -> Setting:
        """Return what an annotation says of a setting."""
        if isinstance(node, ast.Name):
            return self._named(node.id)
        if isinstance(node, ast.BinOp):  # X | None
            found = self.setting(node.left)
            return replace(found, optional=True, otherwise=inf if found.per_drive else None)
        if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Name):
            raise TypeError(f"type of a setting: {ast.unparse(node)}")
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if node.value.id == "Literal":
            return Setting(kind=name, choices=tuple(ast.literal_eval(part) for part in parts))
        found = self.setting(parts[0])
        if node.value.id == "tuple":
            return replace(found, per_drive=True)
        if node.value.id == "Live":
            return replace(found, live=True)
        for part in parts[1:]:
            found = _narrowed(found, part)
        return found

    def _named(self, name: str) -> Setting:
        if name in ("float", "bool"):
            return Setting(kind={"float": "double"}.get(name, name))
        if name == "PositiveFloat":
            return Setting(lowest=0.0, above=True)
        if name == "NonNegativeFloat":
            return Setting(lowest=0.0)
        return self.setting(self.types[name], name)


def _narrowed(setting: Setting, node: ast.expr) -> Setting:
    """Return a setting with what a part of ``Annotated`` adds."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        raise TypeError(f"part of Annotated: {ast.unparse(node)}")
    if node.func.id == "Otherwise":
        return replace(setting, otherwise=_value(node.args[0]))
    keys = {"ge": "lowest", "gt": "lowest", "le": "highest"}
    for bound in node.keywords:
        setting = replace(setting, **{keys[str(bound.arg)]: float(_value(bound.value))})
        setting = replace(setting, above=setting.above or bound.arg == "gt")
    return setting


def _value(node: ast.expr) -> Any:  # noqa: ANN401
    text = ast.unparse(node)
    return {"inf": inf, "-inf": -inf}[text] if "inf" in text else ast.literal_eval(node)


def declared(root: Path = ROOT) -> list[Setting]:
    """Return all settings that are declared, in the order of their classes."""
    names = _Names()
    trees = [ast.parse((root / path).read_text("utf-8")) for path in (ALIASES, *SOURCES)]
    for tree in trees:
        names.read(tree)
    classes = [node for tree in trees[1:] for node in tree.body if isinstance(node, ast.ClassDef)]
    return [setting for one in classes for setting in _of_class(one, names)]


def _of_class(node: ast.ClassDef, names: _Names) -> Iterator[Setting]:
    constants = {
        part.targets[0].id: part.value.value
        for part in node.body
        if isinstance(part, ast.Assign)
        and isinstance(part.targets[0], ast.Name)
        and isinstance(part.value, ast.Constant)
    }
    for one, text in pairwise(node.body) if "parameters" in constants else ():
        if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
            sentence = cleandoc(text.value.value)  # type: ignore[attr-defined]
            yield replace(
                names.setting(one.annotation),
                struct=str(constants["struct"]),
                group=str(constants["parameters"]),
                name=one.target.id,
                default=_REQUIRED if one.value is None else _value(one.value),
                **_parts(" ".join(sentence.split())),
            )


def _parts(sentence: str) -> dict[str, str]:
    """Return text, meaning of None, and unit of a sentence."""
    none = _NONE.search(sentence)
    text = _NONE.sub(".", sentence).replace("``", "")
    units = _UNIT.findall(text)
    unit = units[0] if len(units) == 1 else ""
    return {"text": text, "none": none[1].replace("``", "") if none else "", "unit": unit}


# --- C++ --------------------------------------------------------------------------------------
_HEADER = """// made by cpp/generate_settings.py from dynid's classes of settings: edit those
#pragma once

#include <Eigen/Core>
#include <array>

#include "dynid/setting.hpp"

namespace dynid
{
"""


def header(settings: Sequence[Setting]) -> str:
    """Return the C++ header with all structs and enumerations."""
    parts = [_HEADER]
    enumerations = {one.kind: one for one in settings if one.choices}
    for kind, one in enumerations.items():
        names = ", ".join(f'"{choice}"' for choice in one.choices)
        parts += [
            f"/// {one.text}\nenum class {kind}\n{{\n  " + ",\n  ".join(one.choices) + "\n};\n",
            f"constexpr std::array<const char *, {len(one.choices)}> choices({kind}) noexcept\n"
            f"{{\n  return {{{names}}};\n}}\n",
        ]
    parts.append("namespace declared\n{\n")
    members = sorted(settings, key=lambda one: one.struct)
    for struct, group in groupby(members, key=lambda one: one.struct):
        parts.append(_struct(struct, list(group)))
    return "\n".join([*parts, "}  // namespace declared\n}  // namespace dynid\n"])


def _struct(struct: str, settings: Sequence[Setting]) -> str:
    lines = [f"struct {struct}\n{{"]
    for one in settings:
        kind = "Eigen::VectorXd" if one.per_drive else one.kind
        lines.append(f"  {kind} {one.name}{_initial(one)};  ///< {one.text}")
    lines.append(f"\n  static constexpr std::array<Setting, {len(settings)}> all{{{{")
    lines += [f"    {_setting(one)}," for one in settings]
    lines.append("  }};\n\n  /// Calls visit(setting, member) for each.")
    lines.append("  template <typename Visit>\n  static void visit(Visit && visit)\n  {")
    for k, one in enumerate(settings):
        lines.append(f"    visit(all[{k}], &{struct}::{one.name});")
    lines.append("  }\n\n  /// Calls visit(setting, member, parameter) for each.")
    lines.append("  template <typename Parameters, typename Visit>")
    lines.append("  static void visit(Parameters & parameters, Visit && visit)\n  {")
    for k, one in enumerate(settings):
        place = f"parameters.{one.group}.{one.name}" if one.group else f"parameters.{one.name}"
        lines.append(f"    visit(all[{k}], &{struct}::{one.name}, {place});")
    return "\n".join([*lines, "  }\n};\n"])


def _initial(one: Setting) -> str:
    if one.per_drive:
        return ""
    if one.choices:
        return f" = {one.kind}::{one.default}"
    value = _number(one.otherwise if one.default is None else one.default)
    return f" = {value}"


def _setting(one: Setting) -> str:
    """Return the Setting of C++; booleans of drives are 0 or 1."""
    lowest, highest = (0.0, 1.0) if one.kind == "bool" else (one.lowest, one.highest)
    unlimited = one.otherwise is not None and not isfinite(one.otherwise)
    if one.kind == "double" and not isfinite(highest) and not unlimited:
        highest = sys.float_info.max
    values = (
        f'"{one.group}"',
        f'"{one.name}"',
        "Setting::least" if one.above else _number(lowest),
        _number(highest),
        "Setting::nothing" if one.otherwise is None else _number(one.otherwise),
        _number(one.kind == "bool"),
        _number(one.live),
        _number(_default(one) == []),
    )
    return f"{{{', '.join(values)}}}"


def _number(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    number = float(str(value))
    if number == sys.float_info.max:
        return "Setting::most"
    if not isfinite(number):
        return f"{'-' if number < 0 else ''}Setting::infinity"
    return repr(number)


# --- parameters of ROS 2 ----------------------------------------------------------------------
def with_parameters(
    others: Mapping[str, Any], settings: Sequence[Setting] | None = None
) -> dict[str, Any]:
    """Return the content for generate_parameter_library.

    Args:
        others: the controller's other parameters, with all groups.
        settings: declared ones; None: all.
    """
    ((controller, content),) = others.items()
    groups: dict[str, Any] = dict(content)
    for one in declared() if settings is None else settings:
        if one.group:
            groups[one.group] = {**groups.get(one.group, {}), one.name: _parameter(one)}
        else:
            groups[one.name] = _parameter(one)
    single = {name: one for name, one in groups.items() if "type" in one}
    return {controller: {**single, **groups}}


def _parameter(one: Setting) -> dict[str, Any]:
    kind = "string" if one.choices else one.kind
    entry: dict[str, Any] = {"type": f"{kind}_array" if one.per_drive else kind}
    default = _default(one)
    if default is not _REQUIRED:
        entry["default_value"] = default
    entry["description"] = one.text
    ends = ["per joint, or one for all"] if one.per_drive else []
    if default == []:
        ends.append("empty: none")
    elif one.optional and one.default is not None:
        ends.append(f"infinite: {one.none}")
    elif one.optional and not one.per_drive:
        ends.append(f"{one.otherwise:g}: {one.none}")
    if ends:
        entry["description"] = f"{one.text.removesuffix('.')}; {'; '.join(ends)}."
    if not one.live:
        entry["read_only"] = True
    rules = _rules(one, default)
    return {**entry, "validation": rules} if rules else entry


def _default(one: Setting) -> object:
    if one.default is None and one.per_drive:
        return [one.otherwise] if one.otherwise is not None and isfinite(one.otherwise) else []
    if one.default is None:
        return one.otherwise
    return list(one.default) if isinstance(one.default, tuple) else one.default


def _rules(one: Setting, default: object) -> dict[str, Any]:
    rules: dict[str, Any] = {}
    if one.per_drive and default != []:
        rules["not_empty<>"] = None
    if one.choices:
        rules["one_of<>"] = [list(one.choices)]
    elif one.kind == "double" and isfinite(one.lowest):
        if one.per_drive:
            rules["lower_element_bounds<>"] = [one.lowest]
        elif isfinite(one.highest):
            rules["bounds<>"] = [min(one.lowest, *_instead(one)), one.highest]
        else:
            rules["gt<>" if one.above else "gt_eq<>"] = [one.lowest]
    return rules


def _instead(one: Setting) -> list[float]:
    """Return what is in place of None, where None is permitted."""
    return [one.otherwise] if one.optional and one.otherwise is not None else [one.lowest]


def _write(path: Path, text: str) -> None:
    """Write a file, unless it has this text: what is built from it is then up to date."""
    if not path.exists() or path.read_text("utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")


def main(arguments: Sequence[str]) -> None:
    """Write the header, or the parameters."""
    if arguments[0] == "header":
        _write(Path(arguments[1]), header(declared()))
        return
    import yaml  # noqa: PLC0415  # only where there is ROS 2

    others = yaml.safe_load(Path(arguments[1]).read_text("utf-8"))
    text = yaml.safe_dump(with_parameters(others), sort_keys=False, width=1000)
    _write(Path(arguments[2]), text)


if __name__ == "__main__":
    main(sys.argv[1:])
