"""Stiffness of an arm's gears from the encoders of its motors, excited by multisines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dynid.arrays import Array
from dynid.errors import ConfigurationError
from dynid.excitation.settings import FourierSettings
from dynid.recording.model import Recording
from dynid.robot.elastic import elastic_settings
from dynid.robot.model import Model, nominal_model
from dynid.robot.robot import Robot
from dynid_plugins.elastic.arm_fit import ArmFit, fit_arm
from dynid_plugins.elastic.arm_response import Arm
from dynid_plugins.elastic.harmonics import Harmonics, harmonics_of
from dynid_plugins.elastic.result import Estimated, with_deviations

_CERTAIN = 0.25  # relative standard deviation: beyond, a value is not stated


@dataclass(frozen=True, eq=False)
class ArmStiffness:
    """Gears of an arm.

    Attributes:
        robot: the profile.
        fit: of all recordings together.
        harmonics: of each recording.
    """

    robot: Robot
    fit: ArmFit
    harmonics: tuple[Harmonics, ...]

    @property
    def excited(self) -> tuple[int, ...]:
        """Numbers of the joints that were excited, from 0."""
        return tuple(sorted({one.joint for one in self.harmonics}))

    @property
    def highest_hz(self) -> float:
        """Frequency of the fastest wave [Hz]."""
        return max(float(one.frequency[-1]) for one in self.harmonics)

    def rotor(self, joint: int) -> Estimated | None:
        """Return the inertia of a rotor behind its gear; None if it is known, or uncertain."""
        return _stated(self.fit.gears.rotor[joint], self.fit.rotor_deviation[joint])

    def stiffness(self, joint: int) -> Estimated | None:
        """Return the stiffness of a joint; None where no bending is seen, or it is uncertain."""
        return self._of_gear(joint, self.fit.gears.stiffness, self.fit.stiffness_deviation)

    def damping(self, joint: int) -> Estimated | None:
        """Return the damping of a joint; None where no bending is seen, or it is uncertain."""
        return self._of_gear(joint, self.fit.gears.damping, self.fit.damping_deviation)

    def error(self, joint: int) -> float:
        """Return the rms of a joint's torque that is not explained, over that of the torque."""
        pairs = [
            (one.torque[one.excited], modelled[one.excited])
            for one, modelled in zip(self.harmonics, self.fit.torque, strict=True)
            if one.joint == joint
        ]
        measured, modelled = (np.concatenate(part) for part in zip(*pairs, strict=True))
        return float(np.linalg.norm(modelled - measured) / np.linalg.norm(measured))

    def _of_gear(self, joint: int, values: Array, deviations: Array) -> Estimated | None:
        if joint not in self.fit.elastic:
            return None
        number = self.fit.elastic.index(joint)
        return _stated(values[number], deviations[number])

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each excited joint, in SI units."""
        names = ("rotor", "stiffness", "damping")
        return [
            {
                "joint": self.robot.joints[joint],
                "bends": joint in self.fit.elastic,
                **with_deviations({name: getattr(self, name)(joint) for name in names}),
                "error": self.error(joint),
            }
            for joint in self.excited
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the content of ``--json``."""
        return {
            "robot": self.robot.name,
            "highest_hz": self.highest_hz,
            "delay": self.fit.gears.delay,
            "delay_deviation": self.fit.delay_deviation,
            "joints": self.rows(),
        }


def identify_arm(
    robot: Robot,
    recordings: Sequence[Recording],
    multisine: FourierSettings,
    *,
    model: Model | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> ArmStiffness:
    """Identify the stiffness of gears, and which joints bend at all.

    Args:
        robot: with the profile's ``elastic``; a known rotor inertia is kept.
        recordings: of one excited joint each.
        multisine: of one of the joints; those of the others have the same waves.
        model: of the links; None: the bodies of the URDF.
        progress: called with the name of each step.

    Raises:
        ConfigurationError: motors are coupled.
        RecordingError: a recording is not suitable.
    """
    links = nominal_model(robot) if model is None else model
    coupling = links.mechanism.coupling
    if not np.array_equal(coupling, np.eye(len(coupling))):
        raise ConfigurationError(
            f"profile '{robot.name}': motors are coupled, which waves of single motors do not "
            "allow; remove drives.coupling, or use two encoders."
        )
    progress("reading waves")
    harmonics = tuple(harmonics_of(one, robot, multisine) for one in recordings)
    rotors = elastic_settings(robot).known_rotors(robot)
    arms = [Arm.of(one, links) for one in harmonics]
    known = np.zeros(len(robot.joints)) if rotors is None else rotors
    return ArmStiffness(robot, fit_arm(arms, known, progress), harmonics)


def _stated(value: float, relative: float) -> Estimated | None:
    """Return a value with its deviation, if that is small."""
    return Estimated(float(value), float(value * relative)) if relative < _CERTAIN else None
