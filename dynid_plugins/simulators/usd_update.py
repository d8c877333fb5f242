"""A layer of USD over a user's file, with the inertias and joint terms of a model."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dynid.errors import ConfigurationError
from dynid_plugins.simulators.placed_bodies import placed_bodies
from dynid_plugins.simulators.tree_layout import torque_limits
from dynid_plugins.simulators.usd_properties import set_axis, set_body
from dynid_plugins.simulators.usd_stage import opened_file, usd_errors, usd_library
from dynid_plugins.simulators.usd_tree import UsdTree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynid.dynamics.rigid_body import RigidBody
    from dynid_plugins.simulators.exported_model import ExportedModel
    from dynid_plugins.simulators.frame_alignment import FrameAlignment
    from dynid_plugins.simulators.usd_stage import UsdLibrary

_STAGE = ("metersPerUnit", "kilogramsPerUnit", "upAxis", "timeCodesPerSecond", "defaultPrim")
"""What a stage takes from its root layer only."""


def usd_joints(where: Path) -> tuple[str, ...]:
    """Return names of the movable joints in a file of USD."""
    return UsdTree(opened_file(where), str(where)).joints


def updated_usd(
    where: Path, exported: ExportedModel, joints: tuple[str, ...]
) -> tuple[str, FrameAlignment]:
    """Return a layer over a user's file, which stays as it is, to be saved in the same folder.

    The link of each joint gets what the model has behind the joint, except for links that hang on
    it by other joints, also fixed ones: they keep their mass.

    Args:
        where: the user's file, in any form of USD.
        exported: with the terms of ``USD_TERMS``.
        joints: names of the joints there, in the order of the model's.

    Raises:
        ConfigurationError: the file cannot be read, moves differently, a link that keeps its mass
            states none or is too heavy, or a link is a part of an instance.
    """
    library, stage = usd_library(), opened_file(where)
    there = UsdTree(stage, str(where))
    _check_masses(there, joints, str(where))
    bodies, alignment = placed_bodies(exported, there.tree, joints, str(where))
    with usd_errors(str(where)):
        layer = stage.GetSessionLayer()
        stage.SetEditTarget(layer)
        _set_joints(library, there, exported, joints, bodies, str(where))
        for key in _STAGE:
            if stage.GetRootLayer().pseudoRoot.HasInfo(key):
                layer.pseudoRoot.SetInfo(key, stage.GetRootLayer().pseudoRoot.GetInfo(key))
        layer.subLayerPaths = [f"./{where.name}"]
        return str(layer.ExportToString()), alignment


def _set_joints(
    library: UsdLibrary,
    there: UsdTree,
    exported: ExportedModel,
    joints: tuple[str, ...],
    bodies: Sequence[RigidBody],
    where: str,
) -> None:
    limits = torque_limits(exported)
    for number, name in enumerate(joints):
        for prim in (there.link(name), there.joint(name)):
            if prim.IsInstanceProxy():
                raise ConfigurationError(
                    f"{where}: '{prim.GetPath()}' is a part of an instance, which cannot be "
                    "changed; make it not instanceable."
                )
        set_body(library, there.link(name), bodies[number])
        axis, slides = exported.terms.axes[number], exported.mechanism.prismatic[number]
        torque = None if limits is None else float(limits[number])
        set_axis(library, there.joint(name), axis, torque, slides=slides)


def _check_masses(there: UsdTree, joints: tuple[str, ...], where: str) -> None:
    """Require a mass of every link that keeps its own; simulators would guess it from shapes."""
    moved = {there.tree.link(name) for name in joints}
    for path, body in there.bodies.items():
        carrier = there.tree.carrier(path, joints)
        if body is None and carrier is not None and path not in moved:
            raise ConfigurationError(
                f"{where}: the link '{path}' has no mass; give it one (physics:mass), which is a "
                "part of what was identified behind its joint."
            )
