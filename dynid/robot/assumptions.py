"""What is assumed of a robot of which only the URDF is known, in words."""

from __future__ import annotations

from collections.abc import Iterator

from dynid.dynamics.base_parameters import INERTIAL
from dynid.robot.chains import RobotJoints, robot_joints
from dynid.robot.robot import Robot
from dynid.robot.urdf_joints import movable_joints
from dynid.text import listed

_LIMITS = {
    "position": "position",
    "velocity": "velocity",
    "acceleration": "acceleration",
    "torque_max": "torque",
}
_SHOWN = 8  # names of joints in one list


def assumptions(robot: Robot) -> list[str]:
    """Return what is assumed of a robot that has no profile of its own, one phrase for each."""
    urdf_joints = robot_joints(robot.urdf_xml)
    return [
        f"joints {names(robot.joints)}",
        *_of_joints(robot, urdf_joints),
        *_of_limits(robot, urdf_joints),
        *_of_bodies(robot),
        f"joint terms {_terms(robot)}",
        f"recorded effort is {robot.drives.effort.replace('_', ' ')} [{robot.drives.effort_unit}]",
    ]


def _terms(robot: Robot) -> str:
    if robot.terms == "auto":
        return "chosen by the recordings (auto)"
    return listed(dict.fromkeys(str(term.kind) for term in robot.terms)) if robot.terms else "none"


def names(joints: tuple[str, ...] | list[str]) -> str:
    """Return joints as a list, the first and the last of many."""
    if len(joints) <= _SHOWN:
        return listed(joints)
    return f"{', '.join(joints[: _SHOWN - 2])}, … and {joints[-1]} ({len(joints)})"


def _of_joints(robot: Robot, urdf_joints: RobotJoints) -> Iterator[str]:
    groups = (
        ("grippers and fingers", urdf_joints.grippers),
        ("wheels", urdf_joints.wheels),
        ("joints that follow others (<mimic>)", urdf_joints.followers),
    )
    named = {name for _, joints in groups for name in joints}
    others = ("other joints", tuple(name for name in urdf_joints.joints if name not in named))
    for what, joints in (*groups, others):
        locked = [name for name in joints if name not in robot.moving_joints]
        if locked:
            yield f"{what} locked: {names(locked)}"
    if robot.closed_chain.passive:
        yield f"joints coupled to others (<mimic>): {names(list(robot.closed_chain.passive))}"


def _of_limits(robot: Robot, urdf_joints: RobotJoints) -> Iterator[str]:
    known = [word for key, word in _LIMITS.items() if getattr(robot.limits, key) is not None]
    absent = [word for word in _LIMITS.values() if word not in known]
    if known:
        yield f"limits of {listed(known)} from the URDF"
    if absent:
        yield f"no limit of {listed(absent)}"
    position = robot.limits.position
    endless = [name for name in robot.joints if urdf_joints.joints[name].position is None]
    if endless and position is not None:
        yield f"±180° for {names(endless)}, without a position limit in the URDF"


def _of_bodies(robot: Robot) -> Iterator[str]:
    mechanism = robot.mechanism()
    masses = mechanism.urdf_parameters[: mechanism.first_term : len(INERTIAL)]
    without = [joint for joint, mass in zip(mechanism.body_joints, masses, strict=True) if not mass]
    if without:
        verb = "carries" if len(without) == 1 else "carry"
        yield f"in the URDF, what {names(without)} {verb} has no mass"
    if len(without) == len(masses):
        return
    problem = mechanism.physical_problem(mechanism.urdf_parameters)
    if problem:
        yield (
            f"in the URDF, {problem}, as of no real body (a moment of inertia is not above 0, or "
            "is above the sum of the other two)"
        )


def position_doubts(robot: Robot) -> Iterator[str]:
    """Yield which position limits of the URDF are not used, and why, a phrase for each reason."""
    if robot.limits.position is not None:
        return
    joints = movable_joints(robot.urdf_xml)
    doubts = {name: joints[name].doubt for name in robot.joints if name in joints}
    for doubt in dict.fromkeys(filter(None, doubts.values())):
        of = [name for name in doubts if doubts[name] == doubt]
        yield f"in the URDF, {names(of)} {'has' if len(of) == 1 else 'have'} {doubt}"
