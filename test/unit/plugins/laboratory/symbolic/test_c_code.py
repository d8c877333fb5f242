"""Generated C code, compiled with warnings as errors, against the core."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from support.coded_robots import RANDOM_TREE, coded_motion, coded_robot
from support.representatives import representatives

from dynid.dynamics.base_parameters import base_table
from dynid.errors import WriteError
from dynid.profile import load_robot
from dynid_plugins.laboratory.symbolic.c_code import Number, c_header, c_name, c_source
from dynid_plugins.laboratory.symbolic.minimal_model import Formulas, minimal_model

COMPILER = shutil.which("cc")
WARNINGS = ("-Wall", "-Wextra", "-Werror", "-pedantic", "-Wdouble-promotion")
FLAGS = ("-std=c99", *WARNINGS, "-O2", "-shared", "-fPIC")
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="there is no C compiler cc")

ACCURACY = 1e-9
SINGLE = 1e-4  # some hundred roundings of float


class Library:
    """The compiled code, with the functions' arrays as in its header."""

    def __init__(
        self, formulas: Formulas, name: str, folder: Path, number: Number = "double"
    ) -> None:
        table = base_table(formulas.mechanism, formulas.base, name, "a test.")
        (folder / f"{name}.h").write_text(c_header(formulas, name, table, number=number))
        source, library = folder / f"{name}.c", folder / f"{name}.so"
        source.write_text(c_source(formulas, name, table, number=number))
        command = [str(COMPILER), *FLAGS, str(source), "-o", str(library), "-lm"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        self._library, self._name = ctypes.CDLL(str(library)), name
        self._type = {"double": np.float64, "float": np.float32}[number]

    def call(self, function: str, shape: tuple[int, ...], *motion: np.ndarray) -> np.ndarray:
        """Return one function's results for motions (N, n), as (N, *shape)."""
        compiled = getattr(self._library, f"{self._name}_{function}")
        out = np.full((len(motion[0]), *shape), np.nan, dtype=self._type)
        given_as = [np.ascontiguousarray(a, dtype=self._type) for a in motion]
        for row, *given in zip(out, *given_as, strict=True):
            compiled(
                *(ctypes.c_void_p(a.ctypes.data) for a in given),
                ctypes.c_void_p(row.ctypes.data),
            )
        return out


@needs_compiler
@pytest.mark.parametrize("robot", representatives(["scara", RANDOM_TREE, "puma560", "ur10"], 1))
def test_compiled_code_agrees_with_the_core(robot: str, tmp_path: Path) -> None:
    formulas = coded_robot(robot)
    code = Library(formulas, robot, tmp_path)
    (q, dq, ddq), wanted = coded_motion(formulas)
    n, k = q.shape[1], len(formulas.values)
    size = ACCURACY * np.abs(wanted["tau"]).max()
    for found, name in (
        (code.call("inverse_dynamics", (n,), q, dq, ddq), "tau"),
        (code.call("regressor", (n, k), q, dq, ddq) @ formulas.values, "tau"),
        (code.call("gravity", (n,), q), "gravity"),
        (code.call("friction", (n,), q, dq), "friction"),
    ):
        np.testing.assert_allclose(found, wanted[name], rtol=0, atol=size, err_msg=name)
    mass = formulas.mechanism.mass_matrix(q)
    found = code.call("mass_matrix", (n, n), q)
    np.testing.assert_allclose(found, mass, rtol=0, atol=ACCURACY * np.abs(mass).max())


@needs_compiler
@pytest.mark.parametrize("robot", representatives(["so101", "scara", RANDOM_TREE], 1))
def test_code_in_single_precision_agrees_with_the_core(robot: str, tmp_path: Path) -> None:
    formulas = coded_robot(robot)
    code = Library(formulas, robot, tmp_path, "float")
    (q, dq, ddq), wanted = coded_motion(formulas)
    n, size = q.shape[1], SINGLE * np.abs(wanted["tau"]).max()
    found = code.call("inverse_dynamics", (n,), q, dq, ddq)
    np.testing.assert_allclose(found, wanted["tau"], rtol=0, atol=size)
    parts = code.call("gravity", (n,), q) + code.call("friction", (n,), q, dq)
    np.testing.assert_allclose(parts, wanted["gravity"] + wanted["friction"], rtol=0, atol=size)


@needs_compiler
def test_code_of_a_mechanism_without_gravity_torque_compiles(tmp_path: Path) -> None:
    robot = load_robot("scara")
    flat = robot.model_copy(update={"gravity": (0.0, 0.0, 0.0), "terms": ()})
    formulas = minimal_model(flat.mechanism())
    code = Library(formulas, "flat", tmp_path)
    np.testing.assert_array_equal(code.call("gravity", (4,), np.ones((2, 4))), np.zeros((2, 4)))


@pytest.mark.parametrize("name", ["ur 10", "3r", "", "é", "a-b", "A"])
def test_an_invalid_c_name_is_refused(name: str) -> None:
    assert c_name("puma560") == "puma560"
    with pytest.raises(WriteError, match="--name"):
        c_name(name)


def test_the_header_has_joints_units_and_regrouping_relations() -> None:
    formulas = coded_robot("scara")
    table = base_table(formulas.mechanism, formulas.base, "scara */ /* robot", "measured.")
    header = c_header(formulas, "scara", table, ["Recording: day.mcap"])
    about = header.partition("*/")[0]
    assert "2 joint_3 [m, N]" in about
    assert "M3R [kg] = M3 + M4 + Ia3" in about
    assert "Recording: day.mcap" in about
    assert max(map(len, header.splitlines())) <= 100
