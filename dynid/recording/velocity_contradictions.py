"""Contradictions between recorded velocities and the derivatives of positions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from dynid.recording.contradiction import Contradiction
from dynid.recording.corrections import Correction, correction_yaml
from dynid.recording.model import Recording
from dynid.recording.velocity_agreement import (
    Agreement,
    AveragedMotion,
    agreement,
    averaged_motion,
    backlash,
    play_of,
)
from dynid.text import listed, significant

_DEVIATION = 0.02  # of a slope from 1: gear ratios, clocks and lengths are known better
_UNRELATED = 0.3  # largest correlation of a velocity that has nothing to do with the position
_RELATED = 0.8  # smallest correlation with the joint whose velocity it is
_UNEXPLAINED = 0.25  # of a velocity by that joint, over what its own position leaves unexplained
_OWN = 0.01  # of a velocity squared, unexplained by the position that it surely belongs to
_LATE = 0.2  # of the velocity: an error by a lag above it is a warning
_SHOWN_LAG = 0.5  # samples: shorter lags are those of rounding and of a sampled derivative


class Unit(NamedTuple):
    """A unit other than SI: of the velocity, or of the position; ``si`` converts it."""

    signal: str
    name: str
    si: float


UNITS: Mapping[float, Unit] = {
    180 / math.pi: Unit("velocity", "deg/s", math.pi / 180),
    30 / math.pi: Unit("velocity", "rpm", math.pi / 30),
    0.5 / math.pi: Unit("velocity", "turns/s", 2 * math.pi),
    1000.0: Unit("velocity", "mrad/s or mm/s", 1e-3),
    math.pi / 180: Unit("position", "degrees", math.pi / 180),
    2 * math.pi: Unit("position", "turns", 2 * math.pi),
    1e-3: Unit("position", "mrad or mm", 1e-3),
}
"""Units by the ratio of a velocity to the derivative of the position that they lead to."""


def velocity_contradictions(
    recording: Recording, copied: Sequence[str] = ()
) -> Iterator[Contradiction]:
    """Compare the velocity of each moving joint with the derivatives of positions.

    The piece of a recording has no gaps; copied are joints whose velocity is that of another one.
    """
    motion = averaged_motion(recording)
    if motion is None:
        return
    names = recording.joint_names
    examined = [joint for joint in motion.moving if names[joint] not in copied]
    agreements = {joint: agreement(motion, joint, joint) for joint in examined}
    others = _of_other_joints(motion, agreements)
    if others:
        yield _permutation(others, names)
    rest = [joint for joint in examined if joint not in others]
    compared = [joint for joint in rest if agreements[joint] is not None]
    plays = {j: play for j in compared if (play := play_of(motion, j)).is_seen}
    unrelated = [
        joint
        for joint in rest
        if joint not in plays and _is_unrelated(motion, agreements[joint], joint)
    ]
    if unrelated:
        yield _nothing_to_do(motion, agreements, unrelated, names)
    clear = {
        joint: found
        for joint in rest
        if joint not in unrelated and (found := agreements[joint]) is not None and found.clear
    }
    everywhere = len(clear) == len(examined)
    yield from _slopes(clear, recording, everywhere=everywhere)
    yield from backlash({names[joint]: play for joint, play in plays.items()})
    yield from _lags({j: found for j, found in clear.items() if j not in plays}, recording)


def _of_other_joints(
    motion: AveragedMotion, agreements: Mapping[int, Agreement | None]
) -> dict[int, int]:
    """Return the joint whose position each velocity belongs to, where it is another one."""
    others = {}
    for joint, of_itself in agreements.items():
        if of_itself is None:  # constant, or too short a motion
            continue
        size = abs(of_itself.correlation)
        if 1 - size**2 < _OWN and not _deviates(of_itself):
            continue
        candidates = {
            other: abs(found.correlation)
            for other in motion.moving
            if other != joint and (found := agreement(motion, joint, other)) is not None
        }
        best = max(candidates, key=lambda other: candidates[other], default=joint)
        correlation = candidates.get(best, 0.0)
        if correlation > _RELATED and 1 - correlation**2 < _UNEXPLAINED * (1 - size**2):
            others[joint] = best
    return others


def _permutation(others: Mapping[int, int], names: Sequence[str]) -> Contradiction:
    pairs = [f"that of {names[joint]} to {names[of]}" for joint, of in others.items()]
    closed = set(others) == set(others.values())
    corrections = tuple(
        Correction(signal="velocity", joint=names[of], source=names[joint])
        for joint, of in others.items()
    )
    remedy = (
        f"If the velocities are swapped, add {correction_yaml(corrections)} to the profile; if the "
        "positions are, the same with position and each joint and source exchanged."
        if closed
        else "Check which channel is recorded for which joint, and take the right one by 'source' "
        "of recording.corrections in the profile."
    )
    return Contradiction(
        kind="velocity",
        joints=tuple(names[joint] for joint in others),
        severity="problem",
        sentence=(f"Recorded velocities belong to the positions of other joints: {listed(pairs)}."),
        remedy=remedy,
        corrections=corrections if closed else (),
        evidence={"velocities of other joints": float(len(others))},
    )


def _is_unrelated(motion: AveragedMotion, found: Agreement | None, joint: int) -> bool:
    if found is None:
        return bool(motion.velocity[:, joint].std() == 0)
    return abs(found.correlation) < _UNRELATED


def _nothing_to_do(
    motion: AveragedMotion,
    agreements: Mapping[int, Agreement | None],
    joints: Sequence[int],
    names: Sequence[str],
) -> Contradiction:
    of = listed(names[joint] for joint in joints)
    sizes = {j: abs(a.correlation) if (a := agreements[j]) is not None else 0.0 for j in joints}
    constant = all(motion.velocity[:, joint].std() == 0 for joint in joints)
    what = "is constant although the joint moves"
    if not constant:
        what = (
            "has nothing to do with the derivative of the position: their correlation is at most "
            f"{max(sizes.values()):.2g} at any lag"
        )
    return Contradiction(
        kind="velocity",
        joints=tuple(names[joint] for joint in joints),
        severity="problem",
        sentence=f"The recorded velocity of {of} {what}.",
        remedy=(
            "Check which signal is recorded as velocity; recording.corrections can take the "
            "channel of another joint (source), and identification.velocity: differentiated does "
            "without it."
        ),
        evidence={f"correlation of {names[joint]}": size for joint, size in sizes.items()},
    )


def _deviates(found: Agreement) -> bool:
    """Whether the slope is not 1."""
    return found.slope < 0 or not _may_be(found, 1.0)


def _may_be(found: Agreement, factor: float) -> bool:
    """Whether noise and a filter explain how far the slope's magnitude is from a factor."""
    low, high = found.limits
    return low <= (1 + _DEVIATION) * factor and high >= (1 - _DEVIATION) * found.damping * factor


