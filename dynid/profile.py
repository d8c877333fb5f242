"""The robot profile: one YAML file with everything about a robot but its parameters."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
import yaml
from pydantic import Field, PositiveFloat, model_validator

from dynid.configuration import Settings, parse, read_yaml
from dynid.control.settings import CollisionSettings, FeedforwardSettings
from dynid.control.tracking.settings import TrackingSettings
from dynid.dynamics.joint_term import JointTerm
from dynid.dynamics.mechanism import Mechanism
from dynid.dynamics.settings import ClosedChainSettings, TermSettings
from dynid.errors import ConfigurationError
from dynid.excitation.files import find_trajectory
from dynid.excitation.settings import ExcitationSettings
from dynid.excitation.workspace.settings import WorkspaceSettings
from dynid.identification.quantity_settings import QuantitySettings
from dynid.recording.columns import ColumnMap
from dynid.recording.load import load_recording
from dynid.recording.model import Recording
from dynid.robot.drive_factors import with_drive_limits
from dynid.robot.drives import Drives
from dynid.robot.limits import Limits
from dynid.signals.settings import IdentificationSettings
from dynid.simulation.settings import SimulationSettings


class RecordingSettings(Settings):
    """Where the robot's state is found in a recording."""

    topic: str = "/joint_states"
    side: Literal["joint", "motor"] = "joint"
    sampling_rate: PositiveFloat | None = None
    columns: ColumnMap | None = None


class RobotProfile(Settings):
    """A robot, its drives, and how it is excited and identified. ``joints`` are in drive order."""

    robot: str
    urdf: str
    joints: Annotated[tuple[str, ...], Field(min_length=1)]
    locked: dict[str, float] = Field(default_factory=dict)
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)
    coupling: tuple[tuple[float, ...], ...] | None = None
    closed_chain: ClosedChainSettings = ClosedChainSettings()
    payload_joint: str | None = None
    semi_static: bool = False
    limits: Limits = Limits()
    drives: Drives = Drives()
    terms: tuple[TermSettings, ...] = (
        TermSettings(kind="viscous"),
        TermSettings(kind="coulomb"),
        TermSettings(kind="offset"),
    )
    recording: RecordingSettings = RecordingSettings()
    identification: IdentificationSettings = IdentificationSettings()
    quantities: dict[str, QuantitySettings] = Field(default_factory=dict)
    excitation: ExcitationSettings | None = None
    workspace: WorkspaceSettings = WorkspaceSettings()
    feedforward: FeedforwardSettings = FeedforwardSettings()
    collision: CollisionSettings = CollisionSettings()
    simulation: SimulationSettings | None = None
    tracking: TrackingSettings | None = None

    @model_validator(mode="after")
    def _joints_are_told_apart(self) -> RobotProfile:
        if len(set(self.joints)) != len(self.joints):
            raise ValueError("a joint is listed twice in 'joints'")
        for joint in self.closed_chain.passive:
            if joint in self.joints:
                raise ValueError(
                    f"joint '{joint}' is in 'joints', so it has a drive, and in "
                    "'closed_chain.passive' as well; it can be in one of them only"
                )
        return self

    @model_validator(mode="after")
    def _counts_match(self) -> RobotProfile:
        n = len(self.joints)
        for group in (
            self.limits,
            self.drives,
            self.identification.velocity_threshold,
            self.feedforward,
            self.collision,
        ):
            for name, value in group:
                if isinstance(value, tuple) and len(value) not in (1, n):
                    raise ValueError(
                        f"'{name}' has {len(value)} values, expected 1 or {n} (one per joint)"
                    )
        if self.coupling is not None and {len(self.coupling), *map(len, self.coupling)} != {n}:
            raise ValueError(f"'coupling' must be a {n} x {n} matrix (motor to joint)")
        moving = self.moving_joints
        for term in self.terms:
            for joint in () if term.joints == "all" else term.joints:
                if joint not in moving:
                    raise ValueError(
                        f"term '{term.kind}' names joint '{joint}', which is not in 'joints'"
                    )
        return self

    @property
    def moving_joints(self) -> tuple[str, ...]:
        """The actuated joints in drive order and, behind them, the passive ones."""
        return (*self.joints, *self.closed_chain.passive)

    @model_validator(mode="after")
    def _drives_limit_what_is_left_open(self) -> RobotProfile:
        limits = with_drive_limits(self.limits, self.drives, len(self.joints))
        return self if limits == self.limits else self.model_copy(update={"limits": limits})

    def joint_terms(self) -> tuple[JointTerm, ...]:
        """The joint terms in the order of the profile, joint by joint within a kind."""
        return tuple(
            JointTerm(
                kind=term.kind,
                joint=self.moving_joints.index(joint),
                side=term.side,
                smoothing=term.smoothing,
                scale=term.scale,
                dead_band=term.dead_band,
                static_ratio=term.static_ratio,
                stribeck_velocity=term.stribeck_velocity,
            )
            for term in self.terms
            for joint in (self.joints if term.joints == "all" else term.joints)
        )

    def mechanism(self, urdf_xml: str) -> Mechanism:
        """The mechanism this profile describes on top of a URDF.

        Raises:
            MechanismError: the URDF lacks a joint, or joint, coupling and terms do not fit.
        """
        return Mechanism(
            urdf_xml,
            self.joints,
            locked=self.locked,
            gravity=self.gravity,
            coupling=None if self.coupling is None else np.array(self.coupling),
            terms=self.joint_terms(),
            chain=self.closed_chain.chain(),
            payload_joint=self.payload_joint,
            semi_static=self.semi_static,
        )

    def load_recording(
        self,
        path: Path,
        *,
        topic: str | None = None,
        start: float | None = None,
        stop: float | None = None,
    ) -> Recording:
        """Load a recording of this robot, as the profile's ``recording`` group describes it.

        Args:
            path: any file or folder that dynid.recording.load_recording takes.
            topic: in a bag, in place of the profile's.
            start: leave out what lies before [s].
            stop: leave out what lies behind [s].

        Raises:
            RecordingError: it cannot be read, or lacks a joint.
        """
        source = self.recording
        return load_recording(
            path,
            self.joints,
            topic=topic or source.topic,
            columns=source.columns,
            sampling_rate=source.sampling_rate,
            start=start,
            stop=stop,
        )


