"""Recordings of real robots, which are not part of this repository."""

from __future__ import annotations

from pathlib import Path

import pytest

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"

UR10 = DATA / "ur10" / "ur10_exciting_trajectory.db3"
TX40 = DATA / "tx40"
UR10E = DATA / "ur10e"
DVRK = DATA / "dvrk"
LWR = DATA / "lwr" / "recording_1.npz"
PANDA = DATA / "panda" / "exciting_trajectory.csv"
EMPS = DATA / "emps"
KR300 = DATA / "kr300"


def needs(path: Path) -> pytest.MarkDecorator:
    return pytest.mark.skipif(
        not path.exists(), reason=f"the recording {path.name} is not available"
    )
