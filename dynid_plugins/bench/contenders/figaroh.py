"""FIGAROH, as its classes for robots use it: https://github.com/thanhndv212/figaroh-plus.

Friction (viscous, Coulomb), rotor inertia and offset of every joint are its defaults. A subclass
gives it the signals of all tools, because its own filter acts on positions and not on torques. As
in its example of the UR10 nothing is decimated; its second stage of least squares has weights.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np
import yaml
from figaroh.identification.base_identification import BaseIdentification
from figaroh.tools import regressor
from figaroh.tools.load_robot import load_robot

from dynid.arrays import Array
from dynid.errors import ConfigurationError
from dynid_plugins.bench.contenders.interface import Contender, FittedModel, FittingTask


def fit(task: FittingTask) -> FittedModel:
    """Fit FIGAROH's base parameters."""
    task.refuse_loops()
    q, dq, ddq, tau = task.motion_and_torque()
    rate, joints = task.signals[0].sampling_rate, task.robot.joints
    motion = {"positions": q, "velocities": dq, "accelerations": ddq, "torques": tau}

    class GivenMotion(BaseIdentification):  # type: ignore[misc]
        def load_trajectory_data(self, data_source: str | None = None) -> dict[str, Array]:
            del data_source
            return {"timestamps": np.arange(len(q)) / rate, **motion}

        def process_kinematics_data(self, filter_config: object = None) -> None:
            del filter_config
            self.processed_data = dict(self.raw_data)

    settings = {
        "robot": {"name": "robot"},
        "tasks": {"identification": {"joints": {"active_joints": list(joints)}}},
    }
    with tempfile.TemporaryDirectory() as folder:
        urdf, file = Path(folder, "robot.urdf"), Path(folder, "settings.yaml")
        urdf.write_text(task.bare_urdf(), "utf-8")
        file.write_text(yaml.safe_dump(settings), "utf-8")
        robot = load_robot(str(urdf), package_dirs=folder)
        if list(robot.model.names)[1:] != list(joints):
            raise ConfigurationError("FIGAROH needs a URDF of exactly the recorded joints.")
        robot.model.gravity.linear = np.array(task.gravity())
        numbers = list(range(robot.model.nv))
        found = GivenMotion(robot, str(file))
        found.identif_config.update(act_idxq=numbers, act_idxv=numbers)  # left to subclasses
        found.initialize()
        found.solve(decimate=False, plotting=False, wls=True)

    def torque(*motion: Array) -> Array:
        rows = regressor.build_regressor_basic(robot, *motion, found.identif_config)
        rows = regressor.build_regressor_reduced(rows, found._idx_eliminated)  # noqa: SLF001
        base = rows[:, found._base_indices] @ found.phi_base  # noqa: SLF001
        return np.asarray(base.reshape(len(numbers), -1).T)

    return FittedModel.of_motion(torque)


FIGAROH = Contender(
    "FIGAROH",
    fit,
    ("figaroh",),
    "defaults, decimate=False as in github.com/thanhndv212/figaroh-examples, and wls=True",
)
