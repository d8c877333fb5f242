"""Criterion of a model's accuracy: a part of the profile's ``identification``."""

from __future__ import annotations

from math import sqrt
from typing import Literal

from pydantic import PositiveFloat

from dynid.signals.settings import SignalSettings

LARGEST_ERROR = 0.5
"""Largest torque error over the largest torque that softMC allows; above it there is a warning."""

LARGEST_UNEXPLAINED = sqrt(0.2)
"""Largest error of a joint that can pass, over what can be explained: 20 % of the squared torque.
A larger limit in a profile has no effect."""


class EvaluationSettings(SignalSettings):
    """The criterion of the verdict."""

    criterion: Literal["held_out", "max_error"] = "held_out"
    """What decides on success: the error on data not used in the fit, beyond the noise of the
    recorded torque, or the largest error of the whole recording (softMC)."""
    max_held_out_error: PositiveFloat = 0.447
    """Largest held-out relative torque error of a joint that passes, both without noise; at most
    √0.2, a fifth of the squared torque."""
    max_feedforward_error: PositiveFloat = 0.35
    """Largest held-out relative torque error of a joint whose model serves feedforward, gravity
    compensation and simulation, both without noise. A position loop has a tracking error in
    proportion to the torque that feedforward leaves to it: with 0.35 it falls to about a third, and
    88 % of the squared torque of the drive is predicted."""
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
    def unexplained_limit(self) -> float:
        """Largest error without noise of a joint that passes."""
        return min(self.max_held_out_error, LARGEST_UNEXPLAINED)

    @property
    def feedforward_limit(self) -> float:
        """Largest error without noise with which a model serves feedforward."""
        return min(self.max_feedforward_error, self.unexplained_limit)

    @property
    def allowed_error(self) -> float:
        """Limit of the error that the criterion rates."""
        if self.criterion == "held_out":
            return self.unexplained_limit
        return self.largest_error or LARGEST_ERROR
