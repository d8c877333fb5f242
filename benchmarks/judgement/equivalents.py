"""Other faults that explain the same recordings as well, of which no diagnosis can choose one.

A two-joint arm that is mirrored has either axis turned around. Such an answer is right too where
the recordings, with that fault undone, fit as well as those without any fault.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

from .cases import JudgedCase
from .faults import InjectedFault
from .injections import AFTER_NOISE
from .kinds import AcceptedAnswer
from .margin import Margin, relative_residual

_AS_GOOD = 1.15  # times the residual without faults
_NEGLIGIBLE_RESIDUAL = 0.003  # of torque
_SIGNS = {
    "flipped_torque": "flipped_sign",
    "flipped_position": "flipped_sign",
    "reversed_joint": "reversed_joint",
}
_SWAPS = {"swapped_channels": "swapped_channels", "swapped_torque": "swapped_channels"}


def equal_answers(case: JudgedCase, margin: Margin) -> list[tuple[AcceptedAnswer, tuple[int, ...]]]:
    """Return further right answers to a case with one fault of sign or order, and their joints."""
    if len(case.faults) != 1:
        return []
    limit = _AS_GOOD * margin.whole_clean_fit + _NEGLIGIBLE_RESIDUAL
    return [
        (AcceptedAnswer(cause), fault.joints)
        for cause, fault in _candidates(case.faults[0], len(case.drawn.joints))
        if relative_residual(_undone(case, fault)) < limit
    ]


def _candidates(fault: InjectedFault, count: int) -> list[tuple[str, InjectedFault]]:
    """Return faults like the given one, with the causes that name them."""
    if fault.kind in _SIGNS:
        places = [(joint,) for joint in range(count)]
        return [
            (cause, InjectedFault(kind, place, 0.0))
            for kind, cause in _SIGNS.items()
            for place in places
        ]
    if fault.kind not in _SWAPS:
        return []
    pairs = [pair for pair in combinations(range(count), 2) if set(pair) & set(fault.joints)]
    return [
        (cause, InjectedFault(kind, pair, 0.0)) for kind, cause in _SWAPS.items() for pair in pairs
    ]


def _undone(case: JudgedCase, fault: InjectedFault) -> JudgedCase:
    """Return a case with one more fault, each of which undoes itself."""
    inject = AFTER_NOISE[fault.kind]
    faulty = tuple(inject(fault, motion, case.plant.tree) for motion in case.faulty)
    return replace(case, faulty=faulty)
