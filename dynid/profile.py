"""Profiles: one YAML file as a ``Robot`` with the settings of its tasks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import Field, create_model, model_validator

from dynid.arguments import check_path
from dynid.configuration import parse, read_yaml
from dynid.control.torque_mode_settings import TorqueControlSettings
from dynid.control.tracking.settings import TrackingSettings
from dynid.errors import ConfigurationError
from dynid.excitation.settings import ExcitationSettings, find_trajectory
from dynid.excitation.workspace.settings import WorkspaceSettings
from dynid.files import share_directories, write_text
from dynid.identification.settings import IdentificationSettings, Quantities, QuantitySettings
from dynid.input_file import is_file, read_text
from dynid.packages import Packages
from dynid.plugins import PROFILE_GROUPS, load_plugin, registered
from dynid.recording.settings import RecordingSettings
from dynid.robot.description import described_nominal, is_description, mesh_folder, read_description
from dynid.robot.model import Model
from dynid.robot.model_file import read_model
from dynid.robot.robot import Robot, check_counts
from dynid.robot.torque_settings import CollisionSettings, FeedforwardSettings
from dynid.robot.urdf_profile import expand_patterns, urdf_profile, with_urdf_limits
from dynid.robot_files import find_robot_file
from dynid.simulation.settings import SimulationSettings
from dynid.text import printable
from dynid.transaction import settled
from dynid.yaml_text import load_yaml, rewritten

_PARAMETERS = "/**"  # the key of a file of ROS 2 parameters


class _Profile(Robot):
    """The groups of a profile: those of the robot, and one for each task."""

    recording: RecordingSettings = RecordingSettings()
    identification: IdentificationSettings = IdentificationSettings()
    quantities: dict[str, QuantitySettings] = Field(default_factory=dict)
    excitation: ExcitationSettings | None = None
    """The motion that excites the robot; ``type`` chooses one of these."""
    workspace: WorkspaceSettings = WorkspaceSettings()
    feedforward: FeedforwardSettings = FeedforwardSettings()
    collision: CollisionSettings = CollisionSettings()
    torque_control: TorqueControlSettings = TorqueControlSettings()
    simulation: SimulationSettings | None = None
    tracking: TrackingSettings | None = None
    """The motion of ``dynid tracking``; ``type`` chooses one of these."""

    @model_validator(mode="after")
    def _counts_of_tasks_match(self) -> _Profile:
        tasks = (self.feedforward, self.collision, self.torque_control)
        for group in (self.identification.velocity_threshold, *tasks):
            check_counts(group, len(self.joints))
        return self

    def as_robot(self, urdf_xml: str) -> Robot:
        """Return the robot with the settings of its tasks."""
        robot_fields = Robot.model_fields
        robot = Robot.model_construct(
            _fields_set=self.model_fields_set & set(robot_fields),
            **{field.alias or name: getattr(self, name) for name, field in robot_fields.items()},
        )
        groups = {
            name: getattr(self, name)
            for name in type(self).model_fields
            if name not in robot_fields
        }
        groups["quantities"] = Quantities(by_name=self.quantities)
        tasks = (group for group in groups.values() if group is not None)
        described = robot.with_urdf(urdf_xml)
        # without a text, as in a check of a profile alone, there is nothing to be read
        limited = with_urdf_limits(described) if urdf_xml else described
        return limited.with_settings(*tasks)


def _profile_type(content: Mapping[str, Any]) -> type[_Profile]:
    """Return the type of a profile with those groups of plug-ins that the content has."""
    others = [key for key in content if key not in _Profile.model_fields and key != "robot"]
    added: dict[str, Any] = {
        key: (load_plugin(PROFILE_GROUPS, key, f"the profile's '{key}'"), ...)
        for key in others
        if key in registered(PROFILE_GROUPS)
    }
    return create_model("_ExtendedProfile", __base__=_Profile, **added) if added else _Profile


def load_robot(
    path_or_name: str | Path, *, urdf: str | Path | None = None, overrides: Iterable[str] = ()
) -> Robot:
    """Load a robot with the settings of its tasks.

    Args:
        path_or_name: a profile (``my_robot.yaml``), a robot of dynid (``ur10``), or a URDF or
            xacro, of which all joints but those of grippers and wheels are actuated.
        urdf: URDF to use in place of the profile's.
        overrides: ``key=value``, dots for nesting, value in YAML: ``identification.cutoff_hz=20``.

    Raises:
        ConfigurationError: profile or URDF not found, or an entry is unknown or invalid.
        WriteError: an interrupted run has left the profile's folder incomplete.
    """
    check_path("load_robot(): path_or_name", path_or_name)
    path = find_robot_file(str(path_or_name))
    with settled(path):
        return _load_robot(path, urdf, overrides)


def _load_robot(path: Path, urdf: str | Path | None, overrides: Iterable[str]) -> Robot:
    given = None if urdf is None else Path(urdf)
    changes = [overrides] if isinstance(overrides, str) else list(overrides)
    alone = read_description(path) if is_description(path) else None
    content = _content(path, alone, changes)
    if given is not None:
        content["urdf"] = given.name
    _resolve_files(content, path)
    find_trajectory(content, path)
    files = [path]
    if alone is None or given is not None:
        try:
            described = _urdf_file(str(content.get("urdf")), path, given)
            alone = read_description(described)
            files.append(described)
        except ConfigurationError:
            parse(_profile_type(content), content, path.name)  # a wrong entry comes first
            raise
    return make_robot(content, alone, where=path.name).read_from(*files)


def _content(path: Path, alone: str | None, changes: Iterable[str]) -> dict[str, Any]:
    """Return the content of a profile, or of a robot's description alone, with changes."""
    content = read_yaml(path) if alone is None else _bare_content(alone, path, changes)
    if _PARAMETERS in content:
        raise ConfigurationError(
            f"{printable(path)}: is a file of parameters and no profile; 'dynid new' makes a "
            "profile of a URDF, and a model.yaml goes to --model."
        )
    for override in changes:
        _override(content, override)
    return content


