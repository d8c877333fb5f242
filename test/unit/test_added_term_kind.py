"""A kind of joint term that is added as a row of the table is used everywhere."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from support.added_kind import SCALE, SIZE, SMOOTHING, STATE

from dynid import _core

ROOT = Path(__file__).parents[2]
SUPPORT = ROOT / "test" / "support"
COMPILERS = [shutil.which(name) for name in ("c++", "cc")]

pytestmark = pytest.mark.skipif(None in COMPILERS, reason="there are no compilers c++ and cc")


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict:
    """Result of every use of the kind, in a process whose table has it."""
    folder = tmp_path_factory.mktemp("added")
    library = folder / "row.so"
    flags = ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
    include = ROOT / "cpp" / "core" / "include"
    source = SUPPORT / "added_kind.cpp"
    command = ["c++", *flags, f"-I{include}", str(source), "-o", str(library)]
    subprocess.run(command, check=True)
    script = [sys.executable, str(SUPPORT / "added_kind.py"), str(library), str(folder)]
    path = os.pathsep.join([str(ROOT), str(SUPPORT.parent), *sys.path])
    subprocess.run(script, check=True, env={**os.environ, "PYTHONPATH": path})
    content: dict = json.loads((folder / "found.json").read_text())
    return content


def expected_column(velocity: np.ndarray) -> np.ndarray:
    return np.tanh(velocity / SMOOTHING) * (1 + np.exp(-((velocity / SCALE) ** 2)))


def test_a_profile_is_written_and_read_with_it(found: dict) -> None:
    assert found["profile"][1] == {"kind": "grease", "smoothing": SMOOTHING, "scale": SCALE}


def test_the_regressor_has_its_column_and_the_parameter_table_its_name_and_unit(
    found: dict,
) -> None:
    np.testing.assert_allclose(found["column"], expected_column(STATE[1]), rtol=1e-12)
    assert found["names"] == ["Fg1", "Fg2", "Fg3"]
    assert found["units"] == ["N*m"] * 3
    assert found["base"][-3:] == ["Fg1", "Fg2", "Fg3"]
    assert found["SYMORO"][-3:] == ["FG1", "FG2", "FG3"]


def test_its_parameter_is_identified_and_reported(found: dict) -> None:
    np.testing.assert_allclose(found["identified"], SIZE, rtol=2e-3)  # 5 standard deviations
    assert "grease friction at 0.4</th>" in found["report"]
    assert "grease friction (all joints, smoothing velocity 0.02, scale 0.4)" in found["report"]


def test_a_model_is_stored_and_read_with_it(found: dict) -> None:
    assert 'kinds: ["viscous", "viscous", "viscous", "grease"' in found["model.yaml"]
    assert "# Fg1 [N*m]" in found["model.yaml"]
    assert found["read"]


def test_the_controller_computes_its_torque(found: dict) -> None:
    assert found["controller"] == found["torque"]
    assert found["torque"] != found["control cycle"]  # smoothed over more
    np.testing.assert_allclose(found["control cycle"], found["torque"], rtol=1e-3)


def test_generated_c_code_computes_its_torque(found: dict) -> None:
    np.testing.assert_allclose(found["code"], found["torque"], rtol=1e-9)


def test_the_simulated_robot_sticks_and_slides_with_it(found: dict) -> None:
    # breakaway is at twice the torque, within the increase in one cycle
    largest, sliding = found["simulated efforts"]
    assert 1.8 * SIZE < largest < 2.05 * SIZE
    assert sliding == pytest.approx(SIZE, rel=1e-3)
    assert "grease grease grease" in found["plant"]["term_kinds"]
    assert found["plant"]["term_scales"].startswith("0.0 0.0 0.0 0.4 0.4 0.4")


def test_an_excitation_is_designed_with_its_substitute(found: dict) -> None:
    assert found["design"] == ["viscous"] * 3 + ["coulomb"] * 3


def test_it_is_a_friction_candidate_and_a_cause_of_errors(found: dict) -> None:
    assert found["candidates"] == ["viscous + tanh + grease"]
    assert found["candidate shapes"] == [["smoothing", "stribeck_velocity"]]
    assert "share explained by grease" in found["diagnosis"]


def test_a_urdf_has_it_as_friction(found: dict) -> None:
    assert found["urdf"].count('friction="3.0"') == 3


def test_an_invalid_row_and_an_existing_name_are_refused(found: dict) -> None:
    with pytest.raises(TypeError):
        _core.register_term_kind(None)
    taken, other = found["refusals"]
    assert taken == "The kind of joint term 'grease' already exists."
    assert "must come in a capsule 'dynid.TermKind'" in other
