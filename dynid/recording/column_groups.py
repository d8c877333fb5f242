"""Groups of columns: one signal, a column for each joint; and which joint lacks one, and why."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from dynid.recording.column_words import (
    CURRENT,
    CURRENTS,
    NEUTRAL,
    SIGNALS,
    ColumnName,
    parse_column,
    words_of_no_signal,
)
from dynid.text import shown, shown_names


class _Key(NamedTuple):
    """What the columns of a group have in common; ``fixed``: numbers that are not the joint's."""

    words: frozenset[str]
    stem: frozenset[str]
    current: bool
    fixed: tuple[str, ...] = ()


class ColumnGroup(NamedTuple):
    """Columns of one signal, one for each joint.

    The ``stem`` are words that say of what it is: besides signal, joint, and neutral ones.
    """

    stem: frozenset[str]
    current: bool
    columns: Mapping[str, ColumnName]


def column_groups(
    columns: Sequence[ColumnName], signal: str, joints: Sequence[str], labels: Mapping[str, str]
) -> list[ColumnGroup]:
    """Return the groups of measured columns of a signal that have one column for each joint.

    Joints are those whose names the columns contain; otherwise numbers, which are those of the
    names of joints, or count them. Without joints they are named as in the columns, or by
    ``labels``: the name of a joint by the number in the names of its columns.
    """
    if labels:
        return list(_labelled(columns, signal, joints, labels))
    if joints:
        groups = [*_named(columns, signal, joints)] or [*_numbered(columns, signal, joints)]
        counts = [len(numbered) for _, numbered in _series(columns, signal)]
        if groups or len(joints) in counts:
            return groups
    return _keyed(columns, signal)


def _named(
    columns: Sequence[ColumnName], signal: str, joints: Sequence[str]
) -> Iterable[ColumnGroup]:
    """Yield groups whose columns contain the names of the joints."""
    names = {joint: parse_column(joint)._replace(unit="") for joint in joints}
    pairs: dict[_Key, list[tuple[str, ColumnName]]] = defaultdict(list)
    unnamed: set[_Key] = set()
    for column in columns:
        joint = _joint_in(column.words, names)
        rest = column.words
        if joint:
            place = _place(rest, names[joint].words)
            rest = (*rest[:place], *rest[place + len(names[joint].words) :])
        if joint and column.is_of(signal, words=rest):
            pairs[_key(column, rest, signal)].append((joint, column))
        elif column.is_of(signal, words=column.words):
            # in the same series as others, such as J_0 beside J_1, which need not be joint j1
            unnamed.add(_key(column, [w for w in column.words if not w.isdecimal()], signal))
    for key, named in pairs.items():
        by_joint = dict(named)
        literal = all(joint in column.name for joint, column in named)
        if len(by_joint) == len(named) == len(joints) and (literal or key not in unnamed):
            yield ColumnGroup(key.stem, key.current, by_joint)


def _numbered(
    columns: Sequence[ColumnName], signal: str, joints: Sequence[str]
) -> Iterable[ColumnGroup]:
    """Yield groups whose columns are numbered as the joints are, or count them from 0 or 1."""
    order = _by_number(joints)
    for key, numbered in _series(columns, signal):
        if order is not None and set(numbered) == set(order):
            yield ColumnGroup(
                key.stem, key.current, {order[n]: numbered[n] for n in sorted(numbered)}
            )
            continue
        counted = sorted(numbered) in (list(range(len(joints))), list(range(1, len(joints) + 1)))
        # numbers of joints in another order leave open whether they or the order count
        if counted and (order is None or list(order) == sorted(order)):
            ranked = [numbered[number] for number in sorted(numbered)]
            yield ColumnGroup(key.stem, key.current, dict(zip(joints, ranked, strict=True)))


def _labelled(
    columns: Sequence[ColumnName], signal: str, joints: Sequence[str], labels: Mapping[str, str]
) -> Iterable[ColumnGroup]:
    """Yield groups whose numbers have the names of joints in other columns."""
    for key, numbered in _series(columns, signal):
        by_joint = {labels.get(str(number), ""): column for number, column in numbered.items()}
        if len(by_joint) == len(numbered) and "" not in by_joint:
            wanted = joints if set(joints) <= set(by_joint) else tuple(by_joint)
            named = {joint: by_joint[joint] for joint in wanted or tuple(by_joint)}
            yield ColumnGroup(key.stem, key.current, named)


