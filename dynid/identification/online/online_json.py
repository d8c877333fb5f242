"""Results of the online estimator as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dynid.json_text import json_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynid.identification.online.change import PayloadChange
    from dynid.identification.online.estimator import OnlineParameters


def parameters_json(parameters: OnlineParameters, joints: Sequence[str]) -> str:
    """Return parameters with standard deviations as JSON; SI units, stamp in seconds."""
    columns = zip(
        parameters.names,
        parameters.values,
        parameters.standard_deviations,
        parameters.units,
        parameters.determined,
        strict=True,
    )
    keys = ("name", "value", "standard_deviation", "unit", "determined")
    content = {
        "time": parameters.time,
        "rows": parameters.rows,
        "parameters": [dict(zip(keys, column, strict=True)) for column in columns],
        "torque_standard_deviation": dict(
            zip(joints, parameters.torque_standard_deviation, strict=True)
        ),
    }
    return json_text(content)


def change_json(change: PayloadChange) -> str:
    """Return a change of payload as JSON; ``parameters`` are those of the added body."""
    content = {
        "time": change.time,
        "kind": change.kind,
        "mass": change.mass,
        "mass_standard_deviation": change.mass_standard_deviation,
        "evidence": change.evidence,
        "parameters": change.parameters,
        "standard_deviations": np.sqrt(np.diag(change.covariance)),
        "sentence": str(change),
    }
    return json_text(content)
