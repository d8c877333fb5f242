"""Causes that were tried: each remedy is refitted, and judged by data left out of the refit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array, runs
from dynid.errors import EstimationError, MechanismError
from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.diagnosis.contradicting_signals import (
    at_dead_bands,
    reasons_against_signals,
)
from dynid.evaluation.diagnosis.finding import Finding, Plot, Trace
from dynid.evaluation.diagnosis.saturation import at_plateaus
from dynid.evaluation.diagnosis.scale import are_degrees
from dynid.evaluation.diagnosis.spikes import at_spikes
from dynid.evaluation.diagnosis.unexplained import unexplained
from dynid.evaluation.hypotheses.change import change_instant
from dynid.evaluation.hypotheses.refit import residual
from dynid.evaluation.hypotheses.samples import TrialSamples, sampled
from dynid.evaluation.hypotheses.search import ChosenCause, search
from dynid.evaluation.hypotheses.trial import (
    DOUBTED,
    RefitOutcome,
    Trial,
    friction_gain,
    hypothesis_mechanism,
)
from dynid.evaluation.hypotheses.tried import DECIDES, MATTERS, TriedCause
from dynid.evaluation.hypotheses.wording import Wording
from dynid.evaluation.settings import LARGEST_UNEXPLAINED, EvaluationSettings
from dynid.recording.model import source_names
from dynid.recording.position_jumps import times_of_jumps
from dynid.recording.settings import RecordingSettings
from dynid.robot.robot import Robot
from dynid.signals.preprocess import preprocess
from dynid.signals.settings import HIGHEST_CUTOFF, USUAL_CUTOFF_HZ
from dynid.signals.signals import Signals

TESTED = (
    "torque_factor",
    "nonlinear_torque",
    "torque_crosstalk",
    "torque_hysteresis",
    "flipped_sign",
    "reversed_joint",
    "swapped_channels",
    "encoder_zero",
    "position_factor",
    "wrong_gravity",
    "recordings_differ",
    "clock",
    "contact",
    "time_shift",
    "backlash",
    "unmodelled_coupling",
    "uneven_friction",
    "unexplained",
)
"""Causes that are tried by a refit."""

_MOST_CHANGED = 2  # joints at which a change within a recording is sought
_NEAR_PLATEAU = 0.5  # of its level: less torque is left out for other reasons, or is nonsense
_SURELY_BEYOND = 2.0  # standard errors
_REACH = 0.2  # [s] longest delay tried
_FEWEST_ROWS = 4  # per parameter, of all joints


class _Searched(NamedTuple):
    """What a search found: what was tried on, the outcome without a change, and the causes."""

    trial: Trial
    start: RefitOutcome
    steps: tuple[ChosenCause, ...]

    @classmethod
    def of(cls, trial: Trial) -> _Searched:
        """Search."""
        return cls(trial, *search(trial))

    @property
    def total(self) -> float:
        """Cost that is left with the causes; infinite without any."""
        return self.steps[-1].chosen.outcome.total if self.steps else np.inf


def tested_causes(case: Case, kind: str) -> Iterator[Finding]:
    """Yield the findings of one kind of a search for changes that explain the torque much better.

    The search is made once for a case, and not where what is recorded contradicts itself.
    """
    for finding in tested(case):
        if finding.cause == kind:
            yield finding


def tested(case: Case) -> tuple[Finding, ...]:
    """Return the findings of the search, in the order in which causes were chosen."""
    return case.derived("tested causes", lambda: tuple(_tested(case)))


def friction_is_doubted(case: Case, joint: int) -> bool:
    """Whether a refit with friction of any shape explains a joint much better, where it can tell.

    Near reversals it cannot: there the shape of friction and errors of motion look the same.
    """

    def gains() -> Array | None:
        trial = _trial(case)
        return None if trial is None else friction_gain(trial, case.robot)

    gain = case.derived("friction gains", gains)
    return gain is None or not gain[joint] < MATTERS  # NaN: unknown


def reasons_of_tested(findings: Iterable[Finding]) -> list[str]:
    """Return why no model can be good: what has to be corrected before, as a refit has shown."""
    return [
        finding.sentence
        for finding in findings
        if finding.cause in TESTED and finding.severity == "problem"
    ]


def is_beyond(case: Case, joint: int, side: int, level: float) -> bool:
    """Whether torque that was left out at a plateau is surely beyond it, as refits have it.

    Where there is no good refit, or a model is given, that one has been compared with the plateau.

    Args:
        case: the recordings.
        joint: number of the joint.
        side: 1 where the plateau is the largest torque, -1 where it is the smallest.
        level: of the plateau [N m or N].
    """
    found = None if case.fit is None and case.model is not None else _search(case)
    if found is None:
        return True
    trial, start, steps = found[0]
    outcome = steps[-1].chosen.outcome if steps else start
    if not outcome.refit.held_out[joint] <= LARGEST_UNEXPLAINED:
        return True  # such a refit knows nothing of the plateau
    torque = trial.samples.rows("torque")[:, joint]
    unusable = np.array(trial.samples.rows("unusable")[:, joint], dtype=bool)
    left_out = unusable & (side * torque > _NEAR_PLATEAU * level)
    excess = -side * residual(trial.data(outcome.state), outcome.refit)[:, joint]
    events = [float(excess[first:past].mean()) for first, past in runs(left_out)]
    if not events:
        return True
    error = float(outcome.refit.held_out[joint] * np.sqrt(np.mean(torque**2)))
    spread = max(float(np.std(events)), error) / np.sqrt(len(events))
    beyond = float(np.mean(events))
    return beyond > _SURELY_BEYOND * spread or -beyond > _NEAR_PLATEAU * level  # extrapolated


def _tested(case: Case) -> Iterator[Finding]:
    found = _search(case)
    if found is not None:
        yield from _findings(case, found[1], found[0])


def _search(case: Case) -> tuple[_Searched, list[str]] | None:
    """Return the result of the search, made once for a case, and what sentences call recordings."""

    def search_once() -> tuple[_Searched, list[str]] | None:
        try:
            return _searched(case)
        except MechanismError:  # such as a pose that a closed chain cannot take
            return None

    return case.derived("search", search_once)


def _searched(case: Case) -> tuple[_Searched, list[str]] | None:
    still = case.mechanism.semi_static or not case.decimated.moves.any()
    if still or reasons_against_signals(case) or are_degrees(case):
        return None
    trial = _trial(case)
    result = _against_chosen_terms(case, trial)
    if result is None and trial is not None:
        result = _Searched.of(trial)
    if result is None or (not result.steps and _is_doubted(case, result.start)):
        # errors that no model can fit may have lowered the cut-off, and hide behind it
        wide = _trial(case, at_least=USUAL_CUTOFF_HZ)
        if wide is not trial and wide is not None:
            wider = _Searched.of(wide)
            # where noise or the shape of friction are large there, a cause explains part of them,
            # but leaves more than the model in its own band does
            if result is None or wider.total < result.start.total:
                result = wider
    if result is None:
        return None
    labels = _labels(case)
    margin = _least_advantage_of_a_change(result)
    if margin is not None:
        changed = _with_a_change(result, labels)
        if changed and changed[0].total < result.total - margin:
            return changed
    return result, labels


def _least_advantage_of_a_change(result: _Searched) -> float | None:
    """Return by how much less cost a change within a recording has to leave; None: not tried.

    A contact leaves out what is after a change, of which an offset that grows explains a part.
    """
    if not result.steps or result.steps[-1].chosen.kind in ("contact", "drift"):
        return -DECIDES
    left = result.steps[-1].chosen.outcome.refit.held_out
    return MATTERS if np.nanmax(left) > DOUBTED else None


def _is_doubted(case: Case, start: RefitOutcome) -> bool:
    """Whether a joint has a large error, or the model has, which is physically consistent."""
    errors = [start.refit.held_out]
    if case.held_out is not None:
        errors.append(np.array(case.held_out.relative_error))
    return not bool(np.all(np.nan_to_num(np.concatenate(errors), nan=np.inf) <= DOUBTED))


def _labels(case: Case) -> list[str]:
    """Return how sentences call each recording."""
    labels: list[str] = []
    for recording, signals in zip(case.recordings, case.signals, strict=True):
        if not signals.piece:
            name = source_names(recording.sources)
            labels.append(f"recording {len(labels) + 1}" + (f" ({name})" if name else ""))
    return labels


def _with_a_change(whole: _Searched, labels: list[str]) -> tuple[_Searched, list[str]] | None:
    """Search with the recording in two in which something changes; None if nothing does."""
    trial, errors = whole.trial, np.nan_to_num(whole.start.refit.held_out)
    poor = [j for j in np.argsort(-errors).tolist() if errors[j] > DOUBTED][:_MOST_CHANGED]
    if not poor:
        return None
    fall, (recording, time) = change_instant(trial, whole.start, poor)
    if fall < MATTERS:
        return None
    divided = Trial(trial.samples.divided(recording, time), trial.mechanism, trial.base)
    result = _Searched.of(divided)
    concerned = result.steps[0].chosen.recordings if result.steps else ()
    if not {recording, recording + 1}.intersection(concerned):
        return None
    parts = [f"{labels[recording]} {word} {time:.1f} s" for word in ("until", "from")]
    return result, [*labels[:recording], *parts, *labels[recording + 1 :]]


def _against_chosen_terms(case: Case, trial: Trial | None) -> _Searched | None:
    """Search with plain terms; None unless a cause explains more than all the terms chosen.

    A spring of any shape may stand for a joint that is reversed, or friction of several joints for
    a delay: terms that were chosen are one more cause, which has to be the best one.
    """
    if trial is None or case.before_choice is None:
        return None
    plain = _trial(case, robot=case.before_choice)
    if plain is None or plain.present.cost < trial.present.cost + MATTERS:
        return None
    result = _Searched.of(plain)
    return result if result.total <= trial.judged(trial.present).total - MATTERS else None


def _trial(case: Case, *, robot: Robot | None = None, at_least: float = 0.0) -> Trial | None:
    """Return what hypotheses are tried on; None if there is too little motion for it.

    Args:
        case: the recordings.
        robot: whose terms hypotheses have; None: that of the case.
        at_least: lowest cut-off of the motion [Hz].
    """
    samples = _samples(case, at_least)

    def new() -> Trial | None:
        try:
            trial = Trial(samples, hypothesis_mechanism(robot or case.robot))
        except (EstimationError, MechanismError):  # an unclear rank, or an impossible pose
            return None
        enough = samples.kept.sum() >= _FEWEST_ROWS * len(trial.base.independent)
        return trial if enough else None

    return case.derived(("trial", robot is None, samples), new)


def _samples(case: Case, at_least: float) -> TrialSamples:
    """Return the samples on which hypotheses are tried."""
    settings, signals = case.robot.settings(EvaluationSettings), case.signals
    cutoff = settings.motion_cutoff_hz
    if cutoff is not None and cutoff < at_least:
        highest = HIGHEST_CUTOFF * min(piece.sampling_rate for piece in signals)
        settings = settings.model_copy(update={"cutoff_hz": min(at_least, highest)})
        robot = case.robot.with_settings(settings)
        signals = tuple(preprocess(recording, robot) for recording in case.recordings)

    def new() -> TrialSamples:
        return sampled(
            signals,
            settings.motion_cutoff_hz,
            settings.filter_order,
            reach=_REACH,
            breaks=[times_of_jumps(recording) for recording in case.recordings],
            unusable=[
                _at_times_of(other, own, flags)
                for other, own, flags in zip(signals, case.signals, _unusable(case), strict=True)
            ],
        )

    return case.derived(("samples", settings.motion_cutoff_hz), new)


def _unusable(case: Case) -> list[NDArray[np.bool_]]:
    """Return for each of the signals where torque is no measurement, (N, n)."""
    several = zip(at_plateaus(case), at_spikes(case), at_dead_bands(case), strict=True)
    return [plateaus | spikes | zeros for plateaus, spikes, zeros in several]


def _at_times_of(signals: Signals, own: Signals, flags: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return flags (N, n) of other signals of the same recording, False where these have none."""
    if signals is own:
        return flags
    half = 0.5 / own.sampling_rate
    nearest = np.minimum(np.searchsorted(own.time, signals.time - half), len(own.time) - 1)
    known = np.abs(own.time[nearest] - signals.time) < half
    return np.asarray(flags[nearest] & known[:, None])


