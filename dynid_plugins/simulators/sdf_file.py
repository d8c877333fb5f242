"""An SDF (Gazebo) of a robot: a new one, or a user's, in which everything else stays as it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pinocchio

from dynid.dynamics.pose import Pose
from dynid.dynamics.rigid_body import RigidBody
from dynid.errors import ConfigurationError
from dynid.robot.shapes import Shape
from dynid.xml_editing import XmlElement, XmlText
from dynid_plugins.simulators.exported_model import ExportedModel
from dynid_plugins.simulators.frame_alignment import FrameAlignment
from dynid_plugins.simulators.placed_bodies import placed_bodies
from dynid_plugins.simulators.sdf_tree import SdfModel
from dynid_plugins.simulators.simulated_terms import FormatTerms, SimulatedAxis
from dynid_plugins.simulators.tree_layout import (
    ROOT_BODY,
    TreeLink,
    file_text,
    followers,
    numbers,
    tree_layout,
)

SDF_TERMS = FormatTerms(springs=True, closures=("gear",))
_VERSION = "1.9"  # has poses relative to named frames
_VERSION_WITH_MIMIC = "1.11"
_FIXED = "fixed_to_world"
_INERTIA = ("ixx", "ixy", "iyy", "ixz", "iyz", "izz")


def sdf_text(exported: ExportedModel, header: list[str]) -> str:
    """Return a new SDF of a model; its root is fixed to the world, shapes are for display only."""
    followed = followers(exported)
    root = ET.Element("sdf", version=_VERSION_WITH_MIMIC if followed else _VERSION)
    model = ET.SubElement(root, "model", name=exported.model.robot.name)
    base, *links = _with_own_names(tree_layout(exported.model), exported.joints)
    fixed = ET.SubElement(model, "joint", name=_FIXED, type="fixed")
    _fill(fixed, parent="world", child=base.name)
    _add_link(model, base, ROOT_BODY, None)
    for link in links:
        joint = exported.joints[link.number]
        axis = _add_joint(model, exported, link, joint)
        if joint in followed:
            leader, multiplier, offset = followed[joint]
            mimic = ET.SubElement(axis, "mimic", joint=leader, axis="axis")
            _fill(mimic, multiplier=repr(multiplier), offset=repr(offset), reference="0")
        _add_link(model, link, exported.bodies[link.number], joint)
    return file_text(root, header)


def _with_own_names(links: Sequence[TreeLink], joints: Sequence[str]) -> list[TreeLink]:
    """Return links whose names SDF accepts.

    In SDF, ``world`` is not the name of a link, ``::`` separates names, and joints and links have
    one list of names. Joints keep theirs, by which they are matched.
    """
    names: dict[str, str] = {"": ""}
    used = {"world", _FIXED, *joints}
    for link in links:
        name = link.name.replace("::", "_")
        while name in used:
            name = f"{name}_link"
        used.add(name)
        names[link.name] = name
    return [replace(one, name=names[one.name], parent=names[one.parent]) for one in links]


def sdf_inertial(body: RigidBody) -> ET.Element:
    """Return the ``<inertial>`` of a body."""
    inertial = ET.Element("inertial")
    _fill(inertial, pose=f"{numbers(body.centre)} 0 0 0", mass=repr(body.mass))
    moments = zip(_INERTIA, map(repr, body.moments.tolist()), strict=True)
    _fill(ET.SubElement(inertial, "inertia"), **dict(moments))
    return inertial


def sdf_dynamics(axis: SimulatedAxis) -> dict[str, str]:
    """Return the elements of a joint's ``<dynamics>`` by name."""
    values = {"damping": repr(float(axis.damping[0])), "friction": repr(axis.dry_friction)}
    if axis.stiffness[0]:
        values["spring_reference"] = repr(axis.spring_reference)
        values["spring_stiffness"] = repr(float(axis.stiffness[0]))
    return values


def _add_link(model: ET.Element, link: TreeLink, body: RigidBody, joint: str | None) -> None:
    element = ET.SubElement(model, "link", name=link.name)
    if joint is not None:
        ET.SubElement(element, "pose", relative_to=joint).text = "0 0 0 0 0 0"
    element.append(sdf_inertial(body))
    for number, (shape, pose) in enumerate(link.shapes):
        element.append(_visual(shape, pose, number))