def _slopes(
    clear: Mapping[int, Agreement], recording: Recording, *, everywhere: bool
) -> Iterator[Contradiction]:
    off = {joint: found for joint, found in clear.items() if _deviates(found)}
    ratio = _common(list(clear.values()))
    most = everywhere and 2 * len(off) > len(clear)
    if most and ratio is not None and _unit(clear.values()) is None:
        yield _time(clear, ratio, recording)
        return
    groups: dict[float, list[int]] = {}
    for joint, found in off.items():
        groups.setdefault(_factor(found), []).append(joint)
    for factor, joints in groups.items():
        whole = everywhere and len(joints) == len(clear) > 1
        yield _wrong_slope(factor, joints, off, recording, whole=whole)


def _common(agreements: Sequence[Agreement]) -> float | None:
    """Return the slope other than 1 that all may have; None without one, or if it is negative."""
    if not agreements or any(found.slope < 0 for found in agreements):
        return None
    low = max(found.limits[0] for found in agreements)
    high = min(found.limits[1] for found in agreements)
    damping = min(found.damping for found in agreements)
    agrees = high >= (1 - _DEVIATION) * damping and low <= 1 + _DEVIATION
    if agrees or low > (1 + _DEVIATION) * high:
        return None
    return float(np.median([_magnitude(found) for found in agreements]))


def _magnitude(found: Agreement) -> float:
    """Return the slope's magnitude, between its limits where the noise is."""
    return abs(found.slope) / max(abs(found.correlation), _UNRELATED)


def _unit(agreements: Iterable[Agreement]) -> float | None:
    """Return the factor of the unit that all slopes may have, the nearest one to them."""
    several = list(agreements)
    possible = [factor for factor in UNITS if all(_may_be(found, factor) for found in several)]
    size = float(np.median([_magnitude(found) for found in several]))
    return min(possible, key=lambda factor: abs(math.log(size / factor)), default=None)


def _factor(found: Agreement) -> float:
    """Return the signed factor of a unit, -1, or the slope's three digits."""
    unit, size = _unit([found]), _magnitude(found)
    if unit is not None:
        size = unit
    elif _may_be(found, 1.0):
        size = 1.0
    else:
        size = float(f"{size:.3g}")
    return math.copysign(size, found.slope)


