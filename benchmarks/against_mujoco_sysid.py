"""Identify the same simulated servos with dynid and with ``mujoco.sysid``, side by side.

    pip install 'mujoco[sysid]'
    python benchmarks/against_mujoco_sysid.py [ROBOT] [--seeds 3] [--first-seed 2000]

A seed is an arm and its motions: masses between 0.7 and 1.4 times those of the URDF, centres of
mass moved by 5 mm at each axis, rotor inertias and friction between 0.7 and 1.4 times those of the
profile, at every joint. It is recorded (commands and encoder positions at 50 Hz) along one motion
and, held out, along another. Both sides get the same recording, the servos' law, and the URDF's
bodies to start from, and find ten parameters of every body and rotor inertia, viscous and Coulomb
friction of every joint. ``mujoco_sysid_arm.py`` has the side of ``mujoco.sysid``: its default
optimiser and bounds. Both may use all cores.

Errors:

- of rotor inertia, viscous and dry friction: relative, root mean square over joints;
- of the bodies' torque: along the held-out motion, from true and found bodies without friction and
  rotors, relative to the true torque's root mean square over all joints;
- of roll-outs: of encoder positions of the held-out recording, a second at a time in dynid's
  simulation, and all of it from rest in MuJoCo, over all joints.

Intervals: the share of the 95 % intervals that contain the true value, of joint terms as both give
them; and of base parameters, for which those of ``mujoco.sysid`` are computed here from its
residuals and Jacobian.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import time
from dataclasses import dataclass

import numpy as np
from mujoco_sysid_arm import arm_spec, identify_with_sysid, simulated_positions
from numpy.typing import NDArray

import dynid
from dynid.arrays import Array
from dynid.dynamics.base_parameters import base_parameterization
from dynid.dynamics.rigid_body import RigidBody
from dynid.excitation.motion import Excitation, Motion
from dynid.playback.plan import make_plan
from dynid.profile import load_robot
from dynid.recording.model import Recording
from dynid.robot.model import Model, nominal_model
from dynid.robot.robot import Robot
from dynid.simulation.derived import simulation_settings
from dynid.simulation.true_parameters import simulated_model
from dynid_plugins.servo.roll_out import roll_outs
from dynid_plugins.servo.servo_torque import with_servo_torque
from dynid_plugins.servo.simulated_servo import record_servos

_RATE = 50.0  # of samples and commands [Hz]
_RANGE = (0.7, 1.4)  # of true values, as shares
_SHIFT = 5e-3  # standard deviation of the centres of mass [m]
_TERMS = {"Ia": "rotor inertia", "Fv": "viscous friction", "Fc": "dry friction"}
_BARE = {"Ia": 0.005, "Fv": 0.02, "Fc": 0.02}  # joint terms of the start
_WITHIN = 1.96  # standard deviations of a 95 % interval


@dataclass(frozen=True, eq=False)
class Trial:
    """An arm, its recordings, and what is true of it."""

    robot: Robot
    recorded: Recording
    held_out: Recording
    other: Motion
    truth: Model


@dataclass(frozen=True, eq=False)
class Row:
    """Errors of one side; ``within`` are booleans of joint terms and base parameters."""

    parameters: dict[str, float]
    roll_out: float
    mujoco: float
    seconds: float = 0.0
    cpu: float = 0.0
    within: tuple[NDArray[np.bool_], NDArray[np.bool_]] | None = None


def main() -> None:
    """Print errors, times and coverage of both sides."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("robot", nargs="?", default="so101")
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--first-seed", type=int, default=2000)
    parser.add_argument("--iterations", type=int, default=200, help="at most, of mujoco.sysid")
    options = parser.parse_args()
    found: dict[str, list[Row]] = {}
    for seed in range(options.first_seed, options.first_seed + options.seeds):
        trial = trial_of(options.robot, seed)
        for name, row in rows_of(trial, options.iterations).items():
            found.setdefault(name, []).append(row)
            print(f"seed {seed}, {name}: {_text(row)}", flush=True)
    print_table(found)


def trial_of(name: str, seed: int) -> Trial:
    """Return the arm of a seed with its recordings."""
    robot = _varied(
        load_robot(name, overrides=["identification.friction_repeatability=0"]),
        np.random.default_rng(seed),
    )
    first, second = (make_plan(robot, seed=one).excitation for one in (seed, seed + 1000))
    return Trial(
        robot=robot,
        recorded=record_servos(robot, first, sampling_rate=_RATE, seed=seed),
        held_out=record_servos(robot, second, sampling_rate=_RATE, seed=seed + 1),
        other=_motion(second),
        truth=simulated_model(robot),
    )


def rows_of(trial: Trial, iterations: int) -> dict[str, Row]:
    """Return the errors of the start, of both sides, and of the true model."""
    bare = trial.robot.mechanism().urdf_parameters.copy()
    for prefix, value in _BARE.items():
        bare[_places(trial, prefix)] = value
    start = nominal_model(trial.robot, bare)
    return {
        "start": _errors(trial, start),
        "dynid": _of_dynid(trial),
        "mujoco.sysid": _of_sysid(trial, start, iterations),
        "true": _errors(trial, trial.truth),
    }


