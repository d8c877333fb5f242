"""The order of the rooms: imports run downwards only, without a circle, and never to a plug-in."""

from __future__ import annotations

import ast
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "dynid"
PLUGINS = ROOT / "dynid_plugins"
ORDER = (
    "text",
    "errors",
    "guessed_names",
    "requirements",
    "plugins",
    "fleet",
    "limits",
    "input_file",
    "yaml_text",
    "xml_tree",
    "xml_editing",
    "packages",
    "configuration",
    "arrays",
    "linalg",
    "json_text",
    "transaction",
    "file_names",
    "files",
    "robot_files",
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
    "simulation",
    "control",
    "report",
    "profile",
    "api",
    "demonstration",
    "__init__",
    "cli",
    "__main__",
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
    root = f"{package.name}.__init__"
    found: dict[str, set[str]] = {}
    for name, path in paths.items():
        targets = set(imported(path, path.read_text("utf-8")))
        if any(is_of_root(one, package.name) and one not in known for one in targets):
            targets.add(root)
        found[name] = (targets & known) - {name}
    return found


def is_of_root(target: str, package: str) -> bool:
    """Whether a target is the package itself, or directly in it."""
    return target == package or target.rpartition(".")[0] == package


@cache
def imported(path: Path, source: str) -> frozenset[str]:
    """Dotted names that a module imports: modules, and names in them.

    ``import dynid.robot`` binds ``dynid``, by which all of it can be used.
    """
    targets: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            targets |= {alias.name for alias in node.names}
            targets |= {alias.name.partition(".")[0] for alias in node.names if not alias.asname}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: imports are absolute"
            targets |= {f"{node.module}.{alias.name}" for alias in node.names}
            if "." in (node.module or ""):
                targets.add(node.module or "")
    return frozenset(targets)


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


def test_parts_of_scipy_load_when_they_are_used() -> None:
    early = {
        f"{path.stem} imports {target}; write `import scipy` and the whole name where it is used"
        for package in (PACKAGE, PLUGINS, ROOT / "dynid_ros")
        for path in package.rglob("*.py")
        for target in imported(path, path.read_text("utf-8"))
        if target.startswith("scipy.")
    }
    assert early == set()


def plugin_faults(core: Path, plugins: Path) -> list[str]:
    """Modules of the core that import a plug-in, and plug-ins that import another one."""
    faults = []
    for path in sorted([*core.rglob("*.py"), *plugins.rglob("*.py")]):
        own = path.relative_to(plugins).parts[0] if plugins in path.parents else None
        name = str(path.relative_to(core.parent))
        for target in sorted(imported(path, path.read_text("utf-8"))):
            package, _, rest = target.partition(".")
            if package == plugins.name and (own is None or rest.partition(".")[0] not in {own, ""}):
                faults.append(f"{name} imports {target}")
    return faults


def test_the_core_imports_no_plug_in_and_a_plug_in_no_other() -> None:
    assert plugin_faults(PACKAGE, PLUGINS) == []


def test_no_module_of_the_core_names_a_plug_in() -> None:
    naming = [
        path.relative_to(ROOT)
        for path in PACKAGE.rglob("*.py")
        if "import_module" in (text := path.read_text("utf-8")) and "dynid_plugins." in text
    ]
    assert naming == []


def test_plug_ins_import_without_a_circle() -> None:
    assert circle(imports_of(PLUGINS)) == []


@pytest.mark.parametrize(
    "room",
    sorted(path.parent for top in (PACKAGE, PLUGINS) for path in top.rglob("__init__.py")),
    ids=lambda p: p.name,
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
        ("import dynid", "imports dynid.__init__, which is above it"),
        ("from dynid import identify", "imports dynid.__init__, which is above it"),
        ("from dynid import robot", "imports dynid.robot, which is above it"),
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
    found = upward(imports_of(package))
    assert found
    assert any(fault in one for one in found)


def test_a_module_of_the_root_below_others_is_no_use_of_the_whole_package(tmp_path: Path) -> None:
    package = tmp_path / "dynid"
    (package / "dynamics").mkdir(parents=True)
    for name in ("__init__", "arrays"):
        (package / f"{name}.py").write_text("")
    (package / "dynamics/body.py").write_text("from dynid import arrays\nimport dynid.arrays as a")
    assert imports_of(package)["dynid.dynamics.body"] == {"dynid.arrays"}


@pytest.mark.parametrize(
    ("file", "source", "faults"),
    [
        ("dynid/a.py", "from dynid_plugins.fleet import b", 2),
        ("dynid/a.py", "def late():\n    import dynid_plugins", 1),
        ("dynid_plugins/fleet/a.py", "from dynid_plugins.servo.arm import b", 2),
        ("dynid_plugins/fleet/a.py", "from dynid_plugins import servo", 1),
        ("dynid_plugins/fleet/a.py", "from dynid_plugins.fleet.b import c", 0),
        ("dynid_plugins/fleet/a.py", "from dynid import b\nimport dynid.b", 0),
    ],
)
def test_an_import_of_a_plug_in_is_found(
    tmp_path: Path, file: str, source: str, faults: int
) -> None:
    for folder in ("dynid", "dynid_plugins/fleet"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / file).write_text(source)
    assert len(plugin_faults(tmp_path / "dynid", tmp_path / "dynid_plugins")) == faults


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
