"""Noise of measured torque, from the profile's simulated robot and its drives."""

from __future__ import annotations

import numpy as np

from dynid.arrays import Array
from dynid.configuration import per_joint
from dynid.dynamics.mechanism import Mechanism
from dynid.recording.settings import RecordingSettings
from dynid.robot.robot import Robot
from dynid.simulation.settings import SimulationSettings


def stated_torque_noise(robot: Robot, mechanism: Mechanism) -> Array:
    """Return the standard deviation of the stated torque noise (n,), 0 if unknown.

    Noise of ``simulation.torque_noise`` and of the quantisation steps q of the feedback, which has
    the variance q² / 12, add up. At the joints [N m or N].
    """
    joints = len(mechanism.joints)
    simulation = robot.find(SimulationSettings) or SimulationSettings()
    step = np.zeros(joints)
    if simulation.rated_torque is not None:
        step = per_joint(simulation.rated_torque, joints, "rated_torque") / 1000
    elif robot.drives.effort in {"rated_current_permille", "rated_torque_permille"}:
        step = robot.drives.torque_factor(joints)
    variance = per_joint(simulation.torque_noise, joints, "torque_noise") ** 2 + step**2 / 12
    # errors of coupled motors act on several joints
    if robot.settings(RecordingSettings).side == "motor":
        variance = np.linalg.inv(mechanism.coupling).T ** 2 @ variance
    return np.asarray(np.sqrt(variance))
