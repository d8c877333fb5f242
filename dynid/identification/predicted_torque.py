"""The torque that a model predicts along a recording, with its 95 % interval."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from dynid.arguments import check_type
from dynid.errors import ConfigurationError
from dynid.estimation.regression import unfiltered_torque
from dynid.evaluation.at_rest import without_noise_at_rest
from dynid.recording.model import Recording
from dynid.robot.model import Model, PredictedTorque
from dynid.robot.recordings import load_recording, with_joints_of
from dynid.signals.preprocess import preprocess
from dynid.signals.settings import SignalSettings


def predict_torque(model: Model, recording: Recording | str | Path) -> PredictedTorque:
    """Predict torque along a recording; see :meth:`Model.predict`."""
    robot = model.robot
    if isinstance(recording, str | Path):
        recording = load_recording(recording, robot)
    hint = "or its file; of arrays: model.inverse_dynamics(q, dq, ddq)"
    check_type("predict(): recording", recording, Recording, hint)
    # every sample is wanted, with the same filters
    whole = {"trim_rest": False, "border": 0.0, "period": None}
    settings = robot.settings(SignalSettings)
    # without a check, as no key has another type
    used = robot.with_settings(settings.model_copy(update=whole))
    signals = without_noise_at_rest(preprocess(with_joints_of(recording, robot), used))
    torque = np.full(recording.position.shape, np.nan)
    band = torque.copy()
    first = round(float(signals.time[0]) * recording.sampling_rate)
    samples = slice(first, first + len(signals.time))
    torque[samples] = unfiltered_torque(model.mechanism, signals, model.parameters)
    try:
        band[samples] = model.torque_interval(signals.velocity)
    except ConfigurationError:  # a model that was not identified has none
        band[:] = np.nan
    return PredictedTorque(torque, band)