def _add_joint(model: ET.Element, exported: ExportedModel, link: TreeLink, name: str) -> ET.Element:
    """Add a joint, and return its ``<axis>``."""
    kind = "prismatic" if link.slides else "revolute"
    joint = ET.SubElement(model, "joint", name=name, type=kind)
    _fill(joint, parent=link.parent, child=link.name)
    ET.SubElement(joint, "pose", relative_to=link.parent).text = _pose(link.in_parent)
    axis = ET.SubElement(joint, "axis")
    _fill(axis, xyz=numbers(link.axis))
    limit = ET.SubElement(axis, "limit")
    low, high = exported.limit_of("position", link.number) or (-1e16, 1e16)
    _fill(limit, lower=repr(low), upper=repr(high))
    for tag, kind_of_limit in (("effort", "torque_max"), ("velocity", "velocity")):
        if given := exported.limit_of(kind_of_limit, link.number):
            _fill(limit, **{tag: repr(given[1])})
    _fill(ET.SubElement(axis, "dynamics"), **sdf_dynamics(exported.terms.axes[link.number]))
    return axis


def _visual(shape: Shape, pose: Pose, number: int) -> ET.Element:
    visual = ET.Element("visual", name=f"shape_{number + 1}")
    _fill(visual, pose=_pose(pose))
    form = ET.SubElement(ET.SubElement(visual, "geometry"), shape.kind)
    if shape.kind == "box":
        _fill(form, size=numbers(shape.size))
    else:
        _fill(form, radius=repr(shape.size[0] / 2))
    if shape.kind == "cylinder":
        _fill(form, length=repr(shape.size[2]))
    colour = numbers(shape.colour)
    _fill(ET.SubElement(visual, "material"), ambient=colour, diffuse=colour)
    return visual


def _pose(pose: Pose) -> str:
    """Return a pose as x y z roll pitch yaw."""
    matrix = pose.matrix()
    return numbers([*matrix[:3, 3], *pinocchio.rpy.matrixToRpy(matrix[:3, :3])])


def _fill(element: ET.Element, /, **texts: str) -> None:
    """Add elements with texts, by their tags."""
    for tag, text in texts.items():
        ET.SubElement(element, tag).text = text


def updated_sdf(
    text: str, where: Path, exported: ExportedModel, joints: tuple[str, ...]
) -> tuple[str, FrameAlignment]:
    """Return an SDF with the bodies and terms of a model, and how its frames are aligned.

    The link of each joint gets what the model has behind the joint, except for links that hang on
    it by other joints, also fixed ones: they keep their mass.

    Raises:
        ConfigurationError: the SDF cannot be read, moves differently, or links that keep their mass
            are too heavy.
    """
    xml = XmlText(text, str(where), ConfigurationError)
    model = SdfModel(xml, where)
    tree = model.tree()
    bodies, alignment = placed_bodies(exported, tree, joints, str(where))
    for number, name in enumerate(joints):
        inertial = sdf_inertial(bodies[number])
        ET.indent(inertial)
        written = ET.tostring(inertial, encoding="unicode")
        xml.put(model.link(tree.link(name)), "inertial", written)
        axis = model.joint(name).find("axis")
        if axis is not None:
            terms = sdf_dynamics(exported.terms.axes[number])
            before = axis.find("dynamics")
            if before is not None and before.find("spring_stiffness"):
                terms = {"spring_reference": "0", "spring_stiffness": "0"} | terms
            _set_elements(xml, axis, "dynamics", terms)
            if limit := exported.limit_of("torque_max", number):
                _set_elements(xml, axis, "limit", {"effort": repr(limit[1])})
    return xml.text(), alignment


def _set_elements(xml: XmlText, parent: XmlElement, tag: str, values: Mapping[str, str]) -> None:
    """Set elements with a number in the element of a tag, which is made where there is none."""
    there = parent.find(tag)
    new = [f"<{name}>{value}</{name}>" for name, value in values.items()]
    if there is None:
        xml.append(parent, "\n  ".join([f"<{tag}>", *new]) + f"\n</{tag}>")
        return
    for (name, value), element in zip(values.items(), new, strict=True):
        old = there.find(name)
        if old is None:
            xml.append(there, element)
        else:
            xml.set_text(old, value)
