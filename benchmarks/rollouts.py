"""Roll-outs on held-out recordings, of dynid's exported MJCF and of the model of ``mujoco.sysid``.

    pip install 'dynid[simulators]' 'mujoco[sysid]'
    python benchmarks/rollouts.py [--data FOLDER] [--robots NAME …] [--horizons 0.1 0.5 1]

Both tools are fitted to the same part of a public recording, as in ``dynid bench``: from URDF and
data sheets, without a profile (``dynid_plugins/bench/contenders/mujoco_sysid.py`` has the settings
of ``mujoco.sysid``, which is fitted to torque). What no tool has seen is simulated in MuJoCo, in
windows that follow one another, each from its recorded position and velocity under its recorded
torques, without correction. Integrator, time step and solver are the same; limits of joints are
off. Each tool's constant torques are subtracted from the recorded ones, which MuJoCo does not have.

The error is the root mean square of simulated minus recorded positions, over all samples of all
windows and all joints. Two rows without a model show how much there is to predict: *still* keeps
the position, *coasting* the velocity of the start. *dynid* chooses its joint terms by the data, and
its export replaces those that MJCF does not have; *dynid, LuGre* is the same model exported to
``mujoco-dcmotor``; *dynid, simple* is identified with the joint terms of ``mujoco.sysid`` alone.
CPU time is that of all threads, of which there is one.
"""

from __future__ import annotations

import contextlib
import io
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import mujoco
import numpy as np
from real_recordings import present, recordings_parser
from simulator_rollouts import constant_torques
from threadpoolctl import threadpool_limits

from dynid.arrays import Array
from dynid.errors import DynidError, SimulationError
from dynid.excitation.motion import Motion
from dynid.identification.identify import identify
from dynid.robot.model import Model
from dynid.robot.robot import Robot
from dynid.signals.signals import Signals
from dynid_plugins.bench.contenders.interface import FittingTask
from dynid_plugins.bench.contenders.mujoco_sysid import identify_by_torque
from dynid_plugins.bench.evaluation import prepare
from dynid_plugins.simulators.export import export_along
from dynid_plugins.simulators.mujoco_model import MujocoModel
from dynid_plugins.simulators.torque_rollouts import torque_rollouts

_STEP = 0.002  # largest time step [s]
_SIMPLE = "rotor_inertia", "viscous", "coulomb", "offset"  # of mujoco.sysid, at every joint


class Candidate(NamedTuple):
    """A model to be simulated: MuJoCo's, the constant torques (n,), and the CPU time of the fit."""

    simulator: MujocoModel
    constant: Array
    cpu: float


class Outcome(NamedTuple):
    """Error [rad or m] and CPU time [s] of the roll-outs; NaN where a window diverged."""

    error: float
    cpu: float


def main() -> None:
    """Print a table for every robot."""
    parser = recordings_parser(__doc__.partition("\n")[0])
    parser.set_defaults(robots=["emps", "ur10", "ur10e", "tx40", "panda", "lwr4"])
    parser.add_argument("--horizons", nargs="+", type=float, default=[0.1, 0.5, 1.0])
    options = parser.parse_args()
    for name, recording in present(options.data, options.robots):
        with threadpool_limits(1):
            print_robot(name, *prepare(recording, options.data), options.horizons)


def print_robot(
    name: str, task: FittingTask, held_out: Sequence[Signals], horizons: Sequence[float]
) -> None:
    """Print errors and CPU times of every tool and horizon."""
    mechanism = task.robot.mechanism()
    unit = "mm" if all(mechanism.prismatic) else "mrad"
    seconds = sum(len(one.time) / one.sampling_rate for one in held_out)
    print(f"{name}: {seconds:.0f} s held out; error [{unit}], CPU of the roll-outs [s]")
    heads = "".join(f"{f'{horizon:g} s':>10s}{'CPU':>8s}" for horizon in horizons)
    print(f"{'':<14s}{'fit, CPU':>10s}{heads}")
    for title, share in (("still", 0.0), ("coasting", 1.0)):
        _print_row(title, None, [_without_model(share, held_out, one) for one in horizons])
    for title, identified in candidates(task).items():
        if isinstance(identified, str):
            print(f"{title:<14s} {identified}")
            continue
        found = [simulated(identified, task.robot.joints, held_out, one) for one in horizons]
        _print_row(title, identified.cpu, found)
    print()


