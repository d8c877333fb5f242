"""Frames of the same bodies in two descriptions of a robot, compared over positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pinocchio

from dynid.arrays import Array
from dynid.errors import ConfigurationError

if TYPE_CHECKING:
    from dynid.robot.model import Model

_POSITIONS = 20
_MOST_METRES, _MOST_RADIANS = 2e-3, 5e-3  # of rounded numbers in descriptions
_TOWARDS_IDENTITY = 1e-9  # where the axes do not determine how the roots are turned


@dataclass(frozen=True, eq=False)
class FrameAlignment:
    """The frames of the joints' bodies in another description.

    Attributes:
        root: (4, 4) the model's root frame in the other world frame.
        frames: (n, 4, 4) frame of each body there, in the frame of its joint here.
        distance: largest difference of their positions [m].
        angle: largest difference of their directions [rad].
    """

    root: Array
    frames: Array
    distance: float
    angle: float

    @property
    def fits(self) -> bool:
        """Whether the descriptions differ by rounded numbers at most."""
        return self.distance <= _MOST_METRES and self.angle <= _MOST_RADIANS


def sample_positions(model: Model) -> Array:
    """Return positions at which two descriptions are compared; the first is 0.

    They are (K, m) of the moving joints [rad or m], with loops open.
    """
    kinematics = model.robot.kinematics()
    slides = kinematics.moving_slides
    spread = np.where(np.array(slides), 0.5 * kinematics.reach, 1.0)
    random = np.random.default_rng(0).uniform(-spread, spread, (_POSITIONS, len(slides)))
    return np.vstack([np.zeros(len(slides)), random])


def align_frames(own: Array, other: Array, joints: Sequence[str], where: str) -> FrameAlignment:
    """Find how two descriptions of a robot place the frames of its bodies.

    Motions of a body between two positions are A in one root frame and B in the other, A X = X B
    (Park, Martin: Robot sensor calibration, 1994). Where all axes are parallel, the roots are taken
    as turned about them as little as possible.

    Args:
        own: (K, n, 4, 4) frames of the model's bodies; the first at position 0.
        other: (K, n, 4, 4) of the other description, at the same positions.
        joints: their names.
        where: names the other description in messages.

    Raises:
        ConfigurationError: the descriptions move differently, or numbers of the other one are not
            finite.
    """
    if not np.isfinite(other).all():
        raise ConfigurationError(f"{where}: frames of its joints or links are not finite.")
    found = _aligned(own, other)
    if found.fits:
        return found
    for number, joint in enumerate(joints):
        upto = _aligned(own[:, : number + 1], other[:, : number + 1])
        if not upto.fits:
            raise ConfigurationError(
                f"{where}: its joint for '{joint}' is not where the model has it: they differ by "
                f"up to {1e3 * upto.distance:.3g} mm and {np.degrees(upto.angle):.3g} deg over the "
                "workspace; axes, directions, positions 0 and lengths of both descriptions have to "
                "be equal."
            )
    return found


def _aligned(own: Array, other: Array) -> FrameAlignment:
    root = _root(own, other)
    found = np.linalg.inv(root @ own) @ other
    frames = found[0]
    distance = np.linalg.norm(found[..., :3, 3] - frames[:, :3, 3], axis=-1)
    turns = np.swapaxes(frames[:, :3, :3], -1, -2) @ found[..., :3, :3]
    angle = [[np.linalg.norm(pinocchio.log3(one)) for one in row] for row in turns]
    return FrameAlignment(root, frames, float(distance.max()), float(np.max(angle)))


def _root(own: Array, other: Array) -> Array:
    first, second = _motions(own), _motions(other)
    turned = np.array([pinocchio.log3(one) for one in first[:, :3, :3]])
    seen = np.array([pinocchio.log3(one) for one in second[:, :3, :3]])
    # Kabsch: the rotation that turns the one rotation vectors into the others
    u, _, vt = np.linalg.svd(seen.T @ turned + _TOWARDS_IDENTITY * np.eye(3))
    rotation = u @ np.diag([1.0, 1.0, np.linalg.det(u @ vt)]) @ vt
    left = (second[:, :3, :3] - np.eye(3)).reshape(-1, 3)
    right = (first[:, :3, 3] @ rotation.T - second[:, :3, 3]).reshape(-1)
    root = np.eye(4)
    root[:3, :3] = rotation
    root[:3, 3] = np.linalg.lstsq(left, right, rcond=1e-9)[0]
    return root


def _motions(frames: Array) -> Array:
    """Return the motion of each body from the first position to every other one (M, 4, 4)."""
    return np.asarray((frames[1:] @ np.linalg.inv(frames[:1])).reshape(-1, 4, 4))
