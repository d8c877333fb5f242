"""Uncertainty of the external torque that the momentum observer finds without contact.

It is kept in a file, for the node and for later recordings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, FiniteFloat, NonNegativeFloat, PositiveFloat

from dynid import _core
from dynid.arrays import Array
from dynid.configuration import Settings, parse, per_joint, read_yaml
from dynid.errors import ConfigurationError
from dynid.robot.robot import Robot
from dynid.robot.torque_settings import CollisionSettings


@dataclass(frozen=True, eq=False)
class ExternalTorqueUncertainty:
    """Errors of the external torque without contact, at the commanded side.

    With v the velocity, the standard deviation is sqrt(constant^2 + (per_speed v)^2); up to the
    speed ``collision.low_speed``, static friction adds to it.

    Attributes:
        joints: names, (n,).
        constant: (n,) [N m or N].
        per_speed: (n,) [N m s/rad or N s/m].
        correlation: (n, n).
        threshold: of the squared Mahalanobis distance of the external torque from 0, above which
            it is a contact.
        observer_gain: of the observer [1/s].
        origin: ``free motion`` or ``identification``.
        free_seconds: duration of the free motion [s]; 0: none, or not known.
    """

    joints: tuple[str, ...]
    constant: Array
    per_speed: Array
    correlation: Array
    threshold: float
    observer_gain: float
    origin: str
    free_seconds: float = 0.0

    def core(self, robot: Robot) -> _core.TorqueUncertainty:
        """Return the core's form, with the robot's ``collision.low_speed``.

        Raises:
            ConfigurationError: the number of values of ``low_speed`` does not match.
        """
        uncertainty = _core.TorqueUncertainty()
        uncertainty.constant, uncertainty.per_speed = self.constant, self.per_speed
        uncertainty.correlation = self.correlation
        uncertainty.low_speed = low_speed(robot)
        return uncertainty


def low_speed(robot: Robot) -> Array:
    """Return the speed up to which dry friction is unknown (n,) [rad/s or m/s].

    Raises:
        ConfigurationError: the number of values does not match the joints.
    """
    given = robot.settings(CollisionSettings).low_speed
    return per_joint(given, len(robot.joints), "low_speed")


class _Content(Settings):
    joints: Annotated[tuple[str, ...], Field(min_length=1)]
    constant: tuple[PositiveFloat, ...]
    per_speed: tuple[NonNegativeFloat, ...]
    correlation: tuple[tuple[FiniteFloat, ...], ...]
    threshold: NonNegativeFloat
    observer_gain: PositiveFloat
    origin: Literal["free motion", "identification"]
    free_seconds: NonNegativeFloat = 0.0


_ARRAYS = ("constant", "per_speed", "correlation")  # of it


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
    for name in _ARRAYS:
        values = getattr(content, name)
        rows = values if name == "correlation" else (values,)
        if len(rows) != (n if name == "correlation" else 1) or {len(row) for row in rows} != {n}:
            raise ConfigurationError(f"{path}: {name} must have one value for each of {n} joints.")
    arrays = {name: np.array(getattr(content, name)) for name in _ARRAYS}
    _check_correlation(arrays["correlation"], path)
    return ExternalTorqueUncertainty(**(dict(content) | arrays))


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
