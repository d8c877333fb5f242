"""Terms that errors of the whole robot show: of motors that turn several joints, and springs.

The torque of such a motor acts on several joints at once through the coupling, so no terms at the
joints replace its own. At its own joint a spring looks much like gravity, so that bodies stand for
it; with these, the inertia at other joints is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.joint_terms import TermSettings
from dynid.identification.dead_bands import with_dead_bands
from dynid.identification.friction.reduced import HeldOutBlocks
from dynid.identification.friction.whole_model import LeftOutSquares, WholeModel, given_model
from dynid.identification.settings import IdentificationSettings
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid.signals.signals import Signals

_KINDS = ("viscous", "coulomb", "rotor_inertia")
_CONTACTS = (0.003, 0.01, 0.03)  # distances of presliding, over the travel of the motor
_DIGITS = 3  # of a distance
_SIGNIFICANCE_OF_A_MOTOR = 1.0  # standard errors
_SIGNIFICANCE_OF_A_SPRING = 2.0  # standard errors: a part that somebody would see
_SPRINGS = (("spring_stiffness",), ("spring_quadratic", "spring_cubic"))  # the latter as well


def with_motor_terms(
    robot: Robot,
    recordings: Sequence[Recording],
    blocks: HeldOutBlocks,
    settings: IdentificationSettings,
) -> Robot:
    """Return the robot with terms of coupled motors, if blocks held out are predicted better.

    Viscous and Coulomb friction and a rotor are tried, then presliding as well: friction that
    follows a reversal late looks like a negative rotor inertia. A robot whose terms name a motor
    stays as it is.
    """
    motors = motors_of_several_joints(robot)
    if not motors or any(term.side == "motor" for term in robot.explicit_terms):
        return robot
    best, least = robot, given_model(robot, blocks, settings)[1]
    for stage in _stages(robot, motors, blocks.signals):
        tried = [with_dead_bands(robot.with_terms(terms), recordings) for terms in stage]
        squares = [given_model(one, blocks, settings)[1] for one in tried]
        first = min(range(len(tried)), key=lambda i: squares[i].score)
        if not squares[first].is_better_than(least, _SIGNIFICANCE_OF_A_MOTOR):
            break
        best, least = tried[first], squares[first]
    return best


def motors_of_several_joints(robot: Robot) -> tuple[str, ...]:
    """Return the motors that turn with several joints, named after the joint of their number."""
    if robot.coupling is None:
        return ()
    of_motors = np.linalg.inv(np.array(robot.coupling))  # q_motor = T^-1 q_joint
    several = (np.abs(of_motors) > 1e-9 * np.abs(of_motors).max()).sum(axis=1) > 1
    return tuple(name for name, found in zip(robot.joints, several, strict=True) if found)


def _stages(
    robot: Robot, motors: tuple[str, ...], signals: Sequence[Signals]
) -> Iterator[list[tuple[TermSettings, ...]]]:
    """Yield the alternatives of each stage: terms of the joints and of these motors."""
    smoothing = max(term.smoothing for term in robot.explicit_terms)
    shapes = {"coulomb": {"smoothing": smoothing}}
    plain = robot.explicit_terms + tuple(
        TermSettings(kind=kind, joints=motors, side="motor", **shapes.get(kind, {}))
        for kind in _KINDS
    )
    yield [plain]
    travel = dict(zip(robot.joints, _motor_travel(robot, signals).tolist(), strict=True))
    yield [
        plain
        + tuple(
            TermSettings(
                kind="presliding",
                joints=(name,),
                side="motor",
                scale=float(f"{share * travel[name]:.{_DIGITS}g}"),
            )
            for name in motors
        )
        for share in _CONTACTS
    ]


def _motor_travel(robot: Robot, signals: Sequence[Signals]) -> Array:
    """Return the range of positions of each motor (n,), at its gear's output [rad or m]."""
    of_motors = np.linalg.inv(np.array(robot.coupling)).T
    travel = [np.ptp(piece.position @ of_motors, axis=0) for piece in signals]
    return np.asarray(np.max(travel, axis=0))


def with_springs(compared: WholeModel, squares: LeftOutSquares) -> tuple[Robot, tuple[str, ...]]:
    """Return the robot with springs where these predict blocks held out better, and the joints."""
    robot, springs = compared.robot, list[int]()
    if any(term.kind.startswith("spring") for term in robot.explicit_terms):
        return robot, ()
    for kinds in _SPRINGS:
        joints = springs or range(len(robot.joints))
        found, squares = _sprung(compared, robot, kinds, joints, squares, elsewhere=not springs)
        if not found:
            break
        springs = springs or found
        robot = _with_springs_at(robot, kinds, found)
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
    sprung = _with_springs_at(robot, kinds, joints)
    of_joints = dict.fromkeys(joints, frozenset[int]())
    for number, term in enumerate(sprung.mechanism().terms):
        if term.kind in kinds:
            of_joints[term.joint] |= {number}
    chosen: list[int] = []
    while left := [joint for joint in joints if joint not in chosen]:
        without = [frozenset().union(*(of_joints[j] for j in left if j != joint)) for joint in left]
        found = compared.squares_without(sprung, without)
        best = min(range(len(left)), key=lambda i: found[i].score)
        if not found[best].is_better_than(squares, _SIGNIFICANCE_OF_A_SPRING):
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


def _with_springs_at(robot: Robot, kinds: Sequence[str], joints: Sequence[int]) -> Robot:
    names = tuple(robot.joints[joint] for joint in sorted(joints))
    added = tuple(TermSettings(kind=kind, joints=names) for kind in kinds)
    return robot.with_terms((*robot.explicit_terms, *added))
