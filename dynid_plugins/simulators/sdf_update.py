"""A user's SDF with the inertias and joint terms of a model; everything else stays as it is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree as ET

from dynid.errors import ConfigurationError
from dynid.xml_editing import XmlElement, XmlText
from dynid_plugins.simulators.exported_model import ExportedModel
from dynid_plugins.simulators.frame_alignment import FrameAlignment
from dynid_plugins.simulators.placed_bodies import placed_bodies
from dynid_plugins.simulators.sdf_file import sdf_dynamics, sdf_inertial
from dynid_plugins.simulators.sdf_tree import SdfModel
from dynid_plugins.simulators.tree_layout import torque_limits


def updated_sdf(
    text: str, where: Path, exported: ExportedModel, joints: tuple[str, ...]
) -> tuple[str, FrameAlignment]:
    """Return an SDF with the bodies and terms of a model, and how its frames are aligned.

    The link of each joint gets what the model has behind the joint, except for links that hang on
    it by other joints, also fixed ones: they keep their mass.

    Args:
        text: of the SDF.
        where: its file.
        exported: with the terms of ``SDF_TERMS``.
        joints: names of the joints there, in the order of the model's.

    Raises:
        ConfigurationError: the SDF cannot be read, moves differently, or links that keep their mass
            are too heavy.
    """
    xml = XmlText(text, str(where), ConfigurationError)
    model = SdfModel(xml, where)
    tree = model.tree()
    bodies, alignment = placed_bodies(exported, tree, joints, str(where))
    limits = torque_limits(exported)
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
            if limits is not None and number < len(limits):
                _set_elements(xml, axis, "limit", {"effort": repr(float(limits[number]))})
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
