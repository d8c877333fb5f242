"""Where the robot's state is found in a recording: the profile's ``recording``."""

from __future__ import annotations

from typing import Literal

from pydantic import PositiveFloat

from dynid.configuration import TaskSettings
from dynid.recording.columns import ColumnMap


class RecordingSettings(TaskSettings):
    """Topic or columns, and whether positions and efforts are of the joints or of the motors."""

    group = "recording"
    kept_with_model = True

    topic: str = "/joint_states"
    side: Literal["joint", "motor"] = "joint"
    sampling_rate: PositiveFloat | None = None
    columns: ColumnMap | None = None
