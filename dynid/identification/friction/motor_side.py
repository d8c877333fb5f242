"""Friction and rotors of motors that turn with several joints, chosen by the recordings.

The torque of such a motor acts on several joints at once through the coupling, so no terms at the
joints replace its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.joint_terms import TermSettings
from dynid.identification.dead_bands import with_dead_bands
from dynid.identification.friction.reduced import HeldOutBlocks
from dynid.identification.friction.whole_model import given_model
from dynid.identification.settings import IdentificationSettings
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid.signals.signals import Signals

_KINDS = ("viscous", "coulomb", "rotor_inertia")
_CONTACTS = (0.003, 0.01, 0.03)  # distances of presliding, over the travel of the motor
_DIGITS = 3  # of a distance
_SIGNIFICANCE = 1.0  # standard errors


def with_motor_terms(
    robot: Robot,
    recordings: Sequence[Recording],
    blocks: HeldOutBlocks,
    settings: IdentificationSettings,
) -> Robot:
    """Return the robot with terms of coupled motors, if blocks held out are predicted better.

    Viscous and Coulomb friction and a rotor are tried, then presliding as well: friction that
    follows a reversal late looks like a negative rotor inertia.

    Args:
        robot: with explicit terms; where these name a motor, it stays as it is.
        recordings: of the robot's joints.
        blocks: of the recordings.
        settings: of the identification, at the rate of the blocks.
    """
    motors = motors_of_several_joints(robot)
    if not motors or any(term.side == "motor" for term in robot.explicit_terms):
        return robot
    best, least = robot, given_model(robot, blocks, settings)[1]
    for stage in _stages(robot, motors, blocks.signals):
        tried = [with_dead_bands(robot.with_terms(terms), recordings) for terms in stage]
        squares = [given_model(one, blocks, settings)[1] for one in tried]
        first = min(range(len(tried)), key=lambda i: squares[i].score)
        if not squares[first].is_better_than(least, _SIGNIFICANCE):
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
