"""Simulated motion of the axis EMPS under its own controller, with the models of several tools.

Models are fitted to the reference motion; the motion with pulses is simulated for all of its 25 s
from its commands and pulses alone, at the 1 kHz of its controller:

    v_ir = kv (kp (q_g - q) - dq) + pulses,    F = gtau v_ir,    dq: difference over two samples

With recorded positions, this law gives the recorded voltage within 0.7 % on the reference motion.
Printed are the errors of position and force, relative to the recorded ones as A. Janot, M. Gautier,
M. Brunot (2019) define theirs, and R2 of velocity. A model is evaluated along a whole motion, as
its friction can have a memory, so friction and motion are computed in turn until they agree.

Run: python benchmarks/emps_simulation.py [--data FOLDER] [--tools plain dynid …]
"""

from __future__ import annotations

from contextlib import redirect_stdout
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy
from real_recordings import present, recordings_parser
from threadpoolctl import threadpool_limits

from dynid.arrays import Array
from dynid.signals.signals import Signals
from dynid_plugins.bench.contenders.interface import FittedModel
from dynid_plugins.bench.evaluation import prepare
from dynid_plugins.bench.selection import contender

STEP = 1e-3  # of controller and simulation [s]
_STIFFNESS = 3e4  # of friction against velocity that a step of the iteration assumes [N s/m]
_ROUNDS = 200
_AGREEMENT = 1e-5  # of velocities of two rounds, at most [m/s]


class Axis(NamedTuple):
    """Controller, inputs and measurement of a motion.

    Attributes:
        position_gain: kp [1/s].
        velocity_gain: kv [V s/m].
        force_per_volt: gtau [N/V].
        command, pulses: (N,) [m], [V].
        position: measured (N,) [m].
        force: of the recorded voltage (N,) [N].
    """

    position_gain: float
    velocity_gain: float
    force_per_volt: float
    command: Array
    pulses: Array
    position: Array
    force: Array


def main() -> None:
    """Print the errors of every tool."""
    parser = recordings_parser(__doc__)
    tools = ["plain", "figaroh", "flobaroid", "sysid", "dynid"]
    parser.add_argument("--tools", nargs="*", default=tools)
    options = parser.parse_args()
    for _, recording in present(options.data, ["emps"]):
        with threadpool_limits(1):
            task, (unseen,) = prepare(recording, options.data)
            axis = read_axis(options.data / recording.split.held_out[0].path, unseen)
            print(f"{'':<12s}{'position [%]':>13s}{'force [%]':>11s}{'R2 of velocity':>16s}")
            for tool in options.tools:
                with redirect_stdout(StringIO()):  # what a tool prints is no result
                    model = contender(tool).fit(task)
                print_errors(tool, axis, *simulated(model, axis, unseen))
    print(f"{'published':<12s}{0.0080:13.4f}{8.94:11.2f}")


def read_axis(path: Path, signals: Signals) -> Axis:
    """Read the motion that signals are of."""
    values = {name: np.ravel(value) for name, value in scipy.io.loadmat(path).items()}
    first = round(signals.time[0] / STEP)
    samples = slice(first, first + len(signals.time))
    command, pulses, position, voltage = (
        values[name][samples].astype(float) for name in ("qg", "pulses_N", "qm", "vir")
    )
    gains = (float(values[name][0]) for name in ("kp", "kv", "gtau"))
    kp, kv, gtau = gains
    return Axis(kp, kv, gtau, command, pulses, position, gtau * voltage)


def simulated(model: FittedModel, axis: Axis, signals: Signals) -> tuple[Array, Array]:
    """Return simulated position [m] and force [N], (N,) each.

    Raises:
        RuntimeError: friction and motion do not come to agree.
    """
    still = replace(signals, acceleration=np.zeros_like(signals.acceleration))
    pushed = replace(signals, acceleration=np.ones_like(signals.acceleration))
    mass = float(np.mean(model.torque(pushed) - model.torque(still)))
    position, velocity = axis.position, np.gradient(axis.position, STEP)
    for _ in range(_ROUNDS):
        along = replace(still, position=position[:, None], velocity=velocity[:, None])
        friction = model.torque(along)[:, 0] - _STIFFNESS * velocity
        rest = np.append(friction[1:], friction[-1])  # of the end of each step
        before = velocity
        position, velocity, force = _in_the_loop(axis, mass, rest, float(signals.velocity[0, 0]))
        if np.abs(velocity - before).max() < _AGREEMENT:
            return position, force
    raise RuntimeError("friction and motion do not come to agree.")


def _in_the_loop(
    axis: Axis, mass: float, rest: Array, velocity: float
) -> tuple[Array, Array, Array]:
    """Return position, velocity and force of the axis under its controller.

    It starts with a velocity [m/s]. Friction is ``rest`` (N,) [N] and its assumed stiffness times
    velocity, which is implicit.
    """
    kp, kv, gtau = axis[:3]
    now = axis.position[0]
    earlier = [now - 2 * STEP * velocity, now - STEP * velocity]
    found = np.empty((3, len(rest)))
    for sample, (command, pulse, friction) in enumerate(
        zip(axis.command.tolist(), axis.pulses.tolist(), rest.tolist(), strict=True)
    ):
        speed = (now - earlier[0]) / (2 * STEP)
        force = gtau * (kv * (kp * (command - now) - speed) + pulse)
        found[:, sample] = now, velocity, force
        earlier = [earlier[1], now]
        before = velocity
        velocity = (mass * velocity + STEP * (force - friction)) / (mass + STEP * _STIFFNESS)
        now += STEP * (before + velocity) / 2
    position, velocities, forces = found
    return position, velocities, forces


def print_errors(tool: str, axis: Axis, position: Array, force: Array) -> None:
    """Print a row of errors."""
    off = np.linalg.norm(position - axis.position) / np.linalg.norm(axis.position)
    wrong = np.linalg.norm(force - axis.force) / np.linalg.norm(axis.force)
    speeds = [np.gradient(one, STEP) for one in (axis.position, position)]
    unexplained = np.sum((speeds[1] - speeds[0]) ** 2) / np.sum((speeds[0] - speeds[0].mean()) ** 2)
    print(f"{tool:<12s}{100 * off:13.4f}{100 * wrong:11.2f}{1 - unexplained:16.5f}", flush=True)


if __name__ == "__main__":
    main()
