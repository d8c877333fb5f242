"""Recordings that a command is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from dynid.profile import RobotProfile
    from dynid.recording.model import Recording


def load_recordings(
    paths: list[Path],
    profile: RobotProfile,
    start: float | None,
    stop: float | None,
    step: Callable[[str], None],
) -> list[Recording]:
    """Read each as the profile describes it, from ``start`` to ``stop`` [s]."""
    loaded = []
    for path in paths:
        step(f"reading {path.name}")
        loaded.append(profile.load_recording(path, start=start, stop=stop))
    return loaded
