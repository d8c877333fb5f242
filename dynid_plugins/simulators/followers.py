"""Joints that follow others, for formats that have them: ``<mimic>`` of URDF and SDF."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from dynid.arrays import Array
from dynid_plugins.simulators.tree_layout import carried_link

if TYPE_CHECKING:
    from dynid_plugins.simulators.exported_model import ExportedModel


class Follower(NamedTuple):
    """A joint at multiplier * position of the leader + offset [rad or m]."""

    leader: str
    multiplier: float
    offset: float


def followers(exported: ExportedModel) -> dict[str, Follower]:
    """Return the joints that follow others by closures of kind gear, by name."""
    positions = dict(zip(exported.joints, assembled_positions(exported).tolist(), strict=True))
    found = {}
    for closure in exported.mechanism.chain.closures:
        if closure.kind == "gear":
            joint, leader = (carried_link(exported.model, one).joint for one in closure.links)
            offset = positions[joint] - closure.ratio * positions[leader]
            found[joint] = Follower(leader, closure.ratio, offset)
    return found


def assembled_positions(exported: ExportedModel) -> Array:
    """Return the positions of the moving joints as the robot is assembled (m,); of a tree, 0."""
    mechanism = exported.mechanism
    given = mechanism.chain.assembled_at or np.zeros(len(mechanism.joints))
    return mechanism.moving_positions(given)
