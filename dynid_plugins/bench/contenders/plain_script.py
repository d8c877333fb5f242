"""Identify a robot with numpy and pinocchio alone: the script that a tool has to beat.

    arm = PlainScript(urdf_text, joint_names, gravity=(0, 0, -9.81))
    arm.fit(q, dq, ddq, tau)
    torque = arm.torque(q, dq, ddq)

Bodies, viscous friction, Coulomb friction as a steep tanh, offset and rotor inertia at every joint;
least squares, each joint's rows weighted by the scatter of their own residual. Arrays are (N, n).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pinocchio
from numpy.typing import NDArray

Array = NDArray[np.float64]
SMOOTHING = 0.01  # of the sign of velocity [rad/s], of a prismatic joint [m/s]


class PlainScript:
    """A model of a robot, linear in its parameters."""

    def __init__(self, urdf: str, joints: Sequence[str], gravity: Sequence[float]) -> None:
        whole = pinocchio.buildModelFromXML(urdf)
        others = [whole.getJointId(name) for name in whole.names[1:] if name not in joints]
        self.model = pinocchio.buildReducedModel(whole, others, pinocchio.neutral(whole))
        self.model.gravity.linear = np.array(gravity, dtype=float)
        self.data = self.model.createData()
        self.neutral = pinocchio.neutral(self.model)
        self.order = [self.model.joints[self.model.getJointId(name)].idx_v for name in joints]
        self.parameters: Array = np.zeros(0)
        self.scatter: Array = np.zeros(0)  # of the residual of each joint [N m or N]

    def fit(self, q: Array, dq: Array, ddq: Array, tau: Array) -> None:
        """Estimate the parameters: a first fit gives the weights of the second."""
        rows, weight = self.regressor(q, dq, ddq), np.ones(tau.shape[1])
        for _ in range(2):
            weighted = (rows * weight[:, None]).reshape(-1, rows.shape[2])
            found = np.linalg.lstsq(weighted, (tau * weight).ravel(), rcond=1e-9)[0]
            self.parameters = np.asarray(found, dtype=float)
            self.scatter = np.std(rows @ found - tau, axis=0)
            weight = 1 / self.scatter

    def torque(self, q: Array, dq: Array, ddq: Array) -> Array:
        """Return the torque of a motion."""
        return np.asarray(self.regressor(q, dq, ddq) @ self.parameters)

    def regressor(self, q: Array, dq: Array, ddq: Array) -> Array:
        """Return rows (N, n, 14 n): ten columns of each body, four of each joint."""
        samples, n = q.shape
        rows, each = np.zeros((samples, n, 14 * n)), np.arange(n)
        for k in range(samples):
            motion = [np.empty(n) for _ in range(3)]
            for ordered, values in zip(motion, (q[k], dq[k], ddq[k]), strict=True):
                ordered[self.order] = values
            # of a joint without limits pinocchio wants cosine and sine
            motion[0] = pinocchio.integrate(self.model, self.neutral, motion[0])
            bodies = pinocchio.computeJointTorqueRegressor(self.model, self.data, *motion)
            rows[k, :, : 10 * n] = bodies.reshape(n, -1)[self.order]  # (10,) of one joint
        for number, column in enumerate((dq, np.tanh(dq / SMOOTHING), np.ones_like(dq), ddq)):
            rows[:, each, (10 + number) * n + each] = column
        return rows
