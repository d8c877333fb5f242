"""A new MJCF of a robot: bodies, joints, friction, shapes and one motor per joint."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from dynid.arrays import Array
from dynid.dynamics.pose import Pose
from dynid.dynamics.rigid_body import RigidBody
from dynid.robot.shapes import Shape
from dynid_plugins.simulators.exported_model import ExportedModel
from dynid_plugins.simulators.mjcf_closures import CLOSURES, MjcfClosures, mjcf_closures
from dynid_plugins.simulators.simulated_terms import FormatTerms, SimulatedAxis
from dynid_plugins.simulators.tree_layout import (
    TreeLink,
    assembled_positions,
    file_text,
    numbers,
    torque_limits,
    tree_layout,
)

MJCF_TERMS = FormatTerms(
    armature=True, springs=True, polynomials=True, couplings=True, closures=CLOSURES
)
DCMOTOR_TERMS = MJCF_TERMS._replace(bristles=True)
_STEP = 0.002  # [s]
# MuJoCo 3 refuses a constant of 0
_NO_CURRENT = {"input": "none", "motorconst": "1e-12 1e-12", "resistance": "1"}
_VISUAL = {"contype": "0", "conaffinity": "0", "mass": "0", "group": "2"}


def mjcf_text(exported: ExportedModel, header: list[str]) -> str:
    """Return a new MJCF of a model.

    Bodies are named after the links that the joints move. The motors take torques [N m or N],
    within the limits of the profile. Shapes are for display only.

    Args:
        exported: with the terms of ``MJCF_TERMS`` or ``DCMOTOR_TERMS``.
        header: lines of a comment.
    """
    model, mechanism = exported.model, exported.mechanism
    root = ET.Element("mujoco", model=model.robot.name)
    ET.SubElement(root, "compiler", angle="radian", autolimits="true")
    option = {"timestep": repr(_STEP), "gravity": numbers(mechanism.gravity)}
    ET.SubElement(root, "option", option, integrator="implicitfast")
    closures = mjcf_closures(exported)
    _add_bodies(ET.SubElement(root, "worldbody"), exported, closures)
    coupled = exported.terms.axes[len(exported.joints) :]
    tendons = [*(tendon_element(axis, exported.joints) for axis in coupled), *closures.tendons]
    if tendons:
        ET.SubElement(root, "tendon").extend(tendons)
    if closures.constraints:
        ET.SubElement(root, "equality").extend(closures.constraints)
    actuators = ET.SubElement(root, "actuator")
    _add_motors(actuators, exported)
    actuators.extend(bristle_elements(exported, exported.joints))
    return file_text(root, header)


def inertial_attributes(body: RigidBody) -> dict[str, str]:
    """Return the attributes of an ``<inertial>``."""
    xx, xy, yy, xz, yz, zz = body.moments
    return {
        "pos": numbers(body.centre),
        "mass": repr(body.mass),
        "fullinertia": numbers([xx, yy, zz, xy, xz, yz]),
    }


def axis_attributes(axis: SimulatedAxis) -> dict[str, str]:
    """Return the attributes of a ``<joint>`` or tendon for its terms, without its spring."""
    return {
        "armature": repr(axis.armature),
        "damping": polynomial(axis.damping),
        "frictionloss": repr(axis.dry_friction),
    }


def tendon_element(axis: SimulatedAxis, joints: tuple[str, ...]) -> ET.Element:
    """Return a fixed tendon that carries the terms of a coupled motor."""
    attributes = axis_attributes(axis)
    if axis.stiffness.any():
        attributes["stiffness"] = polynomial(axis.stiffness)
        attributes["springlength"] = repr(axis.spring_reference)
    tendon = ET.Element("fixed", {"name": axis.name} | attributes)
    for joint, coefficient in zip(joints, axis.joints.tolist(), strict=True):
        if coefficient:
            ET.SubElement(tendon, "joint", joint=joint, coef=repr(coefficient))
    return tendon


def bristle_elements(exported: ExportedModel, joints: tuple[str, ...]) -> list[ET.Element]:
    """Return DC motors without current, which have the LuGre friction of joints and tendons.

    Args:
        exported: with the terms of ``DCMOTOR_TERMS``; none result from those of ``MJCF_TERMS``.
        joints: names of the joints in the file, in the order of the model's.
    """
    elements = []
    for number, axis in enumerate(exported.terms.axes):
        moved = {"joint": joints[number]} if number < len(joints) else {"tendon": axis.name}
        for place, (term, friction) in enumerate(axis.bristles, start=1):
            static = friction * (1.0 + term.static_ratio)
            # bristle stiffness, bristle damping, Coulomb and static friction, Stribeck velocity
            lugre = (friction / term.scale, 0.0, friction, static, term.stribeck_velocity)
            attributes = {"name": f"friction_{axis.name}_{place}", **moved, **_NO_CURRENT}
            elements.append(ET.Element("dcmotor", {**attributes, "lugre": numbers(lugre)}))
    return elements


def polynomial(coefficients: Array) -> str:
    """Return a first coefficient, and the others if one is not 0, which needs MuJoCo 4."""
    return numbers(coefficients if coefficients[1:].any() else coefficients[:1])


def _add_bodies(world: ET.Element, exported: ExportedModel, closures: MjcfClosures) -> None:
    assembled = assembled_positions(exported)
    base, *links = tree_layout(exported.model, assembled)
    elements = {base.name: world}
    _add_shapes(world, base)
    for number, link in sorted(enumerate(links), key=lambda one: one[1].order):
        attributes = {"name": link.name} | _pose_attributes(link.in_parent)
        element = ET.SubElement(elements[link.parent], "body", attributes)
        elements[link.name] = element
        ET.SubElement(element, "inertial", inertial_attributes(exported.bodies[number]))
        attributes = _joint_attributes(exported, number, link)
        if assembled[number]:
            attributes["ref"] = repr(float(assembled[number]))
        ET.SubElement(element, "joint", attributes)
        _add_shapes(element, link)
    for name, sites in closures.sites.items():
        elements[name].extend(sites)


def _add_shapes(element: ET.Element, link: TreeLink) -> None:
    for shape, pose in link.shapes:
        ET.SubElement(element, "geom", _geom_attributes(shape, pose))


def _geom_attributes(shape: Shape, pose: Pose) -> dict[str, str]:
    x, y, z = (size / 2 for size in shape.size)
    size = {"box": (x, y, z), "cylinder": (x, z), "sphere": (x,)}[shape.kind]
    form = {"type": shape.kind, "size": numbers(size), "rgba": numbers(shape.colour)}
    return form | _pose_attributes(pose) | _VISUAL


def _pose_attributes(pose: Pose) -> dict[str, str]:
    x, y, z, w = pose.quaternion
    return {"pos": numbers(pose.position), "quat": numbers((w, x, y, z))}


def _joint_attributes(exported: ExportedModel, number: int, link: TreeLink) -> dict[str, str]:
    robot, axis = exported.model.robot, exported.terms.axes[number]
    attributes = {
        "name": exported.joints[number],
        "type": "slide" if link.slides else "hinge",
        "axis": numbers(link.axis),
    }
    driven = number < len(robot.joints)
    limits = robot.limits.range_of("position", number) if driven else None
    if limits is not None:
        attributes["range"] = numbers(limits)
    attributes |= axis_attributes(axis)
    if axis.stiffness.any():
        attributes["stiffness"] = polynomial(axis.stiffness)
        attributes["springref"] = repr(axis.spring_reference)
    return attributes


def _add_motors(actuators: ET.Element, exported: ExportedModel) -> None:
    limits = torque_limits(exported)
    for number, joint in enumerate(exported.mechanism.joints):
        attributes = {"name": joint, "joint": joint}
        if limits is not None:
            attributes["ctrlrange"] = numbers((-limits[number], limits[number]))
        ET.SubElement(actuators, "motor", attributes)
