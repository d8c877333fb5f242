"""Which joints of a URDF are the robot, and which are its grippers, fingers and wheels."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from dynid.dynamics.mimic import moving_leader
from dynid.errors import ConfigurationError
from dynid.robot.urdf_joints import UrdfJoint, links_to_root, movable_joints, path_of
from dynid.text import listed

_GRIPPER = re.compile(
    r"gripper|finger|knuckle|thumb|claw|phalan|(^|_)jaw|hand.*_(index|middle|ring|little|pinky|mrl)"
    r"|(index|middle|ring|little|pinky)_(\d|q\d|joint|flex|abd)"
)
_WRIST = re.compile(r"^(?!.*(finger|thumb|knuckle)).*gripper.*(yaw|roll|pitch|rotat)")
"""A joint that turns the whole gripper belongs to the arm."""
_WHEEL = re.compile(r"wheel|caster|castor|propeller|(^|_)rotor")
_FINGER_RANGE = 0.1  # [m] prismatic joints beside each other with a smaller range each are fingers


@dataclass(frozen=True)
class JointChain:
    """The joints between the root and one tip.

    Attributes:
        tip: the last link that a joint of the chain moves.
        joints: names, root first.
    """

    tip: str
    joints: tuple[str, ...]


@dataclass(frozen=True)
class RobotJoints:
    """The joints of a URDF by what they do.

    Attributes:
        joints: all movable ones by name.
        grippers: those of grippers, fingers and hands.
        wheels: those of wheels and propellers.
        followers: others that follow a joint (``<mimic>``).
        chains: the rest, one for each tip.
    """

    joints: Mapping[str, UrdfJoint]
    grippers: tuple[str, ...]
    wheels: tuple[str, ...]
    followers: tuple[str, ...]
    chains: tuple[JointChain, ...]
    urdf_xml: str

    @property
    def every(self) -> tuple[str, ...]:
        """The joints of all chains, in the order of the file."""
        chosen = {joint for chain in self.chains for joint in chain.joints}
        return tuple(name for name in self.joints if name in chosen)

    def towards(self, link: str) -> tuple[str, ...]:
        """Return the joints between the root and a link, without grippers, wheels, followers.

        Raises:
            ConfigurationError: there is no such link, or no such joint before it.
        """
        parents = links_to_root(self.urdf_xml)
        if link not in parents:
            tips = ", ".join(chain.tip for chain in self.chains)
            raise ConfigurationError(
                f"--tip {link}: the URDF has no such link with a joint; the chains end at {tips}."
            )
        omitted = {*self.grippers, *self.wheels, *self.followers}
        path = path_of(link, parents, [name for name in self.joints if name not in omitted])
        if not path:
            raise ConfigurationError(f"--tip {link}: no joint moves this link.")
        return tuple(path)

    def locked(self, chosen: Sequence[str]) -> dict[str, float]:
        """Return the positions of all joints that are not chosen: at 0, or nearest to it."""
        positions: dict[str, float] = {}
        for name, joint in self.joints.items():
            if name not in chosen and not self._is_geared(name, chosen):
                positions[name] = joint.resting_position()
        for name in positions:
            positions[name] = self._followed(name, positions, set())
        return positions

    def closed_chain(self, chosen: Sequence[str]) -> dict[str, Any]:
        """Return a profile's ``closed_chain`` of the joints that follow chosen ones; or nothing."""
        geared = [name for name in self.joints if self._is_geared(name, chosen)]
        if not geared:
            return {}
        at_zero = dict.fromkeys((*chosen, *geared), 0.0)
        closures = []
        for name in geared:
            joint = self.joints[name]
            links = [joint.child, self.joints[str(joint.leader)].child]
            closures.append({"kind": "gear", "links": links, "ratio": joint.multiplier})
        return {
            "passive": {name: self._followed(name, at_zero, set(), chosen) for name in geared},
            "closures": closures,
        }

    def _is_geared(self, name: str, chosen: Sequence[str]) -> bool:
        """Return whether a joint without a drive follows a chosen one."""
        leaders = {
            follower: joint.leader for follower, joint in self.joints.items() if joint.leader
        }
        return name not in chosen and moving_leader(name, leaders, chosen) is not None

    def _followed(
        self, name: str, places: Mapping[str, float], seen: set[str], free: Sequence[str] = ()
    ) -> float:
        """Return where a joint is: at its leader's position, if it follows one in ``places``."""
        joint = self.joints[name]
        if joint.leader is None or joint.leader not in places or name in {*seen, *free}:
            return places[name]
        leader = self._followed(joint.leader, places, {*seen, name}, free)
        return joint.multiplier * leader + joint.offset


