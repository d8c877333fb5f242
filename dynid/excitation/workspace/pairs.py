"""Which distances of a robot are checked, which are not, and why."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pinocchio
from pinocchio import coal

from dynid.arrays import Array
from dynid.dynamics.kinematics import Kinematics
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import ConfigurationError
from dynid.excitation.workspace.distances import Distance
from dynid.excitation.workspace.geometry import BodySolids, body_names, moving_path, slides
from dynid.excitation.workspace.meshes import Solid, missing_meshes
from dynid.excitation.workspace.settings import WorkspaceSettings
from dynid.input_file import read_text
from dynid.robot.robot import Robot
from dynid.text import listed, printable
from dynid.xml_tree import xml_tree

_TOUCHING = 1e-3  # [m] beyond the clearance: nearer shapes count as touching
_CONSTANT = 1e-6  # [m] variation of a distance by rounding
_POSITIONS = 50  # random ones, to find shapes that seem always to touch
_MORE_POSITIONS = 1000  # to confirm them
_TRIES = 10  # for each of the first, because not all are reachable

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
        """Both names, in the form of a distance's name."""
        return " to ".join(self.pair)


def select_distances(
    settings: WorkspaceSettings,
    kinematics: Kinematics,
    mechanism: Mechanism,
    solids: Sequence[tuple[Solid, ...]],
    *,
    self_collision: bool,
) -> tuple[list[Distance], list[LeftOut]]:
    """Return the distances to check, and the pairs left out: adjacent, or such as may touch.

    Raises:
        ConfigurationError: an allowed pair has an unknown link, or the SRDF is of another robot.
    """
    moving = [body for body in range(len(solids)) if solids[body] and moving_path(kinematics, body)]
    selected: list[Distance] = []
    left_out: list[LeftOut] = []
    if self_collision:
        selected, left_out = _between_bodies(settings, kinematics, mechanism, solids, moving)
    names = body_names(kinematics)
    for name, obstacle in _obstacles(settings).items():
        selected += [
            Distance(
                (names[body], name),
                (body, 0),
                tuple((solid, obstacle) for solid in solids[body]),
                obstacle=True,
            )
            for body in moving
        ]
    return selected, left_out


def _between_bodies(
    settings: WorkspaceSettings,
    kinematics: Kinematics,
    mechanism: Mechanism,
    solids: Sequence[tuple[Solid, ...]],
    moving: Sequence[int],
) -> tuple[list[Distance], list[LeftOut]]:
    names, joined = body_names(kinematics), _joined(kinematics, mechanism)
    allowed = allowed_links(settings, kinematics)
    selected, left_out = [], []
    for a, b in [(low, high) for high in moving for low in range(high) if solids[low]]:
        pair = (names[b], names[a])
        if (a, b) in joined or _neighbours(kinematics, solids, a, b):
            left_out.append(LeftOut(pair, ADJACENT))
            continue
        pairs = [(first, second) for first in solids[b] for second in solids[a]]
        reasons = [allowed.get(frozenset({first.link, other.link})) for first, other in pairs]
        kept = tuple(two for two, reason in zip(pairs, reasons, strict=True) if reason is None)
        left_out += [
            LeftOut((first.link, other.link), reason)
            for (first, other), reason in zip(pairs, reasons, strict=True)
            if reason is not None
        ]
        if kept:
            selected.append(Distance(pair, (b, a), kept))
    return selected, list(dict.fromkeys(left_out))


def allowed_links(
    settings: WorkspaceSettings, kinematics: Kinematics
) -> Mapping[frozenset[str], str]:
    """Return the pairs of links that may touch, with the source: SRDF or profile.

    Raises:
        ConfigurationError: the profile, or every pair of the SRDF, has a link that does not exist.
    """
    links = kinematics.links()
    allowed: dict[frozenset[str], str] = {}
    if settings.srdf is not None:
        pairs = check_links(Path(settings.srdf), links)
        allowed |= {pair: f"SRDF: {reason}" if reason else "SRDF" for pair, reason in pairs.items()}
    for pair in settings.allowed_pairs:
        for link in pair:
            if link not in links:
                raise ConfigurationError(
                    f"workspace.allowed_pairs: the URDF has no link '{link}'; it has "
                    f"{', '.join(links)}."
                )
        allowed[frozenset(pair)] = "allowed_pairs"
    return allowed


