"""The joints of a URDF with their limits, as its text has them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from xml.etree import ElementTree as ET

from dynid.dynamics.urdf_text import link_of
from dynid.errors import ConfigurationError
from dynid.xml_tree import xml_tree

MOVABLE = ("revolute", "continuous", "prismatic")

_UNLIMITED = {"velocity": 1e3, "effort": 1e5, "acceleration": 1e5}
"""[rad/s, N m, rad/s^2, m, N] From here on a number stands for "no limit": URDF requires one."""

_MOST_TURNS = 2  # to one side of a joint; more, in no multiple of pi, is to be confirmed
IN_DEGREES = "may be degrees"
"""What is said of position limits that are probably in degrees."""
_MULTIPLE = 1e-3  # of pi, within which a limit is one


@dataclass(frozen=True)
class UrdfJoint:
    """A movable joint of a URDF; limits are None where the URDF has no meaningful number.

    Attributes:
        kind: ``revolute``, ``continuous`` or ``prismatic``.
        position: lower and upper limit [rad or m]; None for a continuous joint.
        doubt: what the URDF has in place of believable position limits; empty where they are.
        zero: which of ``velocity`` and ``effort`` is 0 in the URDF.
        velocity: largest [rad/s or m/s].
        effort: largest [N m or N].
        acceleration: largest [rad/s^2 or m/s^2], which only recent URDFs have.
        leader: joint that it follows (``<mimic>``), or None.
        multiplier: of the leader's position.
        offset: added to it [rad or m].
    """

    name: str
    kind: str
    parent: str
    child: str
    position: tuple[float, float] | None = None
    velocity: float | None = None
    effort: float | None = None
    acceleration: float | None = None
    leader: str | None = None
    multiplier: float = 1.0
    offset: float = 0.0
    doubt: str = ""
    zero: tuple[str, ...] = ()

    def resting_position(self) -> float:
        """Return 0, or the nearest position within the limits [rad or m]."""
        if self.position is None:
            return 0.0
        return min(max(0.0, self.position[0]), self.position[1])


def movable_joints(urdf_xml: str, where: str = "The URDF") -> dict[str, UrdfJoint]:
    """Return the movable joints of a URDF by name, in the order of the file.

    Raises:
        ConfigurationError: the text is not XML, or a joint moves in several directions.
    """
    root = xml_tree(urdf_xml, f"{where}: is not a URDF", ConfigurationError)
    movable = {}
    for joint in root.findall("joint"):
        name, kind = joint.get("name", ""), joint.get("type", "")
        if kind in {"floating", "planar", "spherical"}:
            raise ConfigurationError(
                f"{where}: joint '{name}' is of type {kind}, which has no single drive; make it "
                "fixed in the URDF to identify a robot with a fixed base."
            )
        if kind in MOVABLE:
            movable[name] = _joint(joint, name, kind)
    if any(IN_DEGREES in joint.doubt for joint in movable.values()):
        movable = {name: _beside_degrees(joint) for name, joint in movable.items()}
    return movable


def links_to_root(urdf_xml: str) -> dict[str, tuple[str, str]]:
    """Return the parent link and the joint of every link but the root, fixed joints included."""
    root = xml_tree(urdf_xml, "The URDF", ConfigurationError)
    return {
        link_of(joint, "child"): (link_of(joint, "parent"), joint.get("name", ""))
        for joint in root.findall("joint")
    }


def path_of(link: str, parents: Mapping[str, tuple[str, str]], among: Iterable[str]) -> list[str]:
    """Return those of the given joints that are between the root and a link, root first."""
    wanted, path, seen = set(among), [], {link}
    while link in parents:
        link, joint = parents[link]
        path += [joint] if joint in wanted else []
        if link in seen:  # a ring, which the mechanism reports
            break
        seen.add(link)
    return path[::-1]


def _joint(joint: ET.Element, name: str, kind: str) -> UrdfJoint:
    mimic, limit = joint.find("mimic"), joint.find("limit")
    low, high = (_number(limit, key) or 0.0 for key in ("lower", "upper"))
    largest = {key: _largest(limit, key) for key in _UNLIMITED}
    doubt = "" if kind == "continuous" else _doubt(low, high, turning=kind == "revolute")
    return UrdfJoint(
        name=name,
        kind=kind,
        parent=link_of(joint, "parent"),
        child=link_of(joint, "child"),
        position=(low, high) if kind != "continuous" and not doubt else None,
        leader=None if mimic is None else mimic.get("joint", ""),
        multiplier=1.0 if (given := _number(mimic, "multiplier")) is None else given,
        offset=_number(mimic, "offset") or 0.0,
        doubt=doubt,
        zero=tuple(key for key in ("velocity", "effort") if _number(limit, key) == 0),
        **largest,
    )


def _beside_degrees(joint: UrdfJoint) -> UrdfJoint:
    """Return a joint of a file in degrees, whose own limits could be radians but are whole."""
    if joint.kind != "revolute" or joint.position is None:
        return joint
    low, high = joint.position
    if not (low.is_integer() and high.is_integer() and max(-low, high) > 1):
        return joint
    doubt = f"{_interval(low, high)} rad beside joints in degrees, so that {IN_DEGREES}"
    return replace(joint, position=None, doubt=doubt)


def _interval(low: float, high: float) -> str:
    return f"a limit from {low:.6g} to {high:.6g}"


def _doubt(low: float, high: float, *, turning: bool) -> str:
    """Return why position limits [rad or m] are not believable, or an empty text."""
    interval = _interval(low, high)
    if low > high:
        return f"{interval}, the wrong way round"
    if low == high:  # as exporters write where nobody entered a limit
        return f"{interval}, which leaves no motion"
    most = max(abs(low), abs(high))
    # a whole number is none, although 355 is nearly a multiple of pi
    in_turns = all(
        abs(end / math.pi - round(end / math.pi)) < _MULTIPLE and not end.is_integer()
        for end in (low, high)
        if end
    )
    whole = low.is_integer() and high.is_integer()
    # radians are whole by chance, or where a turn is enough for a guess
    if turning and not in_turns and most > (1 if whole else _MOST_TURNS) * math.tau:
        return f"{interval} rad, up to {most / math.tau:.3g} turns, which {IN_DEGREES}"
    return ""


def _largest(limit: ET.Element | None, key: str) -> float | None:
    value = _number(limit, key)
    return value if value is not None and 0 < value < _UNLIMITED[key] else None


def _number(element: ET.Element | None, key: str) -> float | None:
    """Return an attribute, or None if it is missing or not a finite number."""
    try:
        value = None if element is None else float(element.get(key, ""))
    except ValueError:
        return None
    return value if value is not None and math.isfinite(value) else None
