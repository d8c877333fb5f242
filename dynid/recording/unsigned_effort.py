"""Efforts without their sign: of no moving joint negative, though they fall to zero in motion."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynid.arrays import Array
from dynid.recording.contradiction import Contradiction
from dynid.recording.model import Recording
from dynid.recording.velocity_agreement import moving_joints
from dynid.text import listed

_LEAST_JOINTS = 2  # the load may keep the sign of one
_MOVING_SPEED = 0.02  # of the peak speed
_WAY_BACK = 0.1  # of the peak speed, in either direction
_LEAST_SHARE = 0.02  # of the samples, in either direction
_LOW_QUANTILE = 0.005  # of efforts in motion
_NEAR_ZERO = 0.03  # of the peak effort; a load that keeps its sign stays away from zero
_PEAK_QUANTILE = 0.98


def unsigned_effort(recording: Recording) -> Iterator[Contradiction]:
    """Find efforts of which all moving joints have only one sign, as of magnitudes.

    All joints that move in both directions are at least two; at least two of them, and half, have
    efforts that reach zero in motion and turn back there. A load that keeps its sign does not.
    """
    velocity = np.gradient(recording.position, axis=0)  # in steps: only its ratios count
    joints = [j for j in moving_joints(recording).tolist() if _both_ways(velocity[:, j])]
    efforts = recording.effort[:, joints]
    if (
        len(joints) < _LEAST_JOINTS
        or not (
            ((efforts >= 0).all(axis=0) | (efforts <= 0).all(axis=0))
            & (np.ptp(efforts, axis=0) > 0)
        ).all()
    ):
        return
    folded = sum(_reaches_zero(velocity[:, j], recording.effort[:, j]) for j in joints)
    if folded < max(_LEAST_JOINTS, len(joints) / 2):
        return
    names = tuple(recording.joint_names[joint] for joint in joints)
    yield Contradiction(
        kind="unsigned_effort",
        joints=names,
        severity="problem",
        sentence=(
            f"The efforts of {listed(names)} never change their sign although the joints move in "
            f"both directions, and {folded} of {len(names)} reach zero in motion and turn back: "
            "they were recorded without sign, as magnitudes."
        ),
        remedy=(
            "Record torque or current with its sign; where the drive has none, set "
            "identification.unsigned_torque: true in the profile, with which signs are found."
        ),
        evidence={"joints without change of sign": float(len(names))},
        signals=("effort",),
    )


def _both_ways(velocity: Array) -> bool:
    """Return whether a joint of this velocity (N,) moves in both directions."""
    least = _WAY_BACK * float(np.quantile(np.abs(velocity), _PEAK_QUANTILE))
    forth, back = float(np.mean(velocity > least)), float(np.mean(velocity < -least))
    return least > 0 and min(forth, back) >= _LEAST_SHARE


def _reaches_zero(velocity: Array, effort: Array) -> bool:
    """Return whether the effort of a joint (N,) reaches zero while the joint moves."""
    speed = np.abs(velocity)
    moves = speed > _MOVING_SPEED * float(np.quantile(speed, _PEAK_QUANTILE))
    low, peak = np.quantile(np.abs(effort[moves]), [_LOW_QUANTILE, _PEAK_QUANTILE]).tolist()
    return bool(low <= _NEAR_ZERO * peak)
