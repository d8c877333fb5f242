"""A robot, the path of its tool and its torque errors, as numbers that any renderer can show."""

from dynid.scene.elements import Body, Label, LegendEntry, Line, Pose, Scene, Shape
from dynid.scene.joint_motion import (
    JointMotion,
    excitation_motion,
    recorded_motion,
    resting_position,
)
from dynid.scene.kinematics import Kinematics
from dynid.scene.picture import RobotPicture, check_same_joints
from dynid.scene.robot_shapes import robot_shapes
from dynid.scene.torque_markers import TorqueError, torque_error_markers, torque_errors

__all__ = [
    "Body",
    "JointMotion",
    "Kinematics",
    "Label",
    "LegendEntry",
    "Line",
    "Pose",
    "RobotPicture",
    "Scene",
    "Shape",
    "TorqueError",
    "check_same_joints",
    "excitation_motion",
    "recorded_motion",
    "resting_position",
    "robot_shapes",
    "torque_error_markers",
    "torque_errors",
]