def print_table(found: dict[str, list[Row]]) -> None:
    """Print the mean errors and times, and the coverage of all intervals together."""
    print(f"\n{'':26s}" + "".join(f"{name:>14s}" for name in found))
    for key in next(iter(found.values()))[0].parameters:
        cells = (np.mean([row.parameters[key] for row in rows]) for rows in found.values())
        print(f"{key + ' [%]':26s}" + "".join(f"{100 * one:14.2f}" for one in cells))
    for key, label in (("roll_out", "roll-outs of 1 s [mrad]"), ("mujoco", "in MuJoCo [mrad]")):
        cells = (np.mean([getattr(row, key) for row in rows]) for rows in found.values())
        print(f"{label:26s}" + "".join(f"{1e3 * one:14.3f}" for one in cells))
    for key, label in (("seconds", "wall time [s]"), ("cpu", "CPU time [s]")):
        cells = (np.mean([getattr(row, key) for row in rows]) for rows in found.values())
        print(f"{label:26s}" + "".join(f"{one:14.1f}" for one in cells))
    for place, label in enumerate(("joint terms", "base parameters")):
        texts = (_coverage(rows, place) for rows in found.values())
        print(f"{'in 95 %: ' + label:26s}" + "".join(f"{one:>14s}" for one in texts))


def _of_dynid(trial: Trial) -> Row:
    begun, cpu = time.perf_counter(), time.process_time()
    found = dynid.identify(trial.robot, with_servo_torque(trial.recorded, trial.robot))
    seconds, cpu = time.perf_counter() - begun, time.process_time() - cpu
    names = {one.name: one for one in found.base_parameters}
    base = base_parameterization(trial.robot.mechanism())
    truth = dict(zip(names, base.project(trial.truth.parameters).tolist(), strict=True))
    within = {
        name: abs(one.value - truth[name]) <= _WITHIN * one.standard_deviation
        for name, one in names.items()
        if one.determined
    }
    terms = np.array([inside for name, inside in within.items() if name[:2] in _TERMS])
    return _errors(trial, found.model, seconds, cpu, (terms, np.array(list(within.values()))))


def _of_sysid(trial: Trial, start: Model, iterations: int) -> Row:
    with contextlib.redirect_stdout(io.StringIO()):
        found = identify_with_sysid(start, trial.other, trial.recorded, iterations)
    truth = trial.truth.mechanism
    names, project = truth.parameter_names, base_parameterization(truth).project
    terms = [
        abs(found.parameters[names.index(name)] - truth.parameters[names.index(name)]) <= width
        for name, width in found.half_widths.items()
    ]
    error = np.abs(project(found.parameters) - project(truth.parameters))
    within = np.array(terms), np.asarray(error <= found.base_half_widths)
    steps = ", ".join(f"{one:.4g}" for one in found.objective[-8:])
    print(f"mujoco.sysid: {len(found.objective)} iterations, objective in the end {steps}")
    model = nominal_model(trial.robot, found.parameters)
    return _errors(trial, model, found.seconds, found.cpu, within)


def _errors(
    trial: Trial,
    model: Model,
    seconds: float = 0.0,
    cpu: float = 0.0,
    within: tuple[NDArray[np.bool_], NDArray[np.bool_]] | None = None,
) -> Row:
    parameters = {}
    for prefix, label in _TERMS.items():
        truth = trial.truth.parameters[_places(trial, prefix)]
        error = model.parameters[_places(trial, prefix)] / truth - 1
        parameters[label] = float(np.sqrt(np.mean(error**2)))
    wanted = _torque_of_bodies(trial, trial.truth)
    missed = _torque_of_bodies(trial, model) - wanted
    parameters["torque of bodies"] = float(np.sqrt(np.mean(missed**2) / np.mean(wanted**2)))
    compiled = arm_spec(model, trial.other, trial.robot).compile()
    apart = simulated_positions(compiled, trial.held_out) - trial.held_out.position
    return Row(
        parameters,
        float(np.sqrt(np.mean(roll_outs(model, trial.held_out).errors ** 2))),
        float(np.sqrt(np.mean(apart**2))),
        seconds,
        cpu,
        within,
    )


def _torque_of_bodies(trial: Trial, model: Model) -> Array:
    values = model.parameters.copy()
    values[model.mechanism.first_term :] = 0.0
    return model.mechanism.with_parameters(values).inverse_dynamics(*trial.other)


def _places(trial: Trial, prefix: str) -> list[int]:
    names = trial.robot.mechanism().parameter_names
    return [number for number, name in enumerate(names) if name.startswith(prefix)]


def _varied(robot: Robot, random: np.random.Generator) -> Robot:
    """Return the robot with other true parameters."""
    settings, mechanism = simulation_settings(robot), robot.mechanism()
    names, values = mechanism.parameter_names, mechanism.urdf_parameters
    varied = {name: value * random.uniform(*_RANGE) for name, value in settings.parameters.items()}
    for first in range(0, mechanism.first_term, 10):
        body = RigidBody.from_parameters(values[first : first + 10])
        share = random.uniform(*_RANGE)
        centre = body.centre + random.normal(0.0, _SHIFT, 3)
        other = RigidBody(share * body.mass, centre, share * body.inertia).parameters
        varied.update(zip(names[first : first + 10], other.tolist(), strict=True))
    return robot.with_settings(settings.model_copy(update={"parameters": varied}))


def _motion(excitation: Excitation) -> Motion:
    found = excitation.evaluate(np.arange(0.0, excitation.duration, 1 / _RATE))
    return Motion(found.position, found.velocity, found.acceleration)


def _coverage(rows: list[Row], place: int) -> str:
    inside = [row.within[place] for row in rows if row.within is not None]
    return f"{100 * np.mean(np.concatenate(inside)):.1f} %" if inside else ""


def _text(row: Row) -> str:
    parts = [f"{label} {100 * value:.2f} %" for label, value in row.parameters.items()]
    parts += [f"roll-outs {1e3 * row.roll_out:.3f} mrad", f"in MuJoCo {1e3 * row.mujoco:.3f} mrad"]
    if row.within is not None:
        shares = " and ".join(f"{100 * np.mean(one):.0f} %" for one in row.within)
        parts.append(f"{row.seconds:.1f} s, within {shares}")
    return ", ".join(parts)


if __name__ == "__main__":
    main()
