"""A robot in one row: joints, kind, base parameters, and what its profile is ready for."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Literal

from dynid.dynamics.base_parameters import base_parameterization
from dynid.dynamics.kinematics import Kinematics

if TYPE_CHECKING:
    from dynid.dynamics.mechanism import Mechanism
    from dynid.profile import RobotProfile

Kind = Literal["serial", "tree", "coupled", "closed chain"]


@dataclass(frozen=True)
class RobotSummary:
    """What a list of robots tells of one.

    Attributes:
        name: of the profile.
        joints: names of the actuated joints, in drive order.
        joint_types: ``revolute`` or ``prismatic`` for each of them.
        kind: ``closed chain`` if there are passive joints, else
            ``coupled`` if motors act on several joints, else ``tree`` if it branches.
        base_parameters: how many, with the profile's joint terms.
        rigid_base_parameters: how many of the bodies alone.
        excitation: type of its motion, or None.
        simulation: whether its true parameters are given.
        tracking: type of its motion for ``dynid tracking``, or None.
        recording: what it is recorded in: ``rosbag2``, or ``csv`` with a column map as well.
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
        """The joints' types as robotics writes them: ``6R``, ``2R P R``."""
        runs = groupby("R" if kind == "revolute" else "P" for kind in self.joint_types)
        counted = ((letter, len(list(run))) for letter, run in runs)
        return " ".join(f"{count if count > 1 else ''}{letter}" for letter, count in counted)


def summarize(profile: RobotProfile, urdf_xml: str) -> RobotSummary:
    """Return the row of a robot.

    Raises:
        DynidError: profile and URDF do not make a mechanism, or its base parameters are unclear.
    """
    kinematics = Kinematics(profile, urdf_xml)
    mechanism = kinematics.mechanism
    base = base_parameterization(mechanism)
    return RobotSummary(
        name=profile.robot,
        joints=mechanism.joints,
        joint_types=mechanism.joint_types,
        kind=_kind(profile, mechanism, kinematics.parents),
        base_parameters=len(base.names),
        rigid_base_parameters=int((base.independent < mechanism.first_term).sum()),
        excitation=profile.excitation.type if profile.excitation else None,
        simulation=profile.simulation is not None,
        tracking=profile.tracking.type if profile.tracking else None,
        recording="rosbag2" if profile.recording.columns is None else "csv",
    )


def _kind(profile: RobotProfile, mechanism: Mechanism, parents: tuple[int, ...]) -> Kind:
    if mechanism.chain.passive:
        return "closed chain"
    if profile.coupling is not None:
        return "coupled"
    children = Counter(parent for body, parent in enumerate(parents) if body > 0)
    return "tree" if max(children.values()) > 1 else "serial"
