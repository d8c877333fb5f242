"""Identify from torque without signs: the 1R and 3R arms of Pennese and Vulcano, over seeds.

    python benchmarks/bench_unsigned.py [--seeds N]

M. Pennese and V. Vulcano, "Robotics II, final project": section 2 (1R arm, its four trajectories
and the errors that they reached, section 2.5) and section 3 (3R arm, left without results). Beside
each error stands that of the same recording with its signs: what noise alone costs. Identification
begins with a URDF whose bodies are a fifth too heavy. Then robots of six joints: the simulated
PUMA 560, and real ones whose signs are removed; recordings of these are not part of this
repository and are expected in ../shared/data, a robot without them is left out.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import pi
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.text import Text

from dynid.arrays import Array
from dynid.dynamics.base_parameters import base_parameterization
from dynid.dynamics.mechanism import Mechanism
from dynid.estimation.settings import PhysicalSettings
from dynid.excitation.build import build_excitation
from dynid.excitation.motion import Excitation
from dynid.excitation.settings import FourierSettings, SplineSettings, find_excitation
from dynid.identification.identify import identify
from dynid.identification.settings import IdentificationSettings
from dynid.identification.validate import validate
from dynid.playback.plan import make_plan, second_seed
from dynid.profile import load_robot
from dynid.recording.model import Recording
from dynid.report.terminal.console import roomy
from dynid.report.terminal.tables import ResultTable, table
from dynid.robot.model import Model
from dynid.robot.recordings import load_recording
from dynid.robot.robot import Robot
from dynid.simulation.settings import SimulationSettings
from dynid.simulation.simulate import simulate
from dynid_plugins.laboratory.unsigned.sign_finding import find_signs

_GRAVITY = 9.81
_L2, _D2 = 0.3, 0.09  # [m] of the 3R arm
_NOISES = (0.02, 0.3)  # [N m] on the torque of the 1R arm, which is up to 17 N m at 45 degrees
_PAPER = (0.6149, 1.0422, 0.6950, 0.6996)
_COUNT = 5
_DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
_UR10 = _DATA / "ur10" / "ur10_exciting_trajectory.db3"
_UR10E = (
    _DATA / "ur10e" / "ur-20_02_12-50sec_12harm.csv",
    _DATA / "ur10e" / "ur-20_01_17-ptp_10_points.csv",
)
_COEFFICIENTS = (
    *("pi_1 + pi_2 + pi_4", "pi_2 - pi_3", "pi_4 - pi_5", "pi_6", "pi_7", "pi_8", "pi_9", "pi_10"),
    *("pi_11 + pi_13", "pi_12"),
)


@dataclass(frozen=True)
class Trial:
    """Coefficients with and without signs, and the share of samples with the right sign."""

    signed: Array
    unsigned: Array
    right: float


def main() -> None:
    """Print a table for each arm."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=_COUNT, help="of noise and of random motion")
    seeds = range(parser.parse_args().seeds)
    console = roomy(Console())
    for noise in _NOISES:
        _one_joint(console, noise, seeds)
    _three_joints(console, "3R, the report's robot: no friction", frictionless("spatial_3r"), seeds)
    _three_joints(console, "3R with friction and rotors", load_robot("spatial_3r"), seeds)
    _six_joints(console)


def frictionless(name: str, noise: float | None = None) -> Robot:
    """A simulated robot without joint terms; with a torque noise [N m], without other errors."""
    robot = load_robot(name)
    changes: dict[str, object] = {"parameters": {}, "stribeck_torque": (0.0,)}
    if noise is not None:
        changes |= {"torque_noise": (noise,), "rated_torque": (0.0,), "position_resolution": (0.0,)}
    simulation = robot.find(SimulationSettings) or SimulationSettings()
    return robot.with_terms(()).with_settings(simulation.model_copy(update=changes))


def trial(
    robot: Robot, excitation: Excitation, seed: int, found: Callable[[Model], Array]
) -> Trial:
    """Identify from one recording, with its signs and without."""
    held = simulate(robot, excitation, seed=seed)
    recording = replace(held, effort=_between_cycles(held.effort))
    unsigned = replace(recording, effort=_between_cycles(np.abs(held.effort)))
    robot = robot.with_urdf(heavier(robot.urdf_xml))
    return Trial(
        found(identify(robot, recording).model),
        found(identify(robot, unsigned, unsigned_torque=True).model),
        _right(robot, recording, unsigned),
    )


