"""What findings change in a profile: corrections of recordings, and other keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from dynid.evaluation.diagnosis.contradicting_signals import CONTRADICTIONS
from dynid.evaluation.diagnosis.finding import Finding
from dynid.recording.corrections import Correction
from dynid.recording.merged_corrections import merged_corrections


@dataclass(frozen=True, eq=False)
class Repair:
    """Changes of a profile that remove the causes of findings.

    Attributes:
        corrections: the profile's ``recording.corrections``, those that it has among them.
        settings: other keys of the profile, with their values.
        applied: the findings whose causes the changes remove.
        left: the other findings above a note: undecided ones, and those without a correction.
    """

    corrections: tuple[Correction, ...]
    settings: Mapping[str, object]
    applied: tuple[Finding, ...]
    left: tuple[Finding, ...]


def repair_of(
    findings: Iterable[Finding], given: Sequence[Correction], joints: Sequence[str]
) -> Repair:
    """Return the changes that remove the causes of decided findings, notes left out.

    Args:
        findings: in recordings that were loaded with the given corrections.
        given: the profile's ``recording.corrections``.
        joints: of the recordings.
    """
    serious = [finding for finding in findings if finding.severity != "note"]
    applied = [finding for finding in serious if is_applicable(finding)]
    groups = [finding.corrections for finding in sorted(applied, key=_turn)]
    return Repair(
        corrections=merged_corrections(given, groups, joints),
        settings={key: value for finding in applied for key, value in finding.settings.items()},
        applied=tuple(applied),
        left=tuple(finding for finding in serious if finding not in applied),
    )


def is_applicable(finding: Finding) -> bool:
    """Whether a profile can remove the cause of a finding, and the data decide that it is true."""
    return bool(finding.corrections or finding.settings) and not finding.alternatives


def _turn(finding: Finding) -> int:
    """Return when a finding's corrections are made.

    Contradictions are those of recorded channels; positions are unwrapped before they are compared
    with velocities. A cause that was tried first may be stated for a joint that takes another
    channel by a later one: exchanged channels come before reversed joints, and these before zeros.
    """
    if finding.cause in CONTRADICTIONS:
        return 0 if any(c.unwrap for c in finding.corrections) else 1
    if any(c.source for c in finding.corrections):
        return 2
    return 3 if any(_scales_position(c) for c in finding.corrections) else 4


def _scales_position(correction: Correction) -> bool:
    return correction.signal == "position" and correction.factor != 1
