"""Criterion of a model's accuracy: a part of the profile's ``identification``."""

from __future__ import annotations

from typing import Literal

from pydantic import PositiveFloat

from dynid.signals.settings import SignalSettings

LARGEST_ERROR = 0.5
"""Largest torque error over the largest torque that softMC allows; above it there is a warning."""


class EvaluationSettings(SignalSettings):
    """The criterion of the verdict."""

    criterion: Literal["held_out", "max_error"] = "held_out"
    """What decides on success: the error on data not used in the fit, beyond the noise of the
    recorded torque, or the largest error of the whole recording (softMC)."""
    max_held_out_error: PositiveFloat = 0.5
    """Largest held-out relative torque error of a joint that passes, both without noise."""
    max_relative_torque_error: PositiveFloat | None = None
    """Largest torque error of a joint that passes, as a fraction of its largest measured torque;
    null: 0.5 with ``criterion: max_error``, otherwise not limited."""

    @property
    def largest_error(self) -> float | None:
        """Limit of the largest torque error; None where there is none."""
        if self.max_relative_torque_error is None and self.criterion == "max_error":
            return LARGEST_ERROR
        return self.max_relative_torque_error

    @property
    def allowed_error(self) -> float:
        """Limit of the error that the criterion rates."""
        if self.criterion == "held_out":
            return self.max_held_out_error
        return self.largest_error or LARGEST_ERROR
