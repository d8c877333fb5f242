"""What a tool gets, and what it returns."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import NamedTuple

import numpy as np

from dynid.arrays import Array
from dynid.errors import ConfigurationError
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid.signals.signals import Signals


@dataclass(frozen=True, eq=False)
class FittingTask:
    """What a model is fitted to.

    Attributes:
        robot: URDF and data sheets, without settings of any task.
        shipped: the robot with the profile that dynid ships for it; None where there is none.
        recordings: the fitted parts as they were recorded.
        signals: the same parts through the filters with which every model is evaluated.
        cutoff_hz: of these filters [Hz].
    """

    robot: Robot
    shipped: Robot | None
    recordings: tuple[Recording, ...]
    signals: tuple[Signals, ...]
    cutoff_hz: float

    def motion_and_torque(self) -> tuple[Array, Array, Array, Array]:
        """Return positions, velocities, accelerations and torques of all parts, (N, n) each."""
        parts = [(s.position, s.velocity, s.acceleration, s.torque) for s in self.signals]
        q, dq, ddq, tau = (np.concatenate(one) for one in zip(*parts, strict=True))
        return q, dq, ddq, tau

    def bare_urdf(self) -> str:
        """Return the URDF without shapes, whose files other tools would look for."""
        tree = ET.fromstring(self.robot.urdf_xml)  # noqa: S314  parsed by dynid before
        for link in tree.iter("link"):
            for shape in [*link.iter("visual"), *link.iter("collision")]:
                link.remove(shape)
        return ET.tostring(tree, encoding="unicode")

    def gravity(self) -> tuple[float, float, float]:
        """Return gravity in the robot's base [m/s^2].

        Raises:
            ConfigurationError: it differs between recordings.
        """
        if self.robot.gravity == "by_robot":
            raise ConfigurationError("the tool has no gravity that differs between recordings.")
        return self.robot.gravity

    def refuse_loops(self) -> None:
        """Raise ConfigurationError for a robot with loops, for tools with equations of trees."""
        if self.robot.closed_chain.passive:
            raise ConfigurationError("the tool has no equations of closed chains.")


@dataclass(frozen=True, eq=False)
class FittedModel:
    """A fitted model.

    Attributes:
        torque: from signals to torque (N, n) [N m or N], not filtered.
        band: from signals to the half-width (N, n) of the 95 % interval; None if it has none.
        keys: number of settings made by hand for this robot.
    """

    torque: Callable[[Signals], Array]
    band: Callable[[Signals], Array] | None = None
    keys: int = 0

    @classmethod
    def of_motion(cls, torque: Callable[[Array, Array, Array], Array]) -> FittedModel:
        """Return a model whose torque is a function of position, velocity and acceleration."""
        return cls(lambda signals: torque(*signals.motion))


class Contender(NamedTuple):
    """A tool.

    Attributes:
        title: as shown.
        fit: raises ``DynidError`` where it cannot identify a robot.
        packages: whose versions are shown; skipped where one is not installed.
        settings: where its settings come from.
        learned: whether it learns torque from data without the robot's equations.
    """

    title: str
    fit: Callable[[FittingTask], FittedModel]
    packages: tuple[str, ...]
    settings: str
    learned: bool = False

    def with_versions(self) -> str:
        """Return its title with the versions of its packages.

        Raises:
            ConfigurationError: one is not installed.
        """
        try:
            versions = ", ".join(f"{name} {version(name)}" for name in self.packages)
        except PackageNotFoundError as error:
            raise ConfigurationError(f"{self.title}: {error.name} is not installed.") from error
        return f"{self.title} ({versions})" if versions else self.title
