"""Data of a model's identification: provenance, base parameters, errors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Annotated, Literal

import numpy as np
from pydantic import Field, StrictInt, StrictStr

from dynid.arrays import Array
from dynid.recording.model import Source
from dynid.text import iso_time

# in a file each of these is a list of values of this very type
Texts = tuple[StrictStr, ...]
Counts = tuple[StrictInt, ...]
Doubles = tuple[Annotated[float, Field(strict=True, allow_inf_nan=True)], ...]
"""With NaN for what is not known."""

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_FIRST_DATE = datetime(2000, 1, 1, tzinfo=timezone.utc)


@dataclass(frozen=True)
class Provenance:
    """Provenance of a model.

    Attributes:
        status: ``"failed"`` if the identification failed its criterion; such a model must not be
            used.
        reasons: sentences on why it failed.
        created: date and time in UTC.
        edited_at: when an edit by hand was confirmed, in UTC; None without one.
        versions: of dynid and of the libraries that affect its numbers.
        estimator: by its name in a profile.
        physically_consistent: whether the pseudo-inertia of every body is positive definite.
        cutoff_hz: of the low-pass filter on positions; None without one.
        condition_number: of the identification's column-scaled regressor.
        base_parameter_count: including those that the recordings do not determine.
        criterion: of success: ``"held_out"`` or ``"max_error"`` (older models, without a choice).
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
    criterion: Literal["held_out", "max_error"] = "max_error"
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
    def recorded(self) -> datetime | None:
        """When the first recording began; None if none has a date, as of a simulator's clock."""
        begins = [
            _EPOCH + timedelta(microseconds=source.start_time // 1000)
            for source in self.sources
            if source.start_time is not None
        ]
        return min((begin for begin in begins if begin >= _FIRST_DATE), default=None)

    @property
    def dated(self) -> str:
        """Date of the identification and, if any, of the edit by hand; to follow "of" or "on"."""
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
        friction_repeatability: relative standard deviation of friction between two recordings; its
            share is part of the covariance.
        friction_repeatability_origin: "recordings" if estimated from several, "default" or
            "setting"; empty if the covariance has no such share, as in older files.
    """

    names: tuple[str, ...]
    regroupings: tuple[str, ...]
    values: Array
    consistent_values: Array
    standard_deviations: Array
    covariance: Array | None = None
    friction_repeatability: float = 0.0
    friction_repeatability_origin: str = ""

    @classmethod
    def empty(cls) -> BaseEstimate:
        """Return an estimate without parameters, for a model that was not identified."""
        none = np.zeros(0)
        return cls((), (), none, none, none, np.zeros((0, 0)))

    @property
    def by_name(self) -> dict[str, float]:
        """Standard deviations by the parameters' names."""
        return dict(zip(self.names, self.standard_deviations.tolist(), strict=True))

    def covariance_of(self, names: Sequence[str]) -> Array:
        """Return the covariance (k, k) of base parameters by name; 0 for unknown ones.

        Without correlations if only standard deviations are known.
        """
        covariance = self.covariance
        known = np.diag(self.standard_deviations**2) if covariance is None else covariance
        places = {name: number for number, name in enumerate(self.names)}
        rows = [number for number, name in enumerate(names) if name in places]
        columns = [places[names[number]] for number in rows]
        result = np.zeros((len(names), len(names)))
        result[np.ix_(rows, rows)] = known[np.ix_(columns, columns)]
        return result


@dataclass(frozen=True)
class ModelErrors:
    """Torque errors of each actuated joint (n,), on the recordings used for the identification.

    Attributes:
        max_relative_torque_error, mean_relative_torque_error: of the moving samples, relative to
            the largest measured torque.
        rmse: in the unit of the recorded effort.
        rmse_torque: [N m or N].
        nrmse, relative_error, r_squared: of the moving samples.
        velocity_threshold: above which a sample counts as moving [rad/s or m/s].
        held_out_relative_error: on blocks not used in the fit; empty if not known.
        unit: of the recorded effort.
        moving_samples: their number.
        moving_interval, resting_interval: half-width of the interval that contains the torque of
            95 % of the samples in motion and at rest, on unseen data [N m or N]; empty if not
            known.
    """

    max_relative_torque_error: Doubles
    mean_relative_torque_error: Doubles
    rmse: Doubles
    rmse_torque: Doubles
    nrmse: Doubles
    relative_error: Doubles
    r_squared: Doubles
    velocity_threshold: Doubles
    unit: Texts
    moving_samples: Counts
    held_out_relative_error: Doubles = ()
    moving_interval: Doubles = ()
    resting_interval: Doubles = ()


@dataclass(frozen=True)
class StoredQuantities:
    """Physical quantities computed from the parameters, as parallel lists.

    Attributes:
        names: as in the profile.
        values, standard_deviations: NaN if a quantity is not known.
        units: of both.
        unknown: a sentence on why a quantity is not known; empty if it is.
    """

    names: Texts = ()
    values: Doubles = ()
    standard_deviations: Doubles = ()
    units: Texts = ()
    unknown: Texts = ()
