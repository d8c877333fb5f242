"""Every step from recording to model: the profile's ``identification``."""

from __future__ import annotations

from dynid.estimation.settings import EstimationSettings
from dynid.evaluation.settings import EvaluationSettings


class IdentificationSettings(EstimationSettings, EvaluationSettings):
    """The settings of signals, estimation and evaluation, flat as in the YAML file."""

    unsigned_torque: bool = False
    """Whether torque was recorded without its sign, which is then found first."""
