"""Profile content from a URDF: of a robot without a profile, and where a profile is silent."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from dynid.errors import ConfigurationError
from dynid.file_names import likely_file_name
from dynid.robot.chains import matching, robot_joints
from dynid.robot.limits import Limits
from dynid.robot.robot import Robot
from dynid.robot.urdf_joints import UrdfJoint, movable_joints
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
