"""fleet.yaml: types of robots, and where their recordings are."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field, model_validator

from dynid.configuration import Settings, parse, read_yaml
from dynid.errors import ConfigurationError
from dynid.input_file import is_file
from dynid.profile import load_robot
from dynid.robot.robot import Robot

ROBOT = "{robot}"
"""In a pattern: the part of a recording's path that names the robot."""


class TypeSettings(Settings):
    """One type of robot.

    Attributes:
        profile: name of a robot of dynid, or a profile relative to fleet.yaml.
        urdf: in place of the profile's, relative to fleet.yaml.
        overrides: of the profile's keys, as after ``--set``.
        recordings: patterns of paths or URLs, each with ``{robot}`` once.
        table: a CSV file with the columns robot, recording and, if known, time and temperature.
    """

    profile: str
    urdf: str | None = None
    overrides: tuple[str, ...] = Field(default=(), alias="set")
    recordings: tuple[str, ...] = ()
    table: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _one_pattern_is_a_list(cls, content: object) -> object:
        if isinstance(content, dict) and isinstance(content.get("recordings"), str):
            return content | {"recordings": [content["recordings"]]}
        return content

    @model_validator(mode="after")
    def _recordings_are_named(self) -> TypeSettings:
        if not self.recordings and self.table is None:
            raise ValueError("needs 'recordings' (patterns) or 'table' (a CSV file)")
        for pattern in self.recordings:
            if pattern.count(ROBOT) != 1:
                raise ValueError(
                    f"the pattern '{pattern}' must contain {ROBOT} once, where a path names the "
                    "robot"
                )
        return self


class FleetSettings(Settings):
    """The fleet.

    Attributes:
        data_set: folder of the results, relative to fleet.yaml.
        types: by their names.
    """

    data_set: str = Field(default="fleet", pattern=r"^[^\x00]+$")
    types: dict[str, TypeSettings] = Field(min_length=1)


def data_set_of(path: Path) -> Path:
    """Return the folder of the results of a fleet.yaml, without reading its profiles.

    Raises:
        ConfigurationError: an entry is unknown or invalid.
    """
    return path.parent / parse(FleetSettings, read_yaml(path), path.name).data_set


class Fleet:
    """A fleet as its file describes it.

    Attributes:
        folder: of fleet.yaml, which its paths are relative to.
        settings: the content.
        robots: a robot of each type, with its settings.
    """

    def __init__(self, path: Path) -> None:
        """Read a fleet.yaml and the profiles in it.

        Raises:
            ConfigurationError: a file is missing, or an entry is unknown or invalid.
        """
        self.folder = path.parent
        self.settings = parse(FleetSettings, read_yaml(path), path.name)
        self.robots = {
            name: _robot(path.parent, one, f"{path.name}, type '{name}'")
            for name, one in self.settings.types.items()
        }

    @property
    def data_set(self) -> Path:
        """Folder of the results."""
        return self.folder / self.settings.data_set


def _robot(folder: Path, settings: TypeSettings, where: str) -> Robot:
    profile = folder / settings.profile
    urdf = None if settings.urdf is None else folder / settings.urdf
    try:
        return load_robot(
            profile if is_file(profile) else settings.profile,
            urdf=urdf,
            overrides=settings.overrides,
        )
    except ConfigurationError as problem:
        raise ConfigurationError(f"{where}: {problem}") from None
