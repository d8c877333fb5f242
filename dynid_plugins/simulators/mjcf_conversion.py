"""An MJCF as a URDF, as MuJoCo compiles it, and what a URDF has no place for."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pinocchio

from dynid.arrays import Array
from dynid.errors import ConfigurationError
from dynid.robot.description import NominalValues
from dynid_plugins.simulators.mjcf_compiling import compiled_mjcf, mujoco_library

_NO_LIMIT = "1e9"  # URDF requires numbers; these are taken as none
_TERMS = {"Ia": "dof_armature", "Fv": "dof_damping", "Fc": "dof_frictionloss"}
_STRAIGHT = 1e-12  # coefficients of a polynomial that is a line


def mjcf_as_urdf(text: str, where: Path) -> str:
    """Return a URDF of the robot in an MJCF.

    Masses and inertias are MuJoCo's own, also of bodies whose geoms determine them. Frames of links
    are at their joints; positions 0 are those of ``qpos = 0``. Damping and friction of joints, and
    primitive shapes, are kept. A free joint is taken as fixed; joints that follow another one
    linearly become ``<mimic>``. Tendons, actuators and meshes are left out; gravity and armature
    are those of :func:`mjcf_nominal`.

    Raises:
        ConfigurationError: MuJoCo is not installed or cannot compile the text; a ball joint; a loop
            that is closed by a connection of bodies.
    """
    return _Conversion(compiled_mjcf(text, where), where).urdf()


class _Conversion:
    def __init__(self, model: Any, where: Path) -> None:
        self._model, self._where, self._mujoco = model, where, mujoco_library()
        name = bytes(model.names).split(b"\0", 1)[0].decode()
        self._root = ET.Element("robot", name=name or where.stem)
        self._joints: dict[str, ET.Element] = {}
        self._link_elements: dict[str, ET.Element] = {}
        # of every body: its last link, and the frame of the body in that link
        self._links: dict[int, str] = {}
        self._frames: dict[int, Array] = {}

    def urdf(self) -> str:
        self._check_equalities()
        for body in range(self._model.nbody):
            self._add_body(body)
        for number, name in self._followers().items():
            self._joints[name].append(self._mimic(number))
        ET.indent(self._root)
        return f'<?xml version="1.0"?>\n{ET.tostring(self._root, encoding="unicode")}\n'

    def _add_body(self, body: int) -> None:
        model = self._model
        name = model.body(body).name or f"body_{body}"
        if body == 0:
            self._links[0], self._frames[0] = name, np.eye(4)
            self._add_shapes(self._link(self._links[0]), 0)
            return
        parent = int(model.body_parentid[body])
        first = int(model.body_jntadr[body])
        numbers = range(first, first + int(model.body_jntnum[body]))
        joints = [joint for joint in numbers if not self._is_free(joint)]
        above = self._links[parent]
        place = self._frames[parent] @ _frame(model.body_pos[body], model.body_quat[body])
        if not joints:
            self._add_joint(f"{name}_fixed", "fixed", above, name, place)
        for joint in joints:
            last = joint == joints[-1]
            link = name if last else f"{name}_{joint - first}"
            above, place = self._add_moving(joint, above, link, place)
        link = name if not joints else above
        self._links[body] = link
        self._frames[body] = np.eye(4) if not joints else place
        element = self._link(link)
        self._add_inertial(element, body)
        self._add_shapes(element, body)

    def _add_moving(self, joint: int, above: str, link: str, place: Array) -> tuple[str, Array]:
        """Add a joint; return its link, and the frame of the body in it."""
        model, types = self._model, self._mujoco.mjtJoint
        if int(model.jnt_type[joint]) == int(types.mjJNT_BALL):
            raise ConfigurationError(
                f"{self._where}: joint '{model.joint(joint).name}' is a ball joint, but a drive "
                "moves a hinge or a slide."
            )
        slides = int(model.jnt_type[joint]) == int(types.mjJNT_SLIDE)
        axis, anchor = np.array(model.jnt_axis[joint]), np.array(model.jnt_pos[joint])
        reference = float(model.qpos0[model.jnt_qposadr[joint]])
        start = np.eye(4)
        start[:3, 3] = anchor
        if slides:
            start[:3, 3] -= reference * axis
        else:
            start[:3, :3] = pinocchio.exp3(-reference * axis)
        limited = bool(model.jnt_limited[joint])
        kind = "prismatic" if slides else "revolute" if limited else "continuous"
        name = model.joint(joint).name or f"joint_{joint}"
        element = self._add_joint(name, kind, above, link, place @ start)
        ET.SubElement(element, "axis", xyz=_text(axis))
        limit = {"effort": self._effort(joint), "velocity": _NO_LIMIT}
        if limited or slides:
            low, high = model.jnt_range[joint] if limited else (-1e9, 1e9)
            limit |= {"lower": repr(float(low)), "upper": repr(float(high))}
        ET.SubElement(element, "limit", limit)
        dof = int(model.jnt_dofadr[joint])
        friction = {"damping": model.dof_damping[dof], "friction": model.dof_frictionloss[dof]}
        if any(friction.values()):
            given = {key: repr(float(value)) for key, value in friction.items()}
            ET.SubElement(element, "dynamics", given)
        body_frame = np.eye(4)
        body_frame[:3, 3] = -anchor
        return link, body_frame

    def _add_joint(self, name: str, kind: str, above: str, link: str, place: Array) -> ET.Element:
        element = self._joints[name] = ET.SubElement(self._root, "joint", name=name, type=kind)
        ET.SubElement(element, "parent", link=above)
        ET.SubElement(element, "child", link=link)
        element.append(_origin(place))
        self._link(link)
        return element

    def _add_inertial(self, link: ET.Element, body: int) -> None:
        model = self._model
        if not model.body_mass[body]:
            return
        place = self._frames[body] @ _frame(model.body_ipos[body], model.body_iquat[body])
        inertial = ET.SubElement(link, "inertial")
        inertial.append(_origin(place))
        ET.SubElement(inertial, "mass", value=repr(float(model.body_mass[body])))
        moments = [repr(float(value)) for value in model.body_inertia[body]]
        names = dict(zip(("ixx", "iyy", "izz"), moments, strict=True))
        ET.SubElement(inertial, "inertia", names | {"ixy": "0", "ixz": "0", "iyz": "0"})

    def _add_shapes(self, link: ET.Element, body: int) -> None:
        model, types = self._model, self._mujoco.mjtGeom
        first = int(model.body_geomadr[body])
        for geom in range(first, first + int(model.body_geomnum[body])):
            x, y, z = (float(value) for value in model.geom_size[geom])
            kind = int(model.geom_type[geom])
            if kind == int(types.mjGEOM_BOX):
                form = ET.Element("box", size=_text((2 * x, 2 * y, 2 * z)))
            elif kind == int(types.mjGEOM_SPHERE):
                form = ET.Element("sphere", radius=repr(x))
            elif kind in (int(types.mjGEOM_CYLINDER), int(types.mjGEOM_CAPSULE)):
                form = ET.Element("cylinder", radius=repr(x), length=repr(2 * y))
            else:
                continue
            collides = bool(model.geom_contype[geom] or model.geom_conaffinity[geom])
            shape = ET.SubElement(link, "collision" if collides else "visual")
            shape.append(
                _origin(self._frames[body] @ _frame(model.geom_pos[geom], model.geom_quat[geom]))
            )
            ET.SubElement(shape, "geometry").append(form)

    def _effort(self, joint: int) -> str:
        """Return the largest torque that the joint, or the actuators at it, allow."""
        model, limits = self._model, []
        if model.jnt_actfrclimited[joint]:
            limits.append(float(model.jnt_actfrcrange[joint, 1]))
        at_joint = int(self._mujoco.mjtTrn.mjTRN_JOINT)
        for actuator in range(model.nu):
            moves = int(model.actuator_trntype[actuator]) == at_joint
            if moves and int(model.actuator_trnid[actuator, 0]) == joint:
                gear = abs(float(model.actuator_gear[actuator, 0]))
                if model.actuator_forcelimited[actuator]:
                    limits.append(gear * float(model.actuator_forcerange[actuator, 1]))
                if self._is_motor(actuator) and model.actuator_ctrllimited[actuator]:
                    gain = abs(float(model.actuator_gainprm[actuator, 0]))
                    limits.append(gear * gain * float(model.actuator_ctrlrange[actuator, 1]))
        positive = [limit for limit in limits if limit > 0]
        return repr(min(positive)) if positive else _NO_LIMIT

    def _is_motor(self, actuator: int) -> bool:
        """Return whether an actuator's force is its control times a constant."""
        model, types = self._model, self._mujoco
        return (
            int(model.actuator_gaintype[actuator]) == int(types.mjtGain.mjGAIN_FIXED)
            and int(model.actuator_biastype[actuator]) == int(types.mjtBias.mjBIAS_NONE)
            and int(model.actuator_dyntype[actuator]) == int(types.mjtDyn.mjDYN_NONE)
        )

    def _check_equalities(self) -> None:
        model, types = self._model, self._mujoco.mjtEq
        for number in range(model.neq):
            if int(model.eq_type[number]) in (int(types.mjEQ_CONNECT), int(types.mjEQ_WELD)):
                raise ConfigurationError(
                    f"{self._where}: an equality joins two bodies to a closed chain; use a URDF of "
                    "the tree and closed_chain.closures in the profile."
                )

    def _followers(self) -> dict[int, str]:
        """Return the joints that follow another one by their equality."""
        model, kind = self._model, int(self._mujoco.mjtEq.mjEQ_JOINT)
        followers = {}
        for number in range(model.neq):
            if int(model.eq_type[number]) == kind and int(model.eq_obj2id[number]) >= 0:
                name = model.joint(int(model.eq_obj1id[number])).name
                if np.abs(model.eq_data[number, 2:5]).max() > _STRAIGHT:
                    raise ConfigurationError(
                        f"{self._where}: joint '{name}' follows another one by a curve, but only "
                        "lines are supported."
                    )
                followers[number] = name
        return followers

    def _mimic(self, number: int) -> ET.Element:
        model = self._model
        follower, leader = int(model.eq_obj1id[number]), int(model.eq_obj2id[number])
        offset, ratio = (float(value) for value in model.eq_data[number, :2])
        # the polynomial is of positions from the references
        start, lead = (float(model.qpos0[model.jnt_qposadr[joint]]) for joint in (follower, leader))
        attributes = {
            "joint": model.joint(leader).name,
            "multiplier": repr(ratio),
            "offset": repr(start + offset - ratio * lead),
        }
        return ET.Element("mimic", attributes)

    def _is_free(self, joint: int) -> bool:
        return int(self._model.jnt_type[joint]) == int(self._mujoco.mjtJoint.mjJNT_FREE)

    def _link(self, name: str) -> ET.Element:
        if name not in self._link_elements:
            self._link_elements[name] = ET.SubElement(self._root, "link", name=name)
        return self._link_elements[name]


