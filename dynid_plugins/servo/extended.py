"""The extended problem: base parameters and the unknowns of the servos' law in one regression.

With the law's unknowns x at x0, the torque along a recording is linear in small changes,

    tau(x0) + D (x - x0) = W beta + errors,   D = d tau / d x,

so that [beta, x - x0] are found by weighted least squares with the rows [W, -D], and x0 is updated
(Gauss–Newton). D is by finite differences of the law, filtered as torque is.

Columns that depend on each other on the robot itself, not only in these data, belong to unknowns
that are identifiable only in combination. They are found with the model's torque in place of the
computed one: gains of all servos and all parameters of the bodies then have one common scale.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.base_parameters import BaseParameterization
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import EstimationError
from dynid.estimation.fitting import build_problem
from dynid.estimation.regression import Rows
from dynid.identification.settings import IdentificationSettings
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid.signals.preprocess import preprocess
from dynid_plugins.servo.law import ServoLaw
from dynid_plugins.servo.servo_torque import evaluated

UNKNOWNS = ("position_gain", "velocity_gain", "bias")
"""Numbers of a law that can be identified. The delay is none of them: with dry friction, errors at
reversals move it by some ms, while its standard deviation is a tenth of that."""

_STEPS = {"position_gain": 1e-3, "velocity_gain": 1e-3, "bias": 1e-4}
"""Of the differences: a share of a gain, [rad or m]."""

_DEPENDENT = 1e-2
"""A column depends on those before it if what they leave of it is a smaller share of it. Half a
period of a servo's loop between two columns of velocity leaves some 1e-3."""


class Unknown(NamedTuple):
    """An unknown of the law: its name in :class:`ServoLaw`, and its joint, from 0."""

    kind: str
    joint: int

    @property
    def name(self) -> str:
        """Name in tables, joints counted from 1."""
        return f"{self.kind}{self.joint + 1}"


def unknowns_of(kinds: Sequence[str], joints: int) -> tuple[Unknown, ...]:
    """Return the unknowns of some kinds, in the order of ``UNKNOWNS``."""
    return tuple(
        Unknown(kind, joint) for kind in UNKNOWNS if kind in kinds for joint in range(joints)
    )


def changed(law: ServoLaw, unknowns: Sequence[Unknown], changes: Array) -> ServoLaw:
    """Return the law with changes added to its unknowns.

    Raises:
        EstimationError: a position gain would become negative.
    """
    values = {kind: np.array(getattr(law, kind)) for kind in UNKNOWNS}
    for (kind, joint), change in zip(unknowns, changes.tolist(), strict=True):
        values[kind][joint] += change
    if np.any(values["position_gain"] <= 0):
        raise EstimationError(
            "the recordings lead to a negative position gain; check signs and units of commands "
            "and positions."
        )
    return law._replace(**values)  # type: ignore[arg-type]  # all of them are arrays


@dataclass(frozen=True)
class Extended:
    """Rows of all joints and recordings at one law, all filtered alike.

    Attributes:
        regressor: (n, m, k) of the base parameters.
        derivative: (n, m, u) of torque with respect to the unknowns.
        torque: (n, m) of the law [N m or N].
        fitted: (n, m) 1.0 where a row is fitted, else 0.0.
        lengths: rows of each recording.
    """

    regressor: Array
    derivative: Array
    torque: Array
    fitted: Array
    lengths: tuple[int, ...]


def extended_rows(
    robot: Robot,
    recordings: Sequence[Recording],
    law: ServoLaw,
    unknowns: Sequence[Unknown],
    mechanism: Mechanism,
    base: BaseParameterization,
) -> Extended:
    """Return the rows of commanded recordings at a law.

    Raises:
        PreprocessingError: the settings do not fit a recording.
    """
    signals = [preprocess(evaluated(one, law, robot), robot) for one in recordings]
    problem = build_problem(mechanism, base, signals, robot.settings(IdentificationSettings))
    derivative: list[Array] = []
    regressor: list[Array] = []
    for number, (recording, rows) in enumerate(zip(recordings, problem.rows, strict=True)):
        derivative.append(_derivative(robot, recording, law, unknowns, rows))
        blocks = [block.stacked[:, :, :-1] for block in problem.blocks(number)]
        regressor.append(np.concatenate(blocks, axis=1))
    return Extended(
        regressor=np.concatenate(regressor, axis=1),
        derivative=np.concatenate(derivative, axis=1),
        torque=np.concatenate([rows.torque.T for rows in problem.rows], axis=1),
        fitted=np.concatenate([rows.fitted.T for rows in problem.rows], axis=1),
        lengths=tuple(len(rows.torque) for rows in problem.rows),
    )


def _derivative(
    robot: Robot, recording: Recording, law: ServoLaw, unknowns: Sequence[Unknown], rows: Rows
) -> Array:
    """Return the filtered derivative of torque with respect to the unknowns, (n, m, u)."""
    n, m = len(robot.joints), len(rows.torque)
    found = np.zeros((n, m, len(unknowns)))
    for kind in dict.fromkeys(one.kind for one in unknowns):
        own = [number for number, one in enumerate(unknowns) if one.kind == kind]
        present = np.asarray(getattr(law, kind))
        share = present != 0 if kind.endswith("gain") else np.zeros(n, dtype=bool)
        step = _STEPS[kind] * np.where(share, np.abs(present), 1.0)
        # the servos do not depend on each other's law: all joints at once
        other = law._replace(**{kind: present + step})  # type: ignore[arg-type]
        moved = evaluated(recording, other, robot)
        torque = preprocess(moved, robot).torque
        slope = (rows.parallel_filter.decimate(rows.parallel_filter.smooth(torque)) - rows.torque).T
        for number in own:
            joint = unknowns[number].joint
            found[joint, :, number] = slope[joint] / step[joint]
    return found


def dependent_columns(columns: Array) -> tuple[list[int], Array]:
    """Return which columns depend on those before them, and by which factors.

    Args:
        columns: (rows, c).

    Returns:
        Their numbers, and (c, d) factors: column d is about ``columns @ factors[:, d]``, of columns
        that do not depend on others.
    """
    size = np.linalg.norm(columns, axis=0)
    scaled = columns / np.where(size > 0, size, 1.0)
    kept: list[int] = []
    dependent: list[int] = []
    factors: list[Array] = []
    for number in range(columns.shape[1]):
        solution = np.asarray(np.linalg.lstsq(scaled[:, kept], scaled[:, number], rcond=None)[0])
        rest = scaled[:, number] - scaled[:, kept] @ solution
        if size[number] > 0 and np.linalg.norm(rest) > _DEPENDENT:
            kept.append(number)
            continue
        dependent.append(number)
        factor = np.zeros(columns.shape[1])
        factor[kept] = solution * size[number] / size[kept]
        factors.append(factor)
    return dependent, np.array(factors).reshape(len(factors), columns.shape[1]).T
