"""Limits of a URDF against each other, and against the masses and lengths that they move.

Only limits that the profile does not set are examined: there, also ``null`` confirms.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.excitation.default_motion import motion_range
from dynid.robot.robot import Robot
from dynid.robot.urdf_joints import movable_joints
from dynid.robot.urdf_profile import names, position_doubts

_STATES = 500  # random positions, of which the one of most load counts
_ACCELERATION = 2 * np.pi  # [rad/s^2] a turn a second, reached in one: what any drive does
_TORQUE_OF_A_KILOGRAM = 100.0
"""[N m/kg] Most torque of drives and their gears per mass of a whole robot.

In 265 public URDFs, arms have 10 to 55, walking robots up to 82; placeholders of 300 N m at each
joint of an iiwa are 120.
"""
_POWER_OF_A_KILOGRAM = 3000.0
"""[W/kg] Likewise of the products of torque and speed: walking robots have up to 1440 there, and
placeholders of 100 rad/s at each joint of an iCub are 4400."""
_MOST_TURNS_TO_SPEED = 50.0  # [rad] in which a drive reaches its speed; there 34 at most, or 93
_FARTHEST_JOINTS = 20.0  # [m] of one joint from the next one, where both turn
_FEWEST_ALIKE = 3  # joints
_UNLIKE = 100.0  # times the torque that one joint needs is what another one does
_KEYS = {"velocity": "velocity", "effort": "torque_max"}
_UNCHECKED = {
    "velocity": "nothing limits the speed of a motion",
    "effort": "no torque is checked",  # as of many arms, which limit it themselves
}


@dataclass(frozen=True)
class Doubt:
    """A value of a URDF that is not believable.

    Attributes:
        sentence: on the joint or link, the value, the consequence, and the key that settles it.
        limits: the keys of ``limits`` of which each settles it in a profile.
        dangerous: whether a real robot must not move before; False for what only leads to refused
            motion.
    """

    sentence: str
    limits: tuple[str, ...] = ()
    dangerous: bool = True


def refusal(doubts: Sequence[Doubt]) -> str | None:
    """Return the sentence with which a real robot is not moved, or None where it may be."""
    reasons = [doubt.sentence for doubt in doubts if doubt.limits and doubt.dangerous]
    if not reasons:
        return None
    return " ".join(["no robot moves within doubtful limits.", *reasons])


class _Drives(NamedTuple):
    """Drives of the URDF, and their load in the worst position; (n,) each.

    Torque and speed are NaN where the URDF or the profile states other values than the URDF's: no
    comparison with them is true.
    """

    torque: Array  # [N m or N]
    speed: Array  # [rad/s or m/s]
    turns: NDArray[np.bool_]
    gravity: Array  # [N m or N]
    inertia: Array  # [kg m^2 or kg]


def limit_doubts(robot: Robot) -> list[Doubt]:
    """Return what is doubtful in the limits that a robot has of its URDF.

    Raises:
        MechanismError: robot and URDF do not match.
    """
    if robot.coupling is not None:  # limits are those of motors, which no URDF has
        return []
    found = [*_positions(robot), *_zero(robot), *_lengths(robot)]
    given = robot.limits.model_fields_set
    if not {"velocity", "torque_max"} <= given:
        drives = _drives(robot)
        for doubts in (_too_strong, _too_weak, _alike, _too_fast):
            found += doubts(robot, drives)
    return found


def _positions(robot: Robot) -> Iterator[Doubt]:
    if "position" in robot.limits.model_fields_set:
        return
    for phrase in position_doubts(robot):
        yield Doubt(
            f"{phrase[:1].upper()}{phrase[1:]}, so that nothing limits the positions of a motion; "
            "limits.position sets the range.",
            limits=("position",),
        )


def _zero(robot: Robot) -> Iterator[Doubt]:
    joints = movable_joints(robot.urdf_xml)
    for kind, key in _KEYS.items():
        of = [name for name in robot.joints if kind in joints[name].zero]
        if of and key not in robot.limits.model_fields_set:
            yield Doubt(
                f"In the URDF, the {kind} limit of {names(of)} is 0, which is taken as no limit, "
                f"so that {_UNCHECKED[kind]}; limits.{key} sets it (null: there is none).",
                limits=(key,) if kind == "velocity" else (),
            )


def _lengths(robot: Robot) -> Iterator[Doubt]:
    """Yield a doubt where links are longer than those of any arm: lengths are in millimetres."""
    kinematics, kinds = robot.kinematics(), movable_joints(robot.urdf_xml)
    length = {
        joint: float(np.linalg.norm(kinematics.joint_origins[body]))
        for joint, body in zip(robot.joints, kinematics.joint_bodies, strict=True)
        if kinds[joint].kind != "prismatic" and kinematics.parents[body] > 0
    }
    longest = max(length, key=lambda joint: length[joint], default="")
    if longest and length[longest] > _FARTHEST_JOINTS:
        yield Doubt(
            f"In the URDF, {longest} is {_text(length[longest])} m from the joint before it, which "
            "may be millimetres, so that predicted torque is too large; correct <origin> (m).",
            dangerous=False,
        )


def _too_strong(robot: Robot, drives: _Drives) -> Iterator[Doubt]:
    """Yield a doubt where drives of such torque weigh more than the robot."""
    mass = sum(float(inertia.mass) for inertia in robot.kinematics().model.inertias)
    if not mass > 0:
        return
    total = float(np.sum(drives.torque[drives.turns]))
    power = float(np.sum((drives.torque * drives.speed)[drives.turns]))
    if total > _TORQUE_OF_A_KILOGRAM * mass:
        yield Doubt(
            f"In the URDF, the efforts of all joints add up to {_text(total)} N m for a robot of "
            f"{_text(mass)} kg, more than its drives could have if it consisted of nothing else, "
            "so that a motion may be planned with torque that they do not have; limits.torque_max "
            "sets it, or correct <mass>.",
            limits=("torque_max",),
        )
    elif power > _POWER_OF_A_KILOGRAM * mass:
        yield Doubt(
            f"In the URDF, effort times velocity of all joints adds up to {_text(power)} W for "
            f"a robot of {_text(mass)} kg, more than its drives could have, so that a motion "
            "may be planned faster than they are; limits.velocity and limits.torque_max set them.",
            limits=("velocity", "torque_max"),
        )


def _too_weak(robot: Robot, drives: _Drives) -> Iterator[Doubt]:
    """Yield a doubt on joints that cannot hold what they carry; such motion is refused anyway."""
    needed, torque = drives.gravity, drives.torque
    for joint in np.flatnonzero(needed > torque).tolist():
        unit = "N m" if drives.turns[joint] else "N"
        yield Doubt(
            f"In the URDF, {robot.joints[joint]} needs {_text(needed[joint])} {unit} to hold "
            f"its bodies in some position, but has {_text(torque[joint])} {unit}, so that "
            "positions that the robot can take are refused; limits.torque_max sets it, or correct "
            "<mass>.",
            limits=("torque_max",),
            dangerous=False,
        )


def _alike(robot: Robot, drives: _Drives) -> Iterator[Doubt]:
    """Yield a doubt where all joints have one round pair of limits, whatever they carry."""
    turning = np.flatnonzero(drives.turns)
    pairs = np.column_stack([drives.torque, drives.speed])[turning]
    if len(turning) < _FEWEST_ALIKE or not np.all(pairs == pairs[0]):
        return
    effort, velocity = pairs[0].tolist()
    if not (_is_round(effort) and _is_round(velocity)):  # those of equal servos are not
        return
    needed = (drives.gravity + drives.inertia * _ACCELERATION)[turning]
    if needed.max() > _UNLIKE * max(needed.min(), 0.0):
        most, least = turning[needed.argmax()], turning[needed.argmin()]
        times = (
            f"{_text(needed.max() / needed.min())} times" if needed.min() > 0 else "far more than"
        )
        reason = f"although {robot.joints[most]} needs {times} what {robot.joints[least]} does"
    elif effort == velocity:  # no drives by chance: exporters write 10, 100 or 1000 for both
        reason = "the same number for both"
    else:
        return
    yield Doubt(
        f"In the URDF, all joints have an effort of {effort:g} N m and a velocity of "
        f"{velocity:g} rad/s, {reason}, so that these may be placeholders, and a motion planned "
        "beyond the drives; limits.velocity and limits.torque_max confirm or set them.",
        limits=("velocity", "torque_max"),
    )


def _too_fast(robot: Robot, drives: _Drives) -> Iterator[Doubt]:
    """Yield a doubt on speeds that are not reached with the effort of their joint."""
    speed, turns = drives.speed, drives.turns
    way = drives.inertia * speed**2 / (2 * drives.torque)
    of = [robot.joints[j] for j in np.flatnonzero(turns & (way > _MOST_TURNS_TO_SPEED)).tolist()]
    if of:
        worst = int(np.argmax(np.where(turns, way, 0.0)))
        yield Doubt(
            f"In the URDF, the velocity of {names(of)} is only reached after many turns with its "
            f"effort ({robot.joints[worst]}: {speed[worst]:g} rad/s after "
            f"{_text(way[worst] / (2 * np.pi))} turns), and may be in degrees, so that a motion "
            "may be planned faster than the drives are; limits.velocity sets it.",
            limits=("velocity",),
        )


def _drives(robot: Robot) -> _Drives:
    joints = [movable_joints(robot.urdf_xml)[name] for name in robot.joints]

    def stated(kind: str, key: str) -> Array:
        given = np.array([getattr(joint, kind) for joint in joints], dtype=np.float64)
        usable = not np.isnan(given).any() and key not in robot.limits.model_fields_set
        return given if usable else np.full(len(joints), np.nan)

    turns = np.array([joint.kind != "prismatic" for joint in joints])
    torque, speed = stated("effort", "torque_max"), stated("velocity", "velocity")
    return _Drives(torque, speed, turns, *_load(robot))


def _load(robot: Robot) -> tuple[Array, Array]:
    """Return gravity torque and inertia of the bodies in the worst position; (n,) each."""
    mechanism = robot.with_terms(()).mechanism()
    motion = motion_range(robot, mechanism)
    random = np.random.default_rng(0)
    q = random.uniform(motion.low, motion.high, (_STATES, len(robot.joints)))
    q = q[mechanism.reachable(q)]
    if not len(q):  # of a closed chain, which the search for a motion reports
        return np.zeros(len(robot.joints)), np.zeros(len(robot.joints))
    gravity = np.abs(mechanism.torque(q, 0 * q, 0 * q, mechanism.parameters)).max(axis=0)
    return gravity, np.diagonal(mechanism.mass_matrix(q), axis1=1, axis2=2).max(axis=0)


def _is_round(value: float) -> bool:
    """Return whether a number has a single digit that is not 0, such as 10 or 0.5."""
    return f"{value:.6e}".partition("e")[0].rstrip("0").endswith(".")


def _text(value: float) -> str:
    """Return a number with three digits, and without an exponent where it is not very large."""
    return f"{float(f'{value:.3g}'):g}"
