"""How far two models are apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dynid.errors import ModelFileError

if TYPE_CHECKING:
    from dynid.robot.model_reader import StoredModel


def largest_difference(one: StoredModel, other: StoredModel) -> float:
    """Largest difference of a parameter, relative to the largest of those with its unit.

    Raises:
        ModelFileError: they have different parameters.
    """
    if one.parameter_names != other.parameter_names:
        raise ModelFileError(
            "the two models have different parameters, so they cannot be compared."
        )
    units = np.array(one.mechanism().parameter_units)
    apart = np.abs(one.parameters - other.parameters)
    scales = [np.abs(one.parameters[units == unit]).max() for unit in units]
    return float(np.max(apart / np.maximum(scales, np.finfo(float).tiny)))
