"""The identified parameters of one robot over many recordings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from dynid.api.inputs import ModelLike, as_model
from dynid.arrays import Array
from dynid.dynamics.base_parameters import base_parameterization
from dynid.errors import EstimationError
from dynid.estimation.repeatability import friction_parameters
from dynid.robot.model import Model

DAY = 86400.0
"""[s]."""
YEAR = 365.25 * DAY
"""[s]."""
_ROUNDING = 1e-6  # of a correlation, by the digits in files
_LARGEST_NUMBER = 1e100  # whose square, and the inverse of which, can be computed


@dataclass(frozen=True, eq=False)
class History:
    """Base parameters of one robot, each identified from its own recording, in order of time.

    Attributes:
        robot: name.
        times: (R,) of the recordings, rising [s], such as seconds since 1970.
        names: (k,) of the base parameters, as those of the robot's mechanism.
        values: (R, k).
        covariances: (R, k, k) of the errors within each recording, without a share for the
            variation between days.
        temperatures: (R,) of the robot or its surroundings [°C]; None if not recorded.
        notes: sentences on what was left out.
    """

    robot: str
    times: Array
    names: tuple[str, ...]
    values: Array
    covariances: Array
    temperatures: Array | None = None
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check shapes and numbers.

        Raises:
            EstimationError: shapes differ, a number cannot be computed with, a covariance is not
                positive semidefinite, or times do not rise.
        """
        count, width = len(self.times), len(self.names)
        shapes = [np.shape(self.values), np.shape(self.covariances)]
        if shapes != [(count, width), (count, width, width)]:
            raise EstimationError(
                f"history of {self.robot}: values {shapes[0]} and covariances {shapes[1]}, "
                f"expected {(count, width)} and {(count, width, width)}."
            )
        given = [self.times, self.values, self.covariances]
        if self.temperatures is not None:
            if len(self.temperatures) != count:
                raise EstimationError(
                    f"history of {self.robot}: {len(self.temperatures)} temperatures for {count} "
                    "recordings, expected one for each."
                )
            given.append(self.temperatures)
        if not all((np.abs(one) <= _LARGEST_NUMBER).all() for one in given):
            raise EstimationError(
                f"history of {self.robot}: a number is not finite, or beyond {_LARGEST_NUMBER:g}."
            )
        if not (np.diff(self.times) > 0).all():
            raise EstimationError(
                f"history of {self.robot}: times must rise from recording to recording."
            )
        if (
            width == 0
            or not (np.diagonal(self.covariances, axis1=1, axis2=2) > 1 / _LARGEST_NUMBER).all()
        ):
            raise EstimationError(
                f"history of {self.robot}: every parameter needs a positive variance, and there "
                "must be at least one."
            )
        sizes = np.sqrt(np.diagonal(self.covariances, axis1=1, axis2=2))
        correlations = self.covariances / sizes[:, :, None] / sizes[:, None, :]
        indefinite = np.flatnonzero(np.linalg.eigvalsh(correlations)[:, 0] < -_ROUNDING)
        if len(indefinite):
            raise EstimationError(
                f"history of {self.robot}: the covariance of recording {indefinite[0] + 1} is not "
                "positive semidefinite; identify it again."
            )

    def equals(self, other: History) -> bool:
        """Return whether everything is the same to the last digit."""
        return all(
            np.array_equal(getattr(self, one.name), getattr(other, one.name))
            for one in fields(self)
        )

    @property
    def per_year(self) -> float:
        """Recordings per year."""
        return float((len(self.times) - 1) * YEAR / (self.times[-1] - self.times[0]))

    @property
    def steps(self) -> Array:
        """Times (R,) since the first recording, in usual (median) intervals between two."""
        return np.asarray((self.times - self.times[0]) / np.median(np.diff(self.times)))


