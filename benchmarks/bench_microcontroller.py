"""Size and time of generated C code in single precision, as for a microcontroller.

    python benchmarks/bench_microcontroller.py [ROBOT ...]

Compiles ``dynid model code --float`` of the simulated robot with ``cc -Os`` and prints the bytes of
machine code and constants of gravity and friction, of the inverse dynamics, and their time per
call, the least of several runs. Compiler and processor are those of this computer: code for an Arm
Cortex-M has another size, and sin, cos and tanh of ``math.h`` are not counted.
"""

from __future__ import annotations

import argparse
import ctypes
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from swing import Swing

from dynid.dynamics.base_parameters import base_table
from dynid.profile import load_robot
from dynid.robot.model import Model
from dynid.simulation.true_parameters import simulated_model
from dynid_plugins.laboratory.symbolic.c_code import c_header, c_source
from dynid_plugins.laboratory.symbolic.minimal_model import minimal_model

_SAMPLES, _RUNS = 100_000, 15
_CALLS = {
    "gravity": "robot_gravity(q + i * N, tau + i * N)",
    "friction": "robot_friction(q + i * N, dq + i * N, tau + i * N)",
    "inverse_dynamics": "robot_inverse_dynamics(q + i * N, dq + i * N, ddq + i * N, tau + i * N)",
}
_LOOP = """
void all_{name}(long count, const float *q, const float *dq, const float *ddq, float *tau)
{{
  (void)q; (void)dq; (void)ddq;
  for (long i = 0; i < count; ++i) {{ {call}; }}
}}
"""


def main() -> None:
    """Print a line for every robot and function."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("robots", nargs="*", default=["so101", "widowx_ai", "puma560"])
    for name in parser.parse_args().robots:
        model = simulated_model(load_robot(name))
        remembering = {term.kind for term in model.mechanism.terms if term.traits.has_memory}
        with tempfile.TemporaryDirectory() as folder:
            measure(model.without_terms(sorted(remembering)), Path(folder))


def measure(model: Model, folder: Path) -> None:
    """Print size, time and largest difference from the core of each function."""
    mechanism, formulas = model.mechanism, minimal_model(model.mechanism)
    table = base_table(mechanism, formulas.base, model.robot.name, "of a benchmark.")
    (folder / "robot.h").write_text(c_header(formulas, "robot", table, number="float"))
    (folder / "robot.c").write_text(c_source(formulas, "robot", table, number="float"))
    loops = "".join(_LOOP.format(name=name, call=call) for name, call in _CALLS.items())
    head = f'#include "robot.h"\n#define N {len(mechanism.joints)}\n'
    (folder / "loop.c").write_text(head + loops)
    for command in (
        "cc -std=c99 -Os -c robot.c -o robot.o",
        "cc -std=c99 -Os -shared -fPIC robot.c loop.c -o robot.so -lm",
    ):
        subprocess.run(command.split(), cwd=folder, check=True)
    sizes = sizes_of(folder / "robot.o")
    library = ctypes.CDLL(str(folder / "robot.so"))
    motion = Swing(len(mechanism.joints), highest_hz=1.0).at(np.arange(_SAMPLES) / 1000.0)
    q, dq, ddq = (np.ascontiguousarray(part, dtype=np.float32) for part in motion)
    still = np.zeros_like(motion[0])
    wanted = {
        "gravity": mechanism.gravity_torque(q),
        "friction": mechanism.term_torque(q, dq, still),
        "inverse_dynamics": mechanism.inverse_dynamics(q, dq, ddq),
    }
    largest = np.abs(wanted["inverse_dynamics"]).max()
    for name, torque in wanted.items():
        found = np.empty_like(q)
        pointers = [ctypes.c_void_p(array.ctypes.data) for array in (q, dq, ddq, found)]
        call = getattr(library, f"all_{name}")
        least = min(seconds(call, pointers) for _ in range(_RUNS)) / _SAMPLES
        print(
            f"{model.robot.name:10s} {name:17s} {sizes[f'robot_{name}']:6d} bytes "
            f"{1e9 * least:7.1f} ns  difference {np.abs(found - torque).max() / largest:.0e}"
        )
    print(
        f"{model.robot.name:10s} {'base parameters':17s} {sizes['robot_base_parameters']:6d} bytes"
    )


def sizes_of(file: Path) -> dict[str, int]:
    """Return the bytes of each symbol of an object file."""
    command = f"nm -S {file}"
    done = subprocess.run(command.split(), check=True, capture_output=True, text=True)
    rows = [line.split() for line in done.stdout.splitlines()]
    return {row[3]: int(row[1], 16) for row in rows if len(row) == 4}


def seconds(call: Callable[..., object], pointers: list[ctypes.c_void_p]) -> float:
    """Return the time of all samples [s]."""
    begun = time.perf_counter()
    call(ctypes.c_long(_SAMPLES), *pointers)
    return time.perf_counter() - begun


if __name__ == "__main__":
    main()