def check_links(path: Path, links: Collection[str]) -> dict[frozenset[str], str]:
    """Return the pairs of :func:`read_srdf` that are links of a URDF.

    Raises:
        ConfigurationError: none is, so that the SRDF is of another robot, or it cannot be read.
    """
    pairs = read_srdf(path)
    known = {pair: reason for pair, reason in pairs.items() if pair <= set(links)}
    if pairs and not known:
        raise ConfigurationError(
            f"{path}: no pair of its <disable_collisions> has links of this URDF; workspace.srdf "
            "must be the SRDF of the same robot."
        )
    return known


def read_srdf(path: Path) -> dict[frozenset[str], str]:
    """Return the pairs of links that may touch according to an SRDF, with the reason given there.

    Pairs with the reason ``Never`` are not included: they were apart in random positions, which is
    no proof, and checking them costs little.

    Raises:
        ConfigurationError: the file cannot be read, is not XML, or an entry lacks a link.
    """
    root = xml_tree(read_text(path), printable(path), ConfigurationError)
    if root.tag != "robot":
        message = f"{path}: is not an SRDF, as its root is <{root.tag}> in place of <robot>."
        raise ConfigurationError(message)
    pairs = {}
    for entry in root.findall("disable_collisions"):
        links = [entry.get(key, "") for key in ("link1", "link2")]
        if not all(links):
            raise ConfigurationError(f"{path}: a <disable_collisions> lacks its link1 or link2.")
        reason = entry.get("reason", "")
        if reason.lower() != "never":
            pairs[frozenset(links)] = reason
    return pairs


def violated_distances(
    robot: Robot,
    mechanism: Mechanism,
    selected: Sequence[Distance],
    margins: Callable[[Sequence[Distance], Array], Array],
) -> tuple[dict[int, LeftOut], int]:
    """Return which distances are violated whatever the motion, and the number of positions used.

    Positions are random, but the same in every call.

    Args:
        robot: with its limits.
        mechanism: of the robot, to close its chains.
        selected: K distances.
        margins: returns the margins of k distances at positions (N, n); (N, k) [m].
    """
    if not selected:
        return {}, 0
    first = _random_positions(robot, mechanism, _TRIES * _POSITIONS, seed=0)[:_POSITIONS]
    violated = always_violated(selected, margins(selected, first))
    if not violated:
        return {}, len(first)
    # pairs that are apart in one position of a hundred would often be missed by the first samples
    second = _random_positions(robot, mechanism, _MORE_POSITIONS, seed=1)
    suspects = [selected[k] for k in violated]
    confirmed = always_violated(suspects, margins(suspects, np.concatenate([first, second])))
    numbers = list(violated)
    return {numbers[k]: left_out for k, left_out in confirmed.items()}, len(first) + len(second)


def _random_positions(robot: Robot, mechanism: Mechanism, tries: int, *, seed: int) -> Array:
    """Return reachable positions (N, n) within the limits, or within half a turn."""
    low, high, *_ = robot.limits.of_joints(len(robot.joints))
    low, high = np.where(np.isfinite(low), low, -np.pi), np.where(np.isfinite(high), high, np.pi)
    positions = np.random.default_rng(seed).uniform(low, high, (tries, len(low)))
    return np.asarray(positions[mechanism.reachable(positions)])


def always_violated(distances: Sequence[Distance], sampled: Array) -> dict[int, LeftOut]:
    """Return which distances are violated whatever the motion, and why.

    Args:
        distances: K of them.
        sampled: beyond the clearance, at many positions (N, K) [m]; with N = 0 none is found.
    """
    violated: dict[int, LeftOut] = {}
    if not len(sampled):
        return violated
    for k, distance in enumerate(distances):
        if not distance.obstacle and np.all(sampled[:, k] < _TOUCHING):
            violated[k] = LeftOut(distance.names, TOUCHING)
        elif distance.obstacle and np.ptp(sampled[:, k]) < _CONSTANT and np.all(sampled[:, k] < 0):
            violated[k] = LeftOut(distance.names, UNMOVED)
    return violated