def profile_content(
    path_or_name: str, *, overrides: Iterable[str] = ()
) -> tuple[Path, dict[str, Any]]:
    """Return the file of a profile and its content, or that which stands for a URDF alone.

    Raises:
        ConfigurationError: profile not found, or no profile.
    """
    path = find_robot_file(path_or_name)
    alone = read_description(path) if is_description(path) else None
    return path, _content(path, alone, list(overrides))


def _bare_content(urdf_xml: str, path: Path, changes: Iterable[str]) -> dict[str, Any]:
    """Return the profile of a URDF alone; where a change names the joints, the rest is locked."""
    changed: dict[str, Any] = {}
    for override in changes:
        _override(changed, override)
    joints = changed.get("joints")
    if joints is not None:
        expand_patterns(changed, urdf_xml, path.name)
        joints = changed["joints"]
    content = urdf_profile(urdf_xml, path.name, joints)
    nominal = described_nominal(path)
    if nominal is not None:
        content["gravity"] = list(nominal.gravity)
    folder = mesh_folder(urdf_xml, path, Packages(beside=path))
    return content | ({} if folder is None else {"workspace": {"mesh_folder": str(folder)}})


def make_robot(content: Mapping[str, Any], urdf_xml: str, *, where: str = "profile") -> Robot:
    """Return the robot that a profile's content describes.

    Args:
        content: of a profile's YAML.
        urdf_xml: text of the URDF.
        where: names the content in error messages.

    Raises:
        ConfigurationError: an entry is unknown or invalid.
    """
    expanded = dict(content)
    expand_patterns(expanded, urdf_xml, where)
    return parse(_profile_type(expanded), expanded, where).as_robot(urdf_xml)


def load_model(path: str | Path) -> Model:
    """Load an identified model from its model.yaml.

    Raises:
        ModelFileError: the file is missing, incomplete, altered or inconsistent.
    """
    check_path("load_model(): path", path)
    return read_model(Path(path), make_robot)


def _resolve_files(content: dict[str, Any], path: Path) -> None:
    """Resolve names of files relative to the profile; those of a workspace fully, for a model."""
    groups = (content.get(name) for name in ("drives", "workspace"))
    drives, workspace = (group if isinstance(group, dict) else {} for group in groups)
    drive, srdf = drives.get("drive"), workspace.get("srdf")
    if isinstance(drive, str) and Path(drive).suffix in {".yaml", ".yml"}:
        beside = path.parent / drive
        drives["drive"] = str(beside) if is_file(beside) else drive
    if isinstance(srdf, str) and srdf:
        beside = path.parent / srdf
        workspace["srdf"] = str((beside if is_file(beside) else Path(srdf)).absolute())
    meshes = workspace.get("mesh_folder")
    if isinstance(meshes, str) and meshes and (path.parent / meshes).is_dir():
        workspace["mesh_folder"] = str((path.parent / meshes).absolute())


def _urdf_file(urdf: str, profile_path: Path, given: Path | None) -> Path:
    candidates = [given] if given else [profile_path.parent / urdf]
    if not given:
        candidates += [root / "urdf" / urdf for root in share_directories()]
    for candidate in candidates:
        if is_file(candidate):
            return candidate
    where = given or f"{urdf} (beside {profile_path.name} or in dynid's urdf folder)"
    raise ConfigurationError(f"URDF {where}: there is no such file; name one with --urdf.")


def _override(content: dict[str, Any], override: str) -> None:
    key, separator, text = override.partition("=")
    if not separator or not all(key.split(".")):
        raise ConfigurationError(
            f"--set {override}: must be key=value, such as identification.cutoff_hz=20."
        )
    if not text.strip():
        raise ConfigurationError(
            f"--set {override}: the value is missing; {key}=null omits an optional step."
        )
    value = load_yaml(text, f"--set {override}")
    *groups, last = key.split(".")
    target = content
    for group in groups:
        if target.get(group) is None:  # an optional group that the key adds
            target[group] = {}
        target = target[group]
        if not isinstance(target, dict):
            raise ConfigurationError(f"--set {override}: '{group}' is not a group of settings.")
    target[last] = value


def profile_text(path_or_name: str) -> str | None:
    """Return the text of a profile; None for a URDF or xacro, which has no profile.

    Raises:
        ConfigurationError: profile not found.
    """
    path = find_robot_file(path_or_name)
    return None if is_description(path) else read_text(path)


def write_profile(chosen: Robot, path: Path, *, given: str | None = None, note: str) -> None:
    """Write a profile so that dynid loads it as ``chosen``.

    Args:
        chosen: the robot.
        path: of the file.
        given: text of the original profile, whose comments are kept.
        note: what wrote the file, for the first line.

    Raises:
        WriteError: the file cannot be written.
    """
    content = chosen.yaml_content(exclude_unset=True)
    terms = chosen.terms
    content["terms"] = "auto" if terms == "auto" else [term.entry() for term in terms]
    write_content(content, path, given=given, note=note)


def write_content(content: Mapping[str, Any], path: Path, *, given: str | None, note: str) -> None:
    """Write the content of a profile; other arguments and errors as of :func:`write_profile`."""
    text = None if given is None else rewritten(given, content)
    if text is None:
        text = yaml.safe_dump(content, sort_keys=False, default_flow_style=None, width=100)
        note += "" if given is None else " The comments of the original profile are lost."
    write_text(path, text if text.startswith(f"# {note}\n") else f"# {note}\n{text}")
