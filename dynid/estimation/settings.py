"""Settings of the estimator: a part of the profile's ``identification``."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, NonNegativeFloat, PositiveFloat

from dynid.configuration import Settings
from dynid.signals.settings import SignalSettings

EstimatorName = Literal[
    "ols",
    "wls",
    "irls",
    "tls",
    "ml",
    "ekf",
    "srukf",
    "iv",
    "didim",
    "cloe",
    "clie",
    "rls",
    "rls_joint",
]
"""The keys of dynid.estimation.estimators.ESTIMATORS."""


class PhysicalSettings(Settings):
    """Method and bounds of the physically consistent solution."""

    enabled: bool = True
    method: Literal["semidefinite", "penalty"] = "semidefinite"
    total_mass: tuple[NonNegativeFloat, PositiveFloat] | None = None  # [kg]
    bounds: dict[str, tuple[float, float]] = Field(default_factory=dict)  # name → (low, high)


class EstimationSettings(SignalSettings):
    """The estimator and the constraints on its parameters."""

    estimator: EstimatorName = "wls"
    essential: bool = False
    physical: PhysicalSettings = PhysicalSettings()
    folds: Annotated[int, Field(ge=2, le=50)] = 5
