"""The order of the rooms: imports run downwards only, without a circle."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "dynid"
ORDER = (
    "text",
    "errors",
    "limits",
    "input_file",
    "yaml_loader",
    "yaml_rewriting",
    "xml_tree",
    "xml_editing",
    "packages",
    "configuration",
    "arrays",
    "json_text",
    "kept_inputs",
    "transaction",
    "file_names",
    "files",
    "arguments",
    "notebook",
    "_core",
    "dynamics",
    "recording",
    "robot",
    "signals",
    "excitation",
    "playback",
    "estimation",
    "evaluation",
    "identification",
    "drift",
    "simulation",
    "control",
    "simulators",
    "report",
    "profile",
    "fleet",
    "api",
    "demo",
    "cli",
    "__main__",
    "__init__",
)
"""Rooms and root modules from the lowest to the highest; sub-folders count with their room."""


def module_name(path: Path, package: Path) -> str:
    parts = path.relative_to(package.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 2 else parts)


def imports_of(package: Path) -> dict[str, set[str]]:
    """Of every module the modules that it imports, also inside functions and for types alone."""
    paths = {module_name(path, package): path for path in sorted(package.rglob("*.py"))}
    stub = package / "_core.pyi"
    known = {*paths, *([f"{package.name}._core"] if stub.exists() else [])}
    found: dict[str, set[str]] = {}
    for name, path in paths.items():
        found[name] = set()
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            targets: list[str] = []
            if isinstance(node, ast.Import):
                targets = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{name}: imports are absolute"
                targets = [f"{node.module}.{alias.name}" for alias in node.names]
                targets += [node.module or ""]
            found[name] |= {target for target in targets if target in known} - {name}
    return found


def room_of(module: str) -> str:
    return module.split(".")[1]


def upward(imports: dict[str, set[str]]) -> list[str]:
    """Imports that run upwards, and modules in a room that is not in the list."""
    faults = [
        f"{name}: room '{room_of(name)}' is not in ORDER"
        for name in imports
        if room_of(name) not in ORDER
    ]
    if faults:
        return faults
    # dynid/__init__.py imports names when they are used, for type checkers it imports them all
    return [
        f"{name} imports {target}, which is above it"
        for name, targets in imports.items()
        for target in sorted(targets)
        if ORDER.index(room_of(target)) > ORDER.index(room_of(name))
    ]


def circle(imports: dict[str, set[str]]) -> list[str]:
    try:
        TopologicalSorter(imports).prepare()
    except CycleError as error:
        return [str(name) for name in error.args[1]]
    return []


def test_no_import_runs_upwards() -> None:
    assert upward(imports_of(PACKAGE)) == []


def test_imports_form_no_circle() -> None:
    assert circle(imports_of(PACKAGE)) == []


def test_every_entry_of_the_order_is_there() -> None:
    there = {path.stem for path in PACKAGE.iterdir() if path.suffix in {".py", ".pyi"}}
    there |= {path.name for path in PACKAGE.iterdir() if (path / "__init__.py").exists()}
    assert there == set(ORDER)


@pytest.mark.parametrize(
    "room", sorted(path.parent for path in PACKAGE.rglob("__init__.py")), ids=lambda p: p.name
)
def test_every_room_opens_with_what_it_is_for(room: Path) -> None:
    text = ast.get_docstring(ast.parse((room / "__init__.py").read_text("utf-8")))
    assert text is not None
    assert len([line for line in text.splitlines() if line]) >= 2


@pytest.mark.parametrize(
    ("source", "fault"),
    [
        ("from dynid.robot.model import Model", "which is above it"),
        ("def late():\n    import dynid.cli.application", "which is above it"),
    ],
)
def test_an_import_that_runs_upwards_is_found(tmp_path: Path, source: str, fault: str) -> None:
    package = tmp_path / "dynid"
    for name in (
        "dynamics/__init__",
        "dynamics/body",
        "robot/__init__",
        "robot/model",
        "cli/__init__",
        "cli/application",
        "__init__",
    ):
        path = package / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    assert upward(imports_of(package)) == []
    (package / "dynamics/body.py").write_text(source)
    (found,) = upward(imports_of(package))
    assert fault in found


def test_a_circle_and_an_unknown_room_are_found(tmp_path: Path) -> None:
    package = tmp_path / "dynid"
    (package / "dynamics").mkdir(parents=True)
    (package / "dynamics/a.py").write_text("from dynid.dynamics import b")
    (package / "dynamics/b.py").write_text("from dynid.dynamics.a import x")
    assert set(circle(imports_of(package))) == {"dynid.dynamics.a", "dynid.dynamics.b"}
    (package / "helpers").mkdir()
    (package / "helpers/a.py").write_text("")
    (found,) = upward(imports_of(package))
    assert "room 'helpers' is not in ORDER" in found
