"""The keyword arguments of ``dynid.identify`` for type checkers and editors.

They are the fields of IdentificationSettings, where they have their defaults and meaning; a test
holds both equal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypedDict

from dynid.dynamics.joint_terms import TermSettings
from dynid.estimation.estimate import Estimator
from dynid.estimation.settings import PhysicalSettings
from dynid.signals.settings import MedianSettings, ParallelFilterSettings, VelocityThreshold

TermLike = TermSettings | Mapping[str, Any] | str
"""A joint term, its entry in a profile, or its kind alone."""


class IdentificationKeywords(TypedDict, total=False):
    """Settings of an identification, by the names of the profile's ``identification``."""

    terms: Sequence[TermLike] | TermLike
    trim_rest: bool
    period: float | None
    border: float
    median: MedianSettings | Mapping[str, Any] | None
    cutoff_hz: float | Literal["auto"] | None
    filter_order: int
    excitation_hz: float | None
    filter_torque: bool
    derivatives: Literal["differences", "kalman"]
    difference_order: Literal["auto", 2, 6]
    velocity: Literal["differentiated", "measured"]
    parallel_filter: ParallelFilterSettings | Mapping[str, Any] | Literal["auto"] | None
    torque_delay: float | Literal["auto"]
    velocity_threshold: VelocityThreshold | Mapping[str, Any]
    estimator: str | Estimator | type[Estimator]
    essential: bool
    physical: PhysicalSettings | Mapping[str, Any]
    friction_repeatability: float | None
    torque_repeatability: float
    bootstrap: int
    folds: int
    criterion: Literal["held_out", "max_error"]
    max_held_out_error: float
    max_feedforward_error: float
    max_relative_torque_error: float | None
    unsigned_torque: bool