def _frame(position: Array, quaternion: Array) -> Array:
    """Return a homogeneous matrix (4, 4) of a position and a quaternion w, x, y, z."""
    w, x, y, z = quaternion
    return np.asarray(pinocchio.XYZQUATToSE3(np.array([*position, x, y, z, w])).homogeneous)


def _origin(frame: Array) -> ET.Element:
    rpy = pinocchio.rpy.matrixToRpy(frame[:3, :3])
    return ET.Element("origin", xyz=_text(frame[:3, 3]), rpy=_text(rpy))


def _text(values: object) -> str:
    return " ".join(repr(float(value) + 0.0) for value in np.asarray(values, dtype=np.float64))


def mjcf_nominal(text: str, where: Path) -> NominalValues:
    """Return gravity and the terms of joints in an MJCF.

    Raises:
        ConfigurationError: MuJoCo is not installed, or cannot compile the text.
    """
    model = compiled_mjcf(text, where)
    terms = {}
    for number in range(model.njnt):
        dof = int(model.jnt_dofadr[number])
        values = {prefix: float(getattr(model, name)[dof]) for prefix, name in _TERMS.items()}
        if any(values.values()):
            terms[str(model.joint(number).name or f"joint_{number}")] = values
    x, y, z = (float(value) for value in np.asarray(model.opt.gravity))
    return NominalValues((x, y, z), terms)
