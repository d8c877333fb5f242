"""An SDF whose elastic joints are two, with a link between them that is the rotor.

SDF has no armature: a rotor that turns with its gear's ratio is a body at the joint's side there.
Its inertia is that of the rotor behind the gear, so that it also adds to what carries it.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

import numpy as np

from dynid.arrays import Array
from dynid.errors import ConfigurationError
from dynid.text import significant
from dynid.xml_editing import XmlElement, XmlText
from dynid_plugins.elastic.passive_joint import ElasticFile, PassiveJoint

_KINDS = {False: ("revolute", "continuous"), True: ("prismatic",)}
_ROTOR_MASS = 0.001  # [kg] of one that turns; weightless, and far below that of links
_OF_MASS = 1e-3  # its inertia where it slides, in kg m^2 for each kg
_OF_DISC = 0.501  # inertia across the axis for that about it, just above a thin disc's
_VERSION_WITH_FRAMES = (1, 7)
_ENDING = "_rotor"
_UNLIMITED = "1e16"


def elastic_sdf(text: str, where: Path, joints: Sequence[PassiveJoint]) -> ElasticFile:
    """Return an SDF with a rotor and a passive joint for each elastic one.

    The joint keeps its name, limits, friction and damping, and moves the rotor. What is attached to
    it, or has it as its parent, is on the passive joint then, which moves the link. All else keeps
    its bytes.

    Args:
        text: of the SDF.
        where: its file.
        joints: to split.

    Raises:
        ConfigurationError: the text lacks a joint or its rotor's inertia, or has what cannot refer
            to two joints.
    """
    xml = XmlText(text, str(where), ConfigurationError)
    rotors: list[float] = []
    notes: list[str] = []
    for joint in joints:
        if joint.rotor is None:
            raise ConfigurationError(
                f"{where}: joint '{joint.motor}': SDF has no armature, so that the rotor's inertia "
                "has to be elastic.rotor_inertia in the profile."
            )
        element = _joint(xml, joint, where)
        _split(xml, element, joint, where)
        rotors.append(joint.rotor)
        if _is_carried(element):
            notes.append(_added(joint, joint.rotor))
    return ElasticFile(xml.text(), tuple(joints), tuple(rotors), tuple(notes))


def _added(joint: PassiveJoint, rotor: float) -> str:
    """Return a sentence on a rotor that other joints carry."""
    if joint.prismatic:
        what = f"its mass of {significant(rotor)} kg, without weight, counts at joints before it"
    else:
        what = f"its {significant(rotor)} kg m² also count at joints before it that are parallel"
    return (
        f"{joint.motor}: SDF has no armature, so that the rotor is a body: {what}; an MJCF is "
        "without this error."
    )


def _is_carried(element: XmlElement) -> bool:
    """Whether joints that move, or a floating base, carry a joint."""
    siblings = [] if element.parent is None else element.parent.children
    to = {one.text_of("child"): one for one in siblings if one.tag == "joint"}
    for _ in to:
        link = element.text_of("parent")
        if link == "world":
            return False
        if link not in to or to[link].attributes.get("type") != "fixed":
            return True
        element = to[link]
    return True


def _joint(xml: XmlText, joint: PassiveJoint, where: Path) -> XmlElement:
    """Return the element of a joint that can be split."""
    found = [one for one in xml.root.all("joint") if _is_in_model(one)]
    named = [one for one in found if one.attributes.get("name") == joint.motor]
    names = [one.attributes.get("name", "") for one in found]
    if len(named) != 1:
        what = "has no joint" if not named else "has several models with a joint"
        raise ConfigurationError(
            f"{where}: {what} '{joint.motor}'; it has {', '.join(dict.fromkeys(names))}; "
            "--map JOINT=NAME names the one that is meant."
        )
    (element,) = named
    problem = _problem(element, joint)
    if problem:
        raise ConfigurationError(f"{where}: joint '{joint.motor}': {problem}.")
    return element


def _is_in_model(joint: XmlElement) -> bool:
    return joint.parent is not None and joint.parent.tag == "model"


def _problem(element: XmlElement, joint: PassiveJoint) -> str:
    """Return what does not allow a joint to be split, in a clause; else ""."""
    model, kinds = element.parent, _KINDS[joint.prismatic]
    siblings = [] if model is None else model.children
    taken = {one.attributes.get("name") for one in siblings}
    followers = (one for other in siblings for one in other.all("mimic"))
    spring = element.find("axis", "dynamics", "spring_stiffness")
    if joint.name in taken or joint.motor + _ENDING in taken:
        return f"'{joint.name}' is there already, so that it is elastic as it is"
    if element.attributes.get("type") not in kinds:
        return f"its type has to be {kinds[0]}, as in the profile"
    if spring is not None and spring.text.strip().strip("0.") != "":
        return (
            "its spring acts on the link, and SDF has no spring over two joints; use MJCF, or "
            "remove the spring"
        )
    if next(element.all("mimic"), None) is not None or any(
        one.attributes.get("joint") == joint.motor for one in followers
    ):
        return "it follows a joint or is followed (mimic), of which SDF has no form for the link"
    child = element.text_of("child")
    if not any(one.tag == "link" and one.attributes.get("name") == child for one in siblings):
        return f"its child '{child}' is not a link of the same model"
    return ""


def _split(xml: XmlText, element: XmlElement, joint: PassiveJoint, where: Path) -> None:
    """Insert a rotor and the passive joint behind a joint, and let the joint move the rotor.

    From SDF 1.7 on, the rotor's frame is the joint's, whose pose is relative to the link as before.
    """
    model, carried, pose = element.parent, element.find("child"), element.find("pose")
    if model is None or carried is None:
        raise ConfigurationError(f"{where}: joint '{joint.motor}' has no child.")
    child, has_frames = carried.text.strip(), _version(xml.root) >= _VERSION_WITH_FRAMES
    links = (one for one in model.children if one.tag == "link")
    link = next(one for one in links if one.attributes.get("name") == child)
    at = f"<pose relative_to={quoteattr(joint.name)}/>" if has_frames else xml.source(link, "pose")
    lines = [
        f"<link name={quoteattr(joint.motor + _ENDING)}>",
        f"  {at}",
        "  <gravity>false</gravity>",
        *_inertial(joint, _axis(element, where) if has_frames else None),
        "</link>",
        *_passive(xml, element, joint, child),
    ]
    xml.insert_after(element, "\n".join(line for line in lines if line.strip()))
    xml.set_text(carried, joint.motor + _ENDING)
    if has_frames and pose is not None and not pose.attributes.get("relative_to"):
        xml.set_attributes(pose, {"relative_to": child})
    _refer_to_link(xml, model, joint)


def _version(root: XmlElement) -> tuple[int, ...]:
    words = root.attributes.get("version", "").split(".")
    return tuple(int(word) for word in words) if all(map(str.isdecimal, words)) else (0,)


def _axis(element: XmlElement, where: Path) -> Array | None:
    """Return the axis of a joint in its frame (3,), of length 1; None where that is not written."""
    given, old = element.find("axis", "xyz"), element.find("axis", "use_parent_model_frame")
    if given is None:
        return np.array([0.0, 0.0, 1.0])
    if given.attributes.get("expressed_in") or (old is not None and old.text.strip() != "false"):
        return None
    try:
        axis = np.array([float(word) for word in given.text.split()])
    except ValueError:
        axis = np.zeros(0)
    if axis.shape != (3,) or not 0 < np.linalg.norm(axis) < np.inf:
        raise ConfigurationError(
            f"{where}: joint '{element.attributes['name']}' has the axis "
            f"'{given.text.strip()[:60]}', expected three finite numbers that are not all 0."
        )
    return np.asarray(axis / np.linalg.norm(axis))


def _inertial(joint: PassiveJoint, axis: Array | None) -> list[str]:
    """Return the lines of a rotor's body: a disc about the axis, a ball where that is not known."""
    rotor = joint.rotor or 0.0
    if joint.prismatic:
        mass, inertia = rotor, _OF_MASS * rotor * np.eye(3)
    elif axis is None:
        mass, inertia = _ROTOR_MASS, rotor * np.eye(3)
    else:
        along = np.outer(axis, axis)
        mass, inertia = _ROTOR_MASS, rotor * (along + _OF_DISC * (np.eye(3) - along))
    places = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2)}
    moments = [
        f"      <{name}>{float(inertia[place])!r}</{name}>"
        for name, place in {**places, "izz": (2, 2)}.items()
    ]
    return [
        "  <inertial>",
        f"    <mass>{mass!r}</mass>",
        "    <inertia>",
        *moments,
        "    </inertia>",
        "  </inertial>",
    ]


