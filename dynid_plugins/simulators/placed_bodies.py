"""The bodies of a model in the frames of a user's file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.rigid_body import RigidBody
from dynid.errors import ConfigurationError
from dynid.text import listed
from dynid_plugins.simulators.frame_alignment import FrameAlignment, align_frames, sample_positions

if TYPE_CHECKING:
    from dynid_plugins.simulators.exported_model import ExportedModel


class Description(Protocol):
    """A user's file of a robot."""

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints that can move."""
        ...

    def frames(self, joints: Sequence[str], positions: Array) -> Array:
        """Return the frames of the joints' bodies in the world (K, n, 4, 4)."""
        ...

    def bodies_on(self, joints: Sequence[str], number: int) -> list[RigidBody]:
        """Return what hangs on the body of a joint by others, in its frame at position 0."""
        ...


def placed_bodies(
    exported: ExportedModel, there: Description, joints: Sequence[str], where: str
) -> tuple[list[RigidBody], FrameAlignment]:
    """Return the body of each joint in the frame that a file gives it, without what keeps its own.

    Args:
        exported: with the bodies.
        there: the file's own joints and bodies.
        joints: names of the joints there, in the order of the model's.
        where: names the file in messages.

    Raises:
        ConfigurationError: the file moves differently, or what keeps its mass is too heavy.
    """
    positions = sample_positions(exported.model)
    own = exported.model.robot.kinematics().moving_frames(positions)
    names = exported.joints
    alignment = align_frames(own, there.frames(joints, positions), names, where)
    bodies = []
    for number, body in enumerate(exported.bodies):
        seen = body.seen_from(alignment.frames[number])
        bodies.append(_without(seen, there.bodies_on(joints, number), names[number], where))
    return bodies, alignment


def joint_names(
    joints: Sequence[str], there: Sequence[str], given: Mapping[str, str], where: str
) -> tuple[str, ...]:
    """Return the joint of a file for each joint of the model.

    A joint that is not named in ``given`` is the one of the same name, or the only one whose name
    ends in it after ``/`` or ``_``, or in whose name it ends.

    Raises:
        ConfigurationError: a joint is missing, or two joints would be the same.
    """
    for joint, name in given.items():
        if joint not in joints:
            raise ConfigurationError(
                f"--map {joint}={name}: the model has no such joint; it has {listed(joints)}."
            )
    found = {joint: given.get(joint) or _similar(joint, there) for joint in joints}
    for joint, similar in found.items():
        if similar not in there:
            raise ConfigurationError(
                f"{where}: has no joint '{similar or joint}'; it has "
                f"{listed(there) if there else 'none'}. Name the one for '{joint}' with --map "
                f"{joint}=NAME."
            )
    if len(set(found.values())) < len(joints):
        raise ConfigurationError(f"{where}: two joints of the model have the same joint there.")
    return tuple(str(name) for name in found.values())


def _similar(joint: str, there: Sequence[str]) -> str | None:
    if joint in there:
        return joint
    alike = [
        name
        for name in there
        if name.endswith((f"/{joint}", f"_{joint}")) or joint.endswith((f"/{name}", f"_{name}"))
    ]
    return alike[0] if len(alike) == 1 else None


def _without(body: RigidBody, others: list[RigidBody], joint: str, where: str) -> RigidBody:
    """Return a body without what keeps its own mass."""
    if not others:
        return body
    with np.errstate(over="ignore", invalid="ignore"):
        left = body.parameters - np.sum([one.parameters for one in others], axis=0)
    if left[0] > 0 and np.isfinite(left).all():
        rest = RigidBody.from_parameters(left)
        moments = np.linalg.eigvalsh(rest.inertia)
        if moments[0] > 0 and moments[2] <= moments[0] + moments[1]:
            return rest
    total = sum(one.mass for one in others)
    raise ConfigurationError(
        f"{where}: what hangs on the link of '{joint}' has {total:.4g} kg of its own, with "
        f"inertias that leave nothing a body can have of the {body.mass:.4g} kg identified behind "
        "the joint; reduce it first."
    )
