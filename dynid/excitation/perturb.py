"""A motion a little to either side of itself, for central differences."""

from __future__ import annotations

import numpy as np

from dynid.excitation.motion import Motion


def nudged(motion: Motion, order: int, joint: int, step: float) -> tuple[Motion, Motion]:
    """Return a motion with one joint's quantity larger, and smaller, by a step at every sample.

    ``order`` 0 is position, 1 velocity, 2 acceleration, each for itself.
    """
    by = np.zeros(motion.position.shape[1])
    by[joint] = step
    name = Motion._fields[order]
    ahead, behind = (motion._replace(**{name: motion[order] + s * by}) for s in (1, -1))
    return ahead, behind