def candidates(task: FittingTask) -> dict[str, Candidate | str]:
    """Return the models of all tools by name, or why there is none."""
    simple = task.robot.with_checked_terms(list(_SIMPLE), "rollouts")
    as_it_comes = cache(lambda: _identified(task, task.robot))
    tried: dict[str, Callable[[], Candidate]] = {
        "dynid": lambda: _exported(as_it_comes(), "mjcf", task),
        "dynid, LuGre": lambda: _exported(as_it_comes(), "mujoco-dcmotor", task),
        "dynid, simple": lambda: _exported(_identified(task, simple), "mjcf", task),
        "mujoco.sysid": lambda: _of_sysid(task),
    }
    return {name: _or_why_not(make) for name, make in tried.items()}


def _or_why_not(make: Callable[[], Candidate]) -> Candidate | str:
    try:
        return make()
    except DynidError as error:
        return str(error)


def simulated(
    candidate: Candidate, joints: tuple[str, ...], held_out: Sequence[Signals], horizon: float
) -> Outcome:
    """Return the error of a model over all windows of the recordings held out."""
    begun, errors = time.process_time(), []
    try:
        for one in held_out:
            moved = replace(one, torque=one.torque - candidate.constant)
            found = torque_rollouts(candidate.simulator, joints, moved, horizon=horizon)
            errors.append(found.position - found.recorded)
    except SimulationError:
        return Outcome(np.nan, time.process_time() - begun)
    return Outcome(_rms(errors), time.process_time() - begun)


def _identified(task: FittingTask, robot: Robot) -> tuple[Model, float]:
    begun = time.process_time()
    model = identify(robot, task.recordings).model
    return model, time.process_time() - begun


def _exported(identified: tuple[Model, float], form: str, task: FittingTask) -> Candidate:
    model, cpu = identified
    begun, fitted = time.process_time(), task.signals[0]
    motion = Motion(fitted.position, fitted.velocity, fitted.acceleration)
    text = export_along(model, form, motion).text
    cpu += time.process_time() - begun
    compiled = MujocoModel(text, Path(f"{model.robot.name}.xml"))
    return Candidate(_alike(compiled), constant_torques(model), cpu)


def _of_sysid(task: FittingTask) -> Candidate:
    begun = time.process_time()
    with contextlib.redirect_stdout(io.StringIO()):  # its optimiser prints every iteration
        found = identify_by_torque(task)
    cpu = time.process_time() - begun
    compiled = MujocoModel("<mujoco/>", Path("sysid.xml"))  # replaced by what was found
    compiled.model, compiled.data = found.model, mujoco.MjData(found.model)
    return Candidate(_alike(compiled), found.offsets, cpu)


def _alike(simulator: MujocoModel) -> MujocoModel:
    """Set what is not identified: integrator, time step, solver and joint limits."""
    option: Any = simulator.model.opt
    option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    option.timestep = _STEP
    option.disableflags |= mujoco.mjtDisableBit.mjDSBL_LIMIT
    return simulator


def _without_model(share: float, held_out: Sequence[Signals], horizon: float) -> Outcome:
    """Return the error of a constant velocity, a share of that at the start of each window."""
    errors = []
    for signals in held_out:
        count = round(horizon * signals.sampling_rate)
        starts = count * np.arange((len(signals.time) - 1) // count)
        ahead = np.arange(count + 1)
        speed = share * signals.velocity[starts][:, None]
        way = signals.position[starts[:, None] + ahead] - signals.position[starts][:, None]
        errors.append(ahead[:, None] / signals.sampling_rate * speed - way)
    return Outcome(_rms(errors), 0.0)


def _rms(errors: Sequence[Array]) -> float:
    return float(np.sqrt(np.mean(np.concatenate([one.ravel() for one in errors]) ** 2)))


def _print_row(title: str, cpu: float | None, found: Sequence[Outcome]) -> None:
    cells = "".join(
        f"{'diverges' if np.isnan(one.error) else f'{1e3 * one.error:.3g}':>10s}"
        + (f"{one.cpu:8.2f}" if cpu is not None else f"{'':8s}")
        for one in found
    )
    fit = f"{cpu:10.1f}" if cpu is not None else f"{'':10s}"
    print(f"{title:<14s}{fit}{cells}", flush=True)


if __name__ == "__main__":
    main()
