"""Generated C code of the inverse dynamic model against the general core.

Both compute the same torques, the core in one call from Python, the generated code in a loop in C.
"""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from swing import Swing

from dynid.dynamics.base_parameters import base_table
from dynid.profile import load_robot
from dynid.simulation.true_parameters import simulated_model
from dynid_plugins.laboratory.symbolic.c_code import c_header, c_source
from dynid_plugins.laboratory.symbolic.minimal_model import minimal_model

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynid.robot.model import Model

_SAMPLES, _RUNS = 100_000, 15
_LOOP = """
#include "robot.h"
void all(long count, const double *q, const double *dq, const double *ddq, double *tau)
{{
  for (long i = 0; i < count; ++i) {{
    robot_inverse_dynamics(q + {n} * i, dq + {n} * i, ddq + {n} * i, tau + {n} * i);
  }}
}}
"""


def compiled(model: Model, folder: Path) -> ctypes.CDLL:
    """Return the generated code, with a loop over samples."""
    formulas = minimal_model(model.mechanism)
    table = base_table(model.mechanism, formulas.base, model.robot.name, "of a benchmark.")
    (folder / "robot.h").write_text(c_header(formulas, "robot", table))
    (folder / "robot.c").write_text(c_source(formulas, "robot", table))
    (folder / "loop.c").write_text(_LOOP.format(n=len(model.mechanism.joints)))
    command = "cc -std=c99 -O2 -shared -fPIC robot.c loop.c -o robot.so -lm"
    subprocess.run(command.split(), cwd=folder, check=True)
    return ctypes.CDLL(str(folder / "robot.so"))


def nanoseconds(task: Callable[[], object]) -> float:
    """Time of a sample."""
    start = time.perf_counter()
    task()
    return 1e9 * (time.perf_counter() - start) / _SAMPLES


def compare(name: str) -> str:
    """Return one line: both times, and their ratio."""
    model = simulated_model(load_robot(name))
    remembering = {term.kind for term in model.mechanism.terms if term.traits.has_memory}
    model = model.without_terms(sorted(remembering))
    added = np.random.default_rng(0).uniform(0.1, 1.0, len(model.parameters))
    mechanism = model.mechanism.with_parameters(model.parameters + added)  # none of them zero
    n = len(mechanism.joints)
    q, dq, ddq = Swing(n, highest_hz=1.0).at(np.arange(_SAMPLES) / 1000.0)
    torque = np.empty_like(q)
    with tempfile.TemporaryDirectory() as folder:
        code = compiled(replace(model, mechanism=mechanism), Path(folder))
        arrays = [ctypes.c_void_p(array.ctypes.data) for array in (q, dq, ddq, torque)]
        times = [
            (
                nanoseconds(lambda: code.all(ctypes.c_long(_SAMPLES), *arrays)),
                nanoseconds(lambda: mechanism.torque(q, dq, ddq, mechanism.parameters)),
            )
            for _ in range(_RUNS)
        ]
    expected = mechanism.inverse_dynamics(q, dq, ddq)
    difference = np.abs(torque - expected).max() / np.abs(expected).max()
    # the least, because whatever else the machine does only adds
    generated, core = (min(column) for column in zip(*times, strict=True))
    return (
        f"{name:>8}: generated C {generated:6.0f} ns, core {core:6.0f} ns, "
        f"ratio {generated / core:.2f}; largest difference {difference:.0e} of the largest torque"
    )


def main() -> None:
    """Time three robots with the joint terms of their profiles, but those with memory."""
    for name in ("puma560", "ur10", "scara"):
        print(compare(name))


if __name__ == "__main__":
    main()
