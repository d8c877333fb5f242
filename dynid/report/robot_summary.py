"""Summary of a robot: joints, kind, base parameters, and what its profile supports."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from dynid.control.tracking.settings import find_tracking
from dynid.dynamics.base_parameters import base_parameter_counts
from dynid.dynamics.mechanism import Mechanism
from dynid.excitation.settings import find_excitation
from dynid.recording.settings import RecordingSettings
from dynid.robot.robot import Robot
from dynid.simulation.settings import SimulationSettings

Kind = Literal["serial", "tree", "coupled", "closed chain"]


@dataclass(frozen=True)
class RobotSummary:
    """One row of the list of robots.

    Attributes:
        name: of the profile.
        joints: names of the actuated joints, in drive order.
        joint_types: ``revolute`` or ``prismatic`` for each of them.
        kind: ``closed chain`` if there are passive joints, else
            ``coupled`` if motors act on several joints, else ``tree`` if it branches.
        base_parameters: their number, with the profile's joint terms.
        rigid_base_parameters: their number for the bodies alone.
        excitation: type of its motion, or None.
        simulation: whether its true parameters are given.
        tracking: type of its motion for ``dynid tracking``, or None.
        recording: format: ``rosbag2``, or ``csv`` with a column map as well.
    """

    name: str
    joints: tuple[str, ...]
    joint_types: tuple[str, ...]
    kind: Kind
    base_parameters: int
    rigid_base_parameters: int
    excitation: str | None
    simulation: bool
    tracking: str | None
    recording: str

    @property
    def joint_letters(self) -> str:
        """The joints' types in the usual notation: ``6R``, ``2R P R``."""
        runs = groupby("R" if kind == "revolute" else "P" for kind in self.joint_types)
        counted = ((letter, len(list(run))) for letter, run in runs)
        return " ".join(f"{count if count > 1 else ''}{letter}" for letter, count in counted)


def summarize(robot: Robot) -> RobotSummary:
    """Return the summary of a robot.

    Raises:
        DynidError: profile and URDF do not make a mechanism, or its base parameters are unclear.
    """
    kinematics = robot.kinematics()
    mechanism = kinematics.mechanism
    excitation, tracking = find_excitation(robot), find_tracking(robot)
    base_parameters, rigid = base_parameter_counts(mechanism)
    return RobotSummary(
        name=robot.name,
        joints=mechanism.joints,
        joint_types=mechanism.joint_types,
        kind=_kind(robot, mechanism, kinematics.parents),
        base_parameters=base_parameters,
        rigid_base_parameters=rigid,
        excitation=None if excitation is None else excitation.type,
        simulation=robot.find(SimulationSettings) is not None,
        tracking=None if tracking is None else tracking.type,
        recording="rosbag2" if robot.settings(RecordingSettings).columns is None else "csv",
    )


def _kind(robot: Robot, mechanism: Mechanism, parents: tuple[int, ...]) -> Kind:
    if mechanism.chain.passive:
        return "closed chain"
    if robot.coupling is not None:
        return "coupled"
    children = Counter(parent for body, parent in enumerate(parents) if body > 0)
    return "tree" if max(children.values()) > 1 else "serial"