def robot_joints(urdf_xml: str, where: str = "The URDF") -> RobotJoints:
    """Sort the joints of a URDF by what they do.

    A joint belongs to a gripper or wheel if its name or that of its link says so, if it is behind
    such a joint, if it follows one (``<mimic>``) or leads only such ones; and a gripper's fingers
    are also prismatic joints of a small range side by side. A robot that consists of nothing else
    (a hand, a car) has these as chains.

    Raises:
        ConfigurationError: the text is not a URDF, or has no movable joint.
    """
    joints = movable_joints(urdf_xml, where)
    if not joints:
        raise ConfigurationError(f"{where}: has no movable joint, so there is nothing to identify.")
    parents = links_to_root(urdf_xml)
    named = {name: _named(joint) for name, joint in joints.items()}
    wheels = {name for name, kind in named.items() if kind == "wheel"}
    grippers = {name for name, kind in named.items() if kind == "gripper"}
    grippers |= _narrow_pairs(joints, parents)
    grippers = _with_dependent(joints, parents, grippers)
    wheels = _with_dependent(joints, parents, wheels) - grippers
    wheels |= _suspensions(joints, parents, wheels)
    followers = {name for name, joint in joints.items() if joint.leader in joints}
    left = [name for name in joints if name not in grippers | wheels | followers]
    if not left:
        grippers, wheels = set(), set()
        left = [name for name in joints if name not in followers]
    followers -= grippers | wheels
    return RobotJoints(
        joints=joints,
        grippers=tuple(name for name in joints if name in grippers),
        wheels=tuple(name for name in joints if name in wheels),
        followers=tuple(name for name in joints if name in followers),
        chains=_chains(joints, parents, left),
        urdf_xml=urdf_xml,
    )


def matching(patterns: Sequence[str], names: Sequence[str], what: str) -> tuple[str, ...]:
    """Return the names that patterns such as ``arm_*`` match: by pattern, then in their order.

    Raises:
        ConfigurationError: a pattern matches nothing.
    """
    matched: dict[str, None] = {}
    for pattern in patterns:
        matches = [pattern] if pattern in names else [n for n in names if fnmatchcase(n, pattern)]
        if not matches:
            raise ConfigurationError(
                f"{what} '{pattern}' matches no movable joint of the URDF, which has "
                f"{listed(names) if names else 'none'}."
            )
        matched |= dict.fromkeys(matches)
    return tuple(matched)


def _named(joint: UrdfJoint) -> str:
    """Return what the name says; a link called gripper can be the one that carries it."""
    name = joint.name.lower()
    if _GRIPPER.search(name) and not _WRIST.search(name):
        return "gripper"
    return "wheel" if _WHEEL.search(name) or _WHEEL.search(joint.child.lower()) else ""


def _suspensions(
    joints: Mapping[str, UrdfJoint], parents: Mapping[str, tuple[str, str]], wheels: set[str]
) -> set[str]:
    """Return prismatic joints that carry wheels alone."""
    carried: dict[str, set[str]] = {}
    for name, joint in joints.items():
        for before in path_of(joint.parent, parents, joints):
            carried.setdefault(before, set()).add(name)
    return {
        name
        for name, behind in carried.items()
        if joints[name].kind == "prismatic" and behind <= wheels
    }


def _narrow_pairs(
    joints: Mapping[str, UrdfJoint], parents: Mapping[str, tuple[str, str]]
) -> set[str]:
    """Return prismatic joints of a small range behind one joint, two or more, that end there."""
    ahead = {name: _ahead(joint, parents, joints) for name, joint in joints.items()}
    leading = set(ahead.values())
    narrow = [
        name
        for name, joint in joints.items()
        if joint.kind == "prismatic"
        and joint.position is not None
        and joint.position[1] - joint.position[0] <= _FINGER_RANGE
        and name not in leading
    ]
    return {
        name
        for name in narrow
        if ahead[name] is not None and sum(ahead[other] == ahead[name] for other in narrow) > 1
    }


def _ahead(
    joint: UrdfJoint, parents: Mapping[str, tuple[str, str]], among: Mapping[str, UrdfJoint]
) -> str | None:
    """Return the movable joint before a joint."""
    path = path_of(joint.parent, parents, among)
    return path[-1] if path else None


def _with_dependent(
    joints: Mapping[str, UrdfJoint], parents: Mapping[str, tuple[str, str]], chosen: set[str]
) -> set[str]:
    """Add joints behind the chosen ones, their leaders and their followers."""
    complete = set(chosen)
    for name in chosen:
        leader = joints[name].leader
        if leader is not None and leader in joints:
            complete.add(leader)
    for name, joint in joints.items():
        if joint.leader in complete or complete & set(path_of(joint.parent, parents, joints)):
            complete.add(name)
    return complete


def _chains(
    joints: Mapping[str, UrdfJoint], parents: Mapping[str, tuple[str, str]], left: Sequence[str]
) -> tuple[JointChain, ...]:
    paths = {name: path_of(joints[name].child, parents, left) for name in left}
    inner = {joint for path in paths.values() for joint in path[:-1]}
    return tuple(
        JointChain(joints[name].child, tuple(path))
        for name, path in paths.items()
        if name not in inner
    )
