"""Contradictions in the recordings, which need no model, as findings and reasons of a verdict."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.diagnosis.finding import Finding
from dynid.recording.contradiction import SEVERITIES, Contradiction, Severity
from dynid.recording.redundancy import contradictions
from dynid.robot.plausible_motion import beyond_limits
from dynid.signals.settings import SignalSettings

CONTRADICTIONS = (
    "wrapped_position",
    "time",
    "copied_channel",
    "unsigned_effort",
    "velocity",
    "position_jump",
    "lost_samples",
    "effort",
    "held_position",
    "beyond_limits",
)
"""Kinds of contradictions, each a cause of findings."""

AGAINST_ANY_MODEL = (
    "wrapped_position",
    "time",
    "copied_channel",
    "unsigned_effort",
    "velocity",
    "position_jump",
)
"""Those with which no model can be good, and of which other findings may be a consequence."""
_UNUSED: dict[Severity, Severity] = {"problem": "warning", "warning": "note", "note": "note"}


def contradicting_signals(case: Case, kind: str) -> Iterator[Finding]:
    """Find what contradicts itself in the recordings, of one kind."""
    for contradiction in _contradictions(case):
        if contradiction.kind == kind:
            yield Finding(
                cause=kind,
                severity=contradiction.severity,
                sentence=contradiction.sentence,
                advice=contradiction.remedy,
                evidence=contradiction.evidence,
                joints=contradiction.joints,
                corrections=contradiction.corrections,
                statement=contradiction.statement,
            )


def reasons_against_signals(case: Case) -> list[str]:
    """Return a sentence for each contradiction with which no model can be good."""
    return [
        contradiction.sentence
        for contradiction in _contradictions(case)
        if contradiction.kind in AGAINST_ANY_MODEL and contradiction.severity == "problem"
    ]


def at_dead_bands(case: Case) -> list[NDArray[np.bool_]]:
    """Return for each of the signals where a small torque was reported as 0, (N, n)."""
    names = joints_with_dead_band(case)
    concerned = np.array([joint in names for joint in case.joints])
    return [(signals.raw_torque == 0) & concerned for signals in case.signals]


def joints_with_dead_band(case: Case) -> set[str]:
    """Return the names of joints of which a small torque was reported as 0."""
    found = (one for one in _contradictions(case) if "share of zeros" in one.evidence)
    return {joint for contradiction in found for joint in contradiction.joints}


def _contradictions(case: Case) -> tuple[Contradiction, ...]:
    return case.derived("contradictions", lambda: tuple(_over_all_recordings(case)))


def _over_all_recordings(case: Case) -> Iterator[Contradiction]:
    """Yield each contradiction once, with the number of recordings that have it."""
    same: dict[tuple[str, tuple[str, ...], str], list[Contradiction]] = {}
    for recording in case.recordings:
        for contradiction in (
            *contradictions(recording),
            *beyond_limits(recording, case.robot),
        ):
            rated = _rated(contradiction, case)
            # sentences differ in numbers, so that the corrections tell contradictions apart
            factors = ",".join(f"{c.signal} {c.factor:.2g}" for c in rated.corrections)
            same.setdefault((rated.kind, rated.joints, factors), []).append(rated)
    total = len(case.recordings)
    for group in same.values():
        worst = min(group, key=lambda c: SEVERITIES.index(c.severity))
        yield worst if len(group) == total else _of_some(worst, len(group), total)


def _of_some(contradiction: Contradiction, count: int, total: int) -> Contradiction:
    """Return a contradiction of some recordings, without corrections that would spoil the rest."""
    corrections, remedy = contradiction.corrections, contradiction.remedy
    if not all(correction.unwrap for correction in corrections):
        corrections = ()
        remedy += " A profile corrects all recordings, so use another one for those that are right."
    return replace(
        contradiction,
        sentence=f"In {count} of {total} recordings or pieces: {contradiction.sentence}",
        remedy=remedy,
        corrections=corrections,
        statement=contradiction.statement and f"{contradiction.statement}, {count} of {total}",
    )


def _rated(contradiction: Contradiction, case: Case) -> Contradiction:
    """Return a contradiction of a velocity that is not used with less severity."""
    of_velocity = contradiction.kind == "velocity" and all(
        correction.signal == "velocity" for correction in contradiction.corrections
    )
    if not of_velocity and contradiction.signals != ("velocity",):
        return contradiction
    if case.robot.settings(SignalSettings).velocity == "measured":
        return contradiction
    return replace(contradiction, severity=_UNUSED[contradiction.severity])
