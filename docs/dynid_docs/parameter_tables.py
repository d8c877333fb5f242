"""Write docs/profile.md and docs/controller-parameters.md.

Run ``PYTHONPATH=docs python -m dynid_docs.parameter_tables``, as ``make docs`` does.

Keys, defaults and bounds of profiles are those that the parser has, and the meanings are the
docstrings below its fields; those of controllers are in their parameter files.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from pathlib import Path
from runpy import run_path
from textwrap import dedent
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NamedTuple, Union, get_args, get_origin

import annotated_types
import yaml
from pydantic import BaseModel, BeforeValidator
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from dynid.configuration import Settings
from dynid.plugins import PROFILE_GROUPS, load_plugin, registered
from dynid.profile import _Profile
from dynid_docs import ROOT

_NOTE = "<!-- made by `python -m dynid_docs.parameter_tables`; edit {} instead -->\n"
_UNIT = re.compile(r"\s*\[([A-Za-z0-9/^* °]+)\]")
_BOUNDS = (
    (annotated_types.Gt, "gt", ">"),
    (annotated_types.Ge, "ge", "≥"),
    (annotated_types.Lt, "lt", "<"),
    (annotated_types.Le, "le", "≤"),
)
_SCALARS = {
    float: "number",
    int: "whole number",
    str: "text",
    bool: "`true` or `false`",
    NoneType: "`null`",
}
_CONTROLLERS = {
    "feedforward_controller": "dynid/FeedforwardController",
    "drive_monitor": "dynid/DriveMonitor",
}


class Row(NamedTuple):
    """A key, as a table shows it."""

    key: str
    unit: str
    default: str
    values: str
    meaning: str


# --- profiles ---------------------------------------------------------------------------------
PROFILE = """# Keys of a profile

For everyone who writes a profile: each key with its unit, default, bounds and meaning.

