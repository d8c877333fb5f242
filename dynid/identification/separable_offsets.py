"""Offsets that the motion can tell from dry friction."""

from __future__ import annotations

from collections.abc import Sequence

from dynid.dynamics.joint_terms import TermSettings
from dynid.evaluation.diagnosis.one_direction import move_one_way
from dynid.robot.robot import Robot
from dynid.signals.signals import Signals


def with_separable_offsets(robot: Robot, signals: Sequence[Signals]) -> Robot:
    """Return the robot without offsets of joints that move in one direction only.

    There, dry friction and offset are one constant, which what is not modelled at the start of the
    motion would divide into two of opposite signs, each many times as large: a torque that jumps by
    their sum when the joint turns back.
    """
    one_way = move_one_way([piece.velocity for piece in signals])
    left = tuple(name for name, no in zip(robot.joints, one_way, strict=True) if not no)
    terms: list[TermSettings] = []
    for term in robot.explicit_terms:
        if term.kind == "offset" and term.side == "joint":
            members = robot.joints if term.joints == "all" else term.joints
            kept = tuple(name for name in members if name in left or name not in robot.joints)
            if kept != members:
                terms += [term.model_copy(update={"joints": kept})] if kept else []
                continue
        terms.append(term)
    return robot.with_terms(tuple(terms))
