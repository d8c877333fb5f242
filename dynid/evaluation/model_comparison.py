"""Comparison of two models of one robot, or of two robots of one type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy

from dynid.arguments import check_number
from dynid.arrays import Array
from dynid.dynamics.base_parameters import BaseParameterization, base_parameterization
from dynid.dynamics.torque_parts import torque_parts
from dynid.errors import ConfigurationError
from dynid.estimation.regression import unfiltered_torque
from dynid.estimation.repeatability import friction_parameters
from dynid.excitation.motion import Motion, random_states
from dynid.notebook import Shown, data_frame
from dynid.recording.model import Recording
from dynid.robot.model import Model
from dynid.signals.preprocess import preprocess

if TYPE_CHECKING:
    from pandas import DataFrame

_NO_INFORMATION = 1e-12  # eigenvalue of the correlations, relative to the largest
_MOST_STATES = 100_000  # which take 0.5 GB for seven joints


@dataclass(frozen=True)
class ParameterDifference:
    """A base parameter that both models have with a standard deviation.

    Attributes:
        name, regrouping, unit: of the parameter.
        first, second: its values in both models.
        standard_deviation: of the difference, if both were identified from one unchanged robot.
    """

    name: str
    regrouping: str
    unit: str
    first: float
    second: float
    standard_deviation: float

    @property
    def score(self) -> float:
        """The difference, second minus first, in standard deviations."""
        difference = self.second - self.first
        return difference / self.standard_deviation if difference else 0.0


@dataclass(frozen=True)
class TorqueDifference:
    """Difference of two models' torques at a joint, over states or a recording [N m or N].

    Attributes:
        joint: its name.
        torque: root mean square of the first model's torque.
        rms: root mean square of the difference.
        largest: of the absolute difference.
        bodies, terms: root mean squares of the difference in the torque of bodies and of joint
            terms.
        expected: root mean square of its standard deviation, from those of the base parameters
            that both models have.
    """

    joint: str
    torque: float
    rms: float
    largest: float
    bodies: float
    terms: float
    expected: float


@dataclass(frozen=True)
class RecordingDifference:
    """Both models along a recording.

    Attributes:
        name: of its file.
        torque: differences, one for each joint.
        first_error, second_error: (n,) norm of torque error over norm of measured torque.
    """

    name: str
    torque: tuple[TorqueDifference, ...]
    first_error: tuple[float, ...]
    second_error: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class ModelComparison(Shown):
    """What differs between two models.

    Attributes:
        first, second: the models.
        parameters: base parameters that both have, the most significant difference first.
        only_one: names of those that only one of them has, or with another regrouping.
        distance: squared Mahalanobis distance of these parameters.
        freedom: its degrees of freedom.
        workspace: differences of torque in random states within the limits.
        recordings: differences along recordings.
    """

    first: Model
    second: Model
    parameters: tuple[ParameterDifference, ...]
    only_one: tuple[str, ...]
    distance: float
    freedom: int
    workspace: tuple[TorqueDifference, ...]
    recordings: tuple[RecordingDifference, ...] = ()

    @property
    def probability(self) -> float:
        """Of such a distance, or a larger one, between two models of one unchanged robot."""
        return float(scipy.special.chdtrc(self.freedom, self.distance)) if self.freedom else 1.0

    def to_frame(self) -> DataFrame:
        """Return the base parameters of both models as a pandas DataFrame.

        Raises:
            ConfigurationError: pandas is not installed.
        """
        names = ("name", "unit", "first", "second", "standard_deviation", "score")
        return data_frame({name: [getattr(row, name) for row in self.parameters] for name in names})

    def __repr__(self) -> str:
        """Return how much the models differ, and a line for each joint."""
        rows = [
            f"{joint.joint}: torque differs by {joint.rms:.3g} {'N' if slides else 'N m'}, "
            f"expected {joint.expected:.3g}"
            for joint, slides in zip(self.workspace, self.first.mechanism.prismatic, strict=True)
        ]
        first = (
            f"Comparison of two models of {self.first.robot.name}: {len(self.parameters)} base "
            f"parameters, difference of probability {self.probability:.2g} if they are equal"
        )
        return "\n".join([first, *rows])


def compare_models(
    first: Model,
    second: Model,
    recordings: Recording | Sequence[Recording] = (),
    *,
    states: int = 2000,
    seed: int = 0,
) -> ModelComparison:
    """Compare the parameters and torques of two models.

    ``dynid.compare_models`` takes files as well, and describes the arguments.

    Raises:
        DynidError: a recording, setting or mechanism is not suitable.
    """
    check_number("compare_models(): states", states, least=1, most=_MOST_STATES, whole=True)
    check_number("compare_models(): seed", seed, least=0, whole=True)
    if isinstance(recordings, Recording):
        recordings = (recordings,)
    _check_joints(first, second)
    base = base_parameterization(first.mechanism)
    numbers, only_one = _common(first, second)
    deviation = np.zeros((len(base.names),) * 2)
    places = [base.names.index(first.base.names[i]) for i, _ in numbers]
    covariance = _covariance(first, second, numbers)
    deviation[np.ix_(places, places)] = covariance
    differences = _parameters(first, second, base, numbers, covariance)
    values = np.array([difference.second - difference.first for difference in differences])
    distance, freedom = _distance(values, covariance)
    workspace = random_states(first.mechanism, first.robot.limits, states, seed)
    return ModelComparison(
        first,
        second,
        tuple(sorted(differences, key=lambda difference: -abs(difference.score))),
        only_one,
        distance,
        freedom,
        _torques(first, second, workspace, base, deviation),
        tuple(_along(first, second, recording, base, deviation) for recording in recordings),
    )


def _check_joints(first: Model, second: Model) -> None:
    names = [", ".join(model.mechanism.joints) for model in (first, second)]
    if names[0] != names[1]:
        message = (
            f"the joints of the models differ: {names[0]} and {names[1]}; compare models of one "
            "robot, or of robots of one type."
        )
        raise ConfigurationError(message)


def _common(first: Model, second: Model) -> tuple[list[tuple[int, int]], tuple[str, ...]]:
    """Return places in both estimates of the same parameters, and names of the others."""
    places = {text: number for number, text in enumerate(second.base.regroupings)}
    common = [
        (number, places[text])
        for number, text in enumerate(first.base.regroupings)
        if text in places
    ]
    shared = {first.base.names[i] for i, _ in common}
    names = dict.fromkeys((*first.base.names, *second.base.names))
    return common, tuple(name for name in names if name not in shared)


def _covariance(first: Model, second: Model, numbers: Sequence[tuple[int, int]]) -> Array:
    """Return the covariance (c, c) of the difference of the common parameters."""
    total = np.zeros((len(numbers),) * 2)
    for side, model in enumerate((first, second)):
        estimate = model.base
        columns = [pair[side] for pair in numbers]
        names = [estimate.names[number] for number in columns]
        base = base_parameterization(model.mechanism)
        rubs = dict(zip(base.names, friction_parameters(base, model.mechanism), strict=True))
        dry = np.array([rubs.get(name, False) for name in names], dtype=float)
        # the variance of another recording, which is that of the other model
        once = dry * (estimate.friction_repeatability * estimate.values[columns]) ** 2 / 2
        covariance = estimate.covariance_of(names)
        total += covariance - np.diag(np.minimum(once, np.diag(covariance)))
    return total


def _parameters(
    first: Model,
    second: Model,
    base: BaseParameterization,
    numbers: Sequence[tuple[int, int]],
    covariance: Array,
) -> list[ParameterDifference]:
    units = dict(zip(base.names, base.units, strict=True))
    deviations = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    return [
        ParameterDifference(
            first.base.names[i],
            first.base.regroupings[i],
            units[first.base.names[i]],
            float(first.base.values[i]),
            float(second.base.values[j]),
            float(deviation),
        )
        for (i, j), deviation in zip(numbers, deviations, strict=True)
    ]


def _distance(difference: Array, covariance: Array) -> tuple[float, int]:
    """Return the squared Mahalanobis distance and its degrees of freedom."""
    deviations = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    known = deviations > 0
    if not known.any():
        return 0.0, 0
    scale = 1 / deviations[known]
    values, vectors = np.linalg.eigh(scale[:, None] * covariance[np.ix_(known, known)] * scale)
    kept = values > _NO_INFORMATION * values[-1]
    scores = vectors[:, kept].T @ (scale * difference[known])
    return float(np.sum(scores**2 / values[kept])), int(kept.sum())


def _torques(
    first: Model, second: Model, states: Motion, base: BaseParameterization, deviation: Array
) -> tuple[TorqueDifference, ...]:
    parts = [torque_parts(model.mechanism, *states) for model in (first, second)]
    bodies = [part.inertia + part.coriolis + part.gravity for part in parts]
    difference = parts[1].total - parts[0].total
    body_difference = bodies[1] - bodies[0]
    regressor = first.mechanism.regressor(*states)[:, :, base.independent]
    variance = np.einsum("tji,ik,tjk->tj", regressor, deviation, regressor, optimize=True)
    return tuple(
        TorqueDifference(
            joint,
            torque=_rms(parts[0].total[:, j]),
            rms=_rms(difference[:, j]),
            largest=float(np.max(np.abs(difference[:, j]))),
            bodies=_rms(body_difference[:, j]),
            terms=_rms(difference[:, j] - body_difference[:, j]),
            expected=float(np.sqrt(max(np.mean(variance[:, j]), 0.0))),
        )
        for j, joint in enumerate(first.mechanism.joints)
    )


def _along(
    first: Model,
    second: Model,
    recording: Recording,
    base: BaseParameterization,
    deviation: Array,
) -> RecordingDifference:
    signals = preprocess(recording, first.robot)
    states = Motion(*signals.motion)
    size = np.linalg.norm(signals.torque, axis=0)
    errors = []
    for model in (first, second):
        torque = unfiltered_torque(model.mechanism, signals, model.parameters)
        error = np.linalg.norm(torque - signals.torque, axis=0)
        errors.append(tuple((error / np.where(size > 0, size, np.nan)).tolist()))
    return RecordingDifference(
        recording.sources[0].name if recording.sources else "recording",
        _torques(first, second, states, base, deviation),
        *errors,
    )


def _rms(values: Array) -> float:
    return float(np.sqrt(np.mean(values**2)))