def history_of_models(
    models: Sequence[ModelLike],
    times: Sequence[float] | None = None,
    temperatures: Sequence[float] | None = None,
) -> History:
    """Collect the models of one robot into a history, ordered by time.

    Models whose identification failed are left out. Only base parameters that every model
    determines, with the same regrouping, are kept.

    Args:
        models: each identified from its own recording; or their files.
        times: of the recordings [s]; None: those of the bags that the models were identified from.
        temperatures: of the recordings [°C]; None: the mean of the joints along each recording, if
            every recording has temperatures.

    Raises:
        EstimationError: too few models, of different robots, without uncertainties in common,
            without a date, or times that do not differ.
    """
    loaded = [as_model("history_of_models(): models", model) for model in models]
    if times is None:
        times = [recording_time(one) for one in loaded]
    if len(loaded) < 2 or len(times) != len(loaded):
        raise EstimationError(
            f"a history needs at least two models and a time for each; there are {len(loaded)} "
            f"models and {len(times)} times."
        )
    joints = loaded[0].mechanism.joints
    for one in loaded:
        if one.mechanism.joints != joints:
            raise EstimationError(
                f"the models are of different robots, with the joints {', '.join(joints)} and "
                f"{', '.join(one.mechanism.joints)}; a history is of one robot."
            )
    by_time = np.argsort(np.asarray(times, dtype=float), kind="stable")
    order = np.array([i for i in by_time if not loaded[i].failed], dtype=np.intp)
    if len(order) < 2:
        failures = len(loaded) - len(order)
        raise EstimationError(
            f"a history needs at least two models; the identification of {failures} of "
            f"{len(loaded)} failed its criterion."
        )
    sorted_models = [loaded[i] for i in order]
    first = sorted_models[0]
    names = common_parameters([_determined(one) for one in sorted_models])
    dropped = list(dict.fromkeys(n for m in sorted_models for n in m.base.names if n not in names))
    if not names:
        raise EstimationError(
            "the models have no base parameters with uncertainties in common; identify all of them "
            "with the same profile."
        )
    failed = [_file(loaded[i]) for i in by_time if loaded[i].failed]
    notes = [f"Left out, as the identification failed: {', '.join(failed)}."] if failed else []
    notes += [f"Not in every model, and left out: {', '.join(dropped)}."] if dropped else []
    if temperatures is None:
        warmth, note = _temperatures(sorted_models)
        notes += note
    else:
        warmth = np.asarray(temperatures, dtype=float)[order]
    return History(
        first.robot.name,
        np.asarray(times, dtype=float)[order],
        names,
        np.array([_values(one, names) for one in sorted_models]),
        np.array([_within(one, names) for one in sorted_models]),
        warmth,
        tuple(notes),
    )


def common_parameters(determined: Sequence[Mapping[str, str]]) -> tuple[str, ...]:
    """Return the parameters that every recording determines, with the same regrouping."""
    return tuple(
        name
        for name, relation in determined[0].items()
        if all(other.get(name) == relation for other in determined)
    )


def _determined(model: Model) -> dict[str, str]:
    """Return the regroupings of parameters with an uncertainty."""
    known = zip(model.base.names, model.base.regroupings, strict=True)
    return {name: relation for name, relation in known if model.base.by_name[name] > 0}


def recording_time(model: Model) -> float:
    """Return when the bags begin that a model was identified from [s since 1970].

    Raises:
        EstimationError: they have no date.
    """
    begin = None if model.provenance is None else model.provenance.recorded
    if begin is None:
        raise EstimationError(
            f"{_file(model)}: has no date, as of a recording that is not a bag, of a simulator's "
            "clock, or with a model of an older dynid; give the times of the recordings: by "
            "--table with the columns model and time, or in Python as times."
        )
    return begin.timestamp()


def _temperatures(models: Sequence[Model]) -> tuple[Array | None, list[str]]:
    """Return the mean temperature of each model's recordings, and a note if only some have one."""
    found = [_temperature(one) for one in models]
    known = [value for value in found if value is not None]
    if len(known) == len(models):
        return np.array(known), []
    if not known:
        return None, []
    without = [_file(one) for one, value in zip(models, found, strict=True) if value is None]
    note = f"Temperatures are not used, because they are not recorded in: {', '.join(without)}."
    return None, [note]


def _temperature(model: Model) -> float | None:
    """Return the mean over a model's recordings; None if one has none."""
    found = [one.temperature for one in model.sources]
    known = [value for value in found if value is not None]
    return float(np.mean(known)) if known and len(known) == len(found) else None


def _file(model: Model) -> str:
    return model.sources[0].name if model.sources else "a recording without a file"


def best_model(models: Sequence[Model], history: History) -> Model:
    """Return the model whose parameters of a history are known best: the smallest determinant."""
    usable = [one for one in models if not one.failed]
    known = [np.linalg.slogdet(_within(one, history.names))[1] for one in usable]
    return usable[int(np.argmin(known))]


def _values(model: Model, names: Sequence[str]) -> Array:
    places = {name: number for number, name in enumerate(model.base.names)}
    return np.asarray(model.base.values[[places[name] for name in names]])


def _within(model: Model, names: Sequence[str]) -> Array:
    """Return the covariance without friction's share for another recording."""
    base = base_parameterization(model.mechanism)
    rubs = dict(zip(base.names, friction_parameters(base, model.mechanism), strict=True))
    return without_repeatability(
        model.base.covariance_of(names),
        _values(model, names),
        np.array([bool(rubs.get(name, False)) for name in names]),
        model.base.friction_repeatability,
        recordings=max(1, len(model.sources)),
    )


def without_repeatability(
    covariance: Array,
    values: Array,
    friction: NDArray[np.bool_],
    repeatability: float,
    *,
    recordings: int = 1,
) -> Array:
    """Return a covariance (k, k) without the share of friction for another recording.

    Args:
        covariance: (k, k) with that share.
        values: (k,) of the parameters.
        friction: (k,) which of them are friction.
        repeatability: relative standard deviation of friction between two recordings.
        recordings: number that were identified together.
    """
    sizes = repeatability * values
    share = np.where(friction, sizes**2 / 2 * (1 + 1 / recordings), 0.0)
    own = np.diag(covariance)
    # rounding in a file must not leave a negative variance
    return np.asarray(covariance - np.diag(np.minimum(share, (1 - 1e-6) * own)))
