"""Errors of the deflection in recordings that were not fitted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from dynid_plugins.elastic.identification import predicted_deflection
from dynid_plugins.elastic.result import ElasticIdentification
from dynid_plugins.elastic.two_encoders import TwoEncoders


class DeflectionErrors(NamedTuple):
    """Deflection of each joint in another recording.

    Attributes:
        rms: error by joint [rad or m].
        range: of the measured deflection, without the delay, by joint [rad or m].
    """

    rms: Mapping[str, float]
    range: Mapping[str, float]


def deflection_errors(identification: ElasticIdentification, pair: TwoEncoders) -> DeflectionErrors:
    """Return the errors with which elastic joints predict the deflection of another recording."""
    rms, ranges = {}, {}
    for joint in identification.joints:
        measured, predicted = predicted_deflection(joint, pair, identification.model)
        rms[joint.name] = float(np.sqrt(np.mean((measured - predicted) ** 2)))
        ranges[joint.name] = float(np.ptp(measured))
    return DeflectionErrors(rms, ranges)
