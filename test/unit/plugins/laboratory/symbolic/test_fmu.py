"""Functional Mock-up Units: their files, and their torques in FMPy."""

from __future__ import annotations

import shutil
import zipfile
from importlib import import_module
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from support.coded_robots import RANDOM_TREE, coded_motion, coded_robot
from support.representatives import representatives

from dynid.dynamics.base_parameters import base_table
from dynid.errors import WriteError
from dynid_plugins.laboratory.symbolic.fmu import Fmu, fmu
from dynid_plugins.laboratory.symbolic.minimal_model import Formulas

ROBOTS = [
    *("scara", RANDOM_TREE, "puma560", "axis_linear_spring", "scara_coupled"),
    *("so101", "ur10", "tx40", "widowx_ai", "yumi_arm"),
]
STEP = 0.01
SAMPLES = 21
ACCURACY = 1e-9


def unit_of(formulas: Formulas) -> Fmu:
    return fmu(formulas, "arm", base_table(formulas.mechanism, formulas.base, "arm", "a test."))


@pytest.mark.parametrize("robot", representatives(ROBOTS, 1))
def test_fmpy_computes_the_torques_of_the_core(robot: str, tmp_path: Path) -> None:
    fmpy = pytest.importorskip("fmpy", reason="FMPy (pip install fmpy) is not installed")
    if shutil.which("cc") is None:
        pytest.skip("there is no C compiler cc")
    formulas = coded_robot(robot)
    path = tmp_path / "arm.fmu"
    unit_of(formulas).write(path)
    assert import_module("fmpy.validation").validate_fmu(str(path)) == []

    motion, wanted = coded_motion(formulas, SAMPLES)
    shape = motion[0].shape[1:]
    kinds = [("time", float), *((name, float, shape) for name in ("q", "dq", "ddq"))]
    given = np.zeros(SAMPLES, dtype=kinds)
    given["time"] = STEP * np.arange(SAMPLES)
    for name, values in zip(("q", "dq", "ddq"), motion, strict=True):
        given[name] = values
    size = ACCURACY * np.abs(wanted["tau"]).max()
    for kind in ("ModelExchange", "CoSimulation"):
        found = fmpy.simulate_fmu(
            str(path),
            fmi_type=kind,
            input=given,
            output=list(wanted),
            stop_time=STEP * (SAMPLES - 1),
            step_size=STEP,
            output_interval=STEP,
        )
        # in co-simulation the result at the end of a step is of the inputs at its start
        late = int(kind == "CoSimulation")
        for name, values in wanted.items():
            np.testing.assert_allclose(
                found[name][late:], values[: SAMPLES - late], rtol=0, atol=size, err_msg=kind
            )


def test_equal_models_give_equal_archives_with_their_sources(tmp_path: Path) -> None:
    unit = unit_of(coded_robot("scara"))
    for name in ("a.fmu", "b.fmu"):
        unit.write(tmp_path / name)
    assert (tmp_path / "a.fmu").read_bytes() == (tmp_path / "b.fmu").read_bytes()
    with zipfile.ZipFile(tmp_path / "a.fmu") as archive:
        names = set(archive.namelist())
        described = ET.fromstring(archive.read("modelDescription.xml"))  # noqa: S314
    assert {"sources/arm.c", "sources/arm.h", "sources/arm_fmi3.c"} <= names
    assert any(name.startswith(f"binaries/{unit.platform}/") for name in names) == bool(
        unit.platform
    )
    variables = described.findall("ModelVariables/Float64")
    causes = {one.get("name"): one.get("causality") for one in variables}
    assert causes["ddq"] == "input"
    assert causes["tau"] == "output"
    token = str(described.get("instantiationToken"))
    assert token in unit.files["sources/arm_fmi3.c"].decode()


def test_without_a_compiler_there_are_sources_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    unit = unit_of(coded_robot("scara"))
    assert unit.platform == ""
    assert not any(name.startswith("binaries/") for name in unit.files)


@pytest.mark.skipif(shutil.which("false") is None, reason="there is no command 'false'")
def test_a_compiler_that_fails_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    failing = shutil.which("false")
    monkeypatch.setattr(shutil, "which", lambda _: failing)
    with pytest.raises(WriteError, match="cannot build the FMU"):
        unit_of(coded_robot("scara"))
