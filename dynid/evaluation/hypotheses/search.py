"""Search for the changes of data or model that explain the torque."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import scipy

from dynid.arrays import Array
from dynid.errors import MechanismError
from dynid.evaluation.hypotheses.contact import contact_interval
from dynid.evaluation.hypotheses.followed import followed
from dynid.evaluation.hypotheses.knobs import Derivatives, Knob, knobs
from dynid.evaluation.hypotheses.proposals import (
    Proposal,
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
from dynid.evaluation.hypotheses.rivals import CAUSES, LOW_PASSES, rivals
from dynid.evaluation.hypotheses.state import Hypothesis
from dynid.evaluation.hypotheses.trial import (
    DOUBTED,
    FLOOR,
    POOR,
    RefitOutcome,
    Trial,
    advantage,
    cost,
)

MATTERS = 0.3
"""Fall of the cost below which a cause is not worth naming: squared errors fall by a quarter, all
joints together."""
DECIDES = 0.15
"""Difference in cost between two causes below which either may be true. Changes that cannot be seen
at all differ by up to 0.05."""
# Student's t over blocks: about a hundred causes are tried, so that one in a thousand is little
_SURE_ADVANTAGE = 7.0
_SURE_OF_FEW = 5.0
"""The same of causes of which few are tried: those of single joints with large errors, and a delay
of all joints."""
_FEW_TRIED = ("backlash", "hysteresis", "uneven")
_BETTER_ADVANTAGE = 3.0
_HALF = 0.5  # of the error of a joint: what a contact or a recording has to explain at least
_INCONSISTENT = 2.0  # fall of the penalty of physical consistency that no accident causes
_POLISHED = 4  # continuous causes that are followed to their best value
_FOLLOWED = 6  # exchanged channels and far values that are tried on all instants
_JUDGED = 6  # causes of which the cost of physical consistency is computed
_MOST_CAUSES = 2
_FOLLOWED_KINDS = ("zero", "delay", "gravity", "factor", "gear")
_LARGEST_PLAY = 0.1  # [rad]


@dataclass(frozen=True, eq=False)
class TriedCause:
    """A cause that was tried.

    Attributes:
        cause: its key.
        kind: what is changed, such as "factor" or "swap".
        joints: those concerned.
        recordings: the recordings concerned; (): all.
        outcome: of the refit.
        deviation: standard deviation of a continuous cause's number; NaN: unknown.
        alike: kinds of relations that explain about the same as a delay does.
    """

    cause: str
    kind: str
    joints: tuple[int, ...]
    outcome: RefitOutcome
    recordings: tuple[int, ...] = ()
    deviation: float = float("nan")
    alike: tuple[str, ...] = ()


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
        if steps and _same(step.chosen, steps[-1].chosen, trial.samples.recordings):
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
        others = tuple(c for c in first.others if not _same(c, last.chosen, recordings))
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
    judged = [c for c in sorted(judged, key=lambda c: c.outcome.total) if _matters(now, c)]
    judged = _with_urdfs_sign(trial, judged)
    while judged and not _is_determined(trial, now, judged[0]):
        judged = judged[1:]
    # one of those that few are tried of is no evidence for another cause
    if not any(is_seen(now, c) for c in judged if c.kind not in _FEW_TRIED or c is judged[0]):
        return None
    different: list[TriedCause] = []  # the best of each kind and place
    for candidate in judged:
        if not any(_same(candidate, c, trial.samples.recordings) for c in different):
            different.append(candidate)
    chosen, *rest = different
    chosen = _as_sign(trial, now, chosen)
    tried = list(_rivals(trial, now, chosen))
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
            return one
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
    flipped = replace(chosen, cause="flipped_sign", outcome=outcome)
    return chosen if is_better(chosen, flipped) else flipped


def _rivals(trial: Trial, now: RefitOutcome, chosen: TriedCause) -> Iterator[TriedCause]:
    """Yield what the torque's measurement may do in place of a cause."""
    if chosen.kind == "sign":  # which is one of two; what else a sensor does is another cause
        return
    for rival in rivals(trial, now, chosen.outcome, chosen.joints, chosen.recordings):
        kind, joints, recordings, outcome = rival
        yield TriedCause(CAUSES[kind], kind, joints, trial.judged(outcome), recordings)


def _is_alone(trial: Trial, now: RefitOutcome, rival: TriedCause, chosen: TriedCause) -> bool:
    """Whether a rival is worth naming in place of a cause, which adds nothing to it.

    A motor that moves two joints has a part of the torque of one in that of the other. Another
    robot is named where the cause explains less than half of the error of a joint.
    """
    if chosen.outcome.total - rival.outcome.total < MATTERS:
        return False
    if rival.kind == "robot":  # contains loads, factors and friction, and fits always better
        left = chosen.outcome.refit.held_out
        unexplained = left > np.maximum(_HALF * now.refit.held_out, FLOOR)
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


def _matters(now: RefitOutcome, candidate: TriedCause) -> bool:
    """Whether a cause explains much, and fits not worse for the sake of possible parameters."""
    outcome = candidate.outcome
    signs = len(candidate.joints) if candidate.kind == "sign" else 1  # each is a choice of its own
    return now.total - outcome.total > MATTERS and outcome.cost < now.cost + DECIDES * signs


