"""States that are far from the present one, or that no derivative shows: what could be tried."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynid.evaluation.hypotheses.refit import Data, Equations, friction_shapes
from dynid.evaluation.hypotheses.relations import Relation
from dynid.evaluation.hypotheses.samples import FOLDS
from dynid.evaluation.hypotheses.state import Hypothesis
from dynid.evaluation.hypotheses.trial import (
    DOUBTED,
    POOR,
    RefitOutcome,
    Trial,
    beside_urdf,
    cost,
)

_RELATED = 0.05  # relative error of a joint above which relations of its torque are tried
_OF_ANOTHER = 0.6  # fall of the cost by parameters of its own, for which a recording is examined
_ZEROS = (0.3, 0.8, np.pi / 2, np.pi)  # rad: from each of these a linearised search finds the next
_DELAYS = (0.02, 0.06, 0.15)  # [s]
_PLAYS = (0.01, 0.04)  # [rad]: from either the best one is sought
_LEADS = (0.005, 0.02)  # [m] of screws: from either the best one is sought
_POSITION_UNITS = (np.pi / 180, 2 * np.pi)  # degrees and turns [rad]
_RATES = (0.4, 2.5)  # factors of time
_UNITS = (1e-3, 1e3)  # factors of torque in another unit
_SURELY_DRIVEN = 3.0  # standard errors of the power of friction
_EARTH = 9.81  # [m/s^2]
_FACTORS = np.geomspace(1e-4, 1e4, 33)  # with 1 among them


class Proposal(NamedTuple):
    """A state to be tried.

    Attributes:
        kind: what is changed, a key of ``KINDS``.
        joints: those concerned.
        state: the state.
        recordings: the recordings concerned; (): all.
    """

    kind: str
    joints: tuple[int, ...]
    state: Hypothesis
    recordings: tuple[int, ...] = ()


def reversed_ones(state: Hypothesis) -> Iterator[Proposal]:
    """Propose reversed joints, and positions with the other sign."""
    for joint in range(len(state.direction)):
        turned = state.reversed_at(joint)
        yield Proposal("reverse", (joint,), turned)
        yield Proposal("position", (joint,), turned.scaled_at(joint, -1.0))


def exchanged(state: Hypothesis, recordings: tuple[int, ...] = ()) -> Iterator[Proposal]:
    """Propose channels of two joints that are exchanged in some recordings; (): in all."""
    for other, joint in combinations(range(len(state.direction)), 2):
        for kind, position, torque in (
            ("channels", True, True),
            ("torques", False, True),
            ("positions", True, False),
        ):
            swapped = state.with_swapped(
                joint, other, position=position, torque=torque, recordings=recordings
            )
            yield Proposal(kind, (other, joint), swapped, recordings)


def circles(swap: Proposal) -> Iterator[Proposal]:
    """Propose channels that are exchanged in a circle: those of two joints, then with a third."""
    for joint in swap.joints:
        for third in set(range(len(swap.state.direction))) - set(swap.joints):
            both = swap.kind == "channels"
            state = swap.state.with_swapped(joint, third, position=both, torque=True)
            yield Proposal(swap.kind, tuple(sorted((*swap.joints, third))), state)


def exchanged_in_one(trial: Trial, now: RefitOutcome) -> Iterator[Proposal]:
    """Propose exchanged channels of one recording, where parameters of its own explain much."""
    recordings = trial.samples.recordings
    coarse, present = trial.coarse, trial.coarse.outcome(now.state)
    for number in range(recordings) if recordings > 1 else ():
        own = coarse.outcome(now.state.related(Relation("robot", (), (number,))))
        if own.cost > present.cost - _OF_ANOTHER:
            continue
        yield from exchanged(now.state, (number,))


def related(now: RefitOutcome) -> Iterator[Proposal]:
    """Propose what may act at a joint with a large error, or happen to its measured torque."""
    joints = range(len(now.state.direction))
    for joint in np.flatnonzero(now.refit.held_out > _RELATED).tolist():  # False for NaN
        pairs = [("coupling", (joint, other)) for other in joints if other != joint]
        shape = [("shape", (joint,))] if now.refit.held_out[joint] > DOUBTED else []
        alone = [("hysteresis", (joint,)), ("uneven", (joint,)), *shape]
        for kind, concerned in (*pairs, *alone):
            yield Proposal(kind, concerned, now.state.related(Relation(kind, concerned)))


def unlike(now: RefitOutcome, recordings: int) -> Iterator[Proposal]:
    """Propose recordings with a payload, unit or sign of torque, or friction of their own.

    Of friction, that of each joint, and of all. Any may have an offset that grows.
    """
    several = recordings > 1
    doubted = np.flatnonzero(now.refit.held_out > DOUBTED).tolist()
    poor = [(joint,) for joint in np.flatnonzero(now.refit.held_out > POOR).tolist()]
    for joint in doubted:
        yield Proposal("drift", (joint,), now.state.related(Relation("drift", (joint,))))
    every = tuple(range(len(now.state.direction)))
    for recording in range(recordings):
        if several:
            state = now.state.related(Relation("payload", (), (recording,)))
            yield Proposal("payload", (), state, (recording,))
        signs, units = [(joint, -1.0) for joint in poor], [(every, unit) for unit in _UNITS]
        for joints, own in (*signs, *units) if several and poor else ():
            factor = np.array(now.state.factor)
            factor[recording, list(joints)] *= own
            state = replace(now.state, factor=factor)
            yield Proposal("factor", joints, state, (recording,))
        alone = [(joint,) for joint in doubted]
        together = [tuple(doubted)] if len(doubted) > 1 else []
        for joints in (*(alone if several else ()), *together):
            state = now.state.related(Relation("friction", joints, (recording,)))
            yield Proposal("friction", joints, state, (recording,))


def far(trial: Trial, now: RefitOutcome) -> Iterator[Proposal]:
    """Propose values of continuous causes that are too far for a linearised search."""
    state = now.state
    every, prismatic = tuple(range(len(state.direction))), trial.mechanism.prismatic
    equations = trial.coarse.equations(state)
    for joint in every:
        turned = [sign * zero for zero in _ZEROS for sign in (1, -1)]
        for zero in () if prismatic[joint] else turned:
            moved = np.array(state.zero)
            moved[:, joint] += zero
            yield Proposal("zero", (joint,), replace(state, zero=moved))
        for unit in () if prismatic[joint] else _POSITION_UNITS:
            yield Proposal("ratio", (joint,), state.stretched_at(joint, unit))
        for lead in _LEADS if prismatic[joint] else ():
            geared = state.stretched_at(joint, lead / (2 * np.pi))
            geared = geared.scaled_at(joint, 2 * np.pi / lead)
            yield Proposal("gear", (joint,), geared)
        if now.refit.held_out[joint] > POOR:  # False for NaN; jumps may hide the joint's inertia
            for play in () if prismatic[joint] else _PLAYS:
                loose = np.array(state.backlash)
                loose[:, joint] += play
                yield Proposal("backlash", (joint,), replace(state, backlash=loose))
        if len(every) > 1:
            yield from _best_factor(equations, state, joint)
    for rate in _RATES if len(every) > 1 else ():
        yield Proposal("clock", every, replace(state, clock=state.clock * rate))
    for delay in (sign * seconds for seconds in _DELAYS for sign in (1, -1)):
        late = replace(state, delay=state.delay + delay)
        yield Proposal("delay", every, late)


def _best_factor(equations: Equations, state: Hypothesis, joint: int) -> Iterator[Proposal]:
    """Propose the best factor of a joint's torque, which only scales its equations."""
    costs = {
        sign * factor: cost(equations.scaled(joint, sign * factor).seen_error())
        for factor in _FACTORS
        for sign in (1.0, -1.0)
    }
    factor = min(costs, key=lambda f: costs[f])
    if factor == 1.0:
        return
    yield Proposal("factor", (joint,), state.scaled_at(joint, factor))


