"""The forces at the tool that collision thresholds detect."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dynid.arrays import Array
from dynid.control.residual import CommandedResidual
from dynid.robot.robot import Robot

_POSES = 200  # of all recordings
_STEP = 1e-4  # [rad or m]
_NO_LEVER = 1e-6  # [m, or 1 of a prismatic joint], from rounding
_DIRECTIONS = 500  # of a force


@dataclass(frozen=True)
class DetectableForce:
    """The smallest forces at the tool that reach a threshold: means over poses.

    Attributes:
        of_joint: in the direction that each joint is most sensitive to, (n,) [N]; inf for a joint
            that no force at the tool turns.
        easiest: in the direction that is detected first, by any joint [N].
        hardest: in the direction that is detected last [N]; inf where some is not detected.
    """

    of_joint: tuple[float, ...]
    easiest: float
    hardest: float


def detectable_force(
    robot: Robot, residuals: Sequence[CommandedResidual], thresholds: Array
) -> DetectableForce | None:
    """Return the smallest static forces at the tool whose joint torques J^T f reach thresholds.

    Args:
        robot: with its URDF; the tool is its last link.
        residuals: along whose poses the mean is computed.
        thresholds: of the joints (n,) [N m or N].

    Returns:
        None where positions are not known.
    """
    known = [residual.position for residual in residuals if residual.position is not None]
    if not known:
        return None
    positions = np.concatenate(known)
    levers = _levers(robot, positions[:: -(-len(positions) // _POSES)])
    levers = np.where(np.abs(levers) < _NO_LEVER, 0.0, levers)
    shares = levers / thresholds[:, np.newaxis]  # of a threshold, by 1 N in x, y and z (K, n, 3)
    of_joint = np.linalg.norm(shares, axis=2)
    by_direction = np.abs(shares @ _directions().T).max(axis=1)
    with np.errstate(divide="ignore"):
        return DetectableForce(
            tuple(np.mean(1 / of_joint, axis=0).tolist()),
            float(np.mean(1 / of_joint.max(axis=1))),
            float(np.mean(1 / by_direction.min(axis=1))),
        )


def _levers(robot: Robot, positions: Array) -> Array:
    """Return the Jacobians of the tool's position on the commanded side, transposed (K, n, 3)."""
    kinematics = robot.kinematics()
    steps = _STEP * np.eye(positions.shape[1])
    columns = [
        (kinematics.tool_path(positions + step) - kinematics.tool_path(positions - step))
        / (2 * _STEP)
        for step in steps
    ]
    return np.stack(columns, axis=1)


def _directions() -> Array:
    """Return unit vectors that cover a sphere evenly (K, 3): a Fibonacci spiral."""
    k = np.arange(_DIRECTIONS)
    height = 1 - (2 * k + 1) / _DIRECTIONS
    angle = np.pi * (3 - np.sqrt(5)) * k
    radius = np.sqrt(1 - height**2)
    return np.stack([radius * np.cos(angle), radius * np.sin(angle), height], axis=1)