def is_seen(now: RefitOutcome, candidate: TriedCause) -> bool:
    """Whether a cause explains so much, in most blocks of time, that it is no accident."""
    outcome = candidate.outcome
    if not _matters(now, candidate):
        return False
    if candidate.kind == "contact":  # in a few blocks by its nature
        return _halves(outcome.refit.seen, now.refit.seen, FLOOR)
    by_penalty = (now.penalty or 0.0) - (outcome.penalty or 0.0)
    everywhere = len(candidate.joints) == len(now.refit.seen)
    few = candidate.kind in _FEW_TRIED or (candidate.kind == "delay" and everywhere)
    sure = _SURE_OF_FEW if few else _SURE_ADVANTAGE
    if advantage(outcome, now) > sure or by_penalty > _INCONSISTENT:
        return True
    if not candidate.recordings:
        return False
    # blocks of others are as good
    return _halves(outcome.refit.held_out, now.refit.held_out, DOUBTED)


def _halves(errors: Array, before: Array, least: float) -> bool:
    """Whether less than half of the error of a joint is left, where it was more than ``least``."""
    return bool(np.any((errors < _HALF * before) & (before > least)))


def is_better(chosen: TriedCause, other: TriedCause) -> bool:
    """Whether another cause is surely worse than the chosen one."""
    fall = other.outcome.total - chosen.outcome.total
    if "contact" in (chosen.kind, other.kind):
        return fall > MATTERS
    by_penalty = (other.outcome.penalty or 0.0) - (chosen.outcome.penalty or 0.0)
    return fall > DECIDES and (
        advantage(chosen.outcome, other.outcome) > _BETTER_ADVANTAGE or by_penalty > _INCONSISTENT
    )


def _same(first: TriedCause, other: TriedCause, recordings: int) -> bool:
    """Whether two candidates say the same: of two recordings, that one differs from the other."""
    kinds = {"sign": "factor"}
    alike = (first.joints, kinds.get(first.kind, first.kind)) == (
        other.joints,
        kinds.get(other.kind, other.kind),
    )
    alike &= first.outcome.state.backwards == other.outcome.state.backwards
    return alike and (recordings <= 2 or first.recordings == other.recordings)


def _candidates(trial: Trial, now: RefitOutcome) -> Iterator[TriedCause]:
    yield from _continuous(trial, now)
    for outcome in contact_interval(trial, now):
        yield TriedCause("contact", "contact", (), outcome)
    proposals = [*related(now), *unlike(now, trial.samples.recordings)]
    worst, impossible = float(np.nanmax(now.refit.held_out)), now.penalty or 0.0
    if worst > DOUBTED or impossible > _INCONSISTENT:
        proposals += [*reversed_ones(now.state), *exchanged(now.state)]
        proposals += [*exchanged_in_one(trial, now), *other_gravity(trial, now.state)]
    if worst > POOR or impossible > _INCONSISTENT:
        proposals += far(trial, now)
    coarse = trial.coarse
    present, better = coarse.outcome(now.state).cost if proposals else 0.0, []
    for proposal in proposals:
        there = _cost_of(coarse, proposal.state)
        if there < present - MATTERS:
            better.append((there, proposal))
    for _, proposal in sorted(better, key=lambda pair: pair[0])[:_FOLLOWED]:
        yield _tried(trial, proposal)


def _cost_of(trial: Trial, state: Hypothesis) -> float:
    """Return the cost of a state, infinite if a closed chain cannot take its poses."""
    try:
        return trial.outcome(state).cost
    except MechanismError:
        return np.inf


def _refitted(trial: Trial, proposal: Proposal) -> TriedCause:
    outcome = trial.outcome(proposal.state)
    return TriedCause(proposal.cause, proposal.kind, proposal.joints, outcome, proposal.recordings)


def _tried(trial: Trial, proposal: Proposal) -> TriedCause:
    """Refit, and follow a number that may have any value to the best one."""
    if proposal.kind == "backlash":
        proposal = _with_best_play(trial.coarse, proposal)
    tried = _refitted(trial, proposal)
    if proposal.kind not in _FOLLOWED_KINDS:
        return tried
    outcome, deviation = followed(
        trial, tried.outcome.state, proposal.kind, proposal.joints, proposal.recordings
    )
    return replace(tried, outcome=outcome, deviation=deviation)


def _with_best_play(trial: Trial, proposal: Proposal) -> Proposal:
    """Return a proposal with the play that leaves the least error.

    Positions that jump hide the inertia on which its derivative depends, so steps along it fail.
    """
    (joint,) = proposal.joints

    def with_play(play: float) -> Proposal:
        backlash = np.array(proposal.state.backlash)
        backlash[:, joint] = play
        return replace(proposal, state=replace(proposal.state, backlash=backlash))

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
        yield TriedCause("wrong_gravity", "gravity", every, outcome, deviation=deviation)


def _continuous(trial: Trial, now: RefitOutcome) -> Iterator[TriedCause]:
    """Try every continuous cause linearised, and follow the best of them."""
    promising = sorted(_linearised(trial, now), key=lambda pair: pair[1])[:_POLISHED]
    for knob, expected in promising:
        if expected < cost(now.refit.seen) - MATTERS / 2:
            recordings = () if knob.whole else knob.recordings
            outcome, deviation = followed(trial, now.state, knob.kind, knob.joints, recordings)
            yield TriedCause(knob.cause, knob.kind, knob.joints, outcome, recordings, deviation)


def _linearised(trial: Trial, now: RefitOutcome) -> list[tuple[Knob, float]]:
    """Return knobs with the cost on data fitted that each leaves, linearised."""
    data = trial.data(now.state)
    several = list(knobs(Derivatives(trial.samples, data, now.state, now.refit), trial.samples))
    errors = errors_with(data, trial.samples.fold, [knob.columns() for knob in several])
    return [(knob, cost(error)) for knob, error in zip(several, errors, strict=True)]
