"""The simulated robot: position-controlled drives, bodies and friction with true parameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from dynid import _core
from dynid.arrays import Array
from dynid.configuration import per_joint
from dynid.errors import ConfigurationError, SimulationError
from dynid.robot.elastic import elastic_settings
from dynid.robot.robot import Robot
from dynid.simulation.build import build_plant
from dynid.simulation.settings import SimulationSettings

_INSET = 0.02  # distance of the home position from a limit, as a share of the range


class DriveState(NamedTuple):
    """State reported by the drives, one value per joint (n,), or one row per cycle (N, n).

    As in the profile's recordings: at the joints or the motors (``recording.side``), effort
    in the unit of ``drives.effort``.

    Attributes:
        position: [rad or m], in whole encoder steps.
        velocity: [rad/s or m/s], mean over the control cycle.
        effort: [N*m, N, A, or thousandths of the rated current].
    """

    position: Array
    velocity: Array
    effort: Array


class SimulatedRobot:
    """The simulated robot of a profile, stepped by control cycles; initially at rest at home.

    Targets, torque offsets and states are at the joints or at the motors, according to
    ``recording.side``. States are delayed as by the drives: after ``command_delay`` +
    ``feedback_delay`` (3 ms, by default) a target affects the result of :meth:`step`.

    Joints bend where ``elastic`` has a stiffness: targets and states are the motors', behind the
    gears, and friction acts on them.

    Args:
        robot: with the true parameters in its ``simulation``.
        control_rate: cycles per second [Hz].
        seed: of the sensors' noise.
        mode: of the drives; None: they control positions. In a mode of torque, the torque offset
            is the whole torque, and targets are not used.

    Raises:
        ConfigurationError: the profile does not describe a valid robot.
        MechanismError: profile and URDF do not match.
    """

    def __init__(
        self,
        robot: Robot,
        *,
        control_rate: float = 1000.0,
        seed: int = 0,
        mode: _core.DriveMode | None = None,
    ) -> None:
        self._plant = build_plant(robot, control_rate=control_rate, seed=seed, mode=mode)
        self._joints = robot.joints
        self._factor = robot.drives.torque_factor(len(robot.joints))
        self._no_offset = np.zeros(len(robot.joints))
        self._from_joints: Array = np.eye(len(robot.joints))
        if (coupling := robot.motor_coupling) is not None:
            self._from_joints = np.asarray(np.linalg.inv(coupling), dtype=float)
        self._has_links = elastic_settings(robot).link_position is not None
        self._home = self.commanded(_home(robot))
        self.reset(self._home)

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints, in drive order."""
        return self._joints

    @property
    def home(self) -> Array:
        """Initial position of the robot (n,) [rad or m], on the side of the targets."""
        home: Array = self._home.copy()
        return home

    @property
    def fault(self) -> str | None:
        """Why the drives ignore their targets, as a sentence; None if they follow them."""
        return _core.describe_fault(self._plant.fault, self._joints) or None

    @property
    def rejected_inputs(self) -> int:
        """Cycles whose target or torque offset was not finite, so that the last target was kept."""
        count: int = self._plant.rejected_inputs
        return count

    @property
    def lost_frames(self) -> int:
        """Cycles whose frame was lost."""
        count: int = self._plant.lost_frames
        return count

    @property
    def truth(self) -> _core.PlantTruth:
        """The joints' true position, velocity, acceleration and torque, without sensor errors.

        ``acceleration`` is the mean over the last integration step, during which the drives'
        ``torque`` is constant; ``external_torque`` is that of :meth:`push` in that step. Where
        joints are elastic, position, velocity and acceleration are the links', and
        ``motor_position`` and ``motor_velocity`` those of the motors, behind the gears; of rigid
        joints they are the same.
        """
        return self._plant.truth

    @property
    def link_position(self) -> Array | None:
        """Positions of the links (n,) after the last :meth:`step`, at the joints [rad or m].

        Those of encoders that ``elastic.link_position`` of the profile names, as fine and as late
        as the motors'; None without these.
        """
        return self._plant.link_position if self._has_links else None

    def commanded(self, position: Array) -> Array:
        """Return joint positions, (n,) or (N, n), as targets; at the motors if these are there."""
        targets: Array = position @ self._from_joints.T
        return targets

    def reset(self, position: ArrayLike) -> None:
        """Put the robot to rest at a position (n,) [rad or m], and end all injected faults.

        Raises:
            ConfigurationError: the position has another size, or is not finite.
        """
        try:
            self._plant.reset(np.asarray(position, dtype=np.float64))
        except (TypeError, ValueError) as error:
            raise ConfigurationError(f"simulation: {error}") from None

    def step(self, target: Array, torque_offset: Array | None = None) -> DriveState:
        """Return the state after one control cycle.

        Args:
            target: positions (n,) [rad or m]; if one is not finite, the previous target is kept.
            torque_offset: added to the drives' own torque (n,) [N*m or N]; values that are not
                finite count as 0.
        """
        plant = self._plant
        plant.step(target, self._no_offset if torque_offset is None else torque_offset)
        return DriveState(plant.position, plant.velocity, plant.torque / self._factor)

    def run(self, targets: Array, torque_offsets: Array | None = None) -> DriveState:
        """Return the states (N, n) of as many control cycles.

        Args:
            targets: one for each cycle (N, n) [rad or m].
            torque_offsets: one for each (N, n) [N*m or N]; None: 0.
        """
        position, velocity, torque = self._plant.run(targets, torque_offsets)
        return DriveState(position, velocity, torque / self._factor)

    def trip(self) -> None:
        """Inject a drive fault: the drives brake and hold the robot, whatever their targets."""
        self._plant.trip()

    def clear_fault(self) -> None:
        """End the drive fault: the drives follow targets again, from where they hold the robot."""
        self._plant.clear_fault()

    def lose_frames(self, cycles: int) -> None:
        """Lose the frames of the next cycles, which transfer targets, offsets and states.

        States stay as reported last. The drives continue with the step between their last two
        targets, for ten cycles at most, and then hold the robot; their torque offset stays.

        Raises:
            SimulationError: the number of cycles is negative.
        """
        self._inject(self._plant.lose_frames, cycles)

    def lose_frames_randomly(self, probability: float) -> None:
        """Lose each frame with a probability from 0 to 1, from now on.

        Raises:
            SimulationError: the value is not a probability.
        """
        self._inject(self._plant.lose_frames_randomly, probability)

    def saturate(self, factor: ArrayLike) -> None:
        """Limit the drives to a fraction of their ``torque_max``; 1 restores it.

        Args:
            factor: above 0 and up to 1, one for all drives or for each (n,).

        Raises:
            SimulationError: a factor is invalid, or a drive's torque has no limit.
        """
        joints = len(self._joints)
        try:
            factors = np.broadcast_to(np.asarray(factor, dtype=np.float64), joints)
        except (TypeError, ValueError):
            raise SimulationError(
                f"Drives cannot saturate at {factor!r}; expected one number from 0 to 1, or "
                f"{joints}, one for each joint."
            ) from None
        self._inject(self._plant.saturate, factors)

    def push(
        self,
        link: str,
        force: ArrayLike,
        *,
        moment: ArrayLike = (0.0, 0.0, 0.0),
        point: ArrayLike = (0.0, 0.0, 0.0),
        duration: float = np.inf,
        rise: float = 0.0,
    ) -> None:
        """Push a link from the next cycle on, in place of any previous push.

        Force, moment and point are in the link's frame and move with it.

        Args:
            link: its name in the URDF.
            force: (3,) [N].
            moment: about the point (3,) [N*m].
            point: where the force acts (3,) [m].
            duration: of the force [s]; infinity: until :meth:`release`.
            rise: time in which the force rises to its full size, part of the duration [s].

        Raises:
            SimulationError: there is no such moving link, or a number is invalid.
        """
        vectors = (_vector(force, "force"), _vector(moment, "moment"), _vector(point, "point"))
        self._inject(self._plant.push, link, *vectors, rise, duration)

    def release(self) -> None:
        """End the push."""
        self._plant.release()

    def _inject(self, action: Callable[..., None], *values: object) -> None:
        try:
            action(*values)
        except ValueError as error:
            raise SimulationError(str(error)) from None


def _vector(values: ArrayLike, name: str) -> Array:
    """Return three numbers (3,)."""
    try:
        return np.asarray(values, dtype=np.float64).reshape(3)
    except (TypeError, ValueError):
        message = f"The {name} of a push must be three numbers, got {values!r}."
        raise SimulationError(message) from None


def _home(robot: Robot) -> Array:
    """Return the joints' initial position (n,)."""
    joints = len(robot.joints)
    lower, upper, *_ = robot.limits.of_joints(joints)
    simulation = robot.find(SimulationSettings)
    given = None if simulation is None else simulation.home
    if given is None:
        # a joint that starts at its limit would sag beyond it
        inset = np.where(np.isfinite(upper - lower), _INSET * (upper - lower), 0.0)
        return np.clip(np.zeros(joints), lower + inset, upper - inset)
    home = per_joint(given, joints, "home")
    for name, value, low, high in zip(robot.joints, home, lower, upper, strict=True):
        if not low <= value <= high:
            raise ConfigurationError(
                f"simulation: home of joint '{name}' is {value:g}, outside its position limits "
                f"[{low:g}, {high:g}]."
            )
    return home
