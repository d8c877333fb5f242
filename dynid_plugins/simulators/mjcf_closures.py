"""Loop closures and joints that follow others as constraints of an MJCF.

MuJoCo takes anchors, and what joints and tendons are held at, from the initial configuration. So a
robot is written as it is assembled, with the joints' positions there as ``ref``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import numpy as np

from dynid_plugins.simulators.tree_layout import CarriedLink, carried_link, numbers

if TYPE_CHECKING:
    from dynid.dynamics.closed_chain import LoopClosure
    from dynid_plugins.simulators.exported_model import ExportedModel

CLOSURES = ("point", "revolute", "distance", "gear")
_STIFF = {"solref": "0.004 1", "solimp": "0.9999 0.9999 0.001"}
_HINGE = 0.1  # [m] between the two points of a hinge


@dataclass
class MjcfClosures:
    """Elements of an MJCF.

    Attributes:
        constraints: of ``<equality>``.
        tendons: of ``<tendon>``.
        sites: by the name of the link that they are in.
    """

    constraints: list[ET.Element] = field(default_factory=list)
    tendons: list[ET.Element] = field(default_factory=list)
    sites: dict[str, list[ET.Element]] = field(default_factory=dict)


def mjcf_closures(exported: ExportedModel) -> MjcfClosures:
    """Return the closures of a model: connects, joints that follow, and tendons as rods."""
    found = MjcfClosures()
    for number, closure in enumerate(exported.mechanism.chain.closures, start=1):
        links = [carried_link(exported.model, link) for link in closure.links]
        if closure.kind == "gear":
            found.constraints.append(_follower(f"closure_{number}", closure, links))
        elif closure.kind == "distance":
            _add_rod(found, f"closure_{number}", closure, links)
        else:
            _add_connects(found, f"closure_{number}", closure, links)
    return found


def _follower(name: str, closure: LoopClosure, links: list[CarriedLink]) -> ET.Element:
    follower, leader = (link.joint for link in links)
    # both measured from ref, so that the offset is 0
    return ET.Element(
        "joint",
        {"name": name, "joint1": follower, "joint2": leader}
        | {"polycoef": numbers([0, closure.ratio, 0, 0, 0])}
        | _STIFF,
    )


def _add_connects(
    found: MjcfClosures, name: str, closure: LoopClosure, links: list[CarriedLink]
) -> None:
    # the root is MuJoCo's world, which cannot be the first body
    side = 0 if links[0].joint else 1
    first, second = links[side], links[1 - side]
    points = [np.asarray(closure.points[side], dtype=np.float64)]
    if closure.kind == "revolute":
        axis = np.asarray(closure.axes[side], dtype=np.float64)
        points.append(points[0] + _HINGE * axis / np.linalg.norm(axis))
    for number, point in enumerate(points, start=1):
        attributes = {"name": name if number == 1 else f"{name}_axis", "body1": first.carrier}
        if second.joint:
            attributes["body2"] = second.carrier
        attributes["anchor"] = numbers(first.pose.apply([point])[0])
        found.constraints.append(ET.Element("connect", attributes | _STIFF))


def _add_rod(
    found: MjcfClosures, name: str, closure: LoopClosure, links: list[CarriedLink]
) -> None:
    tendon = ET.Element("spatial", name=name)
    for number, (link, point) in enumerate(zip(links, closure.points, strict=True), start=1):
        site = {"name": f"{name}_{number}", "pos": numbers(link.pose.apply([point])[0])}
        found.sites.setdefault(link.carrier, []).append(ET.Element("site", site))
        ET.SubElement(tendon, "site", site=site["name"])
    found.tendons.append(tendon)
    found.constraints.append(ET.Element("tendon", {"name": name, "tendon1": name} | _STIFF))
