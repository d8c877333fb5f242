"""Settings of the estimator: a part of the profile's ``identification``."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import (
    Field,
    NonNegativeFloat,
    PlainSerializer,
    PlainValidator,
    PositiveFloat,
    field_validator,
)
from pydantic_core import PydanticCustomError

from dynid.configuration import Settings
from dynid.estimation.estimate import Estimator
from dynid.estimation.estimators import estimator_names, is_estimator, name_of
from dynid.signals.settings import SignalSettings


def _checked(chosen: object) -> object:
    if isinstance(chosen, type) and hasattr(chosen, "fit"):
        return chosen()  # with its default settings
    if is_estimator(chosen):
        return chosen
    *first, last = (f"'{name}'" for name in estimator_names())
    expected = f"{', '.join(first)} or {last}"
    raise PydanticCustomError("literal_error", "must be {expected}", {"expected": expected})


EstimatorChoice = Annotated[
    str | Estimator,
    PlainValidator(_checked),
    PlainSerializer(name_of, return_type=str, when_used="json"),
]
"""Name of an estimator; from Python also an estimator with settings of its own."""


class PhysicalSettings(Settings):
    """Method and bounds of the physically consistent solution."""

    enabled: bool = True
    """Whether physically consistent parameters are computed as well."""
    method: Literal["semidefinite", "penalty"] = "semidefinite"
    """Semidefinite program, or penalty method for comparison."""
    total_mass: tuple[NonNegativeFloat, PositiveFloat] | None = None
    """Bounds on the mass of all moving bodies together [kg]; null: none."""
    bounds: dict[str, tuple[float, float]] = Field(default_factory=dict)
    """Bounds on single parameters by name, such as ``{M6: [0.05, 0.2]}``."""


class EstimationSettings(SignalSettings):
    """The estimator and the constraints on its parameters."""

    estimator: EstimatorChoice = "wls"
    """Name of the estimation method; where ``terms`` are chosen by the recordings, ``irls`` unless
    given."""
    essential: bool = False
    """Whether parameters that the data do not determine are left out; needs
    ``physical.enabled: false``."""
    physical: PhysicalSettings = PhysicalSettings()
    """Physically consistent parameters."""
    friction_repeatability: Annotated[float, Field(ge=0, le=10)] | None = None
    """Relative standard deviation between friction parameters of two recordings, part of all
    uncertainties; null: estimated from several recordings, 0.1 with one."""
    torque_repeatability: NonNegativeFloat = 0.005
    """Relative standard deviation of a joint's torque per effort between two recordings, part of
    a payload's uncertainty: the magnets of a motor lose 0.1 % of their flux per kelvin."""
    bootstrap: Annotated[int, Field(ge=0, le=10_000)] = 0
    """Number of replicates of a bootstrap, at least 100, for 95 % intervals of base parameters that
    assume neither normally distributed nor independent errors; 0: none."""
    folds: Annotated[int, Field(ge=2, le=50)] = 5
    """Number of blocks of the cross-validation."""

    @field_validator("bootstrap")
    @classmethod
    def _has_tails(cls, count: int) -> int:
        if 0 < count < 100:
            raise ValueError("must be 0, or at least 100 for the ends of a 95 % interval")
        return count
