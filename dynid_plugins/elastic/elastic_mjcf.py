"""An MJCF whose elastic joints are two: the motor's with its armature, then a spring to the link.

MuJoCo composes the joints of a body in their order, so that two of the same axis add: the first is
the motor's position, the second the link's minus the motor's.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np

from dynid.errors import ConfigurationError
from dynid.plugins import HOOKS, load_plugin, naming_extra
from dynid.text import significant
from dynid.xml_editing import XmlElement, XmlText
from dynid_plugins.elastic.passive_joint import ElasticFile, PassiveJoint

_LONGEST_STEP = 0.5  # times the fastest rate; the frequency is then wrong by 1 %, 2 is unstable
_COPIED = ("class", "type", "pos", "axis", "group")
_NEITHER = {
    "springref": "0",
    "armature": "0",
    "frictionloss": "0",
    "limited": "false",
    "ref": "0",
    "actuatorfrclimited": "false",
    "actuatorgravcomp": "false",
}
"""Of a passive joint, against what a default class has."""


def elastic_mjcf(text: str, where: Path, joints: Sequence[PassiveJoint]) -> ElasticFile:
    """Return an MJCF with a passive joint behind each elastic one; all else keeps its bytes.

    The motor's joint keeps its name and with it actuators, sensors and tendons; range, friction and
    damping stay there. A spring between the links becomes a tendon over both. Positions of
    keyframes get a 0 for each passive joint.

    Args:
        text: of the MJCF.
        where: its file.
        joints: to split.

    Raises:
        ConfigurationError: the text lacks a joint, its rotor inertia, or has what cannot refer to
            two joints; or MuJoCo is not installed.
    """
    xml = XmlText(text, str(where), ConfigurationError)
    before = compiled_mjcf(text, where)
    notes: list[str] = []
    for joint in joints:
        _check(before, joint, where)
    curved = _has_polynomials(xml)
    for joint in joints:
        element = _element(xml, joint, where)
        xml.insert_after(element, _passive(element, joint, curved=curved))
        motor: dict[str, str | None] = {}
        if joint.rotor is not None:
            motor["armature"] = repr(joint.rotor)
        if _spring(before, joint).any():
            motor["stiffness"] = "0 0 0" if curved else "0"
            notes.append(_move_spring(xml, before, joint))
        xml.set_attributes(element, motor)
    _extend_keys(xml, before, joints, where)
    updated = xml.text()
    after = compiled_mjcf(updated, where)
    _check_written(before, after, joints, where)
    shorter = _shorter_step(after, joints)
    if shorter is not None:
        notes.append(_step_note(float(after.opt.timestep), shorter))
        updated = _with_step(updated, where, shorter)
    rotors = tuple(float(_of(after, "dof_armature", joint.motor)) for joint in joints)
    notes += [
        f"{joint.motor}: the file's armature {significant(old)} became the profile's rotor inertia "
        f"{significant(rotor)}; the link's inertia is as before."
        for joint, rotor in zip(joints, rotors, strict=True)
        if (old := float(_of(before, "dof_armature", joint.motor))) and not np.isclose(old, rotor)
    ]
    return ElasticFile(updated, tuple(joints), rotors, tuple(notes))


def _check(model: Any, joint: PassiveJoint, where: Path) -> None:
    """Raise where a compiled MJCF lacks a joint, or has what refers to it and needs the link."""
    names = [model.joint(number).name for number in range(model.njnt)]
    problem, types = "", mujoco_library().mjtJoint
    if joint.motor not in names:
        raise ConfigurationError(
            f"{where}: has no joint '{joint.motor}'; it has {', '.join(filter(None, names))}; "
            "--map JOINT=NAME names the one that is meant."
        )
    number = names.index(joint.motor)
    expected = types.mjJNT_SLIDE if joint.prismatic else types.mjJNT_HINGE
    if joint.name in names:
        problem = f"has a joint '{joint.name}' already, so that its joints are elastic as they are"
    elif int(model.jnt_type[number]) != int(expected):
        kind = "slide" if joint.prismatic else "hinge"
        problem = f"its type has to be {kind}, as in the profile"
    elif joint.rotor is None and _of(model, "dof_armature", joint.motor) <= 0:
        problem = (
            "its motor would have no inertia; set elastic.rotor_inertia in the profile, or "
            "armature in the file"
        )
    else:
        problem = _constrained(model, number)
    if problem:
        raise ConfigurationError(f"{where}: joint '{joint.motor}': {problem}.")


def _constrained(model: Any, joint: int) -> str:
    """Return what is wrong with equality constraints of a joint's position; else ""."""
    mujoco = mujoco_library()
    for number in range(model.neq):
        kind = int(model.eq_type[number])
        named = [int(model.eq_obj1id[number]), int(model.eq_obj2id[number])]
        name = model.equality(number).name or str(number)
        if kind == int(mujoco.mjtEq.mjEQ_TENDON):
            named = [one for tendon in named if tendon >= 0 for one in _joints_of(model, tendon)]
        elif kind != int(mujoco.mjtEq.mjEQ_JOINT):
            continue
        if joint in named:
            return (
                f"the equality constraint '{name}' is on its position, and would be on the motor's "
                "in place of the link's; constrain bodies or sites (connect, weld)"
            )
    return ""


