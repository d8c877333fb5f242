"""Which distances of a robot are checked, which are not, and why."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pinocchio
from pinocchio import coal

from dynid.errors import ConfigurationError
from dynid.excitation.workspace.distances import Distance
from dynid.excitation.workspace.geometry import Solid, body_names
from dynid.excitation.workspace.levers import moving_path, slides
from dynid.excitation.workspace.srdf import read_srdf

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dynid.arrays import Array
    from dynid.dynamics.kinematics import Kinematics
    from dynid.dynamics.mechanism import Mechanism
    from dynid.excitation.workspace.settings import WorkspaceSettings

_TOUCHING = 1e-3  # [m] beyond the clearance: nearer shapes count as touching
_CONSTANT = 1e-6  # [m] that a distance may vary by rounding

ADJACENT = "adjacent"
TOUCHING = "always touching"
UNMOVED = "not moved by any joint"


class LeftOut(NamedTuple):
    """Two bodies, or a body and an obstacle, whose distance is not checked.

    Attributes:
        pair: their names.
        reason: "adjacent", "always touching", "not moved by any joint", "SRDF" with the SRDF's own
            reason, or "allowed_pairs".
    """

    pair: tuple[str, str]
    reason: str

    @property
    def name(self) -> str:
        """Of both, as that of a distance."""
        return " to ".join(self.pair)


class Asked(NamedTuple):
    """The distances that settings ask for, and those left out for good reason."""

    distances: tuple[Distance, ...]
    left_out: tuple[LeftOut, ...]


def distances_asked(
    settings: WorkspaceSettings,
    kinematics: Kinematics,
    mechanism: Mechanism,
    solids: Sequence[tuple[Solid, ...]],
    *,
    self_collision: bool,
) -> Asked:
    """Return the distances that settings ask for, without what is adjacent or may touch.

    Raises:
        ConfigurationError: an allowed pair names no link, or the SRDF is none of this robot.
    """
    moving = [body for body in range(len(solids)) if solids[body] and moving_path(kinematics, body)]
    asked: list[Distance] = []
    left_out: list[LeftOut] = []
    if self_collision:
        asked, left_out = _between_bodies(settings, kinematics, mechanism, solids, moving)
    names = body_names(kinematics)
    for name, obstacle in _obstacles(settings).items():
        asked += [
            Distance(
                (names[body], name),
                (body, 0),
                tuple((solid, obstacle) for solid in solids[body]),
                obstacle=True,
            )
            for body in moving
        ]
    return Asked(tuple(asked), tuple(left_out))


def _between_bodies(
    settings: WorkspaceSettings,
    kinematics: Kinematics,
    mechanism: Mechanism,
    solids: Sequence[tuple[Solid, ...]],
    moving: Sequence[int],
) -> tuple[list[Distance], list[LeftOut]]:
    names, joined = body_names(kinematics), _joined(kinematics, mechanism)
    allowed = allowed_links(settings, kinematics)
    asked, left_out = [], []
    for a, b in [(low, high) for high in moving for low in range(high) if solids[low]]:
        pair = (names[b], names[a])
        if (a, b) in joined or _neighbours(kinematics, solids, a, b):
            left_out.append(LeftOut(pair, ADJACENT))
            continue
        every = [(first, second) for first in solids[b] for second in solids[a]]
        reasons = [allowed.get(frozenset({one.link, other.link})) for one, other in every]
        kept = tuple(two for two, why in zip(every, reasons, strict=True) if why is None)
        left_out += [
            LeftOut((one.link, other.link), why)
            for (one, other), why in zip(every, reasons, strict=True)
            if why is not None
        ]
        if kept:
            asked.append(Distance(pair, (b, a), kept))
    return asked, list(dict.fromkeys(left_out))


def allowed_links(
    settings: WorkspaceSettings, kinematics: Kinematics
) -> Mapping[frozenset[str], str]:
    """Return the pairs of links that may touch, by SRDF or profile, and which of these says so.

    Raises:
        ConfigurationError: a pair of the profile names no link, or the SRDF none that there is.
    """
    links = kinematics.links()
    allowed: dict[frozenset[str], str] = {}
    if settings.srdf is not None:
        pairs = read_srdf(Path(settings.srdf))
        own = [pair for pair in pairs if pair.links <= set(links)]
        if pairs and not own:
            message = (
                f"{settings.srdf}: no pair of its <disable_collisions> is of links of this URDF; "
                "workspace.srdf must name the SRDF of the same robot."
            )
            raise ConfigurationError(message)
        allowed |= {pair.links: f"SRDF: {pair.reason}" if pair.reason else "SRDF" for pair in own}
    for pair in settings.allowed_pairs:
        for link in pair:
            if link not in links:
                message = (
                    f"workspace.allowed_pairs: the URDF has no link '{link}'; it has "
                    f"{', '.join(links)}."
                )
                raise ConfigurationError(message)
        allowed[frozenset(pair)] = "allowed_pairs"
    return allowed


def unchanging(distances: Sequence[Distance], sampled: Array) -> dict[int, LeftOut]:
    """Return which distances no motion can keep, and why.

    Args:
        distances: K of them.
        sampled: beyond the clearance, at many positions (N, K) [m]; nothing is told from none.
    """
    found: dict[int, LeftOut] = {}
    if not len(sampled):
        return found
    for k, one in enumerate(distances):
        if not one.obstacle and np.all(sampled[:, k] < _TOUCHING):
            found[k] = LeftOut(one.names, TOUCHING)
        elif one.obstacle and np.ptp(sampled[:, k]) < _CONSTANT and np.all(sampled[:, k] < 0):
            found[k] = LeftOut(one.names, UNMOVED)
    return found


def left_out_notes(left_out: Sequence[LeftOut], positions: int) -> tuple[str, ...]:
    """Return sentences on what is left out, a reason each.

    Args:
        left_out: the pairs.
        positions: how many were sampled to find those that always touch.
    """
    by_reason: dict[str, list[str]] = {}
    for one in left_out:
        by_reason.setdefault(one.reason, []).append(one.name)
    told = {
        ADJACENT: "as a joint or a closure joins them",
        TOUCHING: f"as they touch, or are within the clearance, in all of {positions} random "
        "positions; name them in workspace.allowed_pairs where that is as it should be",
        UNMOVED: "as no motion changes it",
        "allowed_pairs": "as workspace.allowed_pairs has them",
    }
    return tuple(
        f"Left out, {told.get(reason, f'as the SRDF has them ({reason})')}: {', '.join(names)}."
        for reason, names in by_reason.items()
    )


def _obstacles(settings: WorkspaceSettings) -> dict[str, Solid]:
    """Return the planes and boxes as solids in the root's frame, by what they are called."""
    obstacles = {}
    for name, plane in settings.given_planes.items():
        normal = np.array(plane.normal) / np.linalg.norm(plane.normal)
        form = coal.Halfspace(normal, float(normal @ np.array(plane.point)))
        obstacles[f"plane '{name}'"] = Solid(form, pinocchio.SE3.Identity())
    for name, box in settings.boxes.items():
        low, high = np.array(box.low), np.array(box.high)
        placement = pinocchio.SE3(np.eye(3), (low + high) / 2)
        obstacles[f"box '{name}'"] = Solid(coal.Box(*(high - low)), placement)
    return obstacles


def _neighbours(
    kinematics: Kinematics, solids: Sequence[tuple[Solid, ...]], a: int, b: int
) -> bool:
    """Return whether one joint moves b against a, or several that turn about one point."""
    paths = [set(moving_path(kinematics, body)) for body in (a, b)]
    if len(paths[0] ^ paths[1]) <= 1:
        return True
    origins, carrier = kinematics.joint_origins, kinematics.parents[b]
    while carrier > 0 and not (solids[carrier] or origins[b].any() or slides(kinematics, b)):
        b, carrier = carrier, kinematics.parents[carrier]
    return carrier == a and not slides(kinematics, b)


def _joined(kinematics: Kinematics, mechanism: Mechanism) -> set[tuple[int, int]]:
    """Return the pairs of bodies, the lower first, that a closure holds together."""
    links = kinematics.links()
    pairs = set()
    for closure in mechanism.chain.closures:
        a, b = (links[link][0] for link in closure.links)
        if closure.kind != "distance":
            pairs.add((min(a, b), max(a, b)))
    return pairs
