"""What a list of findings is worth: right, wrong, undecided, silent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from .faults import InjectedFault
from .kinds import EXCITATION, KINDS, UNDECIDED, AcceptedAnswer, answers_for

Judgement = Literal[
    "right", "wrong", "unexplained", "no cause", "silent", "refused", "quiet", "called faulty"
]
"""What the first finding about a fault is worth.

``right``, ``wrong``; ``unexplained``: it says that it does not know; ``no cause``: there is none,
but the verdict is bad; ``silent``: there is none, and the verdict is good; ``refused``: there was
an error. Without a fault: ``called faulty`` by a finding; ``no cause``: by the verdict alone, which
a short motion can deserve; ``quiet``.
"""


@dataclass(frozen=True)
class Score:
    """The judgement of one case.

    Attributes:
        judgement: of the first finding.
        first: number of the first finding about a fault; None: there is none.
        listed: whether every fault of the case has a right finding among all.
        hedged: whether the first finding is right by one of its alternatives only.
    """

    judgement: Judgement
    first: int | None
    listed: bool
    hedged: bool = False


@dataclass(frozen=True)
class Answer:
    """A cause and the names of its joints; () for all or for none in particular."""

    cause: str
    names: tuple[str, ...]


def score(
    findings: Sequence[object],
    faults: Sequence[InjectedFault],
    joints: Sequence[str],
    *,
    success: bool,
    extra: Sequence[tuple[AcceptedAnswer, tuple[int, ...]]] = (),
) -> Score:
    """Judge findings.

    Args:
        findings: of dynid, the worst first.
        faults: that were injected; none of a clean case.
        joints: names of all joints.
        success: whether the verdict on the model is good.
        extra: further right answers, and the joints that they have to name.
    """
    first = next((k for k, finding in enumerate(findings) if is_about_a_fault(finding)), None)
    if all(KINDS[fault.kind].seen == "nowhere" for fault in faults):
        spared: Judgement = "quiet" if success else "no cause"
        allowed = [pair for fault in faults for pair in _accepted(fault)]
        blamed = first is not None and not any(
            _is_right(answer, allowed, joints) for answer in answers(findings[first])
        )
        return Score("called faulty" if blamed else spared, first, listed=False)
    accepted = [_accepted(fault) for fault in faults]
    accepted[0] = [*accepted[0], *extra]
    spoken = [finding for finding in findings if is_about_a_fault(finding)]
    listed = all(
        any(_is_right(answer, right, joints) for finding in spoken for answer in answers(finding))
        for right in accepted
    )
    if first is None:
        return Score("silent" if success else "no cause", None, listed)
    every = [pair for right in accepted for pair in right]
    fit = [_is_right(answer, every, joints) for answer in answers(findings[first])]
    if any(fit):
        return Score("right", first, listed, hedged=not fit[0])
    undecided = getattr(findings[first], "cause", None) == UNDECIDED
    return Score("unexplained" if undecided else "wrong", first, listed)


def is_about_a_fault(finding: object) -> bool:
    """Whether a finding asserts that something is wrong, beyond the motion's quality."""
    severity = getattr(finding, "severity", "warning")
    if severity == "note":
        return False
    return severity == "problem" or getattr(finding, "cause", "") not in EXCITATION


def answers(finding: object) -> Iterator[Answer]:
    """Yield what a finding asserts, and then its alternatives if it has any."""
    yield _answer(finding)
    alternatives: Iterable[Any] = getattr(finding, "alternatives", None) or ()
    for alternative in alternatives:
        if isinstance(alternative, str):
            yield Answer(alternative, _answer(finding).names)
        elif isinstance(alternative, tuple) and alternative:
            rest = alternative[1:]
            named = rest[0] if len(rest) == 1 and isinstance(rest[0], tuple) else rest
            yield Answer(str(alternative[0]), tuple(name for name in named if name))
        else:
            yield _answer(alternative)


def _answer(finding: object) -> Answer:
    return Answer(getattr(finding, "cause", ""), tuple(getattr(finding, "joints", ())))


def _accepted(fault: InjectedFault) -> list[tuple[AcceptedAnswer, tuple[int, ...]]]:
    return [(answer, fault.joints) for answer in answers_for(fault.kind, fault.joints)]


def _is_right(
    answer: Answer,
    accepted: Iterable[tuple[AcceptedAnswer, tuple[int, ...]]],
    joints: Sequence[str],
) -> bool:
    for right, numbers in accepted:
        if answer.cause != right.cause:
            continue
        concerned = {joints[number] for number in numbers}
        if right.anywhere or concerned == set(joints):
            return True
        if answer.names and set(answer.names) <= concerned:
            return True
    return False
