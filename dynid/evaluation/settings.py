"""Criterion of a model's accuracy: a part of the profile's ``identification``."""

from __future__ import annotations

from pydantic import PositiveFloat

from dynid.signals.settings import SignalSettings


class EvaluationSettings(SignalSettings):
    """The criterion of the verdict."""

    max_relative_torque_error: PositiveFloat = 0.5
    """Largest torque error of a joint that passes, as a fraction of its largest measured torque."""
