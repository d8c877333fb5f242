"""The criterion of the verdict: for what use a joint's model is accurate enough."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import isfinite, isnan, sqrt
from typing import TYPE_CHECKING

from dynid.evaluation.settings import LARGEST_ERROR
from dynid.text import listed, percent, significant

if TYPE_CHECKING:
    from dynid.evaluation.joint_errors import JointErrors
    from dynid.evaluation.settings import EvaluationSettings

DETECTABLE = 0.25
"""Smallest collision torque that is detectable without false alarms, over the largest torque of the
joint, up to which a model serves collision detection."""
USUAL = 0.999
"""Share of the samples whose error a threshold of collision detection has to exceed."""
_PLAIN_BETTER = 1.1  # error of the model over that of the plain model: below, they are alike


def unexplained(relative_error: float, noise: float) -> float:
    """Return the relative error of a joint without noise, √((e² - s²) / (1 - s²)).

    Args:
        relative_error: e, norm of the error over norm of the torque.
        noise: s, rms of the noise over that of the torque.

    Returns:
        The error; NaN if noise is half of the squared torque or more: there is nothing to explain.
    """
    if not 2 * noise**2 < 1:
        return float("nan")
    return sqrt(max(relative_error**2 - noise**2, 0.0) / (1 - noise**2))


def reasons(joint: JointErrors, settings: EvaluationSettings) -> Iterator[str]:
    """Yield sentences on why a joint's model fails."""
    name, worst = joint.joint, joint.max_relative_torque_error
    if not isfinite(joint.rmse):
        yield f"{name}: model or measured torque contains values that are not finite."
    elif not isnan(joint.static_friction):
        if joint.unexplained_error > settings.max_held_out_error:
            yield _too_far_at_rest(joint, settings)
    elif joint.moving_samples == 0:
        speed = "m/s" if joint.sliding else "rad/s"
        yield f"{name}: no sample moves faster than {joint.velocity_threshold:.3g} {speed}."
    elif not isfinite(worst):
        yield f"{name}: the measured torque is zero in all samples in motion."
    else:
        if settings.criterion == "held_out" and joint.feedforward is False:
            yield _poor(joint, settings)
        limit = settings.largest_error
        if limit is not None and worst > limit:
            yield (
                f"{name}: max relative torque error {percent(worst)}{_when(joint)}, "
                f"allowed {100 * limit:g} %."
            )


def _poor(joint: JointErrors, settings: EvaluationSettings) -> str:
    noise = (
        f" ({percent(joint.unexplained_error)} without noise)" if joint.noise_share > 0.01 else ""
    )
    return (
        f"{joint.joint}: held-out relative torque error {percent(joint.held_out_error)}{noise}, "
        f"allowed {100 * settings.max_held_out_error:g} %: the model serves neither feedforward "
        "nor collision detection at this joint."
    )


def _too_far_at_rest(joint: JointErrors, settings: EvaluationSettings) -> str:
    return (
        f"{joint.joint}: at rest, {percent(joint.held_out_error)} of the torque is neither the "
        f"model's nor static friction of up to {_torque(joint, joint.static_friction)}, allowed "
        f"{100 * settings.max_held_out_error:g} %."
    )


def _torque(joint: JointErrors, value: float) -> str:
    return f"{significant(value, 3)} {'N' if joint.sliding else 'N·m'}"


def remarks(joints: Sequence[JointErrors], settings: EvaluationSettings) -> Iterator[str]:
    """Yield sentences on limited use that is no reason for failure, one for joints alike."""
    resting = [joint for joint in joints if not isnan(joint.static_friction)]
    if resting:
        beyond = [joint for joint in resting if joint.held_out_error > 0]
        yield (
            f"{_names(resting)}: no motion in these recordings, so only torque at rest is rated, "
            "not inertia and friction in motion. "
            + (
                f"{_names(beyond)}: {_percents(joint.held_out_error for joint in beyond)} of the "
                "torque is neither the model's nor static friction."
                if beyond
                else "Static friction explains all of the difference from the model."
            )
        )
    moved = [
        joint
        for joint in joints
        if joint.moving_samples and isfinite(joint.max_relative_torque_error)
    ]
    noisy = [joint for joint in moved if joint.feedforward is None]
    if noisy:
        yield (
            f"{_names(noisy)}: torque is hardly more than noise (noise of "
            f"{_percents(joint.noise_share for joint in noisy)} of the torque, both rms after "
            "filtering), so there is nothing to explain: the parameters are not identifiable and "
            "the error is not rated."
        )
    blunt = [joint for joint in moved if joint.feedforward and joint.collision is False]
    if blunt:
        levels = listed(_torque(joint, joint.detectable_torque) for joint in blunt)
        yield (
            f"{_names(blunt)}: the model serves feedforward, but not collision detection: without "
            f"false alarms only more than {levels} would be detected, "
            f"{_percents(joint.detectable_share for joint in blunt)} of the largest torque (up to "
            f"{100 * DETECTABLE:g} % serves)."
        )
    worse = [joint for joint in moved if joint.held_out_error > _PLAIN_BETTER * joint.plain_error]
    if worse:
        yield (
            f"{_names(worse)}: with viscous and Coulomb friction, offset and rotor inertia as the "
            "only terms of all joints, the held-out error is "
            f"{_percents(joint.plain_error for joint in worse)} instead of "
            f"{_percents(joint.held_out_error for joint in worse)}; the other terms, at these "
            "joints or at others, make it worse."
        )
    worse = [joint for joint in moved if joint.relative_error > _PLAIN_BETTER * joint.urdf_error]
    if worse:
        yield (
            f"{_names(worse)}: with the masses of the URDF and the model's friction the error is "
            f"{_percents(joint.urdf_error for joint in worse)} instead of "
            f"{_percents(joint.relative_error for joint in worse)}; the recordings of the "
            "identification may not have determined the masses there."
        )
    limit = settings.largest_error
    for joint in moved:
        worst = joint.max_relative_torque_error
        if worst > LARGEST_ERROR and (limit is None or worst <= limit):
            error = f"torque error {percent(worst)} of the largest torque"
            yield f"{joint.joint}: {error}{_when(joint)}."


def _names(joints: Iterable[JointErrors]) -> str:
    return listed(joint.joint for joint in joints)


def _percents(values: Iterable[float]) -> str:
    return listed(percent(value) for value in values)


def _when(joint: JointErrors) -> str:
    if not isfinite(joint.largest_error_time):
        return ""
    which = f" of recording {joint.largest_error_recording}" if joint.of_several else ""
    return f" at {joint.largest_error_time:.2f} s{which}"
