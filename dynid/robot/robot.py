"""The robot, independent of what is done with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import numpy as np
from pydantic import Field, PrivateAttr, model_validator

from dynid.arrays import Array
from dynid.configuration import OF_PYDANTIC, Settings, TaskSettings, parse
from dynid.dynamics.closed_chain import ClosedChainSettings
from dynid.dynamics.joint_terms import JointTerm, TermSettings, plain_terms, term_kinds
from dynid.dynamics.kinematics import Kinematics
from dynid.dynamics.mechanism import Mechanism
from dynid.dynamics.urdf_text import prismatic_joints
from dynid.errors import ConfigurationError
from dynid.file_names import FileName
from dynid.notebook import ReadFromFile, unknown_attribute
from dynid.recording.settings import RecordingSettings
from dynid.robot.drives import Drives, with_drive_limits
from dynid.robot.limits import Limits
from dynid.robot.servo import Servo

if TYPE_CHECKING:
    from pydantic._internal._model_construction import ModelMetaclass
    from typing_extensions import Self
else:
    ModelMetaclass = type(Settings)

TaskT = TypeVar("TaskT", bound=TaskSettings)
Terms = tuple[TermSettings, ...] | Literal["auto"]


class _Terms(Settings):
    terms: Terms


@dataclass(frozen=True, eq=False)
class ReadFiles:
    """Files that something was read from; robots from different files may be equal."""

    paths: tuple[Path, ...] = ()

    def __eq__(self, other: object) -> bool:
        """Return whether the other is of the same kind."""
        return isinstance(other, ReadFiles)

    def __hash__(self) -> int:
        """Return the same for all, as all are equal."""
        return hash(ReadFiles)


class _RobotClass(ReadFromFile, ModelMetaclass):
    """Metaclass of pydantic's models whose instances are read from files."""

    def __dir__(self) -> list[str]:
        """Return the names that dynid gives a meaning, without those of pydantic."""
        return sorted(set(super().__dir__()) - OF_PYDANTIC)


