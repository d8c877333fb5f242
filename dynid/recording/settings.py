"""Settings of recordings: the profile's ``recording``."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, PositiveFloat, model_validator

from dynid.configuration import Settings, TaskSettings
from dynid.recording.columns import ColumnMap
from dynid.recording.corrections import Correction
from dynid.recording.joint_names import check_names


class TemperatureTopic(Settings):
    """Temperatures of joints or motors in a rosbag2."""

    topic: Annotated[str, Field(min_length=1)] = "/dynamic_joint_states"
    """Topic of ``control_msgs/DynamicJointState`` messages, or of ``sensor_msgs/Temperature``
    messages whose ``frame_id`` is the name of the joint."""
    interface: Annotated[str, Field(min_length=1)] = "temperature"
    """Name of the state interface in ``control_msgs/DynamicJointState``."""
    offset: float = 0.0
    """Added to the recorded values; -273.15 converts kelvin [°C]."""


class RecordingSettings(TaskSettings):
    """Topic or columns, and whether positions and efforts are of the joints or of the motors."""

    group = "recording"
    kept_with_model = True

    topic: str = "/joint_states"
    """Topic of the ``sensor_msgs/JointState`` messages in a rosbag2."""
    side: Literal["joint", "motor"] = "joint"
    """Where positions and efforts are measured: ``joint``, or ``motor`` (before the coupling)."""
    sampling_rate: PositiveFloat | None = None
    """Rate to resample to [Hz]; null: as recorded."""
    names: dict[str, str] = Field(default_factory=dict)
    """Names of joints in the URDF by their names in recordings, where these differ; one ``*`` on
    both sides stands for any text: ``{panda_joint*: fr3_joint*}``."""
    temperature: TemperatureTopic | None = None
    """Temperatures in a rosbag2, from which the report shows whether torque errors depend on them;
    null: read where the default topic has them."""
    corrections: tuple[Correction, ...] = ()
    """Corrections of what is recorded wrong, made when a recording is loaded: a factor, an offset,
    a delay, wrapped positions or the channel of another joint."""
    columns: ColumnMap | None = None
    """Column map of tables, or of fields of a bag; null: by their names."""

    @model_validator(mode="after")
    def _names_are_pairs(self) -> RecordingSettings:
        check_names(self.names)
        return self
