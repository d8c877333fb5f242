"""Corrections of data that are corrected already, as one list of ``recording.corrections``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from dynid.recording.corrections import (
    SIGNALS,
    Correction,
    Signal,
    check_corrections,
    sources_of,
    time_factor,
)


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