class Robot(Settings, metaclass=_RobotClass):
    """A robot: its URDF, joints, limits, drives and joint terms. ``joints`` are in drive order.

    It carries the settings of its tasks (how it is recorded, identified, excited, simulated, …) but
    does not use them: each task gets its own by their class, see :meth:`settings`. Immutable;
    created by :func:`dynid.profile.load_robot` or :func:`dynid.profile.make_robot`.
    """

    name: FileName = Field(alias="robot")
    """Name of the robot in the model, the report and the identified URDF."""
    urdf: str
    """URDF file, beside the profile or in dynid's urdf folder."""
    joints: Annotated[tuple[str, ...], Field(min_length=1)]
    """Actuated joints as the URDF names them, in drive order; recordings are matched by name. A
    pattern such as ``arm_*`` stands for all that match, in the order of the URDF."""
    locked: dict[str, float] = Field(default_factory=dict)
    """Other movable joints, and the position each is held at [rad or m]; also patterns such as
    ``gripper_*: 0``, or a list of names and patterns, held at 0 or the nearest limit. Joints that
    are named nowhere are held at 0."""
    gravity: tuple[float, float, float] | Literal["by_robot"] = (0.0, 0.0, -9.81)
    """Acceleration of gravity in the frame of the URDF's root link [m/s^2]; ``by_robot``: the
    robot's controller compensates it, so that recorded and commanded torques exclude it."""
    coupling: tuple[tuple[float, ...], ...] | None = None
    """Matrix T of q_joint = T q_motor, n rows of n numbers; null: each motor moves one joint."""
    closed_chain: ClosedChainSettings = ClosedChainSettings()
    """Passive joints and loop closures."""
    payload_joint: str | None = None
    """Joint whose body carries a payload; null: the last joint."""
    semi_static: bool = False
    """Whether the model has gravity and joint terms only; identified from slow motion."""
    limits: Limits = Limits()
    """Limits of drives and mechanics."""
    drives: Drives = Drives()
    """Data sheet of drives, motors and gears."""
    servo: Servo | None = None
    """Position loop of servos, whose torque is not measured; null: no servos."""
    terms: Terms = "auto"
    """Joint terms: friction, rotor inertias, springs and offsets; ``auto``: the identification
    chooses friction from the recordings, everything else uses ``viscous``, smoothed ``coulomb``,
    ``offset`` and ``rotor_inertia``."""
    _urdf_xml: str = PrivateAttr(default="")
    _tasks: tuple[TaskSettings, ...] = PrivateAttr(default=())
    _files: ReadFiles = PrivateAttr(default=ReadFiles())

    if not TYPE_CHECKING:  # a type checker must refuse unknown names

        def __getattr__(self, name: str) -> object:
            """Return a private attribute, or raise an AttributeError that names what is meant."""
            if name.startswith("_"):
                return super().__getattr__(name)
            raise unknown_attribute(self, name)

    @property
    def urdf_xml(self) -> str:
        """The URDF's text; ``urdf`` is the name of its file."""
        return self._urdf_xml

    @property
    def files(self) -> tuple[Path, ...]:
        """Files that the robot was read from, the profile and the URDF, which are never written."""
        return self._files.paths

    def read_from(self, *files: Path) -> Robot:
        """Return the same robot, read from these files."""
        changed = self.model_copy()
        changed._files = ReadFiles(files)  # noqa: SLF001  own class
        return changed

    @property
    def modelled_gravity(self) -> tuple[float, float, float]:
        """Acceleration of gravity that torques contain [m/s^2]; 0 if the robot compensates it."""
        return (0.0, 0.0, 0.0) if self.gravity == "by_robot" else self.gravity

    @property
    def moving_joints(self) -> tuple[str, ...]:
        """The actuated joints in drive order, followed by the passive ones."""
        return (*self.joints, *self.closed_chain.passive)

    @property
    def at_motors(self) -> bool:
        """Whether recordings and commands are of the motors, in place of the joints."""
        return self.settings(RecordingSettings).side == "motor"

    @property
    def motor_coupling(self) -> Array | None:
        """T of q_joint = T q_motor where recordings and commands are of coupled motors, or None."""
        return np.array(self.coupling) if self.at_motors and self.coupling is not None else None

    @property
    def tasks(self) -> tuple[TaskSettings, ...]:
        """The settings of all tasks."""
        return self._tasks

    def settings(self, kind: type[TaskT]) -> TaskT:
        """Return the settings of one task: those of the robot, else their defaults."""
        stored = self.find(kind)
        return kind() if stored is None else stored

    def find(self, kind: type[TaskT]) -> TaskT | None:
        """Return the settings of one task, or None if the robot has none."""
        return next((task for task in self._tasks if isinstance(task, kind)), None)

    def with_settings(self, *changed: TaskSettings) -> Robot:
        """Return the same robot with other settings of some tasks."""
        by_group = {task.group: task for task in (*self._tasks, *changed)}
        return self._with(tasks=tuple(by_group.values()))

    def without_settings(self, kind: type[TaskSettings]) -> Robot:
        """Return the same robot without settings of a task."""
        return self._with(tasks=tuple(task for task in self._tasks if task.group != kind.group))

    def with_urdf(self, urdf_xml: str) -> Robot:
        """Return the same robot with another URDF, as text."""
        return self._with(urdf_xml=urdf_xml)

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy with some of the robot's own fields replaced, unchecked.

        Raises:
            TypeError: ``update`` has an unknown field; for settings of tasks use
                :meth:`with_settings`.
        """
        unknown = set(update or {}) - set(type(self).model_fields)
        if unknown:
            raise TypeError(f"a Robot has no field {', '.join(sorted(unknown))}")
        return super().model_copy(update=update, deep=deep)

    def with_terms(self, terms: Sequence[TermSettings]) -> Robot:
        """Return the same robot with other joint terms."""
        return self.model_copy(update={"terms": tuple(terms)})

    def with_checked_terms(self, terms: object, where: str) -> Robot:
        """Return the same robot with other joint terms, given as in a profile.

        Args:
            terms: ``auto``, or a list of TermSettings, of mappings or of kinds; or a single kind.
            where: names them in error messages.

        Raises:
            ConfigurationError: an entry is unknown or invalid.
        """
        alone = isinstance(terms, str | TermSettings) and terms != "auto"
        checked = parse(_Terms, {"terms": [terms] if alone else terms}, where).terms
        known = [kind.name for kind in term_kinds()]
        unknown = [] if checked == "auto" else [t.kind for t in checked if t.kind not in known]
        if unknown:
            raise ConfigurationError(
                f"{where}: key 'terms': '{unknown[0][:60]}' is neither 'auto' nor a joint term; "
                f"available: {', '.join(known)}."
            )
        try:
            check_terms(checked, self.moving_joints)
        except ValueError as error:
            raise ConfigurationError(f"{where}: {error}.") from None
        return self.model_copy(update={"terms": checked})

    @property
    def explicit_terms(self) -> tuple[TermSettings, ...]:
        """The joint terms; the plain ones where the recordings are to choose (``auto``)."""
        if self.terms != "auto":
            return self.terms
        sliding = prismatic_joints(self._urdf_xml)
        return plain_terms(self.joints, [joint in sliding for joint in self.joints])

    def with_explicit_terms(self) -> Robot:
        """Return the same robot with :attr:`explicit_terms` in place of ``auto``."""
        return self if self.terms != "auto" else self.with_terms(self.explicit_terms)

    def joint_terms(self) -> tuple[JointTerm, ...]:
        """Return the joint terms in the order of the profile, joint by joint within a kind."""
        return tuple(
            term.at(self.moving_joints.index(joint))
            for term in self.explicit_terms
            for joint in (self.joints if term.joints == "all" else term.joints)
        )

    def mechanism(self) -> Mechanism:
        """Return the mechanism of this robot, with the parameters of its URDF.

        Raises:
            MechanismError: the URDF lacks a joint, or joints, coupling and terms do not match.
        """
        return Mechanism(
            self.urdf_xml,
            self.joints,
            locked=self.locked,
            gravity=self.modelled_gravity,
            coupling=None if self.coupling is None else np.array(self.coupling),
            terms=self.joint_terms(),
            chain=self.closed_chain.chain(),
            payload_joint=self.payload_joint,
            semi_static=self.semi_static,
        )

    def kinematics(self, *, tool: str | None = None) -> Kinematics:
        """Return the kinematics of this robot's bodies, for positions as recorded.

        Args:
            tool: link whose origin is the tool point; None for the last one.

        Raises:
            MechanismError: the URDF lacks a joint.
            ConfigurationError: the URDF has no link of the tool's name.
        """
        return Kinematics(self.mechanism(), tool=tool, at_motors=self.at_motors)

    def yaml_content(
        self, *, with_model_only: bool = False, exclude_unset: bool = False
    ) -> dict[str, Any]:
        """Return the profile of this robot and its tasks, as a mapping for YAML.

        Args:
            with_model_only: omit the tasks that a model.yaml does not contain.
            exclude_unset: omit default values.
        """
        content = self.model_dump(mode="json", by_alias=True, exclude_unset=exclude_unset)
        for task in self._tasks:
            values = task.content(exclude_unset=exclude_unset)
            if (task.kept_with_model or not with_model_only) and (values or not exclude_unset):
                content[task.group] = values
        return content

    def __repr__(self) -> str:
        """Return one line: name, joints, URDF."""
        return f"Robot({self.name!r}, {len(self.joints)} joints, urdf={self.urdf!r})"

    __str__ = __repr__

    def _with(
        self, *, urdf_xml: str | None = None, tasks: tuple[TaskSettings, ...] | None = None
    ) -> Robot:
        changed = self.model_copy()
        changed._urdf_xml = self._urdf_xml if urdf_xml is None else urdf_xml  # noqa: SLF001  own class
        changed._tasks = self._tasks if tasks is None else tasks  # noqa: SLF001
        return changed

    @model_validator(mode="after")
    def _joints_are_told_apart(self) -> Robot:
        if len(set(self.joints)) != len(self.joints):
            raise ValueError("a joint is listed twice in 'joints'")
        for joint in self.closed_chain.passive:
            if joint in self.joints:
                raise ValueError(
                    f"joint '{joint}' is in 'joints', so it has a drive, and also in "
                    "'closed_chain.passive'; it must be in only one of them"
                )
        return self

    @model_validator(mode="after")
    def _counts_match(self) -> Robot:
        n = len(self.joints)
        for group in (self.limits, self.drives, self.servo):
            if group is not None:
                check_counts(group, n)
        if self.drives.of_servo and self.servo is None:
            raise ValueError(
                f"'drives.effort' is '{self.drives.effort}', which needs the group 'servo' "
                "(docs/encoder-only.md)"
            )
        if self.servo and self.servo.resistance is None and self.drives.of_voltage:
            raise ValueError(
                f"'drives.effort' is '{self.drives.effort}', which needs 'servo.supply_voltage' "
                "and 'servo.resistance'"
            )
        if self.coupling is not None and {len(self.coupling), *map(len, self.coupling)} != {n}:
            raise ValueError(f"'coupling' must be a {n} x {n} matrix (motor to joint)")
        check_terms(self.terms, self.moving_joints)
        return self

    @model_validator(mode="after")
    def _drives_limit_what_is_left_open(self) -> Robot:
        limits = with_drive_limits(self.limits, self.drives, len(self.joints))
        return self if limits == self.limits else self.model_copy(update={"limits": limits})


def check_terms(terms: Terms, moving_joints: Sequence[str]) -> None:
    """Raise a ValueError if a term is at a joint that does not move."""
    for term in () if terms == "auto" else terms:
        for joint in () if term.joints == "all" else term.joints:
            if joint not in moving_joints:
                raise ValueError(
                    f"term '{term.kind}' names joint '{joint}', which is not in 'joints'"
                )


def check_counts(group: Settings, joints: int) -> None:
    """Raise a ValueError if an entry of a group has neither one value nor one per joint."""
    for name, value in group:
        if isinstance(value, tuple) and len(value) not in (1, joints):
            raise ValueError(
                f"'{name}' has {len(value)} values, expected 1 or {joints} (one per joint)"
            )
