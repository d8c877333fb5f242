"""Profile content from a URDF: where a profile is silent or missing; and that, in words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from dynid.dynamics.base_parameters import INERTIAL
from dynid.errors import ConfigurationError
from dynid.file_names import likely_file_name
from dynid.robot.chains import RobotJoints, matching, robot_joints
from dynid.robot.limits import Limits
from dynid.robot.robot import Robot
from dynid.robot.urdf_joints import UrdfJoint, movable_joints
from dynid.text import listed
from dynid.xml_tree import xml_tree

_ENDLESS = (-math.pi, math.pi)  # [rad] of a joint that turns without end
_KEYS = {"velocity": "velocity", "effort": "torque_max", "acceleration": "acceleration"}


def urdf_profile(urdf_xml: str, file: str, joints: Sequence[str] | None = None) -> dict[str, Any]:
    """Return the profile of a robot of which only the URDF is known.

    All joints are actuated, in the order of the file, but those of grippers and wheels, which are
    locked. Joints that turn without end have a limit of half a turn to both sides.

    Raises:
        ConfigurationError: the text is not a URDF, or has no movable joint.
    """
    urdf_joints = robot_joints(urdf_xml, file)
    for joint in joints or ():
        if joint not in urdf_joints.joints:
            matching([joint], tuple(urdf_joints.joints), f"{file}: 'joints'")
    chosen = urdf_joints.every if joints is None else tuple(joints)
    name = likely_file_name(robot_name(urdf_xml), "robot")
    content: dict[str, Any] = {"robot": name, "urdf": file, "joints": list(chosen)}
    locked = urdf_joints.locked(chosen)
    if locked:
        content["locked"] = locked
    chain = urdf_joints.closed_chain(chosen)
    if chain:
        content["closed_chain"] = chain
    # other limits are those of the URDF in any profile that is silent, see with_urdf_limits
    endless = urdf_limits([urdf_joints.joints[joint] for joint in chosen], endless=_ENDLESS)
    position = endless.get("position")
    assumed = any(urdf_joints.joints[joint].position is None for joint in chosen)
    return content | ({"limits": {"position": position}} if position and assumed else {})


def robot_name(urdf_xml: str) -> str:
    """Return the name in the URDF, or an empty one."""
    return xml_tree(urdf_xml, "The URDF", ConfigurationError).get("name", "")


def urdf_limits(
    joints: Sequence[UrdfJoint], *, endless: tuple[float, float] | None = None
) -> dict[str, Any]:
    """Return the limits that the URDF has for every joint, as keys of ``limits``.

    Args:
        joints: the actuated ones.
        endless: position limits of joints that turn without end [rad]; None: they have none.
    """
    limits: dict[str, Any] = {}
    positions = [
        endless
        if joint.position is None and joint.kind != "prismatic" and not joint.doubt
        else joint.position
        for joint in joints
    ]
    if all(positions):
        limits["position"] = [list(interval) for interval in positions if interval is not None]
    for key, name in _KEYS.items():
        values = [getattr(joint, key) for joint in joints]
        if all(value is not None for value in values):
            limits[name] = values
    return limits


def with_urdf_limits(robot: Robot) -> Robot:
    """Return a robot with the limits of its URDF where the profile is silent.

    A limit that the profile sets to null stays none. With a coupling, limits of joints are not
    those of motors, so nothing is added.
    """
    if robot.coupling is not None:
        return robot
    known = movable_joints(robot.urdf_xml)
    if not all(name in known for name in robot.joints):  # the mechanism reports it
        return robot
    urdf_values = urdf_limits([known[name] for name in robot.joints])
    given = robot.limits.model_fields_set
    silent = {key: value for key, value in urdf_values.items() if key not in given}
    if not silent:
        return robot
    checked = Limits.model_validate(silent)
    values = {
        name: getattr(checked if name in silent else robot.limits, name)
        for name in Limits.model_fields
    }
    limits = Limits.model_construct(_fields_set=set(given), **values)
    filled = robot.model_copy(update={"limits": limits})
    # of the copy, so that a profile is written without these limits
    object.__setattr__(filled, "__pydantic_fields_set__", set(robot.model_fields_set))
    return filled


def expand_patterns(content: dict[str, Any], urdf_xml: str, where: str) -> None:
    """Replace patterns such as ``gripper_*`` in ``joints`` and ``locked`` by names of the URDF.

    ``locked`` may be a list of names and patterns; these joints are at 0, at the limit nearest to
    it, or where the joint that they follow (``<mimic>``) moves them. A joint that is named, or
    matched before, keeps its position.

    Raises:
        ConfigurationError: a pattern matches no movable joint.
    """
    given, locked = content.get("joints"), content.get("locked")
    listed = (
        [name for name in locked if isinstance(name, str)] if isinstance(locked, list) else None
    )
    if isinstance(locked, list) and listed != locked:
        listed = None  # no names, which the check of the profile reports
    if not (listed is not None or _has_pattern(given) or _has_pattern(locked)):
        return
    known = movable_joints(urdf_xml, where)
    names = tuple(known)
    if isinstance(given, list) and _has_pattern(given):
        content["joints"] = list(matching(given, names, f"{where}: 'joints'"))
    free = [name for name in names if name not in (content.get("joints") or ())]
    if listed is not None:
        matched = matching(listed, free, f"{where}: 'locked'")
        positions = robot_joints(urdf_xml, where).locked(content.get("joints") or ())
        content["locked"] = {name: positions[name] for name in matched}
    elif isinstance(locked, dict) and _has_pattern(locked):
        content["locked"] = _positions(locked, free, f"{where}: 'locked'")


def _positions(locked: Mapping[str, Any], names: Sequence[str], what: str) -> dict[str, Any]:
    exact = {name: value for name, value in locked.items() if not _is_pattern(name)}
    positions: dict[str, Any] = {}
    for pattern, value in locked.items():
        for name in matching([pattern], names, what) if _is_pattern(pattern) else (pattern,):
            positions.setdefault(name, exact.get(name, value))
    return positions


def _has_pattern(names: object) -> bool:
    candidates = names if isinstance(names, list | dict) else ()
    return any(isinstance(name, str) and _is_pattern(name) for name in candidates)


def _is_pattern(name: str) -> bool:
    return any(character in name for character in "*?")


_LIMITS = {
    "position": "position",
    "velocity": "velocity",
    "acceleration": "acceleration",
    "torque_max": "torque",
}
_SHOWN = 8  # names of joints in one list


def assumptions(robot: Robot) -> list[str]:
    """Return what is assumed of a robot that has no profile of its own, one phrase for each."""
    urdf_joints = robot_joints(robot.urdf_xml)
    return [
        f"joints {names(robot.joints)}",
        *_of_joints(robot, urdf_joints),
        *_of_limits(robot, urdf_joints),
        *_of_bodies(robot),
        f"joint terms {_terms(robot)}",
        f"recorded effort is {robot.drives.effort.replace('_', ' ')} [{robot.drives.effort_unit}]",
    ]


def _terms(robot: Robot) -> str:
    if robot.terms == "auto":
        return "chosen by the recordings (auto)"
    return listed(dict.fromkeys(str(term.kind) for term in robot.terms)) if robot.terms else "none"


def names(joints: tuple[str, ...] | list[str]) -> str:
    """Return joints as a list, the first and the last of many."""
    if len(joints) <= _SHOWN:
        return listed(joints)
    return f"{', '.join(joints[: _SHOWN - 2])}, … and {joints[-1]} ({len(joints)})"


def _of_joints(robot: Robot, urdf_joints: RobotJoints) -> Iterator[str]:
    groups = (
        ("grippers and fingers", urdf_joints.grippers),
        ("wheels", urdf_joints.wheels),
        ("joints that follow others (<mimic>)", urdf_joints.followers),
    )
    named = {name for _, joints in groups for name in joints}
    others = ("other joints", tuple(name for name in urdf_joints.joints if name not in named))
    for what, joints in (*groups, others):
        locked = [name for name in joints if name not in robot.moving_joints]
        if locked:
            yield f"{what} locked: {names(locked)}"
    if robot.closed_chain.passive:
        yield f"joints coupled to others (<mimic>): {names(list(robot.closed_chain.passive))}"


def _of_limits(robot: Robot, urdf_joints: RobotJoints) -> Iterator[str]:
    known = [word for key, word in _LIMITS.items() if getattr(robot.limits, key) is not None]
    absent = [word for word in _LIMITS.values() if word not in known]
    if known:
        yield f"limits of {listed(known)} from the URDF"
    if absent:
        yield f"no limit of {listed(absent)}"
    position = robot.limits.position
    endless = [name for name in robot.joints if urdf_joints.joints[name].position is None]
    if endless and position is not None:
        yield f"±180° for {names(endless)}, without a position limit in the URDF"


def _of_bodies(robot: Robot) -> Iterator[str]:
    mechanism = robot.mechanism()
    masses = mechanism.urdf_parameters[: mechanism.first_term : len(INERTIAL)]
    without = [joint for joint, mass in zip(mechanism.body_joints, masses, strict=True) if not mass]
    if without:
        verb = "carries" if len(without) == 1 else "carry"
        yield f"in the URDF, what {names(without)} {verb} has no mass"
    if len(without) == len(masses):
        return
    problem = mechanism.physical_problem(mechanism.urdf_parameters)
    if problem:
        yield (
            f"in the URDF, {problem}, as of no real body (a moment of inertia is not above 0, or "
            "is above the sum of the other two)"
        )


def position_doubts(robot: Robot) -> Iterator[str]:
    """Yield which position limits of the URDF are not used, and why, a phrase for each reason."""
    if robot.limits.position is not None:
        return
    joints = movable_joints(robot.urdf_xml)
    doubts = {name: joints[name].doubt for name in robot.joints if name in joints}
    for doubt in dict.fromkeys(filter(None, doubts.values())):
        of = [name for name in doubts if doubts[name] == doubt]
        yield f"in the URDF, {names(of)} {'has' if len(of) == 1 else 'have'} {doubt}"