def _joints_of(model: Any, tendon: int) -> list[int]:
    first, kind = int(model.tendon_adr[tendon]), int(mujoco_library().mjtWrap.mjWRAP_JOINT)
    wraps = range(first, first + int(model.tendon_num[tendon]))
    return [int(model.wrap_objid[one]) for one in wraps if int(model.wrap_type[one]) == kind]


def _element(xml: XmlText, joint: PassiveJoint, where: Path) -> XmlElement:
    for world in xml.root.children:
        if world.tag == "worldbody":
            for element in world.all("joint"):
                if element.attributes.get("name") == joint.motor:
                    return element
    raise ConfigurationError(
        f"{where}: joint '{joint.motor}' is not in this file but in one that it includes, or made "
        "by <replicate> or <attach>; write the compiled model to one file first."
    )


def _has_polynomials(xml: XmlText) -> bool:
    """Whether a default class has more than the first coefficient, which needs MuJoCo 4."""
    given = (
        joint.attributes.get(name, "")
        for default in xml.root.children
        if default.tag == "default"
        for joint in default.all("joint")
        for name in ("stiffness", "damping")
    )
    return any(len(values.split()) > 1 for values in given)


def _passive(element: XmlElement, joint: PassiveJoint, *, curved: bool) -> str:
    higher = " 0 0" if curved else ""
    attributes = {"name": joint.name}
    attributes |= {key: element.attributes[key] for key in _COPIED if key in element.attributes}
    attributes["stiffness"] = f"{joint.stiffness!r}{higher}"
    attributes["damping"] = f"{joint.damping!r}{higher}"
    return _tag("joint", attributes | _NEITHER)


def _tag(name: str, attributes: dict[str, str]) -> str:
    element = ET.Element(name, attributes)
    return ET.tostring(element, encoding="unicode").replace(" />", "/>")


def _move_spring(xml: XmlText, model: Any, joint: PassiveJoint) -> str:
    """Put a spring of the joint, which acts on the link, on a tendon over both; return a note."""
    stiffness = " ".join(repr(value) for value in _spring(model, joint).tolist())
    length = float(model.qpos_spring[_of(model, "jnt_qposadr", joint.motor)])
    if length == -1.0:  # which MuJoCo takes as the reference position
        length = float(np.nextafter(length, 0.0))
    name = f"{joint.name}_spring"
    attributes = {"name": name, "stiffness": stiffness, "springlength": repr(length)}
    moved = "\n".join(
        f"  {_tag('joint', {'joint': one, 'coef': '1'})}" for one in (joint.motor, joint.name)
    )
    fixed = f"{_tag('fixed', attributes).removesuffix('/>')}>\n{moved}\n</fixed>"
    section = xml.root.find("tendon")
    if section is None:
        inner = fixed.replace("\n", "\n  ")
        xml.append(xml.root, f"<tendon>\n  {inner}\n</tendon>")
    else:
        xml.append(section, fixed)
    return f"{joint.motor}: its spring acts on the link, so that it is a tendon '{name}' now."


def _spring(model: Any, joint: PassiveJoint) -> np.ndarray:
    """Return the coefficients of a joint's spring, the first one or all three (1 or 3,)."""
    number = model.joint(joint.motor).id
    higher = getattr(model, "jnt_stiffnesspoly", np.zeros((model.njnt, 2)))[number]
    first = model.jnt_stiffness[number]
    return np.array([first, *higher] if higher.any() else [first])