def _refer_to_link(xml: XmlText, model: XmlElement, joint: PassiveJoint) -> None:
    """Let frames and joints on the joint's frame be on the link, which the passive joint moves."""
    for other in model.children:
        if other.attributes.get("attached_to") == joint.motor:
            xml.set_attributes(other, {"attached_to": joint.name})
        if other.tag == "joint":
            for tag in ("parent", "child"):
                named = other.find(tag)
                if named is not None and named.text.strip() == joint.motor:
                    xml.set_text(named, joint.name)


def _passive(xml: XmlText, element: XmlElement, joint: PassiveJoint, child: str) -> list[str]:
    """Return the lines of the joint between rotor and link, at the same place as the motor's."""
    axis = element.find("axis")
    names = () if axis is None else ("xyz", "use_parent_model_frame")
    written = ["" if axis is None else xml.source(axis, name) for name in names]
    return [
        f"<joint name={quoteattr(joint.name)} type={quoteattr(_KINDS[joint.prismatic][0])}>",
        f"  <parent>{escape(joint.motor + _ENDING)}</parent>",
        f"  <child>{escape(child)}</child>",
        f"  {xml.source(element, 'pose')}",
        "  <axis>",
        *(f"    {one}" for one in written),
        f"    <limit><lower>-{_UNLIMITED}</lower><upper>{_UNLIMITED}</upper></limit>",
        "    <dynamics>",
        f"      <damping>{joint.damping!r}</damping>",
        "      <friction>0</friction>",
        "      <spring_reference>0</spring_reference>",
        f"      <spring_stiffness>{joint.stiffness!r}</spring_stiffness>",
        "    </dynamics>",
        "  </axis>",
        "</joint>",
    ]
