"""A payload's mass, and its centre if identifiable, from a robot at rest in a few poses."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import EstimationError
from dynid.identification.payload.consistent import Posterior, consistent_body, find_posterior
from dynid.identification.payload.fit import payload_columns
from dynid.identification.payload.payload import (
    TOO_LITTLE,
    Payload,
    describe,
    impossible_mass,
    own_torque_errors,
)
from dynid.identification.settings import IdentificationSettings
from dynid.recording.model import Recording
from dynid.robot.model import Model
from dynid.signals.preprocess import preprocess
from dynid.signals.signals import Signals

_SHORTEST_DWELL = 0.5  # [s] at rest, for a dwell
_SETTLING = 0.2  # [s] after and before motion that are excluded
_DWELL_TRAVEL = 1e-3  # [rad or m] of motion that shows the direction of approach


@dataclass(frozen=True, eq=False)
class Dwell:
    """A time at rest.

    Attributes:
        position: mean (n,) [rad or m].
        torque: mean (n,) [N m or N].
        approach: sign of the last motion before (n,); 0 if none was recorded.
        speed: below which a joint counts as at rest (n,) [rad/s or m/s].
        duration: of the means [s].
    """

    position: Array
    torque: Array
    approach: Array
    speed: Array
    duration: float


def find_dwells(signals: Signals) -> list[Dwell]:
    """Find the times at which all joints are at rest."""
    return [_dwell(signals, span) for span in _rests(signals)]


def _rests(signals: Signals) -> Iterator[slice]:
    rate = signals.sampling_rate
    still = np.concatenate([[False], ~signals.moving.any(axis=1), [False]])
    begins, ends = np.flatnonzero(np.diff(still.astype(int))).reshape(-1, 2).T
    for begin, end in zip(begins, ends, strict=True):
        if end - begin < _SHORTEST_DWELL * rate:
            continue
        margin = round(_SETTLING * rate)
        yield slice(
            int(begin + margin) if begin > 0 else 0,
            int(end - margin) if end < len(signals.moving) else int(end),
        )


def _dwell(signals: Signals, span: slice) -> Dwell:
    position = signals.position[span].mean(axis=0)
    return Dwell(
        position=position,
        torque=signals.raw_torque[span].mean(axis=0),
        approach=_approach(position - signals.position[: span.start]),
        speed=signals.velocity_threshold,
        duration=(span.stop - span.start) / signals.sampling_rate,
    )


def _approach(distance: Array) -> Array:
    """Return the sign (n,) of the last distance (N, n) to the position at rest."""
    signs = np.sign(distance) * (np.abs(distance) > _DWELL_TRAVEL)
    return np.array([joint[joint != 0][-1] if joint.any() else 0.0 for joint in signs.T])


_TRAVEL = 10.0  # times the distance of presliding friction, after which it slides
_SMALLEST_TORQUE_ERROR = 1e-9  # [N m or N] smallest torque error of a model
_ROUNDS = 6
_TOLERANCE = 1e-3  # change of the mass over its standard deviation


@dataclass(frozen=True, eq=False)
class StaticPayload:
    """A payload identified at rest.

    Attributes:
        payload: the identified payload.
        dwells: the times at rest.
        mass, mass_standard_deviation: estimate of the mass and its standard deviation [kg], even
            if the mass is not identifiable.
        friction: mean static friction over the dwells (n,) [N m or N].
        from_both_sides: which joints (n,) came to rest from both directions.
        notes: sentences on what was repaired.
        impossible: a sentence on why there cannot be such a mass, or an empty text.
    """

    payload: Payload
    joints: tuple[str, ...]
    mass: float
    mass_standard_deviation: float
    dwells: tuple[Dwell, ...]
    friction: Array
    from_both_sides: tuple[bool, ...]
    notes: tuple[str, ...]
    impossible: str = ""

    @property
    def success(self) -> bool:
        """Whether the mass is identifiable and possible."""
        return bool(self.payload.body.identifiable[0]) and not self.impossible

    @property
    def outcome(self) -> str:
        """The result as a sentence."""
        mass = f"{self.mass:.3g} kg, standard deviation {self.mass_standard_deviation:.2g} kg"
        dwells = f"{len(self.dwells)} dwell{'s' if len(self.dwells) > 1 else ''}"
        reason = self.payload.not_identifiable.get(self.payload.parameters[0], "")
        if self.impossible:
            return f"The mass from {dwells} is wrong: {self.impossible}"
        if self.success:
            return f"Mass from {dwells}: {mass}."
        if reason != TOO_LITTLE:
            return f"The mass is not identifiable in any pose of this robot: {reason}."
        return (
            f"The mass is not identifiable from {dwells}: {mass}; stretch the arm, and move to "
            "more poses from both directions."
        )


def payload_at_rest(
    base: Model,
    recordings: Sequence[Recording],
    *,
    progress: Callable[[str], None] = lambda _: None,
) -> StaticPayload:
    """Estimate the mass of a payload from gravity torque at rest.

    Static friction of a joint has any value between its limits in both directions. It is treated as
    a uniformly distributed error with two parts: one that is common to all dwells with the same
    direction of approach, and one that is independent in each dwell. So the mass is more accurate
    if poses are approached from both directions.

    Raises:
        DynidError: the robot does not rest, or a recording or setting is not suitable.
    """
    progress("finding dwells")
    whole = {"trim_rest": False, "border": 0.0, "period": None}
    settings = base.robot.settings(IdentificationSettings).model_copy(update=whole)
    resting = base.robot.with_settings(settings)
    signals = [preprocess(recording, resting, unsettled=True) for recording in recordings]
    dwells = [dwell for recording in signals for dwell in find_dwells(recording)]
    if not dwells:
        raise EstimationError(
            "the robot is never at rest for half a second in the recordings; record a few poses at "
            "rest, or use motion: dynid payload identify."
        )
    progress("estimating")
    posterior, friction = _fit(base, dwells)
    approach = np.array([dwell.approach for dwell in dwells])
    both = np.any(approach > 0, axis=0) & np.any(approach < 0, axis=0)
    mass, deviation = float(posterior.mean[0]), float(np.sqrt(posterior.covariance[0, 0]))
    body = consistent_body(posterior)
    return StaticPayload(
        payload=describe(base, body, recordings),
        joints=base.mechanism.joints,
        mass=mass,
        mass_standard_deviation=deviation,
        dwells=tuple(dwells),
        friction=friction,
        from_both_sides=tuple(np.atleast_1d(both).tolist()),
        notes=tuple(note for recording in signals for note in recording.notes),
        impossible=impossible_mass(base, mass, deviation) if body.identifiable[0] else "",
    )


def _fit(base: Model, dwells: Sequence[Dwell]) -> tuple[Posterior, Array]:
    """Fit, and iterate for load-dependent friction; return also the mean static friction (n,)."""
    model, columns = base.mechanism, payload_columns(base.mechanism)
    matrix, right, friction = _normal_equations(base, model, dwells)
    posterior = find_posterior(matrix, right, matrix)
    for _ in range(_ROUNDS):
        standard, previous = np.array(model.parameters), posterior
        standard[columns] += consistent_body(posterior).parameters
        matrix, right, friction = _normal_equations(base, model.with_parameters(standard), dwells)
        posterior = find_posterior(matrix, right, matrix)
        allowed = _TOLERANCE * np.sqrt(posterior.covariance[0, 0])
        if abs(posterior.mean[0] - previous.mean[0]) < allowed:
            break
    return posterior, friction


def _normal_equations(
    base: Model, loaded: Mechanism, dwells: Sequence[Dwell]
) -> tuple[Array, Array, Array]:
    """Build normal equations with a covariance matrix of each joint's errors in all dwells."""
    parameters, columns = base.mechanism.parameters, payload_columns(loaded)
    torque_error = own_torque_errors(base)
    position = np.array([dwell.position for dwell in dwells])
    regressor = loaded.regressor(position, 0 * position, 0 * position)[:, :, columns]
    middle, friction = np.array([_hold(loaded, parameters, dwell) for dwell in dwells]).swapaxes(
        0, 1
    )
    left = np.array([dwell.torque for dwell in dwells]) - middle
    approach = np.array([dwell.approach for dwell in dwells])
    matrix, right = np.zeros((10, 10)), np.zeros(10)
    for joint in range(len(loaded.joints)):
        band, side = friction[:, joint], (approach * friction)[:, joint]
        variance = band**2 / 3 + max(torque_error[joint], _SMALLEST_TORQUE_ERROR) ** 2
        covariance = np.diag(variance) + np.outer(side, side) / 3
        weighted = np.linalg.solve(covariance, regressor[:, joint])
        matrix += weighted.T @ regressor[:, joint]
        right += weighted.T @ left[:, joint]
    return matrix, right, friction.mean(axis=0)


def _hold(loaded: Mechanism, parameters: Array, dwell: Dwell) -> tuple[Array, Array]:
    """Return centre and half width (n,) of the holding torques of the model without payload."""
    slides = [term.scale + term.dead_band for term in loaded.terms if term.traits.has_memory]
    travel = _TRAVEL * max(slides, default=0.0)
    arriving = []
    for sign in (-1.0, 1.0):
        position = dwell.position - sign * travel * np.array([[1.0], [0.0]])
        velocity = sign * np.array([dwell.speed, dwell.speed])
        arriving.append(loaded.torque(position, velocity, 0 * position, parameters)[-1])
    below, above = arriving
    return (above + below) / 2, np.abs(above - below) / 2
