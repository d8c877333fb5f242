"""An MJCF of a robot: a new one, or a user's, in which everything else stays as it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.pose import Pose
from dynid.dynamics.rigid_body import RigidBody
from dynid.errors import ConfigurationError
from dynid.robot.shapes import Shape
from dynid.xml_editing import XmlElement, XmlText
from dynid_plugins.simulators.exported_model import ExportedModel
from dynid_plugins.simulators.frame_alignment import FrameAlignment
from dynid_plugins.simulators.mjcf_closures import CLOSURES, MjcfClosures, mjcf_closures
from dynid_plugins.simulators.mjcf_compiling import angles_in_degrees
from dynid_plugins.simulators.mujoco_model import MujocoModel
from dynid_plugins.simulators.placed_bodies import placed_bodies
from dynid_plugins.simulators.simulated_terms import FormatTerms, SimulatedAxis
from dynid_plugins.simulators.tree_layout import (
    TreeLink,
    assembled_positions,
    file_text,
    numbers,
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
_DEGREES = float(np.degrees(1.0))
_NO_MASS = '<inertial pos="0 0 0" mass="0" diaginertia="0 0 0"/>'


def mjcf_text(exported: ExportedModel, header: list[str]) -> str:
    """Return a new MJCF of a model.

    Bodies are named after the links that the joints move. The motors take torques [N m or N],
    within the limits of the profile. Shapes are for display only.
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


def axis_attributes(axis: SimulatedAxis, reference: str) -> dict[str, str]:
    """Return the attributes of a ``<joint>`` or tendon for its terms; a spring has a reference."""
    attributes = {
        "armature": repr(axis.armature),
        "damping": polynomial(axis.damping),
        "frictionloss": repr(axis.dry_friction),
    }
    if axis.stiffness.any():
        attributes["stiffness"] = polynomial(axis.stiffness)
        attributes[reference] = repr(axis.spring_reference)
    return attributes


def tendon_element(axis: SimulatedAxis, joints: tuple[str, ...]) -> ET.Element:
    """Return a fixed tendon that carries the terms of a coupled motor."""
    tendon = ET.Element("fixed", {"name": axis.name} | axis_attributes(axis, "springlength"))
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
    for link in links:
        number = link.number
        attributes = {"name": link.name} | _pose_attributes(link.in_parent)
        element = ET.SubElement(elements[link.parent], "body", attributes)
        elements[link.name] = element
        ET.SubElement(element, "inertial", inertial_attributes(exported.bodies[number]))
        attributes = _joint_attributes(exported, link)
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


def _joint_attributes(exported: ExportedModel, link: TreeLink) -> dict[str, str]:
    attributes = {
        "name": exported.joints[link.number],
        "type": "slide" if link.slides else "hinge",
        "axis": numbers(link.axis),
    }
    if limits := exported.limit_of("position", link.number):
        attributes["range"] = numbers(limits)
    return attributes | axis_attributes(exported.terms.axes[link.number], "springref")


def _add_motors(actuators: ET.Element, exported: ExportedModel) -> None:
    for number, joint in enumerate(exported.mechanism.joints):
        attributes = {"name": joint, "joint": joint}
        if limits := exported.limit_of("torque_max", number):
            attributes["ctrlrange"] = numbers(limits)
        ET.SubElement(actuators, "motor", attributes)


