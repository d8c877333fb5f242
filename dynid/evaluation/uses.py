"""For what a joint's model is accurate enough: one criterion for each use, with its reason.

Every use needs a model that passes the verdict at the joint; the criterion of the use comes on top.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import isfinite, isnan
from typing import TYPE_CHECKING

from dynid.evaluation.joint_errors import JointErrors, JointUse, UseName
from dynid.text import percent, significant

if TYPE_CHECKING:
    from dynid.evaluation.settings import EvaluationSettings

DETECTABLE = 0.25
"""Smallest collision torque that is detectable without false alarms, over the largest torque of the
joint, up to which a model serves collision detection."""
USUAL = 0.999
"""Share of the samples whose error a threshold of collision detection has to exceed."""
WEIGHABLE = 0.1
"""Torque of the smallest payload that a motion shows, over the largest torque of the joint, up to
which a model serves the identification of payloads: a payload near the limit is then known to 10 %
from single samples, and better by their mean."""
PLAIN_BETTER = 1.1
"""Error of the model over that of a simpler one: below, they are alike."""
_SMALLEST_LOSS = 0.05  # of the torque, by which a simpler model has to be better to be preferred


def uses_of(joint: JointErrors, settings: EvaluationSettings) -> tuple[JointUse, ...]:
    """Rate each use of a joint's model whose ``state`` is known."""
    return tuple(_rated(use, joint, settings) for use in _CRITERIA)


def references(joint: JointErrors) -> str:
    """Return the errors of what the model replaces, for comparison, as a clause."""
    known = [
        ("plain friction", joint.plain_error),
        ("the URDF's masses", joint.urdf_error),
        ("a constant torque", joint.constant_error),
    ]
    shown = [f"{percent(error)} with {name}" for name, error in known if isfinite(error)]
    return ", ".join([*shown, "100 % without a model"])


def _rated(use: UseName, joint: JointErrors, settings: EvaluationSettings) -> JointUse:
    error, limit, reason = _CRITERIA[use](joint, settings)
    resting = use == "gravity" and joint.state == "at_rest"
    if isnan(error) or not (resting or joint.state in ("good", "poor")):
        return JointUse(use, None, error, limit, "not rated")
    serves = joint.state != "poor" and error <= limit
    simpler = next(_simpler(joint), "") if use == "feedforward" else ""
    return JointUse(use, serves and not simpler, error, limit, simpler or reason)


def _simpler(joint: JointErrors) -> Iterator[str]:
    """Yield what a simpler model than the identified one achieves, where that is better."""
    for name, error, of_model in (
        ("plain friction", joint.plain_error, joint.held_out_error),
        ("the masses of the URDF", joint.urdf_error, joint.relative_error),
    ):
        if of_model > max(PLAIN_BETTER * error, error + _SMALLEST_LOSS):
            leaves = f"{percent(error)} of the torque instead of {percent(of_model)}"
            yield f"{name} would leave {leaves}"


_Rating = tuple[float, float, str]


def _feedforward(joint: JointErrors, settings: EvaluationSettings) -> _Rating:
    error, limit = joint.unexplained_error, settings.feedforward_limit
    return error, limit, f"leaves {percent(error)} of the torque to the controller"


def _gravity(joint: JointErrors, settings: EvaluationSettings) -> _Rating:
    error, limit = joint.rest_error, settings.feedforward_limit
    beyond = "at rest, {} of the torque is neither the model's nor static friction"
    return error, limit, beyond.format(percent(error))


def _collision(joint: JointErrors, _: EvaluationSettings) -> _Rating:
    torque = _torque(joint, joint.detectable_torque)
    share = joint.detectable_share
    reason = f"detects more than {torque}, {percent(share)} of the largest torque"
    return share, DETECTABLE, reason


def _simulation(joint: JointErrors, settings: EvaluationSettings) -> _Rating:
    error = joint.moving_error
    reason = f"in motion, {percent(error)} of the torque is not that of the model"
    return error, settings.feedforward_limit, reason


def _payload(joint: JointErrors, _: EvaluationSettings) -> _Rating:
    share = joint.payload_share
    return share, WEIGHABLE, f"shows payloads from {percent(share)} of the largest torque"


def _torque(joint: JointErrors, value: float) -> str:
    return f"{significant(value, 3)} {'N' if joint.sliding else 'N·m'}"


_CRITERIA: dict[UseName, Callable[[JointErrors, EvaluationSettings], _Rating]] = {
    "feedforward": _feedforward,
    "gravity": _gravity,
    "collision": _collision,
    "simulation": _simulation,
    "payload": _payload,
}
