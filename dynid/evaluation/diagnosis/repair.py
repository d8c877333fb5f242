"""What findings change in a profile: corrections of recordings, and other keys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from dynid.evaluation.diagnosis.contradicting_signals import CONTRADICTIONS
from dynid.evaluation.diagnosis.finding import Finding
from dynid.recording.corrections import (
    SIGNALS,
    Correction,
    Signal,
    check_corrections,
    sources_of,
    time_factor,
)


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


def merged_corrections(
    given: Sequence[Correction], groups: Iterable[Sequence[Correction]], joints: Sequence[str]
) -> tuple[Correction, ...]:
    """Return the corrections that act as the given ones, and then each group after the other.

    Args:
        given: those that the data have been loaded with; they stay as they are where no later
            group takes other channels.
        groups: each found in data that the ones before it correct.
        joints: of the recordings.

    Raises:
        ConfigurationError: a joint is unknown, or takes a signal from two joints.
    """
    result = tuple(given)
    for group in groups:
        check_corrections(group, joints)
        result = _then(result, group, joints)
    return result


def _then(
    first: Sequence[Correction], after: Sequence[Correction], joints: Sequence[str]
) -> tuple[Correction, ...]:
    """Return the list that acts as two, one after the other.

    Within a list all channels are exchanged before anything else. So what the first list does with
    a channel has to be said of the joint that the second list takes it for.
    """
    moved = list(first)
    for signal in SIGNALS:
        sources = sources_of(c for c in after if c.signal == signal)
        if sources:
            rest = [c for c in moved if c.signal != signal]
            present = [c for c in moved if c.signal == signal]
            moved = [*rest, *_taken_over(signal, present, sources, joints)]
    stretch = time_factor(first)  # delays are in recorded seconds, times are scaled last
    later = (c.model_copy(update={"source": None, "delay": c.delay / stretch}) for c in after)
    return (*moved, *(c for c in later if not c.is_empty))


def _taken_over(
    signal: Signal,
    present: Sequence[Correction],
    sources: Mapping[str, str],
    joints: Sequence[str],
) -> Iterator[Correction]:
    """Yield corrections of one signal, whose channels are then taken for other joints."""
    before = sources_of(present)
    for joint in joints:
        channel = sources.get(joint, joint)
        recorded = before.get(channel, channel)
        if recorded != joint:
            yield Correction(signal=signal, joint=joint, source=recorded)
    for correction in present:
        plain = correction.model_copy(update={"source": None})
        if plain.is_empty:
            continue
        if correction.joint is None:
            yield plain
            continue
        for joint in joints:
            if sources.get(joint, joint) == correction.joint:
                yield plain.model_copy(update={"joint": joint})
