"""A case: a robot, its profile, and its recordings, with faults and without."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from dynid.arrays import Array
from dynid.profile import make_robot
from dynid.recording.model import Recording
from dynid.robot.robot import Robot

from .draws import draw_faults, draw_kinds
from .faults import InjectedFault
from .injections import AFTER_NOISE, BEFORE_NOISE, with_faults
from .kinds import KINDS, LISTED, UNLISTED
from .motions import TrueMotion, draw_motion
from .plant import (
    Coupling,
    Eccentricity,
    MeasuredMotion,
    Plant,
    Sensors,
    draw_friction,
    draw_sensors,
)
from .robots import DrawnRobot, draw_robot
from .tree import PinocchioTree
from .unlisted_injections import IN_URDF, changed_urdf

FIRST_UNLISTED = 10**12
"""First seed of cases with unlisted faults."""
_RATES = (100.0, 125.0, 200.0, 250.0, 500.0, 1000.0)  # [Hz]
_MOST_SAMPLES = 40_000  # of all recordings together, so that a case takes seconds
_SHARE_OF_AUTO, _SHARE_OF_STRIBECK, _SHARE_OF_MEASURED_VELOCITY = 0.25, 0.25, 0.2


@dataclass(frozen=True, eq=False)
class JudgedCase:
    """One case of the benchmark.

    Attributes:
        seed: which determines everything else.
        drawn: the robot.
        plant: that moves.
        profile: of the robot, with the faults that are in it.
        faults: that are injected; () for a clean case.
        faulty, clean: the recordings.
        unseen: the last motion as recorded without faults.
        torque_per_effort: (n,) of the recordings' unit; None: they are in N m and N.
    """

    seed: int
    drawn: DrawnRobot
    plant: Plant
    profile: Robot
    faults: tuple[InjectedFault, ...]
    faulty: tuple[MeasuredMotion, ...]
    clean: tuple[MeasuredMotion, ...]
    unseen: MeasuredMotion
    torque_per_effort: Array | None = None

    def recordings(self) -> list[Recording]:
        """Return the recordings with faults as dynid takes them."""
        scale = 1.0 if self.torque_per_effort is None else self.torque_per_effort
        return [
            replace(motion, torque=motion.torque / scale).as_recording(self.drawn.joints)
            for motion in self.faulty
        ]

    @property
    def profile_tree(self) -> PinocchioTree:
        """The bodies under the gravity that the profile states."""
        gravity = self.profile.modelled_gravity
        return PinocchioTree(self.drawn.given_urdf, self.drawn.joints, gravity, self.drawn.locked)


def kinds_of(seed: int) -> list[str]:
    """Return the kinds of the faults of a case, without making it."""
    names = UNLISTED if seed >= FIRST_UNLISTED else LISTED
    return draw_kinds(np.random.default_rng([seed, 0]), names)


def make_case(seed: int, kinds: list[str] | None = None, *, alone: int | None = None) -> JudgedCase:
    """Make a case.

    Args:
        seed: of the case.
        kinds: of its faults, in place of those that belong to the seed.
        alone: number of the only fault to inject; None: all.
    """
    kinds = kinds_of(seed) if kinds is None else kinds
    made = _setup(seed, kinds)
    plant, count = made.plant, len(made.motions) - 1
    faults = draw_faults(kinds, plant.tree.prismatic, count, np.random.default_rng([seed, 2]))
    if alone is not None:
        faults = (faults[alone],)
    content = _with_profile_faults(_profile(made), faults)
    drawn = replace(made.drawn, given_urdf=given_urdf(made.drawn, faults))
    clean = tuple(_measured(made, plant, number, ()) for number in range(count + 1))
    changed = with_plant_faults(plant, faults)
    faulty = tuple(
        _measured(made, _loaded(made.drawn, changed, faults, number), number, faults)
        for number in range(count)
    )
    return JudgedCase(
        seed=seed,
        drawn=drawn,
        plant=plant,
        profile=make_robot(content, drawn.given_urdf, where="case"),
        faults=faults,
        faulty=faulty,
        clean=clean[:-1],
        unseen=clean[-1],
    )


@dataclass(frozen=True, eq=False)
class _Setup:
    """A robot before its faults, its sensors, and its motions; the last one is not recorded."""

    seed: int
    drawn: DrawnRobot
    plant: Plant
    sensors: Sensors
    motions: tuple[TrueMotion, ...]
    rate: float
    auto: bool
    measured_velocity: bool


def _setup(seed: int, kinds: list[str]) -> _Setup:
    """Draw everything but the faults so that these kinds are possible."""
    random = np.random.default_rng([seed, 1])
    drawn = draw_robot(random)
    tree = _true_tree(drawn)
    sliding = tree.prismatic
    count = max([int(random.integers(1, 4)), *(KINDS[kind].recordings for kind in kinds)])
    rate, durations = float(random.choice(_RATES)), random.uniform(15, 40, size=count + 1)
    durations *= min(1.0, _MOST_SAMPLES / (rate * durations[:count].sum()))
    motions = tuple(draw_motion(sliding, span, rate, random) for span in durations)
    # of terms that are chosen, or that lack more than dry friction, none is missing for sure
    known = "missing_friction" in kinds
    auto = bool(random.random() < _SHARE_OF_AUTO) and not known
    stribeck = bool(random.random() < _SHARE_OF_STRIBECK) and not known
    friction = draw_friction(tree, motions[0], random, with_stribeck=stribeck)
    with_velocity = bool(random.random() < 0.7) or any(KINDS[kind].velocity for kind in kinds)
    return _Setup(
        seed=seed,
        drawn=drawn,
        plant=Plant(tree, friction),
        sensors=draw_sensors(sliding, random, with_velocity=with_velocity),
        motions=motions,
        rate=rate,
        auto=auto,
        measured_velocity=with_velocity and bool(random.random() < _SHARE_OF_MEASURED_VELOCITY),
    )


def _true_tree(drawn: DrawnRobot) -> PinocchioTree:
    return PinocchioTree(drawn.true_urdf, drawn.joints, drawn.gravity, drawn.locked)


def _profile(made: _Setup) -> dict[str, Any]:
    """Return the content of a profile that is right about everything but the bodies."""
    terms: list[dict[str, Any]] = [{"kind": "viscous"}]
    drawn, friction = made.drawn, made.plant.friction
    for number, joint in enumerate(drawn.joints):
        shape = {"smoothing": float(friction.smoothing[number]), "joints": [joint]}
        terms.append({"kind": "coulomb", **shape})
        if friction.stribeck[number] > 0:
            scale = float(friction.stribeck_velocity[number])
            terms.append({"kind": "stribeck", "scale": scale, **shape})
    terms += [{"kind": "offset"}, {"kind": "rotor_inertia"}]
    return {
        "robot": drawn.name,
        "urdf": f"{drawn.name}.urdf",
        "joints": list(drawn.joints),
        "gravity": list(drawn.gravity),
        "locked": dict(drawn.locked),
        "terms": "auto" if made.auto else terms,
        # what moves here may be stronger, and moves further, than the robot of the data sheet
        "limits": {"torque_max": None, "position": None},
        "identification": {"velocity": "measured" if made.measured_velocity else "differentiated"},
    }


def _with_profile_faults(
    content: Mapping[str, Any], faults: tuple[InjectedFault, ...]
) -> dict[str, Any]:
    """Return a profile's content with the faults that are in a profile."""
    changed = dict(content)
    for fault in faults:
        if fault.kind == "missing_friction":
            changed["terms"] = [term for term in changed["terms"] if term["kind"] != "coulomb"]
        if fault.kind == "wrong_gravity":
            changed["gravity"] = turned(changed["gravity"], fault)
    return changed