def updated_mjcf(
    text: str, where: Path, exported: ExportedModel, joints: tuple[str, ...]
) -> tuple[str, FrameAlignment]:
    """Return an MJCF with the bodies and terms of a model, and how its frames are aligned.

    The body of each joint gets all that the model has behind the joint. Bodies fixed to it lose
    their mass; those on joints that the model does not move keep it, and it is taken off.

    Raises:
        ConfigurationError: the text is not an MJCF, moves differently, or lacks a joint; or what is
            on joints of its own is heavier than the identified body.
    """
    xml = XmlText(text, str(where), ConfigurationError)
    if xml.root.tag != "mujoco":
        raise ConfigurationError(
            f"{where}: has a root element <{xml.root.tag}>, but an MJCF has <mujoco>."
        )
    MujocoModel(text, where)  # so that messages are about the user's text
    _use_written_inertias(xml)
    compiled = MujocoModel(xml.text(), where)  # with the masses that other bodies then have
    bodies, alignment = placed_bodies(exported, compiled, joints, str(where))
    carriers = [_body_of(xml, name, where) for name in joints]
    for number, (body, carrier) in enumerate(zip(bodies, carriers, strict=True)):
        if exported.massless(number) and sum(one is carrier for one in carriers) > 1:
            continue  # several joints of one body there, which is the last one's
        inertial = ET.Element("inertial", inertial_attributes(body))
        xml.put(carrier, "inertial", _written(inertial))
        for fixed in _fixed_to(carrier):
            xml.put(fixed, "inertial", _NO_MASS)
    degrees = angles_in_degrees(text, where)
    for number, name in enumerate(joints):
        joint = next(one for one in carriers[number].children if one.attributes.get("name") == name)
        values = _joint_values(exported, number, compiled, name, degrees=degrees)
        xml.set_attributes(joint, values)
    coupled = exported.terms.axes[len(joints) :]
    _add_named(xml, "tendon", [tendon_element(axis, joints) for axis in coupled])
    _add_named(xml, "actuator", bristle_elements(exported, joints))
    updated = xml.text()
    MujocoModel(updated, where)
    return updated, alignment


def _use_written_inertias(xml: XmlText) -> None:
    """Undo compiler options in place of which the identified inertias have to count."""
    for compiler in xml.root.children:
        if compiler.tag == "compiler":
            changed = {"settotalmass": None, "inertiafromgeom": "auto"}
            given = {key: value for key, value in changed.items() if key in compiler.attributes}
            xml.set_attributes(compiler, given)


def _body_of(xml: XmlText, joint: str, where: Path) -> XmlElement:
    """Return the element of the body that a joint moves."""
    for element in xml.root.all("joint"):
        parent = element.parent
        if parent is not None and parent.tag == "body" and element.attributes.get("name") == joint:
            return parent
    raise ConfigurationError(
        f"{where}: joint '{joint}' is not in this file but in one that it includes; name that file."
    )


def _fixed_to(body: XmlElement) -> Iterator[XmlElement]:
    """Yield bodies in a body without joints between them."""
    for child in body.children:
        if child.tag == "frame":
            yield from _fixed_to(child)
        elif child.tag == "body" and not child.find("joint") and not child.find("freejoint"):
            yield child
            yield from _fixed_to(child)


def _joint_values(
    exported: ExportedModel, number: int, compiled: MujocoModel, name: str, *, degrees: bool
) -> dict[str, str | None]:
    axis, before = exported.terms.axes[number], compiled.terms([name])
    values: dict[str, str | None] = {
        "armature": repr(axis.armature),
        # all coefficients, where a default class has more than the first
        "damping": _coefficients(axis.damping, before["damping"][0]),
        "frictionloss": repr(axis.dry_friction),
    }
    if axis.stiffness.any() or before["stiffness"].any():
        turns = not exported.slides[number]
        unit = _DEGREES if turns and degrees else 1.0
        values["stiffness"] = _coefficients(axis.stiffness, before["stiffness"][0])
        values["springref"] = repr(unit * axis.spring_reference)
    if limits := exported.limit_of("torque_max", number):
        values["actuatorfrclimited"] = "true"
        values["actuatorfrcrange"] = numbers(limits)
    return values


def _coefficients(values: Array, before: Array) -> str:
    return numbers(values) if np.any(before[1:]) else polynomial(values)


def _add_named(xml: XmlText, section: str, elements: Iterable[ET.Element]) -> None:
    """Add elements to a section, in place of those of the same names there."""
    there = xml.root.find(section)
    before = {} if there is None else {one.attributes.get("name"): one for one in there.children}
    added = []
    for element in elements:
        ET.indent(element)
        lines = _written(element)
        old = before.get(element.get("name"))
        if old is None:
            added.append(lines)
        else:
            xml.replace(old, lines)
    if added and there is None:
        inner = "\n".join(added).replace("\n", "\n  ")
        xml.append(xml.root, f"<{section}>\n  {inner}\n</{section}>")
    elif added and there is not None:
        xml.append(there, "\n".join(added))


def _written(element: ET.Element) -> str:
    return ET.tostring(element, encoding="unicode").replace(" />", "/>")
