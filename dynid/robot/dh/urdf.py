"""A URDF and a first profile, with what a Denavit-Hartenberg table has."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from xml.etree import ElementTree as ET

import numpy as np
import pinocchio

from dynid.robot.dh.chain import DhChain, Link
from dynid.robot.new_profile import LEFT_TO_DATA

_DRIVES = """\
drives:
  effort: torque           # in recordings; for current or rated current see docs/drives.md

"""
_SIMULATION = """\
simulation:                # of `dynid demo`: bodies are the URDF's
  parameters: {}           # true friction and rotor inertia such as {Fc1: 2, Fv1: 1, Ia1: 0.5}
"""

ROOT = "base_link"
_NO_LIMIT = 1e6  # [N m or N], because URDF requires a number


def urdf_of(robot: str, chains: Sequence[DhChain], source: str) -> str:
    """Return a URDF whose forward kinematics is the product of the table's matrices.

    Links are named ``link_1`` and so on behind ``base_link``; each chain ends in the link ``tool``,
    whose frame is the last Denavit-Hartenberg frame times the table's tool. A joint without limits
    is continuous.
    """
    root = ET.Element("robot", {"name": robot})
    ET.SubElement(root, "link", {"name": ROOT})
    for chain in chains:
        parent, before = ROOT, chain.base
        for number, link in enumerate(chain.links, 1):
            name = f"{chain.prefix}link_{number}"
            root.append(_joint(link, parent, name, before * link.before))
            root.append(_body(link, name))
            parent, before = name, link.after
        _add_tool(root, chain, parent, before * chain.tool)
    ET.indent(root)
    comment = f"<!-- Written by dynid new dh from {source.replace('--', '- -')}. -->"
    return f'<?xml version="1.0"?>\n{comment}\n{ET.tostring(root, "unicode")}\n'


def _joint(link: Link, parent: str, child: str, placement: pinocchio.SE3) -> ET.Element:
    limits = link.limits
    kind = link.type if limits is not None else "continuous"
    joint = ET.Element("joint", {"name": link.joint, "type": kind})
    ET.SubElement(joint, "parent", {"link": parent})
    ET.SubElement(joint, "child", {"link": child})
    joint.append(_origin(placement))
    ET.SubElement(joint, "axis", {"xyz": "0 0 1"})
    if limits is not None:
        numbers = {
            "lower": limits.position[0],
            "upper": limits.position[1],
            "velocity": limits.velocity,
            "effort": _NO_LIMIT if limits.torque is None else limits.torque,
        }
        ET.SubElement(joint, "limit", {key: text([value]) for key, value in numbers.items()})
    return joint


def _body(link: Link, name: str) -> ET.Element:
    body = ET.Element("link", {"name": name})
    if link.mass is None:
        return body
    inertial = ET.SubElement(body, "inertial")
    # along the axes of the Denavit-Hartenberg frame, as in the table
    inertial.append(_origin(link.after * pinocchio.SE3(np.eye(3), link.centre)))
    ET.SubElement(inertial, "mass", {"value": text([link.mass])})
    names = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    values = link.inertia[np.triu_indices(3)]
    ET.SubElement(
        inertial, "inertia", {key: text([value]) for key, value in zip(names, values, strict=True)}
    )
    return body


def _add_tool(root: ET.Element, chain: DhChain, parent: str, placement: pinocchio.SE3) -> None:
    name = f"{chain.prefix}tool"
    joint = ET.SubElement(root, "joint", {"name": f"{name}_joint", "type": "fixed"})
    ET.SubElement(joint, "parent", {"link": parent})
    ET.SubElement(joint, "child", {"link": name})
    joint.append(_origin(placement))
    ET.SubElement(root, "link", {"name": name})


def _origin(placement: pinocchio.SE3) -> ET.Element:
    turn = pinocchio.rpy.matrixToRpy(placement.rotation)
    return ET.Element("origin", {"xyz": text(placement.translation), "rpy": text(turn)})


def text(numbers: Iterable[float]) -> str:
    """Return numbers as text, without rounding errors in the last digits."""
    return " ".join(f"{round(float(number), 15) + 0.0:.16g}" for number in numbers)


def profile_text(
    robot: str, urdf: str, chains: Sequence[DhChain], gravity: Sequence[float], source: str
) -> str:
    """Return a profile in YAML, with values of the table and defaults for the rest.

    Limits that a row lacks are omitted for all joints.
    """
    links = [link for chain in chains for link in chain.links]
    head = (
        f"# Profile of {robot}, created by dynid new dh from {source}. Units are SI and\n"
        "# radians; docs/profile.md explains every key.\n\n"
        f"robot: {robot}\nurdf: {urdf}\n"
        f"joints: [{', '.join(link.joint for link in links)}]\n"
        f"gravity: {_list(gravity)}\n\n"
    )
    limits = _limits(links)
    bodies = all(link.mass is not None for link in links)
    return f"{head}{limits}{_DRIVES}{LEFT_TO_DATA}{_SIMULATION if bodies else ''}"


def _limits(links: Sequence[Link]) -> str:
    limits = [link.limits for link in links if link.limits is not None]
    if len(limits) < len(links):
        return ""
    rows = [f"position: [{', '.join(_list(limit.position) for limit in limits)}]"]
    rows.append(f"velocity: {_list([limit.velocity for limit in limits])}")
    for key, values in (
        ("acceleration", [limit.acceleration for limit in limits]),
        ("torque_max", [limit.torque for limit in limits]),
    ):
        known = [value for value in values if value is not None]
        if len(known) == len(links):
            rows.append(f"{key}: {_list(known)}")
    return "limits:\n" + "".join(f"  {row}\n" for row in rows) + "\n"


def _list(numbers: Sequence[float]) -> str:
    return f"[{', '.join(text(np.round([number], 6)) for number in numbers)}]"
