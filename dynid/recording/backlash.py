"""Play in a gear: a motor's position is ahead of its joint on the side to which it pushes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from dynid.arrays import Array
from dynid.recording.contradiction import Contradiction
from dynid.text import listed, significant

_UNLOADED = 0.1  # of the rms torque: below, teeth change sides
_EXPLAINED = 0.5  # of the squared disagreement of velocity and position: most of it


class Play(NamedTuple):
    """Play of a gear between the sensors of a position and a velocity.

    Attributes:
        size: by which the position jumps against the velocity where torque changes its sign [rad
            or m].
        margin: half of its confidence interval.
        explained: share of the squared disagreement, beyond slope and lag, that it explains.
    """

    size: float
    margin: float
    explained: float

    @property
    def is_seen(self) -> bool:
        """Whether it explains most of what velocity and position disagree by."""
        return abs(self.size) > self.margin and self.explained > _EXPLAINED


def side_of_teeth(torque: Array) -> Array:
    """Return the side on which teeth touch, from -1 to 1, by the sign of torque (N, n)."""
    near = _UNLOADED * np.sqrt(np.mean(torque**2, axis=0))
    return np.asarray(torque / np.maximum(np.hypot(torque, near), 1e-300))


def backlash(plays: Mapping[str, Play]) -> Iterator[Contradiction]:
    """Yield the joints whose position jumps against their velocity where torque changes its sign.

    Args:
        plays: that are seen, by joint.
    """
    if not plays:
        return
    sizes = listed(significant(abs(play.size), 3) for play in plays.values())
    yield Contradiction(
        kind="backlash",
        joints=tuple(plays),
        severity="warning",
        sentence=(
            f"The position of {listed(plays)} jumps against the recorded velocity where "
            f"torque changes its sign, by {sizes} rad or m: they are measured on two sides of a "
            "gear with play."
        ),
        remedy=(
            f"Check the gear of {listed(plays)} for backlash, and record position and velocity on "
            "the same side."
        ),
        evidence={f"play of {joint}": abs(play.size) for joint, play in plays.items()},
    )
