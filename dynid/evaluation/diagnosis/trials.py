"""What hypotheses about a case are tried on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dynid.errors import EstimationError, MechanismError
from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.diagnosis.contradicting_signals import at_dead_bands
from dynid.evaluation.diagnosis.saturation import at_plateaus
from dynid.evaluation.diagnosis.spikes import at_spikes
from dynid.evaluation.hypotheses.samples import TrialSamples, sampled
from dynid.evaluation.hypotheses.trial import Trial, hypothesis_mechanism
from dynid.evaluation.settings import EvaluationSettings
from dynid.recording.position_jumps import times_of_jumps
from dynid.robot.robot import Robot
from dynid.signals.preprocess import preprocess
from dynid.signals.settings import HIGHEST_CUTOFF
from dynid.signals.signals import Signals

_REACH = 0.2  # [s] longest delay tried
_FEWEST_ROWS = 4  # per parameter, of all joints


def trial_of(case: Case, *, robot: Robot | None = None, at_least: float = 0.0) -> Trial | None:
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
