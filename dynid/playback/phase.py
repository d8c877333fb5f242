"""What a playback can be doing."""

from __future__ import annotations

from enum import Enum


class Phase(Enum):
    """What a playback does; slowing down counts as settling."""

    IDLE = "idle"
    MOVING = "moving"
    READY = "ready"
    PLAYING = "playing"
    SETTLING = "settling"
    STOPPING = "stopping"
    FINISHED = "finished"
    ABORTED = "aborted"


WATCHED = (Phase.MOVING, Phase.PLAYING, Phase.SETTLING)
"""When the robot has to follow."""

UNDER_WAY = (*WATCHED, Phase.STOPPING)
"""When it moves, or may still move."""