def left_out_notes(left_out: Sequence[LeftOut], positions: int) -> tuple[str, ...]:
    """Return sentences on the pairs that are left out, one for each reason."""
    by_reason: dict[str, list[str]] = {}
    for pair in left_out:
        by_reason.setdefault(pair.reason, []).append(pair.name)
    described = {
        ADJACENT: "connected by a joint or a loop closure",
        TOUCHING: f"in contact, or within the clearance, in all of {positions} random positions; "
        "if this is intended, list them in workspace.allowed_pairs",
        UNMOVED: "no motion changes the distance",
        "allowed_pairs": "listed in workspace.allowed_pairs",
    }
    return tuple(
        f"Not checked ({described.get(reason, f'disabled in the SRDF: {reason}')}): "
        f"{', '.join(names)}."
        for reason, names in by_reason.items()
    )


def unchecked_bodies(
    settings: WorkspaceSettings,
    kinematics: Kinematics,
    bodies: BodySolids,
    left_out: Sequence[LeftOut],
) -> tuple[str, ...]:
    """Return which checks of the robot's bodies are missing, each "… not checked: why".

    Checks that the profile switches off (``planes: none``, allowed pairs) are not included.
    """
    sentences = []
    setting = settings.self_collision
    has_pairs = _has_pairs(kinematics)
    if has_pairs and setting is False:
        sentences.append("self-collision not checked: `workspace.self_collision` is false")
    elif has_pairs and setting is None and not bodies.of_urdf:
        sentences.append(
            "self-collision not checked: the URDF has no readable shapes, and "
            "`workspace.self_collision` is not set"
        )
    elif has_pairs or settings.given_planes or settings.boxes:
        sentences += _shapes(bodies)
    touching = [" and ".join(pair.pair) for pair in left_out if pair.reason == TOUCHING]
    if touching:
        sentences.append(
            f"{', '.join(touching)} not checked: they touch in every sampled position, and are not "
            "in `workspace.allowed_pairs`"
        )
    if settings.planes != "none" and not settings.given_planes:
        sentences.append(
            "collisions with floor or table not checked: no plane under `workspace.planes`"
        )
    return tuple(sentences)


def _shapes(bodies: BodySolids) -> list[str]:
    sentences = []
    if bodies.sources["generated"]:
        names = listed(bodies.sources["generated"])
        sentences.append(
            f"shape of {names} not checked: capsules are used, as the URDF has no shapes"
        )
    if bodies.missing:
        sentences.append(
            f"{missing_meshes(bodies.missing)} not checked: not found, or not readable"
        )
    return sentences


def _has_pairs(kinematics: Kinematics) -> bool:
    """Return whether more than one joint moves two bodies relative to each other."""
    paths = [set(moving_path(kinematics, body)) for body in range(len(kinematics.bodies))]
    return any(len(a ^ b) > 1 for a, b in combinations(paths, 2))


def _obstacles(settings: WorkspaceSettings) -> dict[str, Solid]:
    """Return planes and boxes as solids in the root's frame, by name."""
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
    """Return whether b moves relative to a by one joint, or by several about one point."""
    paths = [set(moving_path(kinematics, body)) for body in (a, b)]
    if len(paths[0] ^ paths[1]) <= 1:
        return True
    origins, carrier = kinematics.joint_origins, kinematics.parents[b]
    while carrier > 0 and not (solids[carrier] or origins[b].any() or slides(kinematics, b)):
        b, carrier = carrier, kinematics.parents[carrier]
    return carrier == a and not slides(kinematics, b)


def _joined(kinematics: Kinematics, mechanism: Mechanism) -> set[tuple[int, int]]:
    """Return pairs of bodies, the lower first, that a loop closure connects."""
    links = kinematics.links()
    pairs = set()
    for closure in mechanism.chain.closures:
        a, b = (links[link][0] for link in closure.links)
        if closure.kind != "distance":
            pairs.add((min(a, b), max(a, b)))
    return pairs
