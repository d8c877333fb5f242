"""Online identification: parameters with standard deviations, and payload changes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.base_parameters import base_parameterization
from dynid.errors import EstimationError
from dynid.estimation.estimate import error_correlation
from dynid.estimation.square_root import Forgetting, Solution, SquareRootLeastSquares
from dynid.evaluation.live import slowest_motion
from dynid.identification.online.acquisition import Acquisition, OnlineRows
from dynid.identification.online.change import PayloadChange, PayloadDetector, change_deviations
from dynid.identification.online.sampler import MessageCounts, Sampler
from dynid.identification.payload.fit import payload_columns
from dynid.recording.corrections import check_live_corrections, corrected_live
from dynid.recording.settings import RecordingSettings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from dynid.dynamics.mechanism import Mechanism
    from dynid.robot.provenance import BaseEstimate
    from dynid.robot.robot import Robot

_BLOCK = 0.1  # [s] of samples that are processed together
_UNINFORMATIVE = 100.0  # prior standard deviation, times the larger of 1 and the value
_REFERENCE_AGE = 1.0  # [s] after which an adaptive reference is that of the estimate again
_LEAST_ROWS = 50  # in motion, to estimate a variance


@dataclass(frozen=True)
class OnlineSettings:
    """Settings of online identification.

    Attributes:
        sampling_rate: of the joint states [Hz].
        forgetting_time: time constant of forgetting [s]; 0: no forgetting.
        learning: time in motion [s] to estimate the model's errors before changes are detected.
        detect: whether changes of the payload are detected.
        largest_payload: typical upper bound of a payload's mass [kg].
        threshold: of the evidence for a change.
        scalar: scalar sub-models, joint by joint, instead of the vector form.
        adaptive: for models that follow a robot whose friction changes as well: changes are
            relative to the present estimate instead of the first model, and after a change the
            load counts as unknown, to be estimated again.
    """

    sampling_rate: float = 1000.0
    forgetting_time: float = 0.0
    learning: float = 10.0
    detect: bool = True
    largest_payload: float = 10.0
    threshold: float = 100.0
    scalar: bool = False
    adaptive: bool = False


@dataclass(frozen=True, eq=False)
class OnlineParameters:
    """Base parameters at a time.

    Attributes:
        time: stamp of the newest sample [s].
        names, units: (k,).
        values, standard_deviations: (k,) estimates and their standard deviations.
        covariance: (k, k) of the values.
        determined: (k,) bool, identifiable from data rather than from the prior.
        torque_standard_deviation: (n,) of the torque error [N m or N].
        rows: number of rows used.
    """

    time: float
    names: tuple[str, ...]
    units: tuple[str, ...]
    values: Array
    standard_deviations: Array
    covariance: Array
    determined: NDArray[np.bool_]
    torque_standard_deviation: Array
    rows: int

    def to_dict(self, joints: Sequence[str]) -> dict[str, Any]:
        """Return parameters and the torque error of these joints for JSON; in SI units."""
        columns = (self.names, self.values, self.standard_deviations, self.units, self.determined)
        keys = ("name", "value", "standard_deviation", "unit", "determined")
        return {
            "time": self.time,
            "rows": self.rows,
            "parameters": [dict(zip(keys, row, strict=True)) for row in zip(*columns, strict=True)],
            "torque_standard_deviation": dict(
                zip(joints, self.torque_standard_deviation, strict=True)
            ),
        }


class OnlineEstimator:
    """Recursive least squares on samples of a running robot, and detection of payload changes.

    Args:
        robot: with its limits and settings.
        mechanism: of the robot, with its initial parameters.
        settings: of the estimator and the detection.
        known: the base parameters of an identification with their covariance; changes are then
            relative to its model. None: the parameters are not identified, such as the
            URDF's, and changes are relative to a model estimated first.

    Raises:
        DynidError: there are no base parameters of the mechanism, or the profile corrects
            recordings as only whole ones can be.
    """

    def __init__(
        self,
        robot: Robot,
        mechanism: Mechanism,
        settings: OnlineSettings,
        *,
        known: BaseEstimate | None = None,
    ) -> None:
        n = len(robot.joints)
        self.settings, self.joints = settings, robot.joints
        self._base = base_parameterization(mechanism)
        self._payload = payload_columns(mechanism)
        self._factor = robot.drives.torque_factor(n)
        recorded = robot.settings(RecordingSettings)
        self._corrections = recorded.corrections
        check_live_corrections(self._corrections, robot.joints)
        at_motors = recorded.side == "motor"
        self._coupling = mechanism.coupling if at_motors else np.eye(n)
        self._sampler = Sampler(settings.sampling_rate)
        self._acquisition = Acquisition(mechanism, settings.sampling_rate, slowest_motion(robot))
        start = self._base.project(mechanism.parameters)
        self._reference = None if known is None else start
        vague = _UNINFORMATIVE * np.maximum(1.0, np.abs(start))
        prior = np.diag(vague**2)
        if known is not None:
            prior = known.covariance_of(self._base.names)
            prior += np.diag(np.where(np.diag(prior) > 0, 0.0, vague**2))
        self._forgetting = self._forgetting_of(settings)
        self._recursive = self._recursion(start, prior)
        self._correlation = np.ones(n)
        self._learnt: list[OnlineRows] = []
        self._moved = 0.0
        self._detector: PayloadDetector | None = None
        self._variance: Array = np.zeros(n)  # of the detector
        self._referred = -np.inf  # stamp of the present reference
        self._buffer: list[Array] = []
        self._buffered, self._time, self._rows = 0, np.nan, 0

    @property
    def messages(self) -> MessageCounts:
        """Counts of messages, and of faults in them."""
        return self._sampler.messages

    @property
    def watching(self) -> bool:
        """Whether changes are detected, after the learning time."""
        return self._detector is not None

    @property
    def evidence(self) -> float:
        """Evidence for a change of payload; above ``settings.threshold`` it is detected."""
        return 0.0 if self._detector is None else self._detector.evidence

    def take(self, time: float, position: ArrayLike, effort: ArrayLike) -> list[PayloadChange]:
        """Process a sample in the profile's joint order; return detected changes.

        Args:
            time: stamp of the sample [s].
            position: (n,) [rad or m].
            effort: (n,) in the unit of the profile's drives.

        Raises:
            DynidError: a closed chain cannot reach the position.
        """
        values = np.concatenate([np.asarray(position, float), np.asarray(effort, float)])
        samples, begins = self._sampler(time, values)
        changes = []
        if begins:
            changes = self._work()
            self._acquisition.reset()
        if len(samples):
            self._buffer.append(samples)
            self._buffered += len(samples)
            self._time = time
        if self._buffered >= _BLOCK * self.settings.sampling_rate:
            changes += self._work()
        return changes

    def parameters(self) -> OnlineParameters:
        """Return the present estimate.

        Raises:
            EstimationError: no joint has moved yet.
        """
        if not np.any(self._recursive.rows):
            raise EstimationError(
                "no joint has moved yet; parameters can be identified from motion only."
            )
        solution = self._recursive.solve()
        return OnlineParameters(
            time=self._time,
            names=self._base.names,
            units=self._base.units,
            values=solution.parameters,
            standard_deviations=np.sqrt(np.diag(solution.covariance)),
            covariance=solution.covariance,
            determined=solution.determined,
            torque_standard_deviation=np.sqrt(solution.joint_variance),
            rows=self._rows,
        )

    def _work(self) -> list[PayloadChange]:
        """Convert buffered samples to rows, and use them."""
        if not self._buffer:
            return []
        samples = np.concatenate(self._buffer)
        self._buffer, self._buffered = [], 0
        n = len(self.joints)
        position = corrected_live(samples[:, :n], "position", self._corrections, self.joints)
        effort = corrected_live(samples[:, n:], "effort", self._corrections, self.joints)
        position = position @ self._coupling.T
        torque = np.linalg.solve(self._coupling.T, (effort * self._factor).T).T
        rows = self._acquisition(position, torque)
        if not rows.moving.size:
            return []
        self._rows += rows.moving.shape[0]
        self._recursive.update(self._of_base(rows), rows.moving)
        if self._detector is None:
            self._learn(rows)
            return []
        return self._watch(self._detector, rows) if self.settings.detect else []

    def _watch(self, detector: PayloadDetector, rows: OnlineRows) -> list[PayloadChange]:
        if self.settings.adaptive and self._time - self._referred >= _REFERENCE_AGE:
            self._reference = self._recursive.solve().parameters
            self._referred = self._time
        duration = rows.moving.shape[0] * self._acquisition.step / self.settings.sampling_rate
        begin = self._time - self._acquisition.delay - duration
        change = detector.update(
            begin, duration, self._error(rows), rows.stacked[:, :, self._payload], rows.moving
        )
        if change is None:
            return []
        self._carry(change)
        return [change]

    def _learn(self, rows: OnlineRows) -> None:
        """Estimate the variance of the model's errors, and the model if none is given."""
        self._learnt.append(rows)
        self._moved += rows.moving.any(axis=1).sum() * self._acquisition.step
        if self._moved < self.settings.learning * self.settings.sampling_rate:
            return
        if self._reference is None:
            self._reference = self._recursive.solve().parameters
        errors = np.concatenate([self._error(rows) for rows in self._learnt])
        moving = np.concatenate([rows.moving for rows in self._learnt])
        counts = moving.sum(axis=0)
        squares = np.sum(moving * errors**2, axis=0) / np.maximum(counts, 1.0)
        if np.any(counts < _LEAST_ROWS):
            return  # wait for joints that have hardly moved
        self._correlation = error_correlation([errors * moving])
        self._recursive.correlation = self._correlation
        self._learnt = []
        self._variance = np.maximum(squares * self._correlation, 1e-12)
        self._detector = self._new_detector()

    def _new_detector(self) -> PayloadDetector:
        return PayloadDetector(
            self._variance, largest=self.settings.largest_payload, threshold=self.settings.threshold
        )

    def _carry(self, change: PayloadChange) -> None:
        """Continue from the parameters with the payload, with their uncertainty."""
        solution: Solution = self._recursive.solve()
        shown = self._base.regrouping[:, self._payload]
        if self.settings.adaptive:
            unknown = np.diag(change_deviations(self.settings.largest_payload) ** 2)
            covariance = solution.covariance + shown @ unknown @ shown.T
            self._recursive = self._recursion(solution.parameters, covariance)
            self._recursive.correlation = self._correlation
            self._detector, self._referred = self._new_detector(), -np.inf
            return
        covariance = solution.covariance + shown @ change.covariance @ shown.T
        self._recursive = self._recursion(
            solution.parameters + shown @ change.parameters, covariance
        )
        self._recursive.correlation = self._correlation

    def _error(self, rows: OnlineRows) -> Array:
        """Return measured minus reference torque, (m, n)."""
        assert self._reference is not None  # noqa: S101  set before it is used
        return np.asarray((self._of_base(rows) @ np.append(-self._reference, 1.0)).T)

    def _of_base(self, rows: OnlineRows) -> Array:
        """Return [W_j, τ_j] with the columns of the base parameters; (n, m, k+1)."""
        return rows.stacked[:, :, [*self._base.independent, -1]]

    def _recursion(self, start: Array, covariance: Array) -> SquareRootLeastSquares:
        standard_deviations = np.sqrt(np.diag(covariance))
        return SquareRootLeastSquares(
            len(self.joints),
            start,
            standard_deviations,
            correlation=covariance / np.outer(standard_deviations, standard_deviations),
            forgetting=self._forgetting,
            scalar=self.settings.scalar,
            robust=True,
        )

    def _forgetting_of(self, settings: OnlineSettings) -> Forgetting:
        if settings.forgetting_time <= 0:
            return Forgetting()
        rows = settings.forgetting_time * settings.sampling_rate / self._acquisition.step
        return Forgetting(initial=1 - 1 / max(rows, 2.0))