def _findings(case: Case, labels: list[str], result: _Searched) -> Iterator[Finding]:
    trial, start, steps = result
    robot = case.robot
    mixed = robot.coupling is not None and robot.settings(RecordingSettings).side == "motor"
    # of servos effort is a command, from which torque follows by their law
    wording = Wording(
        trial, case.joints, labels, correctable=not mixed and not robot.drives.of_servo
    )
    left, doubted = start, []
    for step in steps:
        if _is_good(step.chosen, steps[-1].chosen.outcome):
            yield _finding(wording, step)
            left = step.chosen.outcome
        else:
            doubted.append(wording.meaning(step, step.chosen))
        if step.others:
            break
    yield from unexplained(case.joints, labels, trial, left, doubted)


def _is_good(chosen: TriedCause, after: RefitOutcome) -> bool:
    """Whether a joint that a cause concerns is good after all changes, and not only better."""
    errors = after.refit.held_out
    concerned = errors[list(chosen.joints)] if chosen.joints else errors
    return bool(np.any(concerned <= LARGEST_UNEXPLAINED))


def _finding(wording: Wording, step: ChosenCause) -> Finding:
    meaning = wording.meaning(step, step.chosen)
    others = [wording.meaning(step, other) for other in step.others]
    where, effect = wording.effect(step.before.refit.held_out, step.chosen.outcome.refit.held_out)
    if step.chosen.kind == "sign":
        effect = ""
    if others:
        return _undecided(step, meaning, others, effect)
    of_its_joint = not effect or meaning.joints == (where,)
    tail = f" This was tried: {effect}." if effect else ""
    return replace(
        meaning,
        sentence=meaning.sentence + tail,
        evidence={**meaning.evidence, "fall of the cost": step.gain},
        plot=_effect(step),
        statement=meaning.statement if of_its_joint else "",
    )


