"""Every step from recording to model: the profile's ``identification``."""

from __future__ import annotations

from dynid.estimation.settings import EstimationSettings
from dynid.evaluation.settings import EvaluationSettings


class IdentificationSettings(EstimationSettings, EvaluationSettings):
    """The settings of signals, estimation and evaluation, flat as in the YAML file."""

    unsigned_torque: bool = False  # effort has lost its sign: find that first
