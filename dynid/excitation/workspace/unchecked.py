"""Sentences on what a check of the workspace does not cover, for its verdict."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from dynid.excitation.workspace.levers import moving_path
from dynid.excitation.workspace.meshes import missing_meshes
from dynid.excitation.workspace.pairs import TOUCHING
from dynid.text import listed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynid.dynamics.kinematics import Kinematics
    from dynid.excitation.workspace.geometry import BodySolids
    from dynid.excitation.workspace.pairs import LeftOut
    from dynid.excitation.workspace.settings import WorkspaceSettings


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