def _effect(step: ChosenCause) -> Plot:
    """Plot the errors of each joint with the change and without."""
    before, after = step.before.refit.held_out, step.chosen.outcome.refit.held_out
    number = np.arange(1.0, len(before) + 1)
    return Plot(
        x_label="joint",
        y_label="unexplained torque on data left out [%]",
        traces=(
            Trace(number, 100 * before, "as recorded", "dots"),
            Trace(number, 100 * after, "with the change", "dots"),
        ),
    )


def _undecided(step: ChosenCause, meaning: Finding, others: list[Finding], effect: str) -> Finding:
    sentences = [m.sentence.rstrip(".") for m in (meaning, *others)]
    left = np.nanmax(step.chosen.outcome.refit.held_out)
    rest = "; or something else" if left > DOUBTED else ""
    tried = f" With the first of them {effect}." if effect else ""
    alike = all(other.cause == meaning.cause for other in others)
    return Finding(
        cause=meaning.cause if alike else "unexplained",
        severity="warning",
        sentence=(
            f"the recordings do not decide between {len(sentences)} causes that explain about the "
            f"same: {'; or '.join(sentences)}{rest}.{tried}"
        ),
        advice=f"Check each of them; of the first: {meaning.remedy}",
        evidence=meaning.evidence,
        plot=_effect(step),
        joints=meaning.joints if alike else (),
        alternatives=tuple((m.cause, m.joints) for m in (others if alike else (meaning, *others))),
    )
