"""The initial profile of a robot from a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dynid.robot.dh.urdf import text
from dynid.robot.new_profile import LEFT_TO_DATA

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynid.robot.dh.chain import DhChain, Link

_DRIVES = """\
drives:
  effort: torque           # in recordings; for current or rated current see docs/drives.md

"""
_SIMULATION = """\
simulation:                # of `dynid demo`: bodies are the URDF's
  parameters: {}           # true friction and rotor inertia such as {Fc1: 2, Fv1: 1, Ia1: 0.5}
"""


def profile_text(
    robot: str, urdf: str, chains: Sequence[DhChain], gravity: Sequence[float], source: str
) -> str:
    """Return a profile in YAML, with values of the table and defaults for the rest.

    Limits that a row lacks are omitted for all joints.

    Args:
        robot: name of the robot.
        urdf: its URDF as seen from the profile's folder.
        chains: its chains.
        gravity: acceleration (3,) [m/s^2].
        source: the table's name, for the comment at the top.
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
