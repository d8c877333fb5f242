"""The search for changes that explain the torque of a case, made once."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynid.errors import MechanismError
from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.diagnosis.contradicting_signals import reasons_against_signals
from dynid.evaluation.diagnosis.scale import are_degrees
from dynid.evaluation.diagnosis.trials import trial_of
from dynid.evaluation.hypotheses.change import change_instant
from dynid.evaluation.hypotheses.search import ChosenCause, search
from dynid.evaluation.hypotheses.trial import DOUBTED, RefitOutcome, Trial
from dynid.evaluation.hypotheses.tried import DECIDES, MATTERS
from dynid.recording.model import source_names
from dynid.signals.settings import USUAL_CUTOFF_HZ

_MOST_CHANGED = 2  # joints at which a change within a recording is sought


class Searched(NamedTuple):
    """What a search found: what was tried on, the outcome without a change, and the causes."""

    trial: Trial
    start: RefitOutcome
    steps: tuple[ChosenCause, ...]

    @classmethod
    def of(cls, trial: Trial) -> Searched:
        """Search."""
        return cls(trial, *search(trial))

    @property
    def total(self) -> float:
        """Cost that is left with the causes; infinite without any."""
        return self.steps[-1].chosen.outcome.total if self.steps else np.inf


def search_of(case: Case) -> tuple[Searched, list[str]] | None:
    """Return the result of the search, made once for a case, and what sentences call recordings."""

    def search_once() -> tuple[Searched, list[str]] | None:
        try:
            return _searched(case)
        except MechanismError:  # such as a pose that a closed chain cannot take
            return None

    return case.derived("search", search_once)


def _searched(case: Case) -> tuple[Searched, list[str]] | None:
    still = case.mechanism.semi_static or not case.decimated.moves.any()
    if still or reasons_against_signals(case) or are_degrees(case):
        return None
    trial = trial_of(case)
    result = _against_chosen_terms(case, trial)
    if result is None and trial is not None:
        result = Searched.of(trial)
    if result is None or (not result.steps and _is_doubted(case, result.start)):
        # errors that no model can fit may have lowered the cut-off, and hide behind it
        wide = trial_of(case, at_least=USUAL_CUTOFF_HZ)
        if wide is not trial and wide is not None:
            wider = Searched.of(wide)
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


def _least_advantage_of_a_change(result: Searched) -> float | None:
    """Return by how much less cost a change within a recording has to leave; None: not tried.

    A contact leaves out what is after a change, of which an offset that grows explains a part.
    """
    if not result.steps or result.steps[-1].chosen.kind == "contact":
        return -DECIDES
    chosen = result.steps[-1].chosen
    poor = np.nanmax(chosen.outcome.refit.held_out) > DOUBTED
    return MATTERS if poor or chosen.kind == "drift" else None


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


def _with_a_change(whole: Searched, labels: list[str]) -> tuple[Searched, list[str]] | None:
    """Search with the recording in two in which something changes; None if nothing does."""
    trial, errors = whole.trial, np.nan_to_num(whole.start.refit.held_out)
    poor = [j for j in np.argsort(-errors).tolist() if errors[j] > DOUBTED][:_MOST_CHANGED]
    if not poor:
        return None
    fall, (recording, time) = change_instant(trial, whole.start, poor)
    if fall < MATTERS:
        return None
    divided = Trial(trial.samples.divided(recording, time), trial.mechanism, trial.base)
    result = Searched.of(divided)
    concerned = result.steps[0].chosen.recordings if result.steps else ()
    if not {recording, recording + 1}.intersection(concerned):
        return None
    parts = [f"{labels[recording]} {word} {time:.1f} s" for word in ("until", "from")]
    return result, [*labels[:recording], *parts, *labels[recording + 1 :]]


def _against_chosen_terms(case: Case, trial: Trial | None) -> Searched | None:
    """Search with plain terms; None unless a cause explains more than all the terms chosen.

    A spring of any shape may stand for a joint that is reversed, or friction of several joints for
    a delay: terms that were chosen are one more cause, which has to be the best one.
    """
    if trial is None or case.before_choice is None:
        return None
    plain = trial_of(case, robot=case.before_choice)
    if plain is None or plain.present.cost < trial.present.cost + MATTERS:
        return None
    result = Searched.of(plain)
    return result if result.total <= trial.judged(trial.present).total - MATTERS else None