def opposite_torque(state: Hypothesis) -> Iterator[Proposal]:
    """Propose torque with the other sign, of all joints and of each, or friction alone."""
    joints = range(len(state.direction))
    if not state.backlash.any():  # its side would be that of the next motion
        backwards = replace(state, backwards=not state.backwards)
        yield Proposal("sign", tuple(joints), backwards)
    yield Proposal("sign", tuple(joints), state.scaled(np.array(-1.0)))
    for joint in joints if len(joints) > 1 else ():
        yield Proposal("sign", (joint,), state.scaled_at(joint, -1.0))


def driven(trial: Trial, state: Hypothesis) -> Iterator[Proposal]:
    """Propose the other sign of torque at all joints that their own friction would drive.

    Each joint is fitted alone, with bodies of its own, so that wrong signs of others do not matter.
    """
    data, fold = trial.data(state), trial.samples.fold
    joints = range(len(state.direction))
    sure = tuple(j for j in joints if _dissipation(data, fold, j) < -_SURELY_DRIVEN)
    if 1 < len(sure) < len(joints):
        signs = state.scaled(np.where(np.isin(joints, sure), -1.0, 1.0))
        yield Proposal("sign", sure, signs)


def _dissipation(data: Data, fold: NDArray[np.intp], joint: int) -> float:
    """Return the mean power of a joint's friction over its standard error, from blocks of time."""
    kept = np.flatnonzero(data.kept[:, joint])
    acting, columns = data.of_joints[joint]
    bodies = columns[kept][:, data.base.independent[acting] < data.mechanism.first_term]
    velocity, torque = data.motion[1][kept, joint], data.torque[kept, joint]
    shapes = friction_shapes(velocity, data.load[kept, joint])
    if len(kept) <= 2 * (bodies.shape[1] + shapes.shape[1]):
        return 0.0
    both = np.column_stack([bodies, shapes])
    scale = np.linalg.norm(both, axis=0)
    both = both / np.where(scale > 0, scale, 1.0)
    factors = np.linalg.lstsq(both, torque, rcond=1e-9)[0]
    power = velocity * (both[:, bodies.shape[1] :] @ factors[bodies.shape[1] :])
    sizes = np.bincount(fold[kept], minlength=FOLDS)
    means = np.bincount(fold[kept], power, FOLDS)[sizes > 0] / sizes[sizes > 0]
    error = float(means.std(ddof=1)) / np.sqrt(len(means)) if len(means) > 1 else 0.0
    return float(means.mean()) / error if error > 0 else 0.0


def other_gravity(trial: Trial, state: Hypothesis) -> Iterator[Proposal]:
    """Propose gravity along each axis, and none."""
    every = tuple(range(len(state.direction)))
    for gravity in (*np.eye(3), *-np.eye(3)):
        turned = replace(state, gravity=_EARTH * gravity)
        yield Proposal("gravity", every, turned)
    if np.linalg.norm(trial.mechanism.gravity) > 0:
        yield Proposal("no gravity", every, replace(state, gravity=np.zeros(3)))


def factors_of_urdf(trial: Trial, state: Hypothesis) -> Iterator[Proposal]:
    """Propose factors of each joint's torque: a unit's, and that towards the URDF's torque."""
    if len(state.direction) == 1:
        return
    data = trial.coarse.data(state)
    for joint, (expected, measured) in enumerate(beside_urdf(data, np.zeros_like(data.torque))):
        ratio = float(expected @ measured) / max(float(expected @ expected), 1e-300)
        for factor in (*_UNITS, 1 / ratio if ratio else 1.0):
            scaled = state.scaled_at(joint, factor)
            yield Proposal("factor", (joint,), scaled)
