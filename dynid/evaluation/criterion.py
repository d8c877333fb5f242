"""The criterion of the verdict: whether a joint's model is good, and why not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import isfinite, isnan, sqrt
from typing import TYPE_CHECKING

from dynid.evaluation.settings import LARGEST_ERROR, LARGEST_UNEXPLAINED
from dynid.evaluation.uses import DETECTABLE, PLAIN_BETTER, references
from dynid.text import listed, percent, significant

if TYPE_CHECKING:
    from dynid.evaluation.joint_errors import JointErrors, JointState
    from dynid.evaluation.settings import EvaluationSettings

NEAR_CONSTANT = 0.1
"""Share of the variance of the torque that a model has to explain at least; with less, a constant
torque is as good."""
_SIGNIFICANT_DEVIATIONS = (
    2.0  # standard deviations by which a model has to be better than a constant torque
)


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


def state(joint: JointErrors, settings: EvaluationSettings, *, resting: bool) -> JointState:
    """Return whether a joint passes, and what of it is rated.

    Args:
        joint: its errors.
        settings: the criterion.
        resting: whether joints at rest are rated; otherwise they have to move.
    """
    if any(_reasons(joint, settings, resting=resting)):
        return "poor"
    if joint.moving_samples == 0:
        return "at_rest" if resting else "not_moved"
    constant = isnan(joint.explained_variance) and joint.relative_error > 0
    if joint.noise_share > 0 and (isnan(joint.unexplained_error) or constant):
        return "noise"
    return "good"


def reasons(joints: Sequence[JointErrors], settings: EvaluationSettings) -> Iterator[str]:
    """Yield sentences on why the joints' models fail; of joints that do not move, if none does."""
    moved = any(joint.state != "not_moved" for joint in joints)
    for joint in joints:
        if joint.state == "not_moved" and not moved:
            speed = "m/s" if joint.sliding else "rad/s"
            threshold = f"{joint.velocity_threshold:.3g} {speed}"
            yield f"{joint.joint}: no sample moves faster than {threshold}."
        elif joint.state == "poor":
            yield from _reasons(joint, settings, resting=joint.moving_samples == 0)


def _reasons(joint: JointErrors, settings: EvaluationSettings, *, resting: bool) -> Iterator[str]:
    name, worst = joint.joint, joint.max_relative_torque_error
    if not isfinite(joint.rmse):
        yield f"{name}: model or measured torque contains values that are not finite."
    elif joint.moving_samples == 0:
        if resting and joint.unexplained_error > settings.unexplained_limit:
            yield _too_far_at_rest(joint, settings)
    elif not isfinite(worst):
        yield f"{name}: the measured torque is zero in all samples in motion."
    else:
        yield from _poor(joint, settings)
        limit = settings.largest_error
        if limit is not None and worst > limit:
            yield (
                f"{name}: max relative torque error {percent(worst)}{_when(joint)}, "
                f"allowed {100 * limit:g} %."
            )


def _poor(joint: JointErrors, settings: EvaluationSettings) -> Iterator[str]:
    held_out = settings.criterion == "held_out"
    allowed = settings.unexplained_limit if held_out else LARGEST_UNEXPLAINED
    noise = (
        f" ({percent(joint.unexplained_error)} without noise)" if joint.noise_share > 0.01 else ""
    )
    if joint.unexplained_error > allowed:
        yield (
            f"{joint.joint}: held-out relative torque error {percent(joint.held_out_error)}"
            f"{noise}, allowed {100 * allowed:.3g} %: the model serves neither "
            f"feedforward nor collision detection at this joint ({references(joint)})."
        )
        return
    share, deviation = joint.explained_variance, joint.explained_variance_uncertainty
    if share <= max(NEAR_CONSTANT, _SIGNIFICANT_DEVIATIONS * deviation):
        yield (
            f"{joint.joint}: on unseen data the model explains {percent(max(share, 0.0))} of the "
            f"torque's variance (± {percent(deviation)}), hardly more than a constant torque; at "
            f"least {percent(NEAR_CONSTANT)} and two standard deviations are required."
        )