def given_urdf(drawn: DrawnRobot, faults: tuple[InjectedFault, ...]) -> str:
    """Return the URDF of a data sheet with the faults that are in it."""
    text = drawn.given_urdf
    for fault in faults:
        if fault.kind in IN_URDF:
            text = changed_urdf(text, fault, drawn.joints)
    return text


def turned(gravity: list[float], fault: InjectedFault) -> list[float]:
    """Return a gravity turned by a fault's angle about a horizontal line."""
    down = np.array(gravity) / np.linalg.norm(gravity)
    axis = np.cross(down, fault.direction)
    axis /= np.linalg.norm(axis)
    angle = fault.size
    # the axis is normal to what is turned
    rotated = np.cos(angle) * down + np.sin(angle) * np.cross(axis, down)
    return [float(value) for value in np.linalg.norm(gravity) * rotated]


def with_plant_faults(plant: Plant, faults: tuple[InjectedFault, ...]) -> Plant:
    """Return a plant with the couplings and eccentric parts among faults."""
    couplings = tuple(
        Coupling(fault.joints[0], fault.joints[1], fault.size)
        for fault in faults
        if fault.kind == "coupling"
    )
    eccentricities = tuple(
        Eccentricity(fault.joints[0], fault.size, fault.place)
        for fault in faults
        if fault.kind == "eccentric_friction"
    )
    return replace(plant, couplings=couplings, eccentricities=eccentricities)


def _loaded(
    drawn: DrawnRobot, plant: Plant, faults: tuple[InjectedFault, ...], number: int
) -> Plant:
    """Return the plant with the payload of one recording."""
    for fault in faults:
        if fault.kind == "payload_of_one_recording" and fault.recording == number:
            tree = _true_tree(drawn)
            centre: Array = 0.1 * np.array(fault.direction)
            tree.add_payload(fault.size * tree.mass, [float(value) for value in centre])
            return replace(plant, tree=tree)
    return plant


def _measured(
    made: _Setup, plant: Plant, number: int, faults: tuple[InjectedFault, ...]
) -> MeasuredMotion:
    """Return the recording of a motion by its number; its noise does not depend on faults."""
    motion, sensors = made.motions[number], made.sensors
    velocity = motion.velocity if sensors.with_velocity else None
    measured = MeasuredMotion(made.rate, motion.position, velocity, plant.torque(motion))
    measured = with_faults(BEFORE_NOISE, faults, measured, plant.tree, number)
    measured = sensors.measured(measured, np.random.default_rng([made.seed, 3, number]))
    return with_faults(AFTER_NOISE, faults, measured, plant.tree, number)
