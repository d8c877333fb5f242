"""What a model carries about its identification: provenance, base parameters, errors."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

import numpy as np

from dynid.arrays import Array
from dynid.recording.model import Source
from dynid.text import iso_time


@dataclass(frozen=True)
class Provenance:
    """How a model came about.

    Attributes:
        status: ``"failed"`` where the identification failed its criterion; such a model must not
            run.
        reasons: sentences on why it failed.
        warnings: sentences on what to look at.
        created: when, in UTC.
        edited_at: when an edit by hand was confirmed, in UTC; None where there was none.
        sources: the recordings.
        versions: of dynid and of what its numbers depend on.
        estimator: by its name in a profile.
        physically_consistent: whether every body can exist (pseudo-inertia positive definite).
        cutoff_hz: of the low-pass on positions; None where there was none.
        raw_samples: recorded.
        samples: used.
        condition_number: of the identification's column-scaled regressor.
        base_parameter_count: those included that the recordings do not determine.
        allowed_error: largest relative torque error that the criterion allowed.
    """

    status: Literal["success", "failed"]
    created: datetime
    estimator: str
    physically_consistent: bool
    cutoff_hz: float | None
    raw_samples: int
    samples: int
    condition_number: float
    base_parameter_count: int
    allowed_error: float | None = None
    reasons: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    sources: tuple[Source, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)
    edited_at: datetime | None = None

    @property
    def failed(self) -> bool:
        """Whether the identification failed its criterion."""
        return self.status == "failed"

    @property
    def dated(self) -> str:
        """When the model was identified and, if it was, edited by hand: to follow "of" or "on"."""
        edited = "" if self.edited_at is None else f", edited by hand on {iso_time(self.edited_at)}"
        return iso_time(self.created) + edited


@dataclass(frozen=True, eq=False)
class BaseEstimate:
    """The base parameters that the recordings determine, and their covariance.

    Attributes:
        names: such as ``ZZ2R``.
        regroupings: such as ``ZZ2R = ZZ2 + YY3 + 0.0961 M3``.
        values: (b,) the estimator's.
        consistent_values: (b,) of the physically consistent parameters.
        covariance: (b, b) of ``values``; None where only standard deviations are known.
        standard_deviations: (b,).
    """

    names: tuple[str, ...]
    regroupings: tuple[str, ...]
    values: Array
    consistent_values: Array
    standard_deviations: Array
    covariance: Array | None = None

    @classmethod
    def empty(cls) -> BaseEstimate:
        """Of no parameter: nothing was identified."""
        none = np.zeros(0)
        return cls((), (), none, none, none, np.zeros((0, 0)))

    @property
    def by_name(self) -> dict[str, float]:
        """Standard deviations by the parameters' names."""
        return dict(zip(self.names, self.standard_deviations.tolist(), strict=True))


@dataclass(frozen=True)
class ModelErrors:
    """Torque errors of each actuated joint (n,), on the recordings that the model is from.

    Attributes:
        max_relative_torque_error, mean_relative_torque_error: of the moving samples, relative to
            the largest measured torque.
        rmse: in the unit of the recorded effort.
        rmse_torque: [N m or N].
        nrmse, relative_error, r_squared: of the moving samples.
        velocity_threshold: above which a sample counts as moving [rad/s or m/s].
        held_out_relative_error: on blocks that the fit had not seen; empty where not known.
        unit: of the recorded effort.
        moving_samples: how many.
    """

    max_relative_torque_error: tuple[float, ...]
    mean_relative_torque_error: tuple[float, ...]
    rmse: tuple[float, ...]
    rmse_torque: tuple[float, ...]
    nrmse: tuple[float, ...]
    relative_error: tuple[float, ...]
    r_squared: tuple[float, ...]
    velocity_threshold: tuple[float, ...]
    unit: tuple[str, ...]
    moving_samples: tuple[int, ...]
    held_out_relative_error: tuple[float, ...] = ()


@dataclass(frozen=True)
class StoredQuantities:
    """Physical quantities worked out from the parameters, as parallel lists.

    Attributes:
        names: as in the profile.
        values, standard_deviations: NaN where a quantity is not known.
        units: of both.
        unknown: a sentence on why a quantity is not known, else empty.
    """

    names: tuple[str, ...] = ()
    values: tuple[float, ...] = ()
    standard_deviations: tuple[float, ...] = ()
    units: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


NO_QUANTITIES = StoredQuantities()