A profile is one YAML file with everything about a robot except its parameters. `dynid new` makes
one from a URDF ([robots](robots.md#from-a-urdf-or-a-xacro)). An example with most keys is
[puma560.yaml](../config/robots/puma560.yaml); others are in `config/robots`. Units are SI and
radians.

- *Per joint* means a list with one value for each joint, in the order of `joints`, or one number
  for all.
- Units such as rad or m: the first is for revolute joints, the second for prismatic joints.
- Keys without a default must be given. Unknown keys are refused.
- `dynid … --set identification.cutoff_hz=20` replaces a key on the command line.
"""


def profile_page() -> str:
    """Return the page of all keys of a profile."""
    sections = [_NOTE.format("the settings classes"), PROFILE]
    fields = [(field.alias or name, name, field) for name, field in _Profile.model_fields.items()]
    rows = [
        _row(_Profile, name, key, field)
        for key, name, field in fields
        if not _groups(field.annotation)
    ]
    sections += ["## The robot\n", _table(rows)]
    for key, name, field in fields:
        if _groups(field.annotation):
            sections += _section(key, name, field)
    for key, group in _groups_of_plugins().items():
        sections += [
            f"## `{key}`\n",
            f"{_description(group)}\n",
            _table(list(_rows(group, "", {}))),
        ]
    return "\n".join(sections)


def _groups_of_plugins() -> dict[str, type[BaseModel]]:
    """Return the groups that plug-ins add to a profile, by key."""
    return {
        key: load_plugin(PROFILE_GROUPS, key, f"the profile's '{key}'")
        for key in sorted(registered(PROFILE_GROUPS))
    }


def profile_keys(group: type[BaseModel] = _Profile) -> Iterator[tuple[type[BaseModel], str]]:
    """Every group of settings and key that the parser accepts."""
    for name, field in group.model_fields.items():
        yield group, field.alias or name
        for nested in _groups(field.annotation):
            yield from profile_keys(nested)


def _section(key: str, name: str, field: FieldInfo) -> Iterator[str]:
    """Return a heading and a table for a group, or for each of its alternatives."""
    groups = _groups(field.annotation)
    yield f"## `{key}`\n"
    if len(groups) == 1:
        yield f"{_description(groups[0])}\n"
        if many := _many(field.annotation):
            yield f"{many}\n"
        yield _table(list(_rows(groups[0], "", {})))
        return
    yield f"{_markdown(_meanings(_Profile)[name])}\n"
    for group in groups:
        kind = get_args(group.model_fields["type"].annotation)[0]
        yield f"### `type: {kind}`\n"
        yield f"{_description(group)}\n"
        yield _table(list(_rows(group, "", {})))


def _rows(group: type[BaseModel], prefix: str, shown: dict[type[BaseModel], str]) -> Iterator[Row]:
    """Rows of a group and of the groups in it, each once; ``shown`` has the keys of these."""
    for name, field in group.model_fields.items():
        key = f"{prefix}{field.alias or name}"
        row = _row(group, name, key, field)
        nested = _groups(field.annotation)
        if known := [shown[one] for one in nested if one in shown]:
            yield row._replace(values=row.values.replace("keys below", f"keys as in `{known[0]}`"))
            continue
        yield row
        for one in nested:
            shown[one] = key
            yield from _rows(one, f"{key}{_step(field.annotation)}.", shown)


def _row(group: type[BaseModel], name: str, key: str, field: FieldInfo) -> Row:
    unit, meaning = _unit_and_meaning(_meanings(group)[name])
    values = _values(field.annotation, field.metadata)
    if field.default is None:
        values = values.removesuffix(", or `null`")
    return Row(key, unit, _default(field), values, meaning)


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    value = field.get_default(call_default_factory=True)
    if value is PydanticUndefined or isinstance(value, BaseModel):
        return ""
    if isinstance(value, tuple) and any(isinstance(one, BaseModel) for one in value):
        return ", ".join(f"`{one.kind}`" for one in value)
    if isinstance(value, tuple) and len(value) == 1:
        (value,) = value
    return f"`{_yaml(value)}`"


def _yaml(value: object) -> str:
    if isinstance(value, tuple):
        value = list(value)
    if value == "":
        return '""'
    text = yaml.safe_dump(value, default_flow_style=True, width=1000)
    return text.removesuffix("\n").removesuffix("\n...")


def _values(annotation: object, metadata: Sequence[object]) -> str:
    """Describe the values that an entry may have."""
    while get_origin(annotation) is Annotated:
        annotation, *more = get_args(annotation)
        metadata = [*metadata, *more]
    parts = get_args(annotation)
    if get_origin(annotation) in (Union, UnionType):
        inner = [one for one in metadata if not isinstance(one, BeforeValidator)]
        words = [_values(part, inner) for part in parts]
        return ", or ".join(dict.fromkeys(words))
    if get_origin(annotation) is Literal:
        return ", ".join(f"`{part}`" for part in parts)
    if get_origin(annotation) is tuple:
        return _list(parts, metadata)
    if get_origin(annotation) is dict:
        return f"names, each with {_values(parts[1], ())}"
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return "keys below"
    word = _SCALARS.get(annotation, "text")  # type: ignore[call-overload]
    return f"{word}{_bounds(metadata)}"


def _list(parts: Sequence[object], metadata: Sequence[object]) -> str:
    if len(parts) == 2 and parts[1] is Ellipsis:
        each = _values(parts[0], ())
        if any(isinstance(one, BeforeValidator) for one in metadata):
            return f"{each}; per joint"
        return f"list: {each}"
    kinds = [_values(part, ()) for part in parts]
    if len(set(kinds)) == 1:
        return f"list of {len(kinds)}: {kinds[0]}"
    return f"list: {', '.join(kinds)}"


def _bounds(metadata: Sequence[object]) -> str:
    words = []
    for one in metadata:
        parts = one.metadata if isinstance(one, FieldInfo) else [one]
        for part in parts:
            for kind, name, sign in _BOUNDS:
                if isinstance(part, kind):
                    words.append(f"{sign} {getattr(part, name):g}")
    return f" {', '.join(words)}" if words else ""


def _groups(annotation: object) -> list[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [group for part in get_args(annotation) for group in _groups(part)]


def _many(annotation: object) -> str:
    origin, parts = get_origin(annotation), get_args(annotation)
    words = [f"`{word}`" for part in parts for word in get_args(part) if isinstance(word, str)]
    if origin is tuple:
        return "A list; each entry has these keys."
    if words and any(get_origin(part) is tuple for part in parts):
        return f"{' or '.join(words)}, or a list; each entry has these keys."
    return "Any number of names; each has these keys." if origin is dict else ""


def _step(annotation: object) -> str:
    """Whether a group is a list's entry, or comes by name."""
    if get_origin(annotation) is tuple:
        return "[]"
    if get_origin(annotation) is dict:
        return ".<name>"
    return next((step for part in get_args(annotation) if (step := _step(part))), "")


def _description(group: type[BaseModel]) -> str:
    return _markdown(inspect.getdoc(group) or "")


@cache
def _meanings(group: type[BaseModel]) -> Mapping[str, str]:
    """Return the docstrings below the fields of a group and of its bases."""
    found: dict[str, str] = {}
    for base in reversed(group.__mro__):
        if not issubclass(base, Settings):
            continue
        tree = ast.parse(dedent(inspect.getsource(base)))
        (body,) = (node.body for node in tree.body if isinstance(node, ast.ClassDef))
        for field, text in pairwise(body):
            if (
                isinstance(field, ast.AnnAssign)
                and isinstance(field.target, ast.Name)
                and isinstance(text, ast.Expr)
                and isinstance(text.value, ast.Constant)
            ):
                found[field.target.id] = inspect.cleandoc(str(text.value.value))
    return found


# --- controllers ------------------------------------------------------------------------------
CONTROLLERS = """# Parameters of the controllers

For integrators who set parameters by hand: those of dynid's controllers.

The launch files set these parameters from the groups `feedforward` and `collision` of a
[profile](profile.md). [Control](control.md) and [collision detection](collision.md) explain them.

- *Per joint* means a list with one value for each joint in drive order, or a list of one value for
  all.
- Units such as rad or m: the first is for revolute joints, the second for prismatic joints.
- *Live* parameters can be changed while the controller runs.
- `ros2 param describe` has the same texts and ranges. Parameters `model.…` are the keys of a
  [model.yaml](model-file.md), which `model_publisher` sets.
"""


def controllers_page() -> str:
    """Return the page of all parameters of the controllers."""
    sources = "the settings classes and cpp/ros2_control/*_parameters.yaml"
    sections = [_NOTE.format(sources), CONTROLLERS]
    for name, plugin in _CONTROLLERS.items():
        content = controller_parameters(name)
        sections += [f"## `{name}` ({plugin})\n", *_parameters(content, "")]
    return "\n".join(sections)


def controller_parameters(name: str) -> dict[str, Any]:
    """Return the declarations of all parameters of a controller, by name and group."""
    path = ROOT / "cpp/ros2_control" / f"{name}_parameters.yaml"
    content = yaml.safe_load(path.read_text("utf-8"))
    if name == "feedforward_controller":
        generator = run_path(str(ROOT / "cpp/generate_settings.py"), run_name="generate_settings")
        content = generator["with_parameters"](content)
    return dict(content[name])


def _parameters(content: Mapping[str, Any], prefix: str) -> Iterator[str]:
    """Return a table of the parameters, and one with a heading for each group of them."""
    yield _table([_parameter(n, one) for n, one in content.items() if "type" in one], "parameter")
    for name, group in content.items():
        if "type" not in group:
            yield f"### `{prefix}{name}.…`\n"
            yield from _parameters(group, f"{prefix}{name}.")


def _parameter(name: str, entry: Mapping[str, Any]) -> Row:
    unit, meaning = _unit_and_meaning(entry["description"])
    each = "; per joint, or one for all"
    default = entry.get("default_value", PydanticUndefined)
    if isinstance(default, list) and len(default) == 1:
        (default,) = default
    shown = "required" if default is PydanticUndefined else f"`{_yaml(default)}`"
    values = _parameter_values(entry)
    values += "; per joint" if each in meaning else ""
    values += "" if entry.get("read_only") else "; live"
    return Row(name, unit, shown, values, meaning.replace(each, ""))


def _parameter_values(entry: Mapping[str, Any]) -> str:
    kind, rules = entry["type"], entry.get("validation", {})
    word = {
        "double": "number",
        "int": "whole number",
        "string": "text",
        "bool": "`true` or `false`",
    }
    base = word[kind.removesuffix("_array")]
    if "one_of<>" in rules:
        return ", ".join(f"`{value}`" for value in rules["one_of<>"][0])
    if "fixed_size<>" in rules:
        return f"list of {rules['fixed_size<>'][0]}: {base}"
    for rule, text in (
        ("bounds<>", "{0:g} … {1:g}"),
        ("lower_element_bounds<>", "≥ {0:g}"),
        ("gt_eq<>", "≥ {0:g}"),
        ("gt<>", "> {0:g}"),
    ):
        if rule in rules:
            return f"{base} {text.format(*rules[rule])}"
    return f"list: {base}" if kind == "string_array" else base


# --- both -------------------------------------------------------------------------------------
def _unit_and_meaning(text: str) -> tuple[str, str]:
    """Split a description into its text and its unit, if it has one."""
    units = _UNIT.findall(text)
    if len(units) == 1:
        text = _UNIT.sub("", text)
    return (units[0] if len(units) == 1 else ""), _markdown(text)


def _markdown(text: str) -> str:
    """Markdown of a docstring's reStructuredText, as far as ours use it."""
    text = re.sub(r"\bNone:", "null:", text.replace("``", "`"))
    text = re.sub(r"\bdocs/([a-z-]+)\.md", r"[\1](\1.md)", text)
    return re.sub(r"(?<!`)\bnull:", "`null`:", text)


def _table(rows: Sequence[Row], first: str = "key") -> str:
    lines = [f"| {first} | unit | default | values | meaning |", "|---|---|---|---|---|"]
    for row in rows:
        cells = (f"`{row.key}`", row.unit, row.default, row.values, row.meaning)
        escaped = (" ".join(cell.split()).replace("|", "\\|") for cell in cells)
        lines.append(f"| {' | '.join(escaped)} |")
    return "\n".join(lines) + "\n"


PAGES = {"profile.md": profile_page, "controller-parameters.md": controllers_page}


def main() -> None:
    """Write the pages."""
    for name, page in PAGES.items():
        path = Path(ROOT / "docs" / name)
        text = page()
        if not path.exists() or path.read_text("utf-8") != text:
            path.write_text(text, "utf-8")
            sys.stdout.write(f"wrote docs/{name}\n")


if __name__ == "__main__":
    main()