def _wrong_slope(
    factor: float,
    joints: Sequence[int],
    off: Mapping[int, Agreement],
    recording: Recording,
    *,
    whole: bool,
) -> Contradiction:
    names = tuple(recording.joint_names[joint] for joint in joints)
    unit = UNITS.get(abs(factor))
    signal = "velocity" if unit is None else unit.signal
    scale = 1 / factor if unit is None else math.copysign(unit.si, factor)
    corrections = tuple(
        Correction.model_validate({"signal": signal, "joint": name, "factor": scale})
        for name in ((None,) if whole and len(names) == len(recording.joint_names) else names)
    )
    where = f"The recorded velocity of {listed(names)}"
    if abs(factor) == 1:
        sentence = f"{where} has the opposite sign of the derivative of the position."
    else:
        slope = significant(float(np.mean([off[joint].slope for joint in joints])), 4)
        reason = "" if unit is None else f", as {unit.signal} in {unit.name} has"
        sentence = f"{where} is {slope} times the derivative of the position{reason}."
    line = correction_yaml(corrections)
    remedy = f"Add {line} to the profile"
    if len(names) == 1 or abs(factor) == 1:
        remedy += f"; or, if the position is wrong, the factor {1 / scale:.6g} of position"
        remedy = remedy if signal == "velocity" else f"Add {line} to the profile"
    if abs(factor) != 1 and unit is None and len(off) == 1:
        remedy += f"; if the times are wrong, [{{signal: time, factor: {abs(1 / factor):.6g}}}]"
    return Contradiction(
        kind="velocity",
        joints=names,
        severity="problem",
        sentence=sentence,
        remedy=f"{remedy}.",
        corrections=corrections,
        evidence={
            f"velocity over derivative of {recording.joint_names[j]}": off[j].slope for j in joints
        },
    )


def _time(clear: Mapping[int, Agreement], ratio: float, recording: Recording) -> Contradiction:
    names = tuple(recording.joint_names[joint] for joint in clear)
    time = Correction(signal="time", factor=float(f"{1 / ratio:.5g}"))
    velocity = Correction(signal="velocity", factor=float(f"{1 / ratio:.5g}"))
    joints = f"all {len(names)} moving joints" if len(names) > 1 else f"the moving joint {names[0]}"
    return Contradiction(
        kind="time",
        joints=(),
        severity="problem",
        sentence=(
            f"The recorded velocity of {joints} is {significant(ratio, 4)} times the derivative of "
            "the position: either the time stamps are stretched by this factor, so that "
            "accelerations are wrong too, or the velocities are in another unit."
        ),
        remedy=(
            "Only the source of the recording can decide. Add to the profile, if the times are "
            f"wrong, {correction_yaml([time])}; if the velocities are, "
            f"{correction_yaml([velocity])}."
        ),
        evidence={
            f"velocity over derivative of {recording.joint_names[joint]}": found.slope
            for joint, found in clear.items()
        },
    )


def _lags(clear: Mapping[int, Agreement], recording: Recording) -> Iterator[Contradiction]:
    shortest = _SHOWN_LAG / recording.sampling_rate
    late = {j: f for j, f in clear.items() if abs(f.lag) - f.lag_margin > shortest}
    for heavy in (True, False):
        for early in (False, True):
            of_size = [joint for joint, found in late.items() if (found.late > _LATE) == heavy]
            joints = [joint for joint in of_size if (late[joint].lag < 0) == early]
            if joints:
                yield _lag(joints, late, recording, heavy=heavy)


def _lag(
    joints: Sequence[int], late: Mapping[int, Agreement], recording: Recording, *, heavy: bool
) -> Contradiction:
    names = tuple(recording.joint_names[joint] for joint in joints)
    lags = [late[joint].lag for joint in joints]
    low, high = sorted(f"{1e3 * abs(lag):.3g}" for lag in (min(lags), max(lags)))
    span = low if low == high else f"{low} to {high}"
    direction = "later" if lags[0] > 0 else "earlier"
    corrections = tuple(
        Correction(signal="velocity", joint=name, delay=float(f"{lag:.3g}"))
        for name, lag in zip(names, lags, strict=True)
    )
    return Contradiction(
        kind="velocity",
        joints=names,
        severity="warning" if heavy else "note",
        sentence=(
            f"The recorded velocity of {listed(names)} is {span} ms {direction} than the "
            f"derivative of the position, which is {max(late[j].late for j in joints):.2g} of it."
        ),
        remedy=(
            "A filter in the drive delays it; where identification.velocity is measured, add "
            f"{correction_yaml(corrections)} to the profile."
        ),
        corrections=corrections,
        evidence={f"lag of {n} [s]": lag for n, lag in zip(names, lags, strict=True)},
    )
