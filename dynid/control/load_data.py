"""An identified payload as the controllers of robot makers take it.

All give mass and centre of mass in the frame of the flange, and the inertia about the centre of
mass; they differ in units, order, and whether the axes are those of the flange or the principal
ones. Sources: UR script manual, ``set_target_payload``; ur_robot_driver 7.0.0,
``doc/migration/makoa.rst``; libfranka 0.21.2, ``Robot::setLoad``, and franka_ros2, ``SetLoad.srv``;
ABB, Technical reference manual RAPID, ``loaddata``; KUKA, operating instructions of KSS,
``LOAD_DATA`` and ``LOAD_A3_DATA``; FANUC, operator's manual, payload setting.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import permutations, product
from typing import Literal

import numpy as np
import scipy

from dynid.arrays import Array
from dynid.dynamics.kinematics import Kinematics
from dynid.dynamics.mechanism import Mechanism
from dynid.dynamics.pose import Pose
from dynid.dynamics.rigid_body import RigidBody
from dynid.errors import ConfigurationError

Controller = Literal["ur", "ur-ros2", "franka", "abb", "kuka", "fanuc"]

_UR_LIMIT = 133.0  # [kg m^2] of each component of the inertia
_KGF_CM_S2 = 9.80665 * 0.01  # [kg m^2]
_SMALLEST_MASS = 1e-6  # [kg]


def flange_of(mechanism: Mechanism, link: str | None = None) -> str:
    """Return the link whose frame is the flange's.

    Args:
        mechanism: of the robot.
        link: its name; None: ``tool0`` as ROS-Industrial names the flange with its z axis outwards,
            a Franka's ``link8``, else the robot's last link.

    Raises:
        ConfigurationError: the URDF has no such link.
    """
    if link is not None:
        return Kinematics(mechanism, tool=link).tool
    kinematics = Kinematics(mechanism)
    links = kinematics.links()
    for name in (r"(.*_)?tool0", r"(panda|fr3|fer)_link8"):
        matches = [link for link in links if re.fullmatch(name, link)]
        if len(matches) == 1:
            return matches[0]
    return kinematics.tool


def body_at_flange(mechanism: Mechanism, body: RigidBody, joint: str, link: str) -> RigidBody:
    """Return a body that a joint carries in the frame of a link, with all joints at 0.

    The joints between the two, if any, are at 0: the reference of KUKA for the load on axis 3.

    Args:
        mechanism: of the robot.
        body: in the frame of ``joint``.
        joint: that carries the body.
        link: whose frame the result is in.

    Raises:
        MechanismError: the loops of a closed chain cannot be closed.
    """
    kinematics = Kinematics(mechanism, tool=link)
    poses = kinematics.poses(np.zeros((1, len(mechanism.joints))))[0]
    carrier = kinematics.bodies.index(joint)
    of_body, in_body = kinematics.links()[link]
    flange = Pose.from_numbers(poses[of_body]).matrix() @ in_body.matrix()
    return body.seen_from(np.linalg.inv(Pose.from_numbers(poses[carrier]).matrix()) @ flange)


def load_text(controller: Controller, body: RigidBody, *, name: str = "", axis: int = 0) -> str:
    """Return the line or lines that set a load in a robot's controller.

    Args:
        controller: whose.
        body: in the frame of the flange.
        name: of the load: ABB's variable, or KUKA's and FANUC's number; empty: ``payload`` or 1.
            Others have none.
        axis: that carries the load, if it is not the flange; only KUKA takes such, of axis 3.

    Raises:
        ConfigurationError: the controller does not take such a load.
    """
    if not body.mass >= _SMALLEST_MASS:
        raise ConfigurationError(
            f"The payload's mass is {body.mass:g} kg, so there is nothing to set; identify a "
            "payload of more than 0 kg."
        )
    if axis and (controller != "kuka" or axis != _KUKA_AXIS):
        raise ConfigurationError(
            f"The payload is on axis {axis}; only --to kuka takes a load on another axis than the "
            f"last, and only on axis {_KUKA_AXIS}."
        )
    if name and (controller in _NAMELESS or axis):
        raise ConfigurationError(
            f"--name {name}: the load that --to {controller} sets here has neither name nor "
            "number; leave --name out."
        )
    return _WRITERS[controller](body, name, axis)


def gravity_filter(body: RigidBody, sensor: str, root: str, gravity: Array) -> str:
    """Return parameters of the filter that takes a tool's weight off a force sensor's wrench.

    They are of ``control_filters/GravityCompensationWrench`` (control_toolbox 6.3.0,
    gravity_compensation_filter_parameters.yaml), in the chain of force_torque_sensor_broadcaster.

    Args:
        body: what the sensor carries, in its frame.
        sensor: link of the sensor's frame.
        root: link in whose frame gravity is.
        gravity: (3,) [m/s^2].

    Raises:
        ConfigurationError: there is no gravity in the model.
    """
    if not np.any(gravity):
        raise ConfigurationError(
            "The model has no gravity (gravity: by_robot), which the filter needs; name a model of "
            "the robot whose profile has it."
        )
    return "\n".join(
        [
            "force_torque_sensor_broadcaster:",
            "  ros__parameters:",
            "    sensor_filter_chain:",
            "      filter1:",
            "        name: tool_gravity",
            "        type: control_filters/GravityCompensationWrench",
            "        params:",
            f"          world_frame: {json.dumps(root)}",
            f"          sensor_frame: {json.dumps(sensor)}",
            "          tool:",
            f"            gravity_field: {_decimals(gravity)}",
            f"            mass: {_decimal(body.mass)}",
            f"            CoG: {_decimals(body.centre)}",
        ]
    )


@dataclass(frozen=True, eq=False)
class PrincipalAxes:
    """Principal moments of an inertia (3,) [kg m^2], and the axes as columns of a rotation (3, 3).

    Of the 24 right-handed orders and signs of axes, the one that is turned least.
    """

    moments: Array
    rotation: Array

    @classmethod
    def of(cls, inertia: Array) -> PrincipalAxes:
        """Find the principal axes of an inertia (3, 3) [kg m^2]."""
        moments, axes = np.linalg.eigh(inertia)
        turned = (
            (list(order), axes[:, order] * signs)
            for order in permutations(range(3))
            for signs in product((1.0, -1.0), repeat=3)
        )
        right_handed = (axes for axes in turned if np.linalg.det(axes[1]) > 0)
        order, rotation = max(right_handed, key=lambda axes: np.trace(axes[1]))
        return cls(moments[order], rotation)


def _ur_components(body: RigidBody) -> list[float]:
    """Return the components xx, yy, zz, xy, xz, yz of the inertia [kg m^2]."""
    i = body.inertia
    if np.abs(i).max() > _UR_LIMIT:
        raise ConfigurationError(
            f"The payload's inertia has a component of {np.abs(i).max():.4g} kg m^2; a UR takes at "
            f"most {_UR_LIMIT:g}."
        )
    return [i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]]


def _ur(body: RigidBody, _: str, __: int) -> str:
    components = _list(_ur_components(body))
    return f"set_target_payload({_fixed(body.mass)}, {_list(body.centre)}, {components})"


def _ur_ros2(body: RigidBody, _: str, __: int) -> str:
    centre = ", ".join(f"{a}: {_fixed(v)}" for a, v in zip("xyz", body.centre, strict=True))
    names = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    pairs = zip(names, _ur_components(body), strict=True)
    inertia = ", ".join(f"{name}: {_fixed(value)}" for name, value in pairs)
    request = f"{{payload: {{m: {_fixed(body.mass)}, com: {{{centre}}}, {inertia}}}}}"
    service = "/io_and_status_controller/set_payload ur_msgs/srv/SetPayload"
    return f'ros2 service call {service} "{request}"'


def _franka(body: RigidBody, _: str, __: int) -> str:
    columns = body.inertia.flatten(order="F")
    request = (
        f"{{mass: {_fixed(body.mass)}, center_of_mass: {_list(body.centre)}, "
        f"load_inertia: {_list(columns)}}}"
    )
    return f'ros2 service call /service_server/set_load franka_msgs/srv/SetLoad "{request}"'


def _abb(body: RigidBody, name: str, _: int) -> str:
    name = name or "payload"
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,31}", name):
        raise ConfigurationError(
            f"--name {name}: expected a name in RAPID: a letter, then at most 31 letters, digits "
            "or underscores."
        )
    axes = PrincipalAxes.of(body.inertia)
    x, y, z, w = scipy.spatial.transform.Rotation.from_matrix(axes.rotation).as_quat(canonical=True)
    numbers = ",".join(map(_fixed, axes.moments))
    quaternion = _list([w, x, y, z])
    centre = _list(1e3 * body.centre)
    return f"PERS loaddata {name}:=[{_fixed(body.mass)},{centre},{quaternion},{numbers}];"


def _kuka(body: RigidBody, name: str, axis: int) -> str:
    axes = PrincipalAxes.of(body.inertia)
    a, b, c = scipy.spatial.transform.Rotation.from_matrix(axes.rotation).as_euler(
        "ZYX", degrees=True
    )
    target = f"LOAD_A{axis}_DATA" if axis else f"LOAD_DATA[{_number(name, 'KUKA')}]"
    x, y, z, jx, jy, jz = map(_fixed, (*(1e3 * body.centre), *axes.moments))
    centre = f"X {x},Y {y},Z {z},A {_fixed(a)},B {_fixed(b)},C {_fixed(c)}"
    return f"{target}={{M {_fixed(body.mass)},CM {{{centre}}},J {{X {jx},Y {jy},Z {jz}}}}}"


def _fanuc(body: RigidBody, name: str, _: int) -> str:
    schedule = _number(name, "FANUC")
    rows = [f"Schedule No[{schedule:3d}]", f"PAYLOAD          [kg]       {_fixed(body.mass)}"]
    for axis, value in zip("XYZ", 1e2 * body.centre, strict=True):
        rows.append(f"PAYLOAD CENTER {axis} [cm]       {_fixed(value)}")
    for axis, value in zip("XYZ", np.diag(body.inertia) / _KGF_CM_S2, strict=True):
        rows.append(f"PAYLOAD INERTIA {axis} [kgfcms^2] {_fixed(value)}")
    return "\n".join(rows)


def _number(name: str, maker: str) -> int:
    if not re.fullmatch(r"[0-9]{1,3}", name or "1") or int(name or "1") == 0:
        raise ConfigurationError(f"--name {name}: {maker} numbers its loads from 1.")
    return int(name or "1")


def _list(values: object) -> str:
    return "[" + ",".join(map(_fixed, np.asarray(values, dtype=np.float64))) + "]"


def _fixed(value: float) -> str:
    """Return a number without exponent, which not every controller reads."""
    return f"{round(float(value), 9) + 0.0:.9f}".rstrip("0").rstrip(".")


def _decimal(value: float) -> str:
    """Return a number with a point, which ROS takes for one of floating point."""
    text = _fixed(value)
    return text if "." in text else f"{text}.0"


def _decimals(values: Array) -> str:
    return f"[{', '.join(_decimal(float(value)) for value in values)}]"


_NAMELESS = ("ur", "ur-ros2", "franka")  # controllers with one load at a time
_KUKA_AXIS = 3

_WRITERS: dict[Controller, Callable[[RigidBody, str, int], str]] = {
    "ur": _ur,
    "ur-ros2": _ur_ros2,
    "franka": _franka,
    "abb": _abb,
    "kuka": _kuka,
    "fanuc": _fanuc,
}

UNITS: dict[Controller, str] = {
    "ur": "kg, m and kg m^2 along the flange's axes: xx, yy, zz, xy, xz, yz",
    "ur-ros2": "kg, m and kg m^2 along the flange's axes; ur_robot_driver 7.0.0 or later",
    "franka": "kg, m and kg m^2 along the flange's axes, column by column",
    "abb": "kg, mm, quaternion of the principal axes, and their moments in kg m^2",
    "kuka": "kg, mm, degrees of the principal axes, and their moments in kg m^2",
    "fanuc": "kg, cm and kgf cm s^2 along the flange's axes; it takes no products of inertia",
}
"""Units and axes of each controller's numbers."""