def load_profile(
    name: str, *, urdf: Path | None = None, overrides: Iterable[str] = ()
) -> tuple[RobotProfile, str]:
    """Load a profile by name (``ur10``) or file (``my_robot.yaml``) together with its URDF's text.

    Args:
        name: a profile shipped with dynid, or the path of a YAML file.
        urdf: URDF to use in place of the profile's.
        overrides: ``key=value``, dots for nesting, value in YAML: ``identification.cutoff_hz=20``.

    Raises:
        ConfigurationError: no such profile or URDF, or an entry is unknown or impossible.
    """
    path = _profile_path(name)
    content = read_yaml(path)
    for override in overrides:
        _override(content, override)
    if urdf is not None:
        content["urdf"] = urdf.name
    _find_drive(content, path)
    find_trajectory(content, path)
    profile = parse(RobotProfile, content, path.name)
    return profile, _urdf_text(profile.urdf, path, urdf)


def _find_drive(content: dict[str, Any], path: Path) -> None:
    """Take a drive profile's file for one beside the robot profile, as the URDF's is."""
    drives = content.get("drives")
    drive = drives.get("drive") if isinstance(drives, dict) else None
    if isinstance(drive, str) and Path(drive).suffix in {".yaml", ".yml"}:
        beside = path.parent / drive
        if isinstance(drives, dict) and beside.is_file():
            drives["drive"] = str(beside)


def parse_profile(text: str, where: str) -> RobotProfile:
    """A profile from its YAML text, as a model.yaml carries it."""
    try:
        content = yaml.safe_load(text)
    except yaml.YAMLError:
        content = None
    if not isinstance(content, Mapping):
        raise ConfigurationError(f"{where}: the profile in it is not a YAML mapping.")
    return parse(RobotProfile, content, where)


def share_directories() -> list[Path]:
    """Where shipped profiles and URDFs can be: source tree, virtual environment, ROS prefix."""
    here = Path(__file__).resolve()
    roots = [here.parents[1], Path(sys.prefix) / "share" / "dynid"]
    roots += [parent / "share" / "dynid" for parent in here.parents[2:6]]
    return [root for root in roots if (root / "config" / "robots").is_dir()]


def shipped_profiles() -> list[str]:
    """Names of the profiles that come with dynid."""
    found = [p for root in share_directories()[:1] for p in root.glob("config/robots/*.yaml")]
    return sorted(path.stem for path in found)


def _profile_path(name: str) -> Path:
    path = Path(name)
    if path.suffix in {".yaml", ".yml"}:
        return path
    for root in share_directories():
        candidate = root / "config" / "robots" / f"{name}.yaml"
        if candidate.is_file():
            return candidate
    raise ConfigurationError(
        f"profile '{name}': not shipped with dynid ({', '.join(shipped_profiles())}), "
        "and not a file that ends in .yaml."
    )


def _urdf_text(urdf: str, profile_path: Path, given: Path | None) -> str:
    candidates = [given] if given else [profile_path.parent / urdf]
    if not given:
        candidates += [root / "urdf" / urdf for root in share_directories()]
    for candidate in candidates:
        if candidate.is_file():
            try:
                return candidate.read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError) as error:
                raise ConfigurationError(f"{candidate}: cannot be read ({error}).") from None
    where = given or f"{urdf} (beside {profile_path.name} or in dynid's urdf folder)"
    raise ConfigurationError(f"URDF {where}: there is no such file; name one with --urdf.")


def _override(content: dict[str, Any], override: str) -> None:
    key, separator, text = override.partition("=")
    if not separator or not all(key.split(".")):
        raise ConfigurationError(
            f"--set {override}: must read key=value, such as identification.cutoff_hz=20."
        )
    if not text.strip():
        raise ConfigurationError(
            f"--set {override}: the value is missing; {key}=null leaves an optional step out."
        )
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError:
        raise ConfigurationError(f"--set {override}: the value is not valid YAML.") from None
    *groups, last = key.split(".")
    target = content
    for group in groups:
        if target.get(group) is None:  # an optional group left out, which the key brings in
            target[group] = {}
        target = target[group]
        if not isinstance(target, dict):
            raise ConfigurationError(f"--set {override}: '{group}' is not a group of settings.")
    target[last] = value
