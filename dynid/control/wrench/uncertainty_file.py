"""Uncertainties of external torque in files, for the node and for later recordings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from pydantic import Field, FiniteFloat, NonNegativeFloat, PositiveFloat

from dynid.configuration import Settings, parse, read_yaml
from dynid.control.wrench.uncertainty import ExternalTorqueUncertainty
from dynid.errors import ConfigurationError
from dynid.files import write_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from dynid.arrays import Array
    from dynid.robot.robot import Robot

Row = tuple[FiniteFloat, ...]


class _Content(Settings):
    joints: Annotated[tuple[str, ...], Field(min_length=1)]
    constant: tuple[PositiveFloat, ...]
    per_speed: tuple[NonNegativeFloat, ...]
    correlation: tuple[Row, ...]
    threshold: NonNegativeFloat
    observer_gain: PositiveFloat
    origin: Literal["free motion", "identification"]
    free_seconds: NonNegativeFloat = 0.0


def uncertainty_text(uncertainty: ExternalTorqueUncertainty, header: Sequence[str]) -> str:
    """Return the text of a file; ``header`` are lines of a comment."""
    rows = "\n".join(f"  - {_list(row)}" for row in uncertainty.correlation)
    return "\n".join(
        [
            *(f"# {line}" for line in header),
            "# Standard deviation of a joint: sqrt(constant^2 + (per_speed v)^2), in N m or N.",
            f"joints: [{', '.join(repr(joint) for joint in uncertainty.joints)}]",
            f"constant: {_list(uncertainty.constant)}",
            f"per_speed: {_list(uncertainty.per_speed)}",
            f"correlation:\n{rows}",
            f"threshold: {uncertainty.threshold!r} # of the squared Mahalanobis distance",
            f"observer_gain: {uncertainty.observer_gain!r} # [1/s]",
            f"origin: {uncertainty.origin}",
            f"free_seconds: {uncertainty.free_seconds!r} # [s]",
            "",
        ]
    )


def write_uncertainty(
    uncertainty: ExternalTorqueUncertainty, header: Sequence[str], path: Path
) -> None:
    """Write the file atomically.

    Raises:
        WriteError: the file cannot be written.
    """
    write_text(path, uncertainty_text(uncertainty, header))


def read_uncertainty(path: Path, robot: Robot) -> ExternalTorqueUncertainty:
    """Read an uncertainty of a robot.

    Raises:
        ConfigurationError: there is no such file, an entry is missing or invalid, or it is of
            another robot.
    """
    content = parse(_Content, read_yaml(path), str(path))
    n = len(content.joints)
    if content.joints != robot.joints:
        raise ConfigurationError(
            f"{path}: is of joints {', '.join(content.joints)}, but the robot's are "
            f"{', '.join(robot.joints)}; give the file of this robot."
        )
    for name in ("constant", "per_speed", "correlation"):
        values = getattr(content, name)
        rows = values if name == "correlation" else (values,)
        if len(rows) != (n if name == "correlation" else 1) or {len(row) for row in rows} != {n}:
            raise ConfigurationError(f"{path}: {name} must have one value for each of {n} joints.")
    uncertainty = ExternalTorqueUncertainty(
        content.joints,
        np.array(content.constant),
        np.array(content.per_speed),
        np.array(content.correlation),
        content.threshold,
        content.observer_gain,
        content.origin,
        content.free_seconds,
    )
    _check_correlation(uncertainty.correlation, path)
    return uncertainty


def _check_correlation(correlation: Array, path: Path) -> None:
    symmetric = np.allclose(correlation, correlation.T, rtol=0, atol=1e-9)
    normal = np.allclose(np.diag(correlation), 1.0, rtol=0, atol=1e-9)
    if not (symmetric and normal and np.linalg.eigvalsh(correlation).min() > 0):
        raise ConfigurationError(
            f"{path}: correlation must be a symmetric, positive definite matrix with ones on its "
            "diagonal."
        )


def _list(values: Array) -> str:
    return f"[{', '.join(repr(float(value)) for value in values)}]"
