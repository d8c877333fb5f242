"""A setting is declared once; all that has its name is made of the declaration."""

from __future__ import annotations

import importlib.util
import json
import math
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from runpy import run_path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from dynid_docs.parameter_tables import _parameters

from dynid import _core

ROOT = Path(__file__).resolve().parents[3]
GENERATOR = run_path(str(ROOT / "cpp/generate_settings.py"), run_name="generate_settings")
COMPILER = shutil.which("c++")
EIGEN = Path(sysconfig.get_path("platlib"), "cmeel.prefix", "include", "eigen3")
ADDED = """
    firmness: Live[PerJointPositive | None] = None
    \"\"\"Firmness of a test [N m s/rad]; None: that of the others.\"\"\"
    eagerness: Annotated[float, Field(ge=0.5, le=2)] = 0.75
    \"\"\"Eagerness of a test [1/s].\"\"\"
"""
LAST = '"""Time above the threshold, less half the time below, that counts as a collision [s]."""\n'
PROGRAM = """
#include <cstdio>
#include "declared_settings.hpp"
int main()
{
  dynid::declared::CollisionSettings settings;
  settings.firmness = Eigen::VectorXd::Constant(2, 3.0);
  std::printf("{\\"default\\": %g, \\"settings\\": {", settings.eagerness);
  dynid::declared::CollisionSettings::visit([](const dynid::Setting & one, auto) {
    std::printf("\\"%s.%s\\": [%.17g, %.17g, %d],", one.group, one.name, one.lowest,
                std::min(one.highest, 9.0), one.live);
  });
  std::printf("\\"\\": []}}");
}
"""


@pytest.fixture(scope="module")
def changed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with the declarations and two settings more."""
    folder = tmp_path_factory.mktemp("declared")
    for path in (GENERATOR["ALIASES"], *GENERATOR["SOURCES"]):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        text = (ROOT / path).read_text("utf-8")
        (folder / path).write_text(text.replace(LAST, LAST + ADDED), "utf-8")
    return folder


def module_of(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("changed_settings", path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_profile_accepts_an_added_setting(changed: Path) -> None:
    module = module_of(changed / GENERATOR["SOURCES"][0])
    assert module.CollisionSettings(firmness=2.0).firmness == (2.0,)
    assert module.CollisionSettings().eagerness == 0.75
    assert "firmness" in module.ThresholdSettings.model_fields, "a file of thresholds has these"


def test_a_controller_has_an_added_parameter_and_the_documentation_its_row(changed: Path) -> None:
    content = GENERATOR["with_parameters"]({"node": {}}, GENERATOR["declared"](changed))["node"]
    firmness, eagerness = content["collision"]["firmness"], content["collision"]["eagerness"]
    assert (firmness["type"], firmness["default_value"]) == ("double_array", [])
    assert "read_only" not in firmness
    assert eagerness["read_only"]
    assert eagerness["validation"] == {"bounds<>": [0.5, 2.0]}
    table = "".join(_parameters(content, ""))
    assert "| `firmness` | N m s/rad | `[]` | number ≥ 0; per joint; live | Firmness of a" in table
    assert "| `eagerness` | 1/s | `0.75` | number 0.5 … 2 | Eagerness of a test. |" in table


@pytest.mark.skipif(COMPILER is None or not EIGEN.is_dir(), reason="there is no c++, or no Eigen")
def test_the_struct_of_cpp_has_an_added_member_in_its_loops(changed: Path, tmp_path: Path) -> None:
    header = GENERATOR["header"](GENERATOR["declared"](changed))
    (tmp_path / "declared_settings.hpp").write_text(header)
    (tmp_path / "use.cpp").write_text(PROGRAM)
    program = tmp_path / "use"
    includes = [f"-I{EIGEN}", f"-I{ROOT / 'cpp/core/include'}"]
    command = [
        str(COMPILER),
        "-std=c++17",
        *includes,
        str(tmp_path / "use.cpp"),
        "-o",
        str(program),
    ]
    subprocess.run(command, check=True)
    output = subprocess.run([str(program)], check=True, capture_output=True, text=True)
    found = json.loads(output.stdout)
    assert found["default"] == 0.75
    assert found["settings"]["collision.eagerness"] == [0.5, 2.0, 0]
    assert found["settings"]["collision.firmness"] == [sys.float_info.min, 9.0, 1]


def structs() -> dict[str, Any]:
    """Every struct of the core with declared settings, by name."""
    return {name: one for name, one in vars(_core).items() if hasattr(one, "declared")}


def test_the_core_was_built_with_the_declared_settings() -> None:
    found = {
        (name, setting, one.group)
        for name, s in structs().items()
        for setting, one in s.declared.items()
    }
    assert found == {(one.struct, one.name, one.group) for one in GENERATOR["declared"]()}


def test_defaults_of_the_core_are_the_declared_ones() -> None:
    for one in GENERATOR["declared"]():
        value = getattr(structs()[one.struct](), one.name)
        if one.choices:
            assert value.name == one.default
        elif not one.per_drive:
            assert value == (one.otherwise if one.default is None else one.default)
        else:
            assert isinstance(value, np.ndarray)


def test_every_range_contains_the_default() -> None:
    for one in GENERATOR["declared"]():
        values = one.default if isinstance(one.default, tuple) else (one.default,)
        numbers = [v for v in values if isinstance(v, float)]
        assert all(one.lowest <= v <= one.highest and math.isfinite(v) for v in numbers), one.name


@pytest.mark.parametrize(
    "path",
    [
        "cpp/core/src/collision_detector.cpp",
        "cpp/python/control.cpp",
        "cpp/python/torque_law.cpp",
        "cpp/ros2_control/law_parameters.cpp",
        "cpp/ros2_control/feedforward_controller_parameters.yaml",
        "dynid/control/ros2_control.py",
        "dynid/control/collisions.py",
    ],
)
def test_nothing_else_lists_settings(path: str) -> None:
    """Code names a setting only where it computes with it: once or twice, not all of a group."""
    text = (ROOT / path).read_text("utf-8")
    listed = re.findall(
        r'(?:^\s*"|&\w+(?:Settings|Limits)::)(\w+)(?=[",)]|: \{)|^ +(\w+): \{$', text, re.MULTILINE
    )
    names = {one.name for one in GENERATOR["declared"]()}
    assert {name for pair in listed for name in pair} & names == set()
