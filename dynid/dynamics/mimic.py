"""Joints that follow others, ``<mimic>`` of a URDF: checks of their use in a mechanism."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from math import isclose
from typing import NamedTuple

from dynid.errors import MechanismError
from dynid.xml_tree import xml_tree


class _Mimic(NamedTuple):
    """position = multiplier * position of the leader + offset."""

    leader: str
    multiplier: float
    offset: float


def check_mimic(
    urdf_xml: str, joints: Collection[str], locked: Mapping[str, float], passive: Collection[str]
) -> None:
    """Raise where a joint that follows another one would be modelled as if it did not.

    A follower may be a passive joint, whose position the closures determine; explicitly locked; or
    follow a leader that is locked itself, at the matching position.

    Raises:
        MechanismError: a joint is not modelled as one that follows.
    """
    if "<mimic" not in urdf_xml:
        return
    followers = _followers(urdf_xml)
    leaders = {name: mimic.leader for name, mimic in followers.items() if mimic.multiplier != 0}
    for joint, mimic in followers.items():
        if joint in passive:
            continue
        if joint in joints:
            raise MechanismError(
                f"Joint '{joint}' is in 'joints', so it has a drive, but in the URDF it follows "
                f"joint '{mimic.leader}' (<mimic>); remove it from 'joints', or the <mimic> from "
                "the URDF."
            )
        moving = moving_leader(joint, leaders, {*joints, *passive})
        if joint not in locked and moving is not None:
            raise MechanismError(
                f"Joint '{joint}' follows joint '{moving}' (<mimic>), which moves, but would be "
                "modelled as locked; name it in 'closed_chain.passive' with a closure of kind "
                "gear, as `dynid new` does, or, where its motion can be neglected, in 'locked'."
            )
        _check_place(joint, mimic, followers, locked, moves=moving is not None)


def _followers(urdf_xml: str) -> dict[str, _Mimic]:
    """Return the joints that follow others, by name; pinocchio reads the URDF only later."""
    root = xml_tree(urdf_xml, "The URDF")
    names = {joint.get("name", "") for joint in root.findall("joint")}
    followers = {}
    for joint in root.findall("joint"):
        mimic = joint.find("mimic")
        if mimic is None or joint.get("type") == "fixed":
            continue
        name, leader = joint.get("name", ""), mimic.get("joint", "")
        # numbers, as urdf_text has checked
        multiplier, offset = float(mimic.get("multiplier", "1")), float(mimic.get("offset", "0"))
        if leader not in names or leader == name:
            raise MechanismError(
                f"Joint '{name}' follows joint '{leader}' (<mimic>), which must be another joint "
                "of the URDF."
            )
        followers[name] = _Mimic(leader, multiplier, offset)
    return followers


def moving_leader(joint: str, leaders: Mapping[str, str], moving: Collection[str]) -> str | None:
    """Return the moving joint that a joint follows, directly or not; None where there is none."""
    seen: set[str] = set()
    while joint in leaders and joint not in seen:
        seen.add(joint)
        joint = leaders[joint]
        if joint in moving:
            return joint
    return None


def _check_place(
    joint: str,
    mimic: _Mimic,
    followers: Mapping[str, _Mimic],
    locked: Mapping[str, float],
    *,
    moves: bool,
) -> None:
    """Raise unless a follower is locked where its locked leader moves it; 0 is the default."""
    if moves or mimic.leader in followers:
        return
    expected = mimic.multiplier * locked.get(mimic.leader, 0.0) + mimic.offset
    if not isclose(locked.get(joint, 0.0), expected, abs_tol=1e-9):
        raise MechanismError(
            f"Joint '{joint}' follows joint '{mimic.leader}' (<mimic>), so its position is "
            f"{expected:g}, not {locked.get(joint, 0.0):g}; set locked.{joint} to {expected:g}."
        )
