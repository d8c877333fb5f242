"""Joints that move too slowly, or not at all, to identify inertia and friction."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from dynid.arrays import Array
from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.diagnosis.contradicting_signals import joints_with_dead_band
from dynid.evaluation.diagnosis.finding import Finding, Plot, Trace
from dynid.text import joint_units, listed, percent, these_joints, torque_unit

_INERTIA_SHARE = 0.03  # of the torque: below, errors of friction exceed inertia torque
_FEWER = 4  # further decimation
_SPEED_SHARE = 0.3  # of the velocity limit: a faster joint is light, not slow

_REMEDY = (
    "Move faster: inertia torque increases with the square of the speed (dynid excite proposes a "
    "motion near the limits)."
)


def too_slow(case: Case) -> Iterator[Finding]:
    """Find joints that hardly move, and joints with hardly any inertia torque."""
    decimated = case.decimated
    share = decimated.moving.mean(axis=0)
    at_rest = [int(j) for j in np.flatnonzero(~decimated.moves)]
    if at_rest:
        yield _at_rest(case, at_rest, share)
    if case.mechanism.semi_static:
        return  # slow motion is intended, and inertia is not identified
    inertia = _inertia_torque(case)
    size = np.linalg.norm(decimated.torque[::_FEWER], axis=0)
    inertia_share = np.linalg.norm(inertia, axis=0) / np.where(size > 0, size, np.inf)
    speed_share = _speed_share(case)
    unmeasured = joints_with_dead_band(case)
    slow = [
        j
        for j in range(len(case.joints))
        if j not in at_rest
        and case.joints[j] not in unmeasured  # a share of such a torque says nothing
        and inertia_share[j] < _INERTIA_SHARE
        and not speed_share[j] > _SPEED_SHARE  # NaN where no limit is known
    ]
    if slow:
        yield _slow(case, slow, inertia, inertia_share, speed_share)


def _at_rest(case: Case, joints: list[int], share: Array) -> Finding:
    names = [case.joints[j] for j in joints]
    threshold = np.max([s.velocity_threshold for s in case.signals], axis=0)
    shares = listed(percent(share[j]) for j in joints)
    speeds = listed(f"{threshold[j]:.3g}" for j in joints)
    return Finding(
        cause="too_slow",
        joints=tuple(names),
        severity="problem",
        sentence=(
            f"{listed(names)}: hardly any motion; only {shares} of the samples are faster than "
            f"{speeds} {joint_units(case.mechanism.prismatic, joints, 'rad/s', 'm/s')}."
        ),
        advice=(f"Excite {these_joints(names)} too, or cut the recording to the time of motion."),
        evidence={f"moving share of {case.joints[j]}": float(share[j]) for j in joints},
    )


def _slow(
    case: Case, joints: list[int], inertia: Array, inertia_share: Array, speed_share: Array
) -> Finding:
    names = [case.joints[j] for j in joints]
    worst = min(joints, key=lambda j: inertia_share[j])
    evidence = {}
    for j in joints:
        evidence[f"inertia share of {case.joints[j]}"] = float(inertia_share[j])
        if np.isfinite(speed_share[j]):
            evidence[f"speed share of {case.joints[j]}"] = float(speed_share[j])
    shares = listed(percent(inertia_share[j]) for j in joints)
    speeds = listed(f"{100 * speed_share[j]:.0f} %" for j in joints)
    limits = (
        f", at a speed of up to {speeds} of its limit" if np.isfinite(speed_share).all() else ""
    )
    time = case.time[::_FEWER]
    return Finding(
        cause="too_slow",
        joints=tuple(names),
        severity="warning",
        sentence=(
            f"{listed(names)}: motion is too slow; inertia torque is {shares} of the torque (rms)"
            f"{limits}."
        ),
        advice=_REMEDY,
        evidence=evidence,
        plot=Plot(
            x_label="time [s]",
            y_label=f"{case.joints[worst]} [{torque_unit(case.mechanism.prismatic[worst])}]",
            traces=(
                Trace(time, case.decimated.torque[::_FEWER, worst], "measured"),
                Trace(time, inertia[:, worst], "due to inertia"),
            ),
        ),
    )


def _inertia_torque(case: Case) -> Array:
    """Return the inertia torque (m, n) of the model, or of the URDF's masses without a model."""
    parameters = (case.model or case.mechanism).parameters
    position, _, acceleration = (values[::_FEWER] for values in case.decimated.motion)
    rest = np.zeros_like(acceleration)
    mechanism = case.model or case.mechanism
    accelerated = mechanism.torque(position, rest, acceleration, parameters)
    return np.asarray(accelerated - mechanism.torque(position, rest, rest, parameters))


def _speed_share(case: Case) -> Array:
    """Return the peak speed over the velocity limit (n,); NaN without a limit."""
    peak = np.abs(case.decimated.velocity).max(axis=0)
    limit = case.robot.limits.velocity
    return np.asarray(peak / (np.nan if limit is None else np.asarray(limit)))
