"""Names of joints that differ between a recording and the URDF: the mapping, and a proposal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from dynid.text import shown, shown_names

_ALIKE = 0.6  # smallest similarity of two names, as difflib measures it


def recorded_names(joints: Sequence[str], names: Mapping[str, str]) -> tuple[str, ...]:
    """Return what a recording calls joints of the URDF.

    Args:
        joints: names in the URDF.
        names: URDF's name by recorded name; both may have one ``*``, which stands for the same text
            (``panda_joint*: fr3_joint*``). An exact name takes precedence.
    """
    exact = {urdf: recorded for recorded, urdf in names.items() if "*" not in urdf}
    patterns = [(recorded, urdf) for recorded, urdf in names.items() if "*" in urdf]
    return tuple(exact.get(joint) or _by_pattern(joint, patterns) or joint for joint in joints)


def check_names(names: Mapping[str, str]) -> None:
    """Raise a ValueError, with a sentence, unless a mapping of names is usable."""
    for recorded, urdf in names.items():
        if not (recorded and urdf) or {recorded.count("*"), urdf.count("*")} not in ({0}, {1}):
            raise ValueError(
                f"'{recorded}: {urdf}' must be two names, or two with one * each such as "
                "panda_joint*: fr3_joint*"
            )
    targets = list(names.values())
    for urdf in targets:
        if targets.count(urdf) > 1:
            raise ValueError(f"joint '{urdf}' has two recorded names")


def missing_joint(where: str, wanted: Sequence[str], available: Sequence[str]) -> str:
    """Return a sentence on the first missing joint, with both sets of names and a proposal.

    The recording, called ``where``, lacks at least one of the wanted joints.
    """
    absent = next(joint for joint in wanted if joint not in available)
    sentence = (
        f"{where}: joint '{shown(absent)}' is missing; available are {shown_names(available)}"
    )
    proposal = proposed_names(wanted, available)
    if not proposal:
        any_recorded = any(joint in available for joint in wanted)
        lock = " A joint without a recording can be left out of 'joints', which locks it."
        return (
            f"{sentence}, expected {shown_names(wanted)}. If the recording has other names for "
            f"them, give recording.names: {{recorded: URDF}}.{lock if any_recorded else ''}"
        )
    pairs = ", ".join(
        f"{_quoted(recorded)}: {_quoted(other)}" for recorded, other in proposal.items()
    )
    return (
        f"{sentence}, expected {shown_names(wanted)}. If these are the same joints, map the names "
        f"with --set 'recording.names={{{pairs}}}', or recording.names in the profile."
    )


def proposed_names(wanted: Sequence[str], available: Sequence[str]) -> dict[str, str]:
    """Return a likely mapping for the missing joints, or an empty one.

    One change of a prefix that finds every joint is the best; else each joint needs exactly one
    name that is much like it, such as ``Joint_1`` for ``joint1``.
    """
    absent = [joint for joint in wanted if joint not in available]
    free = [name for name in available if name not in wanted]
    if len(free) < len(absent):
        return {}
    return _prefix_change(absent, free) or _alike(absent, free)


def _by_pattern(joint: str, patterns: Sequence[tuple[str, str]]) -> str | None:
    for recorded, urdf in patterns:
        before, _, after = urdf.partition("*")
        long_enough = len(joint) >= len(before) + len(after)
        if long_enough and joint.startswith(before) and joint.endswith(after):
            middle = joint[len(before) : len(joint) - len(after)]
            return recorded.replace("*", middle)
    return None


def _prefix_change(absent: Sequence[str], free: Sequence[str]) -> dict[str, str]:
    """Return ``old*: new*`` if it maps every joint, with the longest text in place of the ``*``."""
    first = absent[0]
    for cut in range(len(first)):
        ending = first[cut:]
        for name in free:
            if not name.endswith(ending):
                continue
            old, new = name[: len(name) - len(ending)], first[:cut]
            renamed = [old + joint[len(new) :] for joint in absent if joint.startswith(new)]
            if len(renamed) == len(absent) and set(renamed) <= set(free):
                if len(absent) == 1:
                    return {name: first}
                return {f"{old}*": f"{new}*"}
    return {}


def _alike(absent: Sequence[str], free: Sequence[str]) -> dict[str, str]:
    plain = {_plain(name): name for name in free}
    partners: dict[str, str] = {}
    for joint in absent:
        same = plain.get(_plain(joint))
        close = [same] if same else get_close_matches(joint, free, n=1, cutoff=_ALIKE)
        if not close or close[0] in partners:
            return {}
        partners[close[0]] = joint
    return partners


def _quoted(name: str) -> str:
    """Return a name for YAML between single quotes of a shell; ``*`` alone begins an alias."""
    return f'"{shown(name)}"' if name.startswith("*") else shown(name)


def _plain(name: str) -> str:
    return "".join(character for character in name.lower() if character.isalnum())
