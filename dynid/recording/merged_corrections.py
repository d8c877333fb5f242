"""Corrections of data that are corrected already, as one list of ``recording.corrections``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from dynid.recording.corrections import SIGNALS, Correction, Signal, check_corrections, time_factor


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
        sources = _sources(after, signal)
        if sources:
            rest = [one for one in moved if one.signal != signal]
            own = [one for one in moved if one.signal == signal]
            moved = [*rest, *_taken_over(signal, own, sources, joints)]
    stretch = time_factor(first)  # delays are in recorded seconds, times are scaled last
    later = (one.model_copy(update={"source": None, "delay": one.delay / stretch}) for one in after)
    return (*moved, *(one for one in later if set(one.entry()) - {"signal", "joint"}))


def _taken_over(
    signal: Signal, own: Sequence[Correction], sources: Mapping[str, str], joints: Sequence[str]
) -> Iterator[Correction]:
    """Yield corrections of one signal, whose channels are then taken for other joints."""
    before = _sources(own, signal)
    for joint in joints:
        channel = sources.get(joint, joint)
        recorded = before.get(channel, channel)
        if recorded != joint:
            yield Correction(signal=signal, joint=joint, source=recorded)
    for correction in own:
        plain = correction.model_copy(update={"source": None})
        if not set(plain.entry()) - {"signal", "joint"}:
            continue
        if correction.joint is None:
            yield plain
            continue
        for joint in joints:
            if sources.get(joint, joint) == correction.joint:
                yield plain.model_copy(update={"joint": joint})


def _sources(corrections: Iterable[Correction], signal: str) -> dict[str, str]:
    """Return the joint whose channel each joint takes, where it is another one."""
    return {
        one.joint: one.source
        for one in corrections
        if one.signal == signal and one.joint is not None and one.source is not None
    }
