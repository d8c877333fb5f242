"""Recordings of tests as files that the command line reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from pathlib import Path

    from dynid.recording.model import Recording


def stored(recording: Recording, path: Path) -> Path:
    """Write a recording without its velocities as .npz; return the path."""
    np.savez(
        path,
        time=recording.time,
        position=recording.position,
        effort=recording.effort,
        joint_names=np.array(recording.joint_names),
    )
    return path
