"""Search for the changes of data or model that explain the torque."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy

from dynid.errors import MechanismError
from dynid.evaluation.hypotheses.contact import contact_interval
from dynid.evaluation.hypotheses.followed import followed
from dynid.evaluation.hypotheses.kinds import KINDS, LOW_PASSES
from dynid.evaluation.hypotheses.knobs import Derivatives, Knob, knobs
from dynid.evaluation.hypotheses.proposals import (
    Proposal,
    circles,
    driven,
    exchanged,
    exchanged_in_one,
    factors_of_urdf,
    far,
    opposite_torque,
    other_gravity,
    related,
    reversed_ones,
    unlike,
)
from dynid.evaluation.hypotheses.refit import errors_with
from dynid.evaluation.hypotheses.relations import Relation
from dynid.evaluation.hypotheses.rivals import rivals
from dynid.evaluation.hypotheses.state import Hypothesis
from dynid.evaluation.hypotheses.trial import (
    DOUBTED,
    FLOOR,
    POOR,
    RefitOutcome,
    Trial,
    cost,
)
from dynid.evaluation.hypotheses.tried import (
    DECIDES,
    HALF,
    INCONSISTENT,
    MATTERS,
    TriedCause,
    is_better,
    is_same,
    is_seen,
    matters,
)

_POLISHED = 4  # continuous causes that are followed to their best value
_FOLLOWED = 6  # exchanged channels and far values that are tried on all instants
_JUDGED = 6  # causes of which the cost of physical consistency is computed
_GONE_ON = 4  # exchanges of two joints that are tried with a third one
_OF_TWO = ("channels", "torques")
_MOST_CAUSES = 2
_LARGEST_PLAY = 0.1  # [rad]


@dataclass(frozen=True, eq=False)
class ChosenCause:
    """A cause that was chosen, and those that may be true in its place.

    Attributes:
        before: outcome without it.
        chosen: the cause.
        others: causes that are not surely worse, the best first.
        runner: the best cause of another kind or place; None: no other explains anything.
    """

    before: RefitOutcome
    chosen: TriedCause
    others: tuple[TriedCause, ...]
    runner: TriedCause | None

    @property
    def gain(self) -> float:
        """Fall of the cost."""
        return self.before.total - self.chosen.outcome.total


def search(trial: Trial) -> tuple[RefitOutcome, tuple[ChosenCause, ...]]:
    """Return the outcome without any change, and the causes that explain its error, in order."""
    now = start = trial.judged(trial.present)
    steps: list[ChosenCause] = []
    for _ in range(_MOST_CAUSES if np.isfinite(now.refit.held_out).any() else 0):
        step = _best(trial, now)
        if step is None:
            break
        if steps and is_same(step.chosen, steps[-1].chosen, trial.samples.recordings):
            steps[-1] = replace(step, before=steps[-1].before)
        else:
            steps.append(step)
        now = step.chosen.outcome
    return start, tuple(_needed(trial, start, steps))


def _needed(trial: Trial, start: RefitOutcome, steps: list[ChosenCause]) -> list[ChosenCause]:
    """Return one cause of the last step alone, where it explains as much without the step before.

    A cause that is far from the present state is found only after another one has come nearer.
    """
    if len(steps) < _MOST_CAUSES:
        return steps
    first, last = steps
    if first.others:  # what was undecided is decided where both are needed
        recordings = trial.samples.recordings
        others = tuple(c for c in first.others if not is_same(c, last.chosen, recordings))
        return [replace(first, others=others), last]
    alone = []
    for candidate in (last.chosen, *last.others):
        state = start.state.with_change(last.before.state, candidate.outcome.state)
        outcome = trial.judged(trial.outcome(state))
        if outcome.total <= last.chosen.outcome.total + DECIDES:
            alone.append(replace(candidate, outcome=outcome))
    if not alone:
        return steps
    chosen = min(alone, key=lambda candidate: candidate.outcome.total)
    others = tuple(c for c in alone if c is not chosen and not is_better(chosen, c))
    return [replace(last, before=start, chosen=chosen, others=others)]


def _best(trial: Trial, now: RefitOutcome) -> ChosenCause | None:
    candidates = sorted(_candidates(trial, now), key=lambda c: c.outcome.cost)
    likely = [c for c in candidates if c.outcome.cost < now.total - MATTERS][:_JUDGED]
    judged = [replace(c, outcome=trial.judged(c.outcome)) for c in likely]
    least = min([c.outcome.penalty or 0.0 for c in judged], default=now.penalty or 0.0)
    if min(least, now.penalty or 0.0) > MATTERS:  # no refit above is physically consistent
        unseen = _unseen(trial, now)
        judged += [replace(c, outcome=trial.judged(c.outcome)) for c in unseen]
    judged = [c for c in sorted(judged, key=lambda c: c.outcome.total) if matters(now, c)]
    judged = _with_urdfs_sign(trial, judged)
    while judged and not _is_determined(trial, now, judged[0]):
        flipped = _as_sign(trial, now, judged[0])  # a sign has no size that has to be determined
        judged = [flipped, *judged[1:]] if flipped.kind == "flip" else judged[1:]
    # one of those that few are tried of is no evidence for another cause
    if not any(is_seen(now, c) for c in judged if not KINDS[c.kind].few or c is judged[0]):
        return None
    different: list[TriedCause] = []  # the best of each kind and place
    for candidate in judged:
        if not any(is_same(candidate, c, trial.samples.recordings) for c in different):
            different.append(candidate)
    # a shape contains a factor
    factors = [c for c in different if c.kind == "factor"]
    different = [
        c
        for c in different
        if c.kind != "shape" or all(is_better(c, one) for one in factors if one.joints == c.joints)
    ]
    # what is seen comes before what explains as much by accident
    different.sort(key=lambda c: not is_seen(now, c))
    chosen, *rest = different
    chosen = _as_sign(trial, now, chosen)
    tried = list(rivals(trial, now, chosen))
    if chosen.kind == "delay":
        chosen = _as_low_pass(chosen, [one for one in tried if one.kind in LOW_PASSES])
    better = [one for one in tried if one.kind != chosen.kind and is_better(one, chosen)]
    rival = min(better, key=lambda one: one.outcome.total, default=None)
    if rival is not None and _is_alone(trial, now, rival, chosen):
        chosen = rival
    elif rival is not None and rival.kind != "robot":
        rest = [rival, *rest]
    others = tuple(c for c in rest if not is_better(chosen, c) and _is_determined(trial, now, c))
    return ChosenCause(now, chosen, others, rest[0] if rest else None)


def _with_urdfs_sign(trial: Trial, judged: list[TriedCause]) -> list[TriedCause]:
    """Leave out signs of all torques, or of time, that the URDF's masses contradict, if one agrees.

    Where inertia is hardly seen, both explain the same.
    """
    against = {
        number: trial.is_against_urdf(candidate.outcome.state)
        for number, candidate in enumerate(judged)
        if candidate.kind == "sign" and len(candidate.joints) == len(trial.mechanism.joints)
    }
    if all(against.values()):
        return judged
    return [c for number, c in enumerate(judged) if not against.get(number, False)]


def _as_low_pass(delay: TriedCause, low_passes: list[TriedCause]) -> TriedCause:
    """Return a low-pass in place of a delay where it is surely better, the simplest one of these.

    A low-pass of second order with a delay at low frequencies is one at all that a motion has.
    """
    better = [one for one in low_passes if is_better(one, delay)]
    for one in better:
        if not any(is_better(other, one) for other in better):
            alike = [other.kind for other in low_passes if not is_better(one, other)]
            return replace(one, alike=tuple(kind for kind in alike if kind != one.kind))
    alike = [one.kind for one in low_passes if not is_better(delay, one)]
    return replace(delay, alike=tuple(alike))


def _is_determined(trial: Trial, now: RefitOutcome, candidate: TriedCause) -> bool:
    """Whether the data decide on the factor of a joint or a recording at least to a power of ten.

    A joint that has another unit of position than the URDF fits with any large factor: its bodies
    then have no weight in the equations of the others. So does a recording with any small one. A
    torque with hysteresis may be that of friction whose contacts bend before they slide.
    """
    joints, outcome = list(candidate.joints), candidate.outcome
    if candidate.kind == "hysteresis":
        bending = now.state.related(Relation("presliding", candidate.joints))
        return is_better(candidate, replace(candidate, outcome=trial.outcome(bending)))
    if candidate.kind != "factor" or (len(joints) > 1 and not candidate.recordings):
        return True

    def rescaled(step: float) -> float:
        factor = np.array(outcome.state.factor)
        for recording in candidate.recordings or range(len(factor)):
            factor[recording, joints] *= step
        return trial.judged(trial.outcome(replace(outcome.state, factor=factor))).total

    return all(rescaled(step) > outcome.total + DECIDES for step in (10.0, 0.1))


def _as_sign(trial: Trial, now: RefitOutcome, chosen: TriedCause) -> TriedCause:
    """Return the other sign alone in place of a negative factor, unless that is surely better."""
    if chosen.kind != "factor" or len(chosen.joints) > 1 or chosen.recordings:
        return chosen
    (joint,) = chosen.joints
    if np.all(chosen.outcome.state.factor[:, joint] * now.state.factor[:, joint] > 0):
        return chosen
    outcome = trial.judged(trial.outcome(now.state.scaled_at(joint, -1.0)))
    flipped = replace(chosen, kind="flip", outcome=outcome)
    return chosen if is_better(chosen, flipped) else flipped


def _is_alone(trial: Trial, now: RefitOutcome, rival: TriedCause, chosen: TriedCause) -> bool:
    """Whether a rival is worth naming in place of a cause, which adds nothing to it.

    A motor that moves two joints has a part of the torque of one in that of the other. Another
    robot is named where the cause explains less than half of the error of a joint.
    """
    if chosen.outcome.total - rival.outcome.total < MATTERS:
        return False
    if rival.kind == "robot":  # contains loads, factors and friction, and fits always better
        left = chosen.outcome.refit.held_out
        unexplained = left > np.maximum(HALF * now.refit.held_out, FLOOR)
        with np.errstate(invalid="ignore", divide="ignore"):
            fall = 2 * np.log(left / rival.outcome.refit.held_out)
        return bool(np.any(unexplained & (fall > MATTERS)))
    if (chosen.kind, rival.kind) != ("coupling", "crosstalk"):
        return True
    if np.any(rival.outcome.refit.held_out[list(rival.joints)] > FLOOR):
        return False
    (driven, driving), state = chosen.joints, rival.outcome.state
    pairs = ((driven, driving), (driving, driven))
    state = state.related(*(Relation("coupling", pair) for pair in pairs))
    return trial.judged(trial.outcome(state)).total > rival.outcome.total - DECIDES


def _candidates(trial: Trial, now: RefitOutcome) -> Iterator[TriedCause]:
    yield from _continuous(trial, now)
    for outcome in contact_interval(trial, now):
        yield TriedCause("contact", (), outcome)
    proposals = [*related(now), *unlike(now, trial.samples.recordings)]
    worst, impossible = float(np.nanmax(now.refit.held_out)), now.penalty or 0.0
    if worst > DOUBTED or impossible > INCONSISTENT:
        proposals += [*reversed_ones(now.state), *exchanged(now.state)]
        proposals += [*exchanged_in_one(trial, now), *other_gravity(trial, now.state)]
    if worst > POOR or impossible > INCONSISTENT:
        proposals += far(trial, now)
    coarse = trial.coarse
    present = coarse.outcome(now.state).cost if proposals else 0.0
    costs = [(_cost_of(coarse, proposal.state), proposal) for proposal in proposals]
    costs += _with_a_third(coarse, costs) if worst > POOR else []
    better = [pair for pair in costs if pair[0] < present - MATTERS]
    for _, proposal in sorted(better, key=lambda pair: pair[0])[:_FOLLOWED]:
        yield _tried(trial, proposal)


def _with_a_third(
    trial: Trial, costs: Sequence[tuple[float, Proposal]]
) -> Iterator[tuple[float, Proposal]]:
    """Yield the costs of channels of three joints that are exchanged in a circle.

    An exchange of two of them puts one at its place, so that the best ones are gone on from.
    """
    swaps = [pair for pair in costs if pair[1].kind in _OF_TWO and not pair[1].recordings]
    best = sorted(swaps, key=lambda pair: pair[0])[:_GONE_ON]
    proposals = {
        (one.kind, one.state.position_of.tobytes(), one.state.torque_of.tobytes()): one
        for _, swap in best
        for one in circles(swap)
    }
    for proposal in proposals.values():
        yield _cost_of(trial, proposal.state), proposal


def _cost_of(trial: Trial, state: Hypothesis) -> float:
    """Return the cost of a state, infinite if a closed chain cannot take its poses."""
    try:
        return trial.outcome(state).cost
    except MechanismError:
        return np.inf


def _refitted(trial: Trial, proposal: Proposal) -> TriedCause:
    kind, joints, state, recordings = proposal
    return TriedCause(kind, joints, trial.outcome(state), recordings)


def _tried(trial: Trial, proposal: Proposal) -> TriedCause:
    """Refit, and follow a number that may have any value to the best one."""
    if proposal.kind == "backlash":
        proposal = _with_best_play(trial.coarse, proposal)
    kind, joints, state, recordings = proposal
    number = KINDS[kind].followed
    if not number:
        return _refitted(trial, proposal)
    outcome, deviation = followed(trial, state, number, joints, recordings)
    return TriedCause(kind, joints, outcome, recordings, deviation)


def _with_best_play(trial: Trial, proposal: Proposal) -> Proposal:
    """Return a proposal with the play that leaves the least error.

    Positions that jump hide the inertia on which its derivative depends, so steps along it fail.
    """
    (joint,) = proposal.joints

    def with_play(play: float) -> Proposal:
        backlash = np.array(proposal.state.backlash)
        backlash[:, joint] = play
        return proposal._replace(state=replace(proposal.state, backlash=backlash))

    best = scipy.optimize.minimize_scalar(
        lambda play: _cost_of(trial, with_play(play).state),
        bounds=(0.0, _LARGEST_PLAY),
        method="bounded",
        options={"xatol": _LARGEST_PLAY / 100},
    )
    return with_play(float(best.x))


def _unseen(trial: Trial, now: RefitOutcome) -> Iterator[TriedCause]:
    """Try what a refit without physical consistency may not see.

    That is torque with the other sign or in another unit, and another direction of gravity.
    """
    for proposal in (
        *opposite_torque(now.state),
        *driven(trial, now.state),
        *other_gravity(trial, now.state),
        *factors_of_urdf(trial, now.state),
    ):
        turned = proposal.kind == "gravity"
        yield _tried(trial, proposal) if turned else _refitted(trial, proposal)
    if np.linalg.norm(trial.mechanism.gravity) > 0:  # its derivative may vanish where it is wrong
        every = tuple(range(len(now.state.direction)))
        outcome, deviation = followed(trial, now.state, "gravity", every)
        yield TriedCause("gravity", every, outcome, deviation=deviation)


def _continuous(trial: Trial, now: RefitOutcome) -> Iterator[TriedCause]:
    """Try every continuous cause linearised, and follow the best of them."""
    promising = sorted(_linearised(trial, now), key=lambda pair: pair[1])[:_POLISHED]
    for knob, expected in promising:
        if expected < cost(now.refit.seen) - MATTERS / 2:
            place = knob.kind, knob.joints, knob.recordings
            outcome, deviation = followed(trial, now.state, *place)
            yield TriedCause(knob.kind, knob.joints, outcome, knob.recordings, deviation)


def _linearised(trial: Trial, now: RefitOutcome) -> list[tuple[Knob, float]]:
    """Return knobs with the cost on data fitted that each leaves, linearised."""
    data = trial.data(now.state)
    several = list(knobs(Derivatives(trial.samples, data, now.state, now.refit), trial.samples))
    errors = errors_with(data, trial.samples.fold, [knob.columns() for knob in several])
    return [(knob, cost(error)) for knob, error in zip(several, errors, strict=True)]
