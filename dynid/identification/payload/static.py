"""A payload's mass, and its centre as far as told, from a robot at rest in a few poses."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.joint_term import MEMORY_KINDS
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import EstimationError
from dynid.identification.payload.base_model import BaseModel
from dynid.identification.payload.consistent import Belief, believe, consistent_body
from dynid.identification.payload.dwells import Dwell, find_dwells
from dynid.identification.payload.fit import payload_columns
from dynid.identification.payload.payload import TOO_LITTLE, Payload, describe
from dynid.recording.model import Recording
from dynid.signals.preprocess import preprocess

_TRAVEL = 10.0  # times what presliding friction remembers, after which it has forgotten
_EXACT = 1e-9  # [N m or N] smallest torque error of a model
_ROUNDS = 6
_TOLERANCE = 1e-3  # change of the mass, in its standard deviations


@dataclass(frozen=True, eq=False)
class StaticPayload:
    """A payload from rest.

    Attributes:
        payload: what was found.
        dwells: that it was found from.
        mass, mass_deviation: estimate of the mass alone, and how uncertain it is, whether that is
            enough to be told or not [kg].
        friction: mean over the dwells of what friction can hold at rest (n,) [N m or N].
        from_both_sides: which joints (n,) came to rest from either side.
        notes: sentences on what was repaired.
    """

    payload: Payload
    joints: tuple[str, ...]
    mass: float
    mass_deviation: float
    dwells: tuple[Dwell, ...]
    friction: Array
    from_both_sides: tuple[bool, ...]
    notes: tuple[str, ...]

    @property
    def success(self) -> bool:
        """Whether the mass is told."""
        return bool(self.payload.body.told[0])

    @property
    def outcome(self) -> str:
        """What came of it, in a sentence."""
        mass = f"{self.mass:.3g} kg, standard deviation {self.mass_deviation:.2g} kg"
        dwells = f"{len(self.dwells)} dwell{'s' if len(self.dwells) > 1 else ''}"
        reason = self.payload.not_told.get(self.payload.parameters[0], "")
        if self.success:
            return f"Mass from {dwells}: {mass}."
        if reason != TOO_LITTLE:
            return f"No pose tells the mass on this robot: {reason}."
        return (
            f"The mass is not told by {dwells}: {mass}; stretch the arm, and come to more poses "
            "from both sides."
        )


def payload_at_rest(
    base: BaseModel,
    recordings: Sequence[Recording],
    *,
    progress: Callable[[str], None] = lambda _: None,
) -> StaticPayload:
    """Estimate the mass of what a robot carries from gravity alone.

    At rest, dry friction holds a joint with anything between its values in either direction. What
    it may be is taken for error: as uniformly distributed, with one share that is the same in every
    dwell a joint enters from the same side, and one of its own in each dwell. So approaching poses
    from both sides makes the mass more certain, as it does in truth.

    Args:
        base: the model without payload, whose own torque errors count as well.
        recordings: with payload, of poses or of motion with pauses.
        progress: told the name of each step as it begins.

    Raises:
        DynidError: the robot does not rest, or a recording or setting does not allow it.
    """
    progress("finding dwells")
    whole = {"trim_rest": False, "border": 0.0, "period": None}
    settings = base.profile.identification.model_copy(update=whole)
    resting = base.profile.model_copy(update={"identification": settings})
    signals = [preprocess(recording, resting) for recording in recordings]
    dwells = [dwell for one in signals for dwell in find_dwells(one)]
    if not dwells:
        raise EstimationError(
            "the robot rests nowhere for half a second in what was recorded; hold it still in a "
            "few poses, or give the motion to: dynid identify --payload."
        )
    progress("estimating")
    found, friction = _fit(base, dwells)
    approach = np.array([dwell.approach for dwell in dwells])
    both = np.any(approach > 0, axis=0) & np.any(approach < 0, axis=0)
    return StaticPayload(
        payload=describe(base, consistent_body(found), recordings),
        joints=base.mechanism.joints,
        mass=float(found.mean[0]),
        mass_deviation=float(np.sqrt(found.covariance[0, 0])),
        dwells=tuple(dwells),
        friction=friction,
        from_both_sides=tuple(np.atleast_1d(both).tolist()),
        notes=tuple(note for one in signals for note in one.notes),
    )


def _fit(base: BaseModel, dwells: Sequence[Dwell]) -> tuple[Belief, Array]:
    """Fit again while load-dependent friction shifts what it can hold; also its mean (n,)."""
    model, columns = base.mechanism, payload_columns(base.mechanism)
    matrix, right, friction = _normal_equations(base, model, dwells)
    found = believe(matrix, right, matrix)
    for _ in range(_ROUNDS):
        standard, previous = np.array(model.parameters), found
        standard[columns] += consistent_body(found).parameters
        matrix, right, friction = _normal_equations(base, model.with_parameters(standard), dwells)
        found = believe(matrix, right, matrix)
        allowed = _TOLERANCE * np.sqrt(found.covariance[0, 0])
        if abs(found.mean[0] - previous.mean[0]) < allowed:
            break
    return found, friction


def _normal_equations(
    base: BaseModel, loaded: Mechanism, dwells: Sequence[Dwell]
) -> tuple[Array, Array, Array]:
    """Generalised least squares: each joint's errors in all dwells have a covariance matrix."""
    own, columns = base.mechanism.parameters, payload_columns(loaded)
    position = np.array([dwell.position for dwell in dwells])
    regressor = loaded.regressor(position, 0 * position, 0 * position)[:, :, columns]
    middle, friction = np.array([_hold(loaded, own, dwell) for dwell in dwells]).swapaxes(0, 1)
    left = np.array([dwell.torque for dwell in dwells]) - middle
    approach = np.array([dwell.approach for dwell in dwells])
    matrix, right = np.zeros((10, 10)), np.zeros(10)
    for joint in range(len(loaded.joints)):
        band, side = friction[:, joint], (approach * friction)[:, joint]
        variance = band**2 / 3 + max(base.torque_error[joint], _EXACT) ** 2
        covariance = np.diag(variance) + np.outer(side, side) / 3
        weighted = np.linalg.solve(covariance, regressor[:, joint])
        matrix += weighted.T @ regressor[:, joint]
        right += weighted.T @ left[:, joint]
    return matrix, right, friction.mean(axis=0)


def _hold(loaded: Mechanism, own: Array, dwell: Dwell) -> tuple[Array, Array]:
    """Middle and half width (n,) of the torques that hold the model without payload in a pose."""
    slides = [term.scale + term.dead_band for term in loaded.terms if term.kind in MEMORY_KINDS]
    travel = _TRAVEL * max(slides, default=0.0)
    arriving = []
    for sign in (-1.0, 1.0):
        position = dwell.position - sign * travel * np.array([[1.0], [0.0]])
        velocity = sign * np.array([dwell.speed, dwell.speed])
        arriving.append(loaded.torque(position, velocity, 0 * position, own)[-1])
    below, above = arriving
    return (above + below) / 2, np.abs(above - below) / 2