def _too_far_at_rest(joint: JointErrors, settings: EvaluationSettings) -> str:
    return (
        f"{joint.joint}: at rest, {percent(joint.held_out_error)} of the torque is neither the "
        f"model's nor static friction of up to {_torque(joint, joint.static_friction)}, allowed "
        f"{100 * settings.unexplained_limit:.3g} %."
    )


def _torque(joint: JointErrors, value: float) -> str:
    return f"{significant(value, 3)} {'N' if joint.sliding else 'N·m'}"


def remarks(joints: Sequence[JointErrors], settings: EvaluationSettings) -> Iterator[str]:
    """Yield sentences on limited use that is no reason for failure, one for joints alike."""
    yield from _without_motion(joints)
    moved = [
        joint
        for joint in joints
        if joint.moving_samples and isfinite(joint.max_relative_torque_error)
    ]
    yield from _limited_uses(moved)
    yield from _better_references(moved)
    limit = settings.largest_error
    for joint in moved:
        worst = joint.max_relative_torque_error
        if worst > LARGEST_ERROR and (limit is None or worst <= limit):
            error = f"torque error {percent(worst)} of the largest torque"
            yield f"{joint.joint}: {error}{_when(joint)}."


def _without_motion(joints: Sequence[JointErrors]) -> Iterator[str]:
    still = [joint for joint in joints if joint.state == "not_moved"]
    if still:
        yield (
            f"{_names(still)}: no motion in these recordings: not identified, the URDF's value is "
            "kept."
        )
    resting = [joint for joint in joints if joint.state == "at_rest"]
    if not resting:
        return
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


def _limited_uses(moved: Sequence[JointErrors]) -> Iterator[str]:
    noisy = [joint for joint in moved if joint.state == "noise"]
    if noisy:
        shares = _percents(joint.noise_share for joint in noisy)
        yield (
            f"{_names(noisy)}: torque is hardly more than noise or a constant (noise of {shares} "
            "of the torque, both rms after filtering), so there is nothing to explain: the "
            "parameters are not identifiable and the error is not rated."
        )
    good = [joint for joint in moved if joint.state == "good"]
    for joint in good:
        for use in joint.uses:
            if use.use == "feedforward" and use.serves is False:
                yield (
                    f"{joint.joint}: the error is allowed, but the model does not serve "
                    f"feedforward: {use.reason} (up to {100 * use.limit:g} % serves; "
                    f"{references(joint)})."
                )
    blunt = [joint for joint in good if joint.feedforward and joint.collision is False]
    if blunt:
        levels = listed(_torque(joint, joint.detectable_torque) for joint in blunt)
        yield (
            f"{_names(blunt)}: the model serves feedforward, but not collision detection: "
            f"without false alarms only more than {levels} would be detected, "
            f"{_percents(joint.detectable_share for joint in blunt)} of the largest torque (up to "
            f"{100 * DETECTABLE:g} % serves)."
        )


def _better_references(moved: Sequence[JointErrors]) -> Iterator[str]:
    worse = [joint for joint in moved if joint.held_out_error > PLAIN_BETTER * joint.plain_error]
    if worse:
        yield (
            f"{_names(worse)}: with viscous and Coulomb friction, offset and rotor inertia as the "
            "only terms of all joints, the held-out error is "
            f"{_percents(joint.plain_error for joint in worse)} instead of "
            f"{_percents(joint.held_out_error for joint in worse)}; the other terms, at these "
            "joints or at others, make it worse."
        )
    worse = [joint for joint in moved if joint.relative_error > PLAIN_BETTER * joint.urdf_error]
    if worse:
        yield (
            f"{_names(worse)}: with the masses of the URDF and friction fitted to them the error "
            f"is {_percents(joint.urdf_error for joint in worse)} instead of "
            f"{_percents(joint.relative_error for joint in worse)}; the recordings of the "
            "identification may not have determined the masses there."
        )


def _names(joints: Iterable[JointErrors]) -> str:
    return listed(joint.joint for joint in joints)


def _percents(values: Iterable[float]) -> str:
    return listed(percent(value) for value in values)


def _when(joint: JointErrors) -> str:
    if not isfinite(joint.largest_error_time):
        return ""
    which = f" of recording {joint.largest_error_recording}" if joint.of_several else ""
    return f" at {joint.largest_error_time:.2f} s{which}"
