"""Physically consistent against unconstrained parameters, where the model's assumptions are wrong.

A simulated UR10e with encoder and torque noise, identified from one motion with plain terms and
evaluated on another one, twice as fast:

- as assumed: the URDF, friction and rotors are those of the simulated robot;
- links too long: the URDF's joint origins are 2 % farther apart than those of the robot;
- rotors left out: the robot has rotors, the terms have no rotor inertia;
- offset sensors: torque sensors are off by 2 % of their largest torque, the terms have no offset;
- springs: joints 2 and 4 have springs, of which the terms know nothing;
- negative rotors: as friction that lags behind the velocity looks like, at joints 4 and 5.

Run: python benchmarks/consistency_price.py
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy
from real_robots import unconstrained

from dynid.arrays import Array
from dynid.dynamics.mechanism import Mechanism
from dynid.identification.identify import identify
from dynid.profile import load_robot, make_robot
from dynid.recording.model import Recording
from dynid.robot.robot import Robot

RATE, DURATION = 125.0, 40.0  # [Hz], [s]
ENCODER, SENSOR = 2e-5, 0.01  # standard deviations [rad], and of the torque's
TRUTH = {"Fv": 8.0, "Fc": 6.0, "Ia": 0.5}  # SI, of each joint; a third of it in the wrist
SPRINGS = {"K2": 60.0, "K4": 10.0}  # [N m/rad]
NEGATIVE = {"Ia4": -0.4, "Ia5": -0.3}  # [kg m²]
LONGER = 1.02
OFFSET = 0.02  # of the largest torque
PLAIN = ("viscous", "coulomb", "offset", "rotor_inertia")


def main() -> None:
    """Print errors on another motion, the price on blocks left out, and what is said of it."""
    urdf = load_robot("ur10e").urdf_xml
    long = re.sub(r'(<joint (?:(?!</joint>).)*?xyz=")([^"]*)"', _longer, urdf, flags=re.DOTALL)
    show("as assumed", robot(urdf), {})
    show("links too long", robot(long), {})
    show("rotors left out", robot(urdf, without="rotor_inertia"), {})
    show("offset sensors", robot(urdf, without="offset"), {}, offset=OFFSET)
    show("springs", robot(urdf), SPRINGS)
    show("negative rotors", robot(urdf), NEGATIVE)


def robot(urdf: str, *, without: str = "") -> Robot:
    """Return what is assumed of the robot."""
    terms: list[dict[str, Any]] = [
        {"kind": kind, **({"smoothing": 0.01} if kind == "coulomb" else {})}
        for kind in PLAIN
        if kind != without
    ]
    return assumed(urdf, terms)


def assumed(urdf: str, terms: list[dict[str, Any]]) -> Robot:
    """Return a robot with these terms, and dynid's defaults."""
    joints = list(load_robot("ur10e").joints)
    content = {"robot": "ur10e", "urdf": "ur10e.urdf", "joints": joints, "terms": terms}
    return make_robot(content, urdf)


def show(name: str, given: Robot, changed: dict[str, float], *, offset: float = 0.0) -> None:
    """Identify from one motion of the true robot, and print errors on another."""
    true = simulated(changed)
    fitted, other = (recording(true, seed, speed, offset) for seed, speed in ((0, 1.0), (1, 2.0)))
    found = identify(given, fitted)
    mechanism = found.model.mechanism
    print(name)
    for label, model in (("consistent", mechanism), ("unconstrained", unconstrained(found))):
        cells = "".join(f"{100 * error:7.2f}" for error in errors(model, other))
        print(f"  {label + ', other motion [%]':<30s}{cells}")
    price = found.consistency_price
    print(f"  consistency {price.sentence() if price else 'is not required'}")
    for warning in price.warnings(mechanism.joints) if price else ():
        print(f"  {warning}")
    print(flush=True)


def simulated(changed: dict[str, float]) -> Mechanism:
    """Return the true robot: the URDF's bodies with friction, rotors and springs."""
    true = robot(load_robot("ur10e").urdf_xml)
    terms = [term.model_dump(exclude_unset=True) for term in true.explicit_terms]
    springs = assumed(true.urdf_xml, [*terms, {"kind": "spring_stiffness"}])
    mechanism = springs.mechanism()
    parameters = np.array(mechanism.urdf_parameters)
    values = {
        f"{kind}{joint}": value / (1 if joint < 4 else 3)
        for kind, value in TRUTH.items()
        for joint in range(1, 7)
    }
    for parameter, value in (values | changed).items():
        parameters[mechanism.parameter_names.index(parameter)] = value
    return mechanism.with_parameters(parameters)


def recording(true: Mechanism, seed: int, speed: float, offset: float) -> Recording:
    """Return a motion of five sines at each joint, with the noise of encoders and sensors."""
    random = np.random.default_rng(seed)
    time = np.arange(int(RATE * DURATION))[:, None, None] / RATE
    omega = speed * 2 * np.pi * random.uniform(0.05, 0.4, (1, 6, 5))
    amplitude = speed * random.uniform(0.1, 0.4, (1, 6, 5)) / omega
    phase = omega * time + random.uniform(0, 2 * np.pi, (1, 6, 5))
    q = (amplitude * np.sin(phase)).sum(axis=2)
    dq = (amplitude * omega * np.cos(phase)).sum(axis=2)
    ddq = -(amplitude * omega**2 * np.sin(phase)).sum(axis=2)
    torque = true.torque(q, dq, ddq, true.parameters)
    noise = SENSOR * torque.std(axis=0) * random.standard_normal(torque.shape)
    shift = offset * np.abs(torque).max(axis=0) * np.array([1, -1, 1, -1, 1, -1])
    measured = q + ENCODER * random.standard_normal(q.shape)
    return Recording.from_arrays(
        time[:, 0, 0], measured, torque + noise + shift, joint_names=true.joints
    )


def errors(model: Mechanism, other: Recording) -> Sequence[float]:
    """Return the relative errors (n,) of the smoothed torque along another motion, and of all."""
    smooth = _smoothed(other.position)
    dq = np.gradient(smooth, 1 / RATE, axis=0)
    ddq = np.gradient(dq, 1 / RATE, axis=0)
    inner = slice(int(RATE), -int(RATE))
    torque = model.torque(smooth, dq, ddq, model.parameters)[inner]
    measured = _smoothed(other.effort)[inner]
    squares = np.stack([np.sum((torque - measured) ** 2, axis=0), np.sum(measured**2, axis=0)])
    return [*np.sqrt(squares[0] / squares[1]), float(np.sqrt(squares[0].sum() / squares[1].sum()))]


def _smoothed(values: Array) -> Array:
    second_order = scipy.signal.butter(4, 10.0, fs=RATE, output="sos")
    return np.asarray(scipy.signal.sosfiltfilt(second_order, values, axis=0))


def _longer(found: re.Match[str]) -> str:
    values = " ".join(f"{LONGER * float(value):.9g}" for value in found[2].split())
    return f'{found[1]}{values}"'


if __name__ == "__main__":
    main()
