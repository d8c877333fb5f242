"""An arm of spheres and capsules on a slide, whose distances have a closed form."""

from __future__ import annotations

import numpy as np

from dynid.excitation.workspace.workspace import Workspace
from dynid.profile import make_robot
from dynid.robot.limits import Limits
from dynid.robot.robot import Robot

RADIUS = 0.04
LENGTHS = (0.4, 0.3)
TIP = 0.25

CAPSULE = """
  <collision><origin xyz="{half} 0 0" rpy="0 1.5707963267948966 0"/>
    <geometry><cylinder radius="0.04" length="{length}"/></geometry></collision>
  <collision><geometry><sphere radius="0.04"/></geometry></collision>
  <collision><origin xyz="{length} 0 0"/><geometry><sphere radius="0.04"/></geometry></collision>
"""

LINK = """
<link name="{name}"><inertial><mass value="1"/>
  <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>{shapes}</link>"""

JOINT = """
<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>
  <origin xyz="{xyz}"/><axis xyz="{axis}"/>
  <limit lower="-3" upper="3" velocity="9" effort="99"/></joint>"""

BASE = '<collision><geometry><sphere radius="0.04"/></geometry></collision>'
BALL = '<collision><origin xyz="0.25 0 0"/><geometry><sphere radius="0.04"/></geometry></collision>'


def _joint(name: str, parent: str, child: str, xyz: str, axis: str, kind: str = "revolute") -> str:
    return JOINT.format(name=name, kind=kind, parent=parent, child=child, xyz=xyz, axis=axis)


URDF = "\n".join(
    [
        '<robot name="walled">',
        LINK.format(name="base", shapes=BASE),
        LINK.format(name="carriage", shapes=""),
        LINK.format(name="upper", shapes=CAPSULE.format(half=0.2, length=0.4)),
        LINK.format(name="lower", shapes=CAPSULE.format(half=0.15, length=0.3)),
        LINK.format(name="hand", shapes=BALL),
        _joint("slide", "base", "carriage", "0 0 0.2", "0 0 1", "prismatic"),
        _joint("shoulder", "carriage", "upper", "0.1 0 0", "0 0 1"),
        _joint("elbow", "upper", "lower", "0.4 0 0", "0 0 1"),
        _joint("wrist", "lower", "hand", "0.3 0 0", "0 1 0"),
        '<joint name="end" type="fixed"><parent link="hand"/><child link="tip"/>'
        '<origin xyz="0.25 0 0"/></joint><link name="tip"/>',
        "</robot>",
    ]
)
JOINTS = ("slide", "shoulder", "elbow", "wrist")
LIMITS = Limits(
    position=((-0.2, 0.2), (-1.5, 1.5), (-1.5, 1.5), (-1, 1)), velocity=1.5, acceleration=8
)
WALL = {"wall": {"point": [0.0, 0.5, 0.0], "normal": [0.0, -1.0, 0.0]}}
BOX = {"bin": {"low": [0.3, -0.2, -0.1], "high": [0.6, 0.2, 0.1]}}


def walled_robot(**workspace: object) -> Robot:
    """Without self-collision by default, unlike a profile."""
    content = {
        "robot": "walled",
        "urdf": "walled.urdf",
        "joints": list(JOINTS),
        "limits": {"position": [[-0.5, 0.5], [-3, 3], [-2.6, 2.6], [-2, 2]]},
        "terms": [],
        "workspace": {"self_collision": False} | workspace,
    }
    return make_robot(content, URDF)


def walled(urdf: str = URDF, **workspace: object) -> Workspace:
    robot = walled_robot(**workspace).with_urdf(urdf)
    return Workspace(robot, robot.mechanism())


def points(position: np.ndarray) -> dict[str, np.ndarray]:
    """Shoulder, elbow, wrist and tip of the arm at a position (4,) [m], by trigonometry."""
    slide, first, second, third = position
    shoulder = np.array([0.1, 0.0, 0.2 + slide])
    elbow = shoulder + LENGTHS[0] * np.array([np.cos(first), np.sin(first), 0.0])
    along = np.array([np.cos(first + second), np.sin(first + second), 0.0])
    wrist = elbow + LENGTHS[1] * along
    tip = wrist + TIP * (np.cos(third) * along - np.sin(third) * np.array([0.0, 0.0, 1.0]))
    return {"shoulder": shoulder, "elbow": elbow, "wrist": wrist, "tip": tip}
