"""MuJoCo's own reading of an MJCF: joints, frames, and torques by its inverse dynamics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.rigid_body import RigidBody
from dynid.errors import ConfigurationError, SimulationError
from dynid_plugins.simulators.mjcf_compiling import (
    collected_warnings,
    compiled_mjcf,
    mujoco_library,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from dynid.excitation.motion import Motion


class MujocoModel:
    """A compiled MJCF.

    Args:
        text: of the MJCF.
        where: its file, in whose folder meshes and included files are found.

    Raises:
        ConfigurationError: MuJoCo is not installed, or cannot compile the text.
    """

    def __init__(self, text: str, where: Path) -> None:
        self._mujoco = mujoco_library()
        self.model = compiled_mjcf(text, where)
        self.data = self._mujoco.MjData(self.model)

    @property
    def name(self) -> str:
        """MuJoCo and its version."""
        return f"MuJoCo {self._mujoco.__version__}"

    @property
    def gravity(self) -> Array:
        """Acceleration of gravity in the world frame (3,) [m/s^2]."""
        return np.array(self.model.opt.gravity)

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the hinge and slide joints."""
        model = self.model
        types = self._mujoco.mjtJoint
        kinds = (int(types.mjJNT_HINGE), int(types.mjJNT_SLIDE))
        return tuple(
            model.joint(number).name
            for number in range(model.njnt)
            if int(model.jnt_type[number]) in kinds
        )

    def joint_ids(self, names: Sequence[str]) -> list[int]:
        """Return MuJoCo's numbers of joints."""
        return [int(self.model.joint(name).id) for name in names]

    def frames(self, joints: Sequence[str], positions: Array) -> Array:
        """Return the frames of the joints' bodies in the world (K, n, 4, 4)."""
        ids = self.joint_ids(joints)
        bodies = self.model.jnt_bodyid[ids]
        found = np.tile(np.eye(4), (len(positions), len(ids), 1, 1))
        for number, position in enumerate(positions):
            self._place(ids, position)
            self._mujoco.mj_kinematics(self.model, self.data)
            found[number, :, :3, :3] = self.data.xmat[bodies].reshape(-1, 3, 3)
            found[number, :, :3, 3] = self.data.xpos[bodies]
        return found

    def inverse_dynamics(self, joints: Sequence[str], motion: Motion) -> Array:
        """Return torques at the joints (N, n) without dry friction, limits and contacts.

        Other joints rest at the model's reference position.
        """
        ids = self.joint_ids(joints)
        dofs = self.model.jnt_dofadr[ids]
        flags, torque = int(self.model.opt.disableflags), np.empty(np.shape(motion.position))
        self.model.opt.disableflags |= self._mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
        for number, (position, velocity, acceleration) in enumerate(zip(*motion, strict=True)):
            self._place(ids, position)
            self.data.qvel[dofs], self.data.qacc[dofs] = velocity, acceleration
            self._mujoco.mj_inverse(self.model, self.data)
            torque[number] = self.data.qfrc_inverse[dofs]
        self.model.opt.disableflags = flags
        return torque

    def following(
        self, joints: Sequence[str], positions: Array, actuated: int
    ) -> tuple[Array, float]:
        """Return how joints follow others by the file's equality constraints.

        Args:
            joints: their names, the actuated ones first.
            positions: (K, m) of them [rad or m].
            actuated: number of them, n.

        Returns:
            (K, m, n) velocity of each joint per velocity of each actuated one, and the largest
            error of the constraints [m or rad].

        Raises:
            ConfigurationError: the constraints do not determine the positions of the others.
        """
        ids, option = self.joint_ids(joints), self.model.opt
        dofs = self.model.jnt_dofadr[ids]
        jacobian, option.jacobian = int(option.jacobian), self._mujoco.mjtJacobian.mjJAC_DENSE
        found, residual = [], 0.0
        for position in positions:
            self._place(ids, position)
            self._mujoco.mj_fwdPosition(self.model, self.data)
            kind = self._mujoco.mjtConstraint.mjCNSTR_EQUALITY
            rows = self.data.efc_type == int(kind)
            all_columns = self.data.efc_J.reshape(-1, self.model.nv)[rows]
            others = np.delete(all_columns, dofs, axis=1)
            own = all_columns[~others.any(axis=1)][:, dofs]
            residual = max(residual, float(np.abs(self.data.efc_pos[rows]).max(initial=0.0)))
            found.append(_solved(own, actuated))
        option.jacobian = jacobian
        return np.array(found), residual

    def simulate(
        self, joints: Sequence[str], position: Array, velocity: Array, torque: Array, step: float
    ) -> Array:
        """Simulate the motion that torques cause.

        Args:
            joints: their names; others start at rest at the model's reference position.
            position: (n,) at the start [rad or m].
            velocity: (n,) at the start [rad/s or m/s].
            torque: (T, n) held for a step each [N m or N].
            step: between torques [s]; MuJoCo integrates in steps of at most its own time step.

        Returns:
            positions (T + 1, n) [rad or m], the start included.

        Raises:
            SimulationError: the motion diverges.
        """
        ids, option = self.joint_ids(joints), self.model.opt
        dofs, places = self.model.jnt_dofadr[ids], self.model.jnt_qposadr[ids]
        given = float(option.timestep)
        substeps = int(np.ceil(step / given - 1e-9))
        option.timestep = step / substeps
        self._place(ids, position)
        self.data.qvel[dofs] = velocity
        found = np.empty((len(torque) + 1, len(ids)))
        found[0] = position
        with collected_warnings(self._mujoco) as unstable:
            for number, applied in enumerate(torque):
                self.data.qfrc_applied[dofs] = applied
                for _ in range(substeps):
                    self._mujoco.mj_step(self.model, self.data)
                found[number + 1] = self.data.qpos[places]
        option.timestep = given
        if unstable:  # MuJoCo starts again from its reference position
            raise SimulationError(f"MuJoCo stopped the simulation: {unstable[0].strip()}")
        return found

    def terms(self, joints: Sequence[str]) -> Mapping[str, Array]:
        """Return armature, damping, friction and springs of joints, each (n,) or (n, 3)."""
        ids = self.joint_ids(joints)
        dofs, model = self.model.jnt_dofadr[ids], self.model
        return {
            "armature": model.dof_armature[dofs],
            "damping": _polynomials(model, "dof_damping")[dofs],
            "frictionloss": model.dof_frictionloss[dofs],
            "stiffness": _polynomials(model, "jnt_stiffness")[ids],
            "springref": model.qpos_spring[model.jnt_qposadr[ids]],
        }

    def bodies_on(self, joints: Sequence[str], number: int) -> list[RigidBody]:
        """Return the bodies that hang on the body of a joint by joints other than ``joints``.

        Args:
            joints: names of all joints that do not count.
            number: of the one among them whose body is meant.

        Returns:
            the bodies in the frame of that body, at the reference positions.
        """
        model = self.model
        carriers = {
            int(model.jnt_bodyid[one]): place for place, one in enumerate(self.joint_ids(joints))
        }
        self._mujoco.mj_resetData(model, self.data)
        self._mujoco.mj_kinematics(model, self.data)
        found = []
        for body in range(1, model.nbody):
            above, own_joints = body, 0
            while above not in carriers and above != 0:
                own_joints += int(model.body_jntnum[above])
                above = int(model.body_parentid[above])
            if above and carriers[above] == number and own_joints:
                frame = np.linalg.inv(self._frame(body)) @ self._frame(above)
                found.append(self._body(body).seen_from(frame))
        return found

    def _frame(self, body: int) -> Array:
        frame = np.eye(4)
        frame[:3, :3], frame[:3, 3] = self.data.xmat[body].reshape(3, 3), self.data.xpos[body]
        return frame

    def _body(self, body: int) -> RigidBody:
        """Return a body in its own frame."""
        model, turn = self.model, np.empty(9)
        self._mujoco.mju_quat2Mat(turn, model.body_iquat[body])
        axes = turn.reshape(3, 3)
        inertia = axes @ np.diag(model.body_inertia[body]) @ axes.T
        return RigidBody(float(model.body_mass[body]), np.array(model.body_ipos[body]), inertia)

    def _place(self, ids: Sequence[int], position: Array) -> None:
        self._mujoco.mj_resetData(self.model, self.data)
        self.data.qpos[self.model.jnt_qposadr[list(ids)]] = position


def _solved(rows: Array, actuated: int) -> Array:
    """Return velocities of all joints per velocity of the actuated ones (m, n), of rows J v = 0."""
    passive = rows[:, actuated:]
    if len(passive) < passive.shape[1] or np.linalg.matrix_rank(passive) < passive.shape[1]:
        raise ConfigurationError(
            "the file's equality constraints do not determine the positions of all passive joints; "
            "it needs those of the model's closures."
        )
    follow = -np.linalg.lstsq(passive, rows[:, :actuated], rcond=None)[0]
    return np.vstack([np.eye(actuated), follow])


def _polynomials(model: Any, name: str) -> Array:
    """Return three coefficients of each joint; MuJoCo before 4 has the first one only."""
    linear = getattr(model, name)
    curved = getattr(model, f"{name}poly", np.zeros((len(linear), 2)))
    return np.column_stack([linear, curved])
