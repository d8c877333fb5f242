"""Every step from recording to model: the profile's ``identification`` and ``quantities``."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, field_validator

from dynid.configuration import Settings, TaskSettings
from dynid.estimation.settings import EstimationSettings
from dynid.evaluation.settings import EvaluationSettings
from dynid.identification.quantity_expression import parse_expression


class IdentificationSettings(EstimationSettings, EvaluationSettings):
    """The settings of signals, estimation and evaluation, flat as in the YAML file."""

    unsigned_torque: bool = False
    """Whether torque was recorded without its sign, which is then found first."""


class QuantitySettings(Settings):
    """What is worked out from the identified parameters; its key in the profile is its name."""

    of: Annotated[str, Field(max_length=200)]
    """Expression of parameter names and ``g``, such as ``g * sqrt(MX1**2 + MY1**2)``."""
    unit: str = ""
    """Unit of the value, such as ``kg*m^2``; shown, not checked."""
    meaning: str = ""
    """Description that reports show."""

    @field_validator("of")
    @classmethod
    def _can_be_read(cls, text: str) -> str:
        parse_expression(text)
        return text


class Quantities(TaskSettings):
    """The quantities of a profile, by name."""

    group = "quantities"
    kept_with_model = True

    by_name: dict[str, QuantitySettings] = Field(default_factory=dict)

    def content(self, *, exclude_unset: bool = False) -> dict[str, Any]:
        """Return the content of the group in YAML: names and quantities."""
        return {
            name: settings.model_dump(mode="json", exclude_unset=exclude_unset)
            for name, settings in self.by_name.items()
        }
