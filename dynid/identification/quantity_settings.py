"""A physical quantity as a profile asks for it: an entry of ``quantities``."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, field_validator

from dynid.configuration import Settings
from dynid.identification.quantity_expression import parse_expression


class QuantitySettings(Settings):
    """What is worked out from the identified parameters; its key in the profile is its name."""

    of: Annotated[str, Field(max_length=200)]
    """Expression of parameter names and ``g``, such as ``g * sqrt(MX1**2 + MY1**2)``."""
    unit: str = ""
    """Of the value, such as ``kg*m^2``: shown, not checked."""
    meaning: str = ""
    """In words."""

    @field_validator("of")
    @classmethod
    def _can_be_read(cls, text: str) -> str:
        parse_expression(text)
        return text