def _extend_keys(
    xml: XmlText,
    model: Any,
    joints: Sequence[PassiveJoint],
    where: Path,
) -> None:
    """Insert a 0 for each passive joint into positions and velocities of keyframes."""
    keys = [
        key
        for section in xml.root.children
        if section.tag == "keyframe"
        for key in section.children
    ]
    if model.nkey > len(keys) and next(xml.root.all("include"), None) is not None:
        raise ConfigurationError(
            f"{where}: an included file has keyframes, whose positions have no place for the "
            "passive joints; write the keyframes into this file."
        )
    for key in keys:
        changed: dict[str, str | None] = {}
        for name, table in (("qpos", "jnt_qposadr"), ("qvel", "jnt_dofadr")):
            values = key.attributes.get(name, "").split()
            places = sorted((int(_of(model, table, one.motor)) for one in joints), reverse=True)
            if values:
                for place in places:
                    values.insert(place + 1, "0")
                changed[name] = " ".join(values)
        xml.set_attributes(key, changed)


def _of(model: Any, table: str, joint: str) -> Any:
    """Return the value of a joint, or of its degree of freedom, in a table of a model."""
    number = model.joint(joint).id
    place = number if table.startswith("jnt_") else model.jnt_dofadr[number]
    return getattr(model, table)[place]


def _check_written(
    before: Any,
    after: Any,
    joints: Sequence[PassiveJoint],
    where: Path,
) -> None:
    """Raise where the compiled result is not what was meant, as with defaults in other files."""
    for joint in joints:
        wanted = {
            "jnt_stiffness": joint.stiffness,
            "dof_damping": joint.damping,
            "dof_armature": 0.0,
            "dof_frictionloss": 0.0,
            "jnt_limited": 0,
        }
        found = {name: float(_of(after, name, joint.name)) for name in wanted}
        for name in ("jnt_stiffnesspoly", "dof_dampingpoly"):
            if hasattr(after, name):
                wanted[name], found[name] = 0.0, float(np.abs(_of(after, name, joint.name)).max())
        same = all(np.isclose(found[name], value) for name, value in wanted.items())
        along = _of(before, "jnt_axis", joint.motor), _of(after, "jnt_axis", joint.name)
        if not same or not np.allclose(*along) or after.nv != before.nv + len(joints):
            raise ConfigurationError(
                f"{where}: default classes change the passive joint '{joint.name}' ({found}); "
                "remove polynomials and plug-ins from the defaults of joints."
            )


def _shorter_step(model: Any, joints: Sequence[PassiveJoint]) -> float | None:
    """Return the time step [s] that the springs need; None where the file's is short enough."""
    mujoco = mujoco_library()
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    inverse = np.empty((model.nv, model.nv))
    mujoco.mj_solveM(model, data, inverse, np.eye(model.nv))
    dofs = [int(_of(model, "jnt_dofadr", joint.name)) for joint in joints]
    root = np.sqrt([joint.stiffness for joint in joints])
    squares = np.linalg.eigvalsh(root[:, None] * inverse[np.ix_(dofs, dofs)] * root)
    longest = _LONGEST_STEP / float(np.sqrt(squares.max()))
    if model.opt.timestep <= longest:
        return None
    unit = 10.0 ** (np.floor(np.log10(longest)) - 1)
    return float(f"{np.floor(longest / unit) * unit:.2g}")


def _step_note(given: float, shorter: float) -> str:
    return (
        f"The time step is {shorter:g} s in place of {given:g} s, at which the springs would be "
        "inaccurate or unstable."
    )


def _with_step(text: str, where: Path, step: float) -> str:
    xml = XmlText(text, str(where), ConfigurationError)
    options = [one for one in xml.root.children if one.tag == "option"]
    if options:
        xml.set_attributes(options[-1], {"timestep": repr(step)})
    else:
        xml.append(xml.root, f'<option timestep="{step!r}"/>')
    updated = xml.text()
    found = float(compiled_mjcf(updated, where).opt.timestep)
    if not np.isclose(found, step):
        raise ConfigurationError(
            f"{where}: the springs need a time step of {step:g} s, but an included file sets "
            f"{found:g} s; shorten it there."
        )
    return updated


def compiled_mjcf(text: str, where: Path) -> Any:
    """Return the mjModel of an MJCF, as the plug-in of simulators compiles it."""
    return load_plugin(HOOKS, "compiled_mjcf", "an MJCF")(text, where)


def mujoco_library() -> Any:
    """Return the package ``mujoco``, an extra."""
    with naming_extra("an MJCF", "dynid[mujoco]"):
        import mujoco  # noqa: PLC0415  an extra
    return mujoco
