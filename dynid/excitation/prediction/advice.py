"""Verdict on a prediction and advice, as sentences."""

from __future__ import annotations

from dynid.dynamics.base_parameters import INERTIAL
from dynid.dynamics.joint_terms import TermKind
from dynid.excitation.prediction.precision import PredictedParameter
from dynid.excitation.prediction.prediction import Prediction
from dynid.text import first_few, listed, percent, significant

WELL_CONDITIONED = 100.0
"""Condition number of the scaled regressor that Schröer (in Hollerbach, Khalil and Gautier, Model
Identification, Springer Handbook of Robotics, 2008) advises not to exceed."""
_FEWEST_CYCLES = 3
_ALIKE = 0.9  # correlation above which two parameters are hard to distinguish
_NAMED = 4


def good(prediction: Prediction) -> bool:
    """Return whether every parameter is identifiable, from well-conditioned equations."""
    conditioned = prediction.precision.scaled_condition_number <= WELL_CONDITIONED
    return conditioned and all(parameter.determined for parameter in prediction.parameters)


def verdict(prediction: Prediction) -> str:
    """Return the predicted result in one or two sentences."""
    total = len(prediction.parameters)
    determined = sum(parameter.determined for parameter in prediction.parameters)
    known = [parameter for parameter in prediction.parameters if parameter.known]
    close = sum(not parameter.poor for parameter in known)
    scaled = prediction.precision.scaled_condition_number
    side = "within" if scaled <= WELL_CONDITIONED else "above"
    which = "all" if determined == total else f"{determined} of"
    return (
        f"The motion determines {which} {total} base parameters; the condition number of their "
        f"weighted and scaled regressor is {significant(scaled, 3)}, {side} the recommended "
        f"{WELL_CONDITIONED:g}. Of the {len(known)} parameters whose size is known, "
        f"{close} will have a standard deviation of 30 % or less."
    )


def advice(prediction: Prediction) -> list[str]:
    """Return sentences on poorly determined parameters and on how to improve the motion."""
    return [*_parameters(prediction), *_cycles(prediction), *_torques(prediction)]


def worst_first(prediction: Prediction) -> list[PredictedParameter]:
    """Return the parameters that are not determined or poorly determined, the worst first."""
    weak = [one for one in prediction.parameters if one.poor or not one.determined]
    return sorted(weak, key=lambda parameter: (parameter.determined, -parameter.relative))


def _parameters(prediction: Prediction) -> list[str]:
    by_help: dict[str, list[PredictedParameter]] = {}
    for parameter in worst_first(prediction):
        by_help.setdefault(_help(prediction, parameter), []).append(parameter)
    sentences = [_sentence(remedy, group) for remedy, group in by_help.items()]
    weak = [one for group in by_help.values() for one in group]
    quiet = [one.name for one in weak if one.determined and one.known and one.signal < 1]
    if quiet:
        named = listed(first_few(quiet, _NAMED))
        sentences.append(
            f"These parameters cause less torque than the noise: {named}. For motions like this "
            "one they can be neglected."
        )
    return sentences


def _certainty(parameter: PredictedParameter) -> str:
    return f"± {percent(parameter.relative)}" if parameter.determined else "not determined"


def _sentence(remedy: str, weak: list[PredictedParameter]) -> str:
    names = [f"{parameter.name} ({_certainty(parameter)})" for parameter in weak]
    alike = [one for one in weak if one.determined and abs(one.correlation) > _ALIKE]
    mixed = ""
    for parameter in alike[:1]:
        mixed = (
            f" {parameter.name} is hard to distinguish from {parameter.mixed_with} "
            f"(correlation {parameter.correlation:.2f})."
        )
    pronoun = "them" if weak[1:] else "it"
    return f"{listed(first_few(names, _NAMED))}: {remedy} would determine {pronoun} better.{mixed}"


def _help(prediction: Prediction, parameter: PredictedParameter) -> str:
    """Return the motion that would determine a parameter better."""
    mechanism = prediction.mechanism
    if parameter.lead >= mechanism.first_term:
        term = mechanism.terms[parameter.lead - mechanism.first_term]
        joint = mechanism.moving_joints[term.joint]
        if term.traits.dissipative and not term.traits.dry:
            joint = _used(prediction, joint, "velocity_share", "velocity limit")
            return f"slow and fast strokes of {joint}"
        return _help_of(term.traits, joint)
    body, kind = divmod(parameter.lead, len(INERTIAL))
    joint, before = mechanism.body_joints[body], " and of the joints before it" if body else ""
    if INERTIAL[kind].startswith("M"):
        joint = _used(prediction, joint, "range_share", "range")
        return f"a wider range of {joint}{before}"
    joint = _used(prediction, joint, "acceleration_share", "acceleration limit")
    return f"larger accelerations of {joint}{before}"


def _help_of(kind: TermKind, joint: str) -> str:
    if kind.inertial:
        return f"larger accelerations of {joint}, with the joints behind it in other positions"
    if kind.has_memory:
        loads = " under different loads" if kind.loaded else ""
        return f"small and slow reversals of {joint}{loads}"
    if kind.loaded:
        return f"reversals of {joint} under different loads"
    if kind.dry:
        return f"more strokes of {joint} in both directions, including slow ones"
    if kind.elastic:
        return f"a wider range of {joint}"
    return f"as much motion of {joint} in one direction as in the other"


def _used(prediction: Prediction, joint: str, name: str, quantity: str) -> str:
    """Return a joint's name, and how much of a limit it uses."""
    if joint not in prediction.joints:
        return f"{joint}, which the actuated joints move,"
    share = getattr(prediction.coverage[prediction.joints.index(joint)], name)
    return joint if share is None else f"{joint} (uses {percent(share)} of its {quantity})"


def _cycles(prediction: Prediction) -> list[str]:
    few = [
        f"{joint} ({covered.cycles:g})"
        for joint, covered in zip(prediction.joints, prediction.coverage, strict=True)
        if covered.cycles < _FEWEST_CYCLES
    ]
    if not few:
        return []
    return [
        f"Fewer than {_FEWEST_CYCLES} cycles of {listed(few)}: a longer or faster motion separates "
        "friction from other torques."
    ]


def _torques(prediction: Prediction) -> list[str]:
    return [
        f"Predicted torque of {joint} reaches {percent(torque.share)} of its limit: the drive "
        "would saturate; make the motion smaller or slower."
        for joint, torque in zip(prediction.joints, prediction.torques, strict=True)
        if torque.share is not None and torque.share > 1
    ]
