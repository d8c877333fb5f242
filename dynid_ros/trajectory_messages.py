"""Trajectories as trajectory_msgs/JointTrajectory, and back."""

from __future__ import annotations

import numpy as np
from builtin_interfaces.msg import Duration
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from dynid.arrays import Array
from dynid.errors import PlaybackError
from dynid.playback.trajectory import Trajectory
from dynid_ros.joint_values import SECOND_NS, doubles, seconds, stamp, to_ns


def to_message(trajectory: Trajectory, stamp_ns: int) -> JointTrajectory:
    """Return the message of a trajectory that starts at an instant [ns], 0 for on arrival."""
    message = JointTrajectory(joint_names=list(trajectory.joints))
    message.header.stamp = stamp(stamp_ns)
    fields = {
        "positions": trajectory.position,
        "velocities": trajectory.velocity,
        "accelerations": trajectory.acceleration,
    }
    columns = {name: values for name, values in fields.items() if values is not None}
    points = []
    for k, instant in enumerate(np.rint(trajectory.time * SECOND_NS).astype(np.int64).tolist()):
        point = JointTrajectoryPoint(
            **{name: doubles(values[k]) for name, values in columns.items()}
        )
        point.time_from_start = Duration(sec=instant // SECOND_NS, nanosec=instant % SECOND_NS)
        points.append(point)
    message.points = points
    return message


def from_message(message: JointTrajectory) -> Trajectory:
    """Return the trajectory in a message.

    Raises:
        PlaybackError: the message is not a trajectory of positions.
    """
    if any(len(point.effort) for point in message.points):
        sentence = "the trajectory has efforts, which a position controller cannot follow."
        raise PlaybackError(sentence)
    position = _column(message, "positions")
    return Trajectory(
        tuple(message.joint_names),
        np.array([seconds(point.time_from_start) for point in message.points]),
        np.zeros((len(message.points), 0)) if position is None else position,
        _column(message, "velocities"),
        _column(message, "accelerations"),
    )


def start_ns(message: JointTrajectory) -> int:
    """Return the instant at which a message's trajectory starts [ns], 0 for now."""
    return to_ns(message.header.stamp)


def _column(message: JointTrajectory, name: str) -> Array | None:
    """Return one field of every point (K, n), or None where no point has it."""
    rows = [getattr(point, name) for point in message.points]
    if not any(len(row) for row in rows):
        return None
    for k, row in enumerate(rows):
        if len(row) != len(message.joint_names):
            raise PlaybackError(
                f"the trajectory's point {k + 1} has {len(row)} {name} for "
                f"{len(message.joint_names)} joints; every point needs one for each."
            )
    return np.array(rows, dtype=np.float64)
