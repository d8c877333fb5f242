"""A URDF with what robots have besides an arm: wheels, a head, a gripper with mimic fingers."""

from __future__ import annotations

_LIMITS = {
    "revolute": '<limit lower="-2" upper="1.5" velocity="3" effort="40"/>',
    "continuous": '<limit velocity="6" effort="10"/>',
    "prismatic": '<limit lower="0.1" upper="0.4" velocity="0.2" effort="500"/>',
    "fixed": "",
}


def _link(name: str) -> str:
    inertia = '<inertia ixx="0.02" iyy="0.02" izz="0.01" ixy="0" ixz="0" iyz="0"/>'
    body = f'<inertial><origin xyz="0 0 0.1"/><mass value="1.5"/>{inertia}</inertial>'
    return f'<link name="{name}">{body}</link>'


def _joint(name: str, kind: str, parent: str, child: str, more: str = "") -> str:
    return (
        f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
        f'<origin xyz="0 0 0.2"/><axis xyz="0 1 0"/>{_LIMITS[kind]}{more}</joint>{_link(child)}'
    )


def mobile_arm() -> str:
    """Return the URDF: a lift that carries a head and an arm, on two wheels."""
    parts = [
        _joint("wheel_left_joint", "continuous", "base", "wheel_left"),
        _joint("wheel_right_joint", "continuous", "base", "wheel_right"),
        _joint("lift_joint", "prismatic", "base", "torso"),
        _joint("head_joint", "revolute", "torso", "head"),
        _joint("arm_1_joint", "revolute", "torso", "arm_1"),
        _joint("arm_2_joint", "continuous", "arm_1", "arm_2"),
        _joint("hand_mount", "fixed", "arm_2", "palm"),
        _joint("gripper_joint", "revolute", "palm", "left_pad"),
        _joint(
            "second_pad_joint",
            "revolute",
            "palm",
            "right_pad",
            '<mimic joint="gripper_joint" multiplier="-1" offset="0.1"/>',
        ),
    ]
    return f'<robot name="mobile_arm"><link name="base"/>{"".join(parts)}</robot>'
