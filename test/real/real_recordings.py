"""Recordings of real robots, which are not part of this repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from dynid.profile import RobotProfile
from dynid.recording import Recording, load_recording

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"

UR10 = DATA / "ur10" / "ur10_exciting_trajectory.db3"
TX40 = DATA / "tx40"
UR10E = DATA / "ur10e"


def needs(path: Path) -> pytest.MarkDecorator:
    return pytest.mark.skipif(not path.exists(), reason=f"the recording {path.name} is not here")


def load(
    profile: RobotProfile, path: Path, start: float | None = None, stop: float | None = None
) -> Recording:
    source = profile.recording
    return load_recording(
        path,
        profile.joints,
        columns=source.columns,
        sampling_rate=source.sampling_rate,
        start=start,
        stop=stop,
    )