def _between_cycles(held: Array) -> Array:
    """Torque when positions were read: drives held the recorded one for the cycle before that."""
    return np.asarray((held + np.vstack([held[1:], held[-1:]])) / 2)


def heavier(urdf: str) -> str:
    """The initial URDF of an identification, whose bodies are a fifth too heavy."""
    root = ET.fromstring(urdf)  # noqa: S314  one of our own
    for element in [*root.iter("mass"), *root.iter("inertia")]:
        for name, value in element.attrib.items():
            element.set(name, repr(1.2 * float(value)))
    return ET.tostring(root, encoding="unicode")


def _right(robot: Robot, recording: Recording, unsigned: Recording) -> float:
    """Share of samples with the right sign, where torque is above a tenth of its rms."""
    mechanism = robot.mechanism()
    (signed,), _ = find_signs(robot, mechanism, base_parameterization(mechanism), [unsigned])
    effort = recording.effort
    large = np.abs(effort) > 0.1 * np.sqrt(np.mean(effort**2, axis=0))
    return float(np.mean((signed.effort * effort)[large] > 0))


def _values(model: Model) -> dict[str, float]:
    return dict(zip(model.parameter_names, model.parameters.tolist(), strict=True))


def pendulum_coefficients(model: Model) -> Array:
    """Return pi_1 = g m d and pi_2 = I + m d^2 of the model."""
    of = _values(model)
    return np.array([_GRAVITY * of["MX1"], of["ZZ1"]])


def spatial_coefficients(model: Model) -> Array:
    """Return the identifiable ones of the 13 coefficients of section 3.1, from the model."""
    return coefficients_of(_values(model))


def coefficients_of(of: dict[str, float]) -> Array:
    """Return the values of ``_COEFFICIENTS`` by the standard parameters of the 3R arm.

    Seven of the 13 coefficients act on torque only in the sums and differences that stand here.
    In the frame of its joint, body 2 has its centre of mass at x = L2 - b and z = -c, body 3 at
    x = L3 - d and z = 0; moments are about the frame's origin.
    """
    return np.array(
        [
            of["ZZ1"]
            + of["YY2"]
            - 2 * _D2 * (of["MZ2"] + of["MZ3"])
            + _D2**2 * (of["M2"] + of["M3"])
            + _L2**2 * of["M3"]
            + of["YY3"],
            of["YY2"] + _L2**2 * of["M3"] - of["XX2"],
            of["YY3"] - of["XX3"],
            _L2 * of["MX3"],
            of["ZZ2"] + of["ZZ3"] + _L2**2 * of["M3"],
            of["ZZ3"],
            of["XZ2"] - _L2 * of["MZ3"] + _D2 * (of["MX2"] + _L2 * of["M3"]),
            _D2 * of["MX3"],
            _GRAVITY * (of["MX2"] + _L2 * of["M3"]),
            _GRAVITY * of["MX3"],
        ]
    )


def _one_joint(console: Console, noise: float, seeds: Sequence[int]) -> None:
    robot = frictionless("pendulum", noise)
    # the report's model: the rod's centre of mass is on the rod
    physical = PhysicalSettings(bounds={"MY1": (0.0, 0.0)})
    settings = robot.settings(IdentificationSettings).model_copy(update={"physical": physical})
    robot = robot.with_settings(settings)
    truth = np.array([24.525, 1.6708])
    rows = table(
        f"1R, noise {noise:g} N·m", "report", "mean", "worst", "signed mean", "worst", "signs right"
    )
    for (name, motion), reported in zip(_motions(robot).items(), _PAPER, strict=True):
        trials = [trial(robot, motion(seed), seed, pendulum_coefficients) for seed in seeds]
        errors = [np.linalg.norm(one.unsigned - truth) for one in trials]
        signed = [np.linalg.norm(one.signed - truth) for one in trials]
        values = [reported, np.mean(errors), max(errors), np.mean(signed), max(signed)]
        right = f"{100 * min(one.right for one in trials):.2f} %"
        rows.add_row(name, *(f"{value:.4f}" for value in values), right)
    console.print(rows)
    console.print(
        Text(f"norm of the error of (g m d, I + m d²) = (24.525, 1.6708); {len(seeds)} seeds\n")
    )


