"""A validation with the numbers of an identification."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING

from dynid.identification.validate import Validation

if TYPE_CHECKING:
    from dynid.identification.result import Identification


def validation_of(identification: Identification) -> Validation:
    """Return a validation of the model on the recordings that it was fitted to."""
    names = [field.name for field in fields(Validation) if hasattr(identification, field.name)]
    return Validation(**{name: getattr(identification, name) for name in names})
