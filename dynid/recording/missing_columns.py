"""Which joint lacks a column of position or effort by the names of columns, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from dynid.recording.column_words import SIGNALS, ColumnName, parse_column, words_of_no_signal
from dynid.recording.names import shown, shown_names

_SIGNALS = ("position", "effort")


def missing_columns(
    columns: Sequence[ColumnName], joints: Sequence[str], *, has_time: bool
) -> tuple[str, ...]:
    """Return phrases on what the names of columns lack, such as "yaw has no effort".

    Args:
        columns: of the table.
        joints: of the robot; none: only what no column names is said.
        has_time: whether a column of times was found.
    """
    return (*([] if has_time else ["no column is a time"]), *_of_signals(columns, joints))


def _of_signals(columns: Sequence[ColumnName], joints: Sequence[str]) -> Iterator[str]:
    own = {joint: [(c, rest) for c in columns if (rest := _beside(c, joint))] for joint in joints}
    for signal in _SIGNALS:
        every = [(column, column.words) for column in columns]
        if not any(own.values()):
            if not any(column.is_of(signal, words=words) for column, words in every):
                yield f"no column is {_noun(signal)}{_because(every, signal)}"
            continue
        counts = {
            joint: [column for column, rest in near if column.is_of(signal, words=rest)]
            for joint, near in own.items()
        }
        if without := [joint for joint, found in counts.items() if not found]:
            verb = "has" if len(without) == 1 else "have"
            near = [one for joint in without for one in own[joint]]
            yield f"{shown_names(without)} {verb} no {signal}{_because(near, signal)}"
        if several := {joint: found for joint, found in counts.items() if len(found) > 1}:
            joint, found = next(iter(several.items()))
            names = shown_names(column.name for column in found)
            yield f"{shown(joint)} has several columns that may be its {signal} ({names})"


def _noun(signal: str) -> str:
    return f"an {signal}" if signal[0] in "aeio" else f"a {signal}"


def _beside(column: ColumnName, joint: str) -> tuple[str, ...]:
    """Return the words of a column beside those of a joint; none if it does not contain these."""
    words = parse_column(joint).words
    if not words or not set(words) <= set(column.words):
        return ()
    return tuple(word for word in column.words if word not in words)


def _because(columns: Sequence[tuple[ColumnName, tuple[str, ...]]], signal: str) -> str:
    """Return which column names the signal, and the word by which it is not taken."""
    for column, words in columns:
        if SIGNALS[signal] & set(words) and (others := words_of_no_signal(words)):
            return f" ({shown(column.name)} is not taken as one because of '{others[0]}')"
    return ""