def _motions(robot: Robot) -> dict[str, Callable[[int], Excitation]]:
    """The four experiments of section 2.2; seeds of the last two differ."""

    def spline(*degrees: float) -> Callable[[int], Excitation]:
        times = tuple(np.linspace(0, 20, len(degrees)).tolist())
        settings = SplineSettings(times=times, waypoints=tuple((d * pi / 180,) for d in degrees))
        return lambda _: build_excitation(settings, robot.limits, robot.joints)

    def fourier(first: int) -> Callable[[int], Excitation]:
        def build(seed: int) -> Excitation:
            settings = FourierSettings(
                base_frequency=0.05, harmonics=5, periods=3, ramp=2.0, seed=first + seed
            )
            return build_excitation(settings, robot.limits, robot.joints)

        return build

    return {
        "1: 0, 45, 0 degrees": spline(0, 45, 0),
        "2: 0, 45, -45, 0 degrees": spline(0, 45, -45, 0),
        "3: Fourier": fourier(100),
        "4: Fourier": fourier(200),
    }


def _three_joints(console: Console, title: str, robot: Robot, seeds: Sequence[int]) -> None:
    settings = find_excitation(robot)
    if not isinstance(settings, FourierSettings):
        raise SystemExit(f"{robot.name}: its excitation must be of type fourier.")
    mechanism = robot.mechanism()
    bodies = dict(zip(mechanism.parameter_names, mechanism.urdf_parameters.tolist(), strict=True))
    truth = coefficients_of(bodies)
    trials = []
    for seed in seeds:
        motion = settings.model_copy(update={"seed": 1 + seed})
        excitation = build_excitation(motion, robot.limits, robot.joints)
        trials.append(trial(robot, excitation, seed, spatial_coefficients))
    rows = table(title, "truth", "mean error", "worst", "signed mean", "worst")
    identifiable = _identifiable(mechanism)
    for number in np.flatnonzero(identifiable):
        columns = [
            [abs(getattr(one, kind)[number] / truth[number] - 1) for one in trials]
            for kind in ("unsigned", "signed")
        ]
        shares = [f"{100 * of(column):.3f} %" for column in columns for of in (np.mean, max)]
        rows.add_row(_COEFFICIENTS[number], f"{truth[number]:.5g}", *shares)
    console.print(rows)
    right = 100 * min(one.right for one in trials)
    others = [_COEFFICIENTS[number] for number in np.flatnonzero(~identifiable)]
    hidden = f"; with rotor inertia in them: {', '.join(others)}" if others else ""
    console.print(Text(f"signs right (worst seed): {right:.2f} %; {len(seeds)} seeds{hidden}\n"))


def _six_joints(console: Console) -> None:
    puma, ur10, ur10e = (load_robot(name) for name in ("puma560", "ur10", "ur10e"))
    motions = [make_plan(puma, seed=seed).excitation for seed in (None, second_seed(puma))]
    recorded = [simulate(puma, motion, seed=seed) for seed, motion in enumerate(motions)]
    rows = table("six joints", "signs right", "held out, % of torque", "with signs")
    _held_out(rows, "PUMA 560, simulated", puma, recorded[0], recorded[1])
    if _UR10.exists():
        parts = [load_recording(_UR10, ur10, stop=19.26), load_recording(_UR10, ur10, start=19.26)]
        _held_out(rows, "UR10, last 30 %", ur10, parts[0], parts[1])
    if all(path.exists() for path in _UR10E):
        parts = [load_recording(path, ur10e) for path in _UR10E]
        _held_out(rows, "UR10e, ten points", ur10e, parts[0], parts[1])
    console.print(rows)


def _held_out(
    rows: ResultTable, name: str, robot: Robot, training: Recording, validation: Recording
) -> None:
    unsigned = replace(training, effort=np.abs(training.effort))
    errors = []
    for lost, recording in ((True, unsigned), (False, training)):
        model = identify(robot, recording, unsigned_torque=lost).model
        joints = validate(model.with_robot(robot), validation).verdict.joints
        errors.append(" ".join(f"{100 * joint.relative_error:.1f}" for joint in joints))
    rows.add_row(name, f"{100 * _right(robot, training, unsigned):.2f} %", *errors)


def _identifiable(mechanism: Mechanism) -> NDArray[np.bool_]:
    """Whether torque depends on each coefficient by itself: it is a sum of base parameters."""
    names = mechanism.parameter_names
    unit = np.eye(len(names))
    gradient = np.array([coefficients_of(dict(zip(names, one, strict=True))) for one in unit]).T
    regrouping = base_parameterization(mechanism).regrouping
    missed = gradient - gradient @ np.linalg.pinv(regrouping) @ regrouping
    return np.asarray(np.abs(missed).max(axis=1) < 1e-6 * np.abs(gradient).max(axis=1))


if __name__ == "__main__":
    main()
