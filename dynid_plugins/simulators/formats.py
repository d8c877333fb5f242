"""The formats of simulators: what each has, and how it is written, updated and checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, Protocol

from dynid.arrays import Array
from dynid.excitation.motion import Motion
from dynid.input_file import read_text
from dynid.robot.urdf_export import kinematic_urdf
from dynid_plugins.simulators.drake_model import DrakeModel
from dynid_plugins.simulators.exported_model import ExportedModel
from dynid_plugins.simulators.frame_alignment import FrameAlignment
from dynid_plugins.simulators.mjcf_file import DCMOTOR_TERMS, MJCF_TERMS, mjcf_text, updated_mjcf
from dynid_plugins.simulators.mujoco_model import MujocoModel
from dynid_plugins.simulators.sdf_file import SDF_TERMS, sdf_text, updated_sdf
from dynid_plugins.simulators.sdf_tree import sdf_tree
from dynid_plugins.simulators.simulated_terms import FormatTerms
from dynid_plugins.simulators.urdf_file import updated_urdf, urdf_joints, urdf_text
from dynid_plugins.simulators.usd_file import updated_usd, usd_joints, usd_text
from dynid_plugins.simulators.usd_properties import USD_TERMS
from dynid_plugins.simulators.usd_stage import opened_text
from dynid_plugins.simulators.usd_tree import UsdTree


class Check(Protocol):
    """A simulator that has read a file."""

    @property
    def name(self) -> str:
        """Of the simulator, with its version."""
        ...

    @property
    def gravity(self) -> Array:
        """Acceleration in the world (3,) [m/s^2]."""
        ...

    def inverse_dynamics(self, joints: Sequence[str], motion: Motion) -> Array:
        """Return torques at the joints (N, n) without dry friction, limits and contacts."""
        ...


class SimulatorFormat(NamedTuple):
    """A format.

    Attributes:
        terms: what its joints have.
        new: returns a new file; takes the model and the lines of a comment.
        joints: names of the movable joints in a file; takes its text and path.
        update: returns a file with the model, and how frames are aligned; takes its text and path,
            the model, and the names of its joints in the file.
        check: returns a simulator that has read the file; takes its text and path.
        read: returns the text of a user's file; empty where the format's library reads the file.
        beside: whether the result refers to the user's file, in whose folder it has to be.
    """

    terms: FormatTerms
    new: Callable[[ExportedModel, list[str]], str]
    joints: Callable[[str, Path], tuple[str, ...]]
    update: Callable[[str, Path, ExportedModel, tuple[str, ...]], tuple[str, FrameAlignment]]
    check: Callable[[str, Path], Check]
    read: Callable[[Path], str] = read_text
    beside: bool = False


_MJCF = SimulatorFormat(
    MJCF_TERMS,
    mjcf_text,
    lambda text, where: MujocoModel(text, where).joints,
    updated_mjcf,
    MujocoModel,
)

FORMATS: Mapping[str, SimulatorFormat] = MappingProxyType(
    {
        "mjcf": _MJCF,
        "mujoco-dcmotor": _MJCF._replace(terms=DCMOTOR_TERMS),
        "sdf": SimulatorFormat(
            SDF_TERMS,
            sdf_text,
            lambda text, where: sdf_tree(text, where).joints,
            updated_sdf,
            DrakeModel,
        ),
        "urdf": SimulatorFormat(
            FormatTerms(closures=("gear",)),
            urdf_text,
            lambda text, _: urdf_joints(text),
            updated_urdf,
            lambda text, where: DrakeModel(kinematic_urdf(text), where),
        ),
        "usd": SimulatorFormat(
            USD_TERMS,
            usd_text,
            lambda _, where: usd_joints(where),
            lambda _, where, exported, joints: updated_usd(where, exported, joints),
            lambda text, where: UsdTree(opened_text(text, where), str(where)),
            read=lambda _: "",
            beside=True,
        ),
    }
)
"""By the name that `dynid model export --to` takes."""
