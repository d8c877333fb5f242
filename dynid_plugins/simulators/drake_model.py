"""Drake's own reading of an SDF or a URDF, and torques by its inverse dynamics."""

from __future__ import annotations

import logging
from importlib.metadata import version
from typing import TYPE_CHECKING

import numpy as np

from dynid.arrays import Array
from dynid.errors import ConfigurationError
from dynid.plugins import naming_extra
from dynid.xml_tree import xml_tree

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from dynid.excitation.motion import Motion


class DrakeModel:
    """A robot in Drake, which reads SDF with Gazebo's own parser.

    Raises:
        ConfigurationError: Drake is not installed, or cannot read the text.
    """

    def __init__(self, text: str, where: Path) -> None:
        with naming_extra("Drake's model", "dynid[drake]"):
            from pydrake.multibody.parsing import Parser  # noqa: PLC0415  an extra
            from pydrake.multibody.plant import MultibodyPlant  # noqa: PLC0415
            from pydrake.multibody.tree import MultibodyForces  # noqa: PLC0415
        self._plant = MultibodyPlant(time_step=0.0)
        logging.getLogger("drake").setLevel(logging.ERROR)  # that it has no dry friction is known
        try:
            Parser(self._plant).AddModelsFromString(text, where.suffix.lstrip("."))
            root = _loose_root(text, where)
            if root is not None:
                frames = self._plant.world_frame(), self._plant.GetFrameByName(root)
                self._plant.WeldFrames(*frames)
            self._plant.Finalize()
        except RuntimeError as error:
            lines = " ".join(str(error).split())
            raise ConfigurationError(f"{where}: Drake cannot read it ({lines}).") from None
        self._context = self._plant.CreateDefaultContext()
        self._forces = MultibodyForces(self._plant)

    @property
    def name(self) -> str:
        """Drake and its version."""
        return f"Drake {version('drake')}"

    @property
    def gravity(self) -> Array:
        """Acceleration of gravity in the world frame (3,) [m/s^2]."""
        return np.array(self._plant.gravity_field().gravity_vector())

    def inverse_dynamics(self, joints: Sequence[str], motion: Motion) -> Array:
        """Return torques at the joints (N, n) without dry friction, which Drake does not have."""
        plant, context = self._plant, self._context
        places = [plant.GetJointByName(name).velocity_start() for name in joints]
        positions = [plant.GetJointByName(name).position_start() for name in joints]
        full, placed = np.zeros((2, plant.num_velocities())), plant.GetPositions(context)
        torque = np.empty(np.shape(motion.position))
        for number, (position, velocity, acceleration) in enumerate(zip(*motion, strict=True)):
            placed[positions], full[0, places], full[1, places] = position, velocity, acceleration
            plant.SetPositions(context, placed)
            plant.SetVelocities(context, full[0])
            plant.CalcForceElementsContribution(context, self._forces)
            found = plant.CalcInverseDynamics(context, full[1], self._forces)
            torque[number] = found[places]
        return torque


def _loose_root(text: str, where: Path) -> str | None:
    """Return the root link of a URDF, which has to be fixed to the world; None for an SDF."""
    if where.suffix != ".urdf":
        return None
    root = xml_tree(text, str(where), ConfigurationError)
    carried = {child.get("link") for child in root.iterfind("joint/child")}
    links = (link.get("name") for link in root.iterfind("link"))
    return next((name for name in links if name not in carried and name != "world"), None)