def _keyed(columns: Sequence[ColumnName], signal: str) -> list[ColumnGroup]:
    """Return groups whose joints are named by the words around the signal."""
    keyed: dict[bool, list[tuple[str, ColumnName]]] = defaultdict(list)
    for column in columns:
        if column.is_of(signal, words=column.words):
            rest = [word for word in column.words if word not in SIGNALS[signal]]
            key = [word for word in rest if word not in NEUTRAL] or rest
            keyed[_is_current(column)].append(("_".join(key), column))
    return [
        ColumnGroup(frozenset(), current, dict(pairs))
        for current, pairs in keyed.items()
        if all(key for key, _ in pairs) and len(dict(pairs)) == len(pairs)
    ]


def _series(
    columns: Sequence[ColumnName], signal: str
) -> Iterable[tuple[_Key, dict[int, ColumnName]]]:
    """Yield the columns by number of each numbered series.

    Of several numbers in a name, each may be that of the joint, the others being fixed.
    """
    series: dict[_Key, list[tuple[int, ColumnName]]] = defaultdict(list)
    for column in columns:
        if not column.is_of(signal, words=column.words):
            continue
        places = [place for place, word in enumerate(column.words) if word.isdecimal()]
        for place in places:
            rest = [*column.words[:place], "#", *column.words[place + 1 :]]
            fixed = tuple(word for word in rest if word.isdecimal() or word == "#")
            key = _key(column, [word for word in rest if word not in fixed], signal)
            series[key._replace(fixed=fixed)].append((int(column.words[place]), column))
    for key, numbered in series.items():
        single = all(sum(w.isdecimal() for w in column.words) == 1 for _, column in numbered)
        by_number = dict(numbered)
        if (len(numbered) > 1 or single) and len(by_number) == len(numbered):
            yield key, by_number


def _key(column: ColumnName, words: Iterable[str], signal: str) -> _Key:
    """Return what a column of a signal has in common with others, given its words."""
    names = frozenset(words) & SIGNALS[signal]
    return _Key(names, frozenset(words) - names - NEUTRAL, _is_current(column))


def _is_current(column: ColumnName) -> bool:
    return bool(CURRENT & set(column.words)) or column.unit in CURRENTS


def _by_number(joints: Sequence[str]) -> dict[int, str] | None:
    """Return the joints by the only numbers in their names; None if these do not differ."""
    numbers = [[int(w) for w in parse_column(joint).words if w.isdecimal()] for joint in joints]
    if any(len(listed) != 1 for listed in numbers):
        return None
    by_number = {listed[0]: joint for listed, joint in zip(numbers, joints, strict=True)}
    return by_number if len(by_number) == len(joints) else None


def _joint_in(words: Sequence[str], joints: Mapping[str, ColumnName]) -> str:
    """Return the joint with the longest name that the words contain; empty without any."""
    inside = [joint for joint, name in joints.items() if _place(words, name.words) >= 0]
    return max(inside, key=lambda joint: len(joints[joint].words), default="")


def _place(words: Sequence[str], part: Sequence[str]) -> int:
    starts = range(len(words) - len(part) + 1)
    return next((n for n in starts if part and tuple(words[n : n + len(part)]) == part), -1)


def missing_columns(
    columns: Sequence[ColumnName], joints: Sequence[str], *, has_time: bool
) -> tuple[str, ...]:
    """Return phrases on what the names of columns lack, such as "yaw has no effort".

    Without joints it is only said what no column names.
    """
    return (*([] if has_time else ["no column is a time"]), *_of_signals(columns, joints))


def _of_signals(columns: Sequence[ColumnName], joints: Sequence[str]) -> Iterator[str]:
    own = {joint: [(c, rest) for c in columns if (rest := _beside(c, joint))] for joint in joints}
    for article, signal in (("a", "position"), ("an", "effort")):
        every = [(column, column.words) for column in columns]
        if not any(own.values()):
            if not any(column.is_of(signal, words=words) for column, words in every):
                yield f"no column is {article} {signal}{_because(every, signal)}"
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
