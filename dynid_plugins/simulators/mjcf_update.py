"""A user's MJCF with the inertias and joint terms of a model; everything else stays as it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np

from dynid.arrays import Array
from dynid.errors import ConfigurationError
from dynid.robot.mjcf_compiling import angles_in_degrees
from dynid.xml_editing import XmlElement, XmlText
from dynid_plugins.simulators.exported_model import ExportedModel
from dynid_plugins.simulators.frame_alignment import FrameAlignment
from dynid_plugins.simulators.mjcf_file import (
    bristle_elements,
    inertial_attributes,
    polynomial,
    tendon_element,
)
from dynid_plugins.simulators.mujoco_model import MujocoModel
from dynid_plugins.simulators.placed_bodies import placed_bodies
from dynid_plugins.simulators.tree_layout import numbers, torque_limits

_DEGREES = float(np.degrees(1.0))
_NO_MASS = '<inertial pos="0 0 0" mass="0" diaginertia="0 0 0"/>'


def updated_mjcf(
    text: str, where: Path, exported: ExportedModel, joints: tuple[str, ...]
) -> tuple[str, FrameAlignment]:
    """Return an MJCF with the bodies and terms of a model, and how its frames are aligned.

    The body of each joint gets all that the model has behind the joint. Bodies fixed to it lose
    their mass; those on joints that the model does not move keep it, and it is taken off.

    Args:
        text: of the MJCF.
        where: its file.
        exported: with the terms of ``MJCF_TERMS`` or ``DCMOTOR_TERMS``.
        joints: names of the joints there, in the order of the model's.

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
    _add_tendons(xml, exported, joints)
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
    limits = torque_limits(exported)
    if limits is not None and number < len(limits):
        values["actuatorfrclimited"] = "true"
        values["actuatorfrcrange"] = numbers((-limits[number], limits[number]))
    return values


def _coefficients(values: Array, before: Array) -> str:
    return numbers(values) if np.any(before[1:]) else polynomial(values)


def _add_tendons(xml: XmlText, exported: ExportedModel, joints: tuple[str, ...]) -> None:
    coupled = exported.terms.axes[len(joints) :]
    _add_named(xml, "tendon", [tendon_element(axis, joints) for axis in coupled])


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
