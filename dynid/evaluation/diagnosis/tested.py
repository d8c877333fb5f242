"""Causes that were tried: each remedy is refitted, and judged by data left out of the refit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from dynid.arrays import Array, runs
from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.diagnosis.finding import Finding, Plot, Trace
from dynid.evaluation.diagnosis.searched import Searched, search_of
from dynid.evaluation.diagnosis.trials import trial_of
from dynid.evaluation.diagnosis.unexplained import unexplained
from dynid.evaluation.hypotheses.kinds import KINDS
from dynid.evaluation.hypotheses.refit import residual
from dynid.evaluation.hypotheses.search import ChosenCause
from dynid.evaluation.hypotheses.trial import (
    DOUBTED,
    RefitOutcome,
    friction_gain,
)
from dynid.evaluation.hypotheses.tried import MATTERS, TriedCause
from dynid.evaluation.hypotheses.wording import Wording
from dynid.evaluation.settings import LARGEST_UNEXPLAINED
from dynid.recording.settings import RecordingSettings

TESTED = (*dict.fromkeys(kind.cause for kind in KINDS.values()), "unexplained")
"""Causes that are tried by a refit."""

_NEAR_PLATEAU = 0.5  # of its level: less torque is left out for other reasons, or is nonsense
_SURELY_BEYOND = 2.0  # standard errors


def tested_causes(case: Case, kind: str) -> Iterator[Finding]:
    """Yield the findings of one kind of a search for changes that explain the torque much better.

    The search is made once for a case, and not where what is recorded contradicts itself.
    """
    for finding in tested(case):
        if finding.cause == kind:
            yield finding


def tested(case: Case) -> tuple[Finding, ...]:
    """Return the findings of the search, in the order in which causes were chosen."""
    return case.derived("tested causes", lambda: tuple(_tested(case)))


def friction_is_doubted(case: Case, joint: int) -> bool:
    """Whether a refit with friction of any shape explains a joint much better, where it can tell.

    Near reversals it cannot: there the shape of friction and errors of motion look the same.
    """

    def gains() -> Array | None:
        trial = trial_of(case)
        return None if trial is None else friction_gain(trial, case.robot)

    gain = case.derived("friction gains", gains)
    return gain is None or not gain[joint] < MATTERS  # NaN: unknown


def reasons_of_tested(findings: Iterable[Finding]) -> list[str]:
    """Return why no model can be good: what has to be corrected before, as a refit has shown."""
    return [
        finding.sentence
        for finding in findings
        if finding.cause in TESTED and finding.severity == "problem"
    ]


def is_beyond(case: Case, joint: int, side: int, level: float) -> bool:
    """Whether torque that was left out at a plateau is surely beyond it, as refits have it.

    Where there is no good refit, or a model is given, that one has been compared with the plateau.

    Args:
        case: the recordings.
        joint: number of the joint.
        side: 1 where the plateau is the largest torque, -1 where it is the smallest.
        level: of the plateau [N m or N].
    """
    found = None if case.fit is None and case.model is not None else search_of(case)
    if found is None:
        return True
    trial, start, steps = found[0]
    outcome = steps[-1].chosen.outcome if steps else start
    if not outcome.refit.held_out[joint] <= LARGEST_UNEXPLAINED:
        return True  # such a refit knows nothing of the plateau
    torque = trial.samples.rows("torque")[:, joint]
    unusable = np.array(trial.samples.rows("unusable")[:, joint], dtype=bool)
    left_out = unusable & (side * torque > _NEAR_PLATEAU * level)
    excess = -side * residual(trial.data(outcome.state), outcome.refit)[:, joint]
    events = [float(excess[first:past].mean()) for first, past in runs(left_out)]
    if not events:
        return True
    error = float(outcome.refit.held_out[joint] * np.sqrt(np.mean(torque**2)))
    spread = max(float(np.std(events)), error) / np.sqrt(len(events))
    beyond = float(np.mean(events))
    return beyond > _SURELY_BEYOND * spread or -beyond > _NEAR_PLATEAU * level  # extrapolated


def _tested(case: Case) -> Iterator[Finding]:
    found = search_of(case)
    if found is not None:
        yield from _findings(case, found[1], found[0])


def _findings(case: Case, labels: list[str], result: Searched) -> Iterator[Finding]:
    trial, start, steps = result
    robot = case.robot
    mixed = robot.coupling is not None and robot.settings(RecordingSettings).side == "motor"
    # of servos effort is a command, from which torque follows by their law
    wording = Wording(
        trial, case.joints, labels, correctable=not mixed and not robot.drives.of_servo
    )
    left, doubted = start, []
    for step in steps:
        if _is_good(step.chosen, steps[-1].chosen.outcome):
            yield _finding(wording, step)
            left = step.chosen.outcome
        else:
            doubted.append(wording.meaning(step, step.chosen))
        if step.others:
            break
    yield from unexplained(case.joints, labels, trial, left, doubted)


def _is_good(chosen: TriedCause, after: RefitOutcome) -> bool:
    """Whether a joint that a cause concerns is good after all changes, and not only better."""
    errors = after.refit.held_out
    concerned = errors[list(chosen.joints)] if chosen.joints else errors
    return bool(np.any(concerned <= LARGEST_UNEXPLAINED))


def _finding(wording: Wording, step: ChosenCause) -> Finding:
    meaning = wording.meaning(step, step.chosen)
    others = [wording.meaning(step, other) for other in step.others]
    where, effect = wording.effect(step.before.refit.held_out, step.chosen.outcome.refit.held_out)
    if step.chosen.kind == "sign":
        effect = ""
    if others:
        return _undecided(step, meaning, others, effect)
    of_its_joint = not effect or meaning.joints == (where,)
    tail = f" This was tried: {effect}." if effect else ""
    return replace(
        meaning,
        sentence=meaning.sentence + tail,
        evidence={**meaning.evidence, "fall of the cost": step.gain},
        plot=_effect(step),
        statement=meaning.statement if of_its_joint else "",
    )


def _effect(step: ChosenCause) -> Plot:
    """Plot the errors of each joint with the change and without."""
    before, after = step.before.refit.held_out, step.chosen.outcome.refit.held_out
    number = np.arange(1.0, len(before) + 1)
    return Plot(
        x_label="joint",
        y_label="unexplained torque on data left out [%]",
        traces=(
            Trace(number, 100 * before, "as recorded", "dots"),
            Trace(number, 100 * after, "with the change", "dots"),
        ),
    )


def _undecided(step: ChosenCause, meaning: Finding, others: list[Finding], effect: str) -> Finding:
    sentences = [m.sentence.rstrip(".") for m in (meaning, *others)]
    left = np.nanmax(step.chosen.outcome.refit.held_out)
    rest = "; or something else" if left > DOUBTED else ""
    tried = f" With the first of them {effect}." if effect else ""
    alike = all(other.cause == meaning.cause for other in others)
    return Finding(
        cause=meaning.cause if alike else "unexplained",
        severity="warning",
        sentence=(
            f"the recordings do not decide between {len(sentences)} causes that explain about the "
            f"same: {'; or '.join(sentences)}{rest}.{tried}"
        ),
        advice=f"Check each of them; of the first: {meaning.remedy}",
        evidence=meaning.evidence,
        plot=_effect(step),
        joints=meaning.joints if alike else (),
        alternatives=tuple((m.cause, m.joints) for m in (others if alike else (meaning, *others))),
    )
