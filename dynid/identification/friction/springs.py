"""Springs that balance weights, chosen by the error of the whole robot on blocks held out.

At its own joint a spring looks much like gravity, so that bodies stand for it; with these, the
inertia at other joints is wrong. Models that are tried at the spring's joint do not show it then.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dynid.dynamics.joint_terms import TermSettings
from dynid.identification.friction.whole_model import LeftOutSquares, WholeModel
from dynid.robot.robot import Robot

_SHAPES = (("spring_stiffness",), ("spring_quadratic", "spring_cubic"))  # the latter as well
_SIGNIFICANCE = 2.0  # standard errors: a spring is a part that somebody would see


def with_springs(compared: WholeModel, squares: LeftOutSquares) -> tuple[Robot, tuple[str, ...]]:
    """Return the robot with springs where these predict blocks held out better, and the joints.

    Args:
        compared: a robot without springs.
        squares: its errors on blocks held out.
    """
    robot, springs = compared.robot, list[int]()
    if any(term.kind.startswith("spring") for term in robot.explicit_terms):
        return robot, ()
    for kinds in _SHAPES:
        joints = springs or range(len(robot.joints))
        found, squares = _sprung(compared, robot, kinds, joints, squares, elsewhere=not springs)
        if not found:
            break
        springs = springs or found
        robot = _with_terms(robot, kinds, found)
    return robot, tuple(robot.joints[joint] for joint in sorted(springs))


def _sprung(
    compared: WholeModel,
    robot: Robot,
    kinds: Sequence[str],
    joints: Sequence[int],
    squares: LeftOutSquares,
    *,
    elsewhere: bool,
) -> tuple[list[int], LeftOutSquares]:
    """Return those of the joints that need these terms, the best one first, and the errors then.

    That is where the robot is better by more than chance; and, with ``elsewhere``, where the terms
    explain most of the squared error of another joint.
    """
    sprung = _with_terms(robot, kinds, joints)
    of_joints = dict.fromkeys(joints, frozenset[int]())
    for number, term in enumerate(sprung.mechanism().terms):
        if term.kind in kinds:
            of_joints[term.joint] |= {number}
    chosen: list[int] = []
    while left := [joint for joint in joints if joint not in chosen]:
        without = [frozenset().union(*(of_joints[j] for j in left if j != joint)) for joint in left]
        found = compared.squares_without(sprung, without)
        best = min(range(len(left)), key=lambda i: found[i].score)
        if not found[best].is_better_than(squares, _SIGNIFICANCE):
            break
        if elsewhere and not _explains(found[best], squares, left[best]):
            break
        chosen.append(left[best])
        squares = found[best]
    return chosen, squares


def _explains(squares: LeftOutSquares, before: LeftOutSquares, joint: int) -> bool:
    """Whether terms of a joint explain most of the squared error of another one."""
    less = squares.error.sum(axis=0) < before.error.sum(axis=0) / 2
    return bool(np.any(np.delete(less, joint)))


def _with_terms(robot: Robot, kinds: Sequence[str], joints: Sequence[int]) -> Robot:
    names = tuple(robot.joints[joint] for joint in sorted(joints))
    added = tuple(TermSettings(kind=kind, joints=names) for kind in kinds)
    return robot.with_terms((*robot.explicit_terms, *added))
