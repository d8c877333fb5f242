"""Margins of a motion to the constraints of a robot's workspace."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pinocchio
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.dynamics.mechanism import Mechanism
from dynid.excitation.motion import Motion, central_difference
from dynid.excitation.workspace.distances import Distance, Distances
from dynid.excitation.workspace.geometry import acceleration_bound, body_solids, levers, moving_path
from dynid.excitation.workspace.pairs import (
    LeftOut,
    left_out_notes,
    select_distances,
    unchecked_bodies,
    violated_distances,
)
from dynid.excitation.workspace.settings import WorkspaceSettings
from dynid.robot.robot import Robot

_FAR_DISTANCE = 0.05  # distance that counts as far, as a share of the robot's reach
_STEP = 1e-6  # [s] for the speed of passive joints


class Constraint(NamedTuple):
    """A constraint.

    Attributes:
        name: such as "forearm_link to base_link", "tool to tool_box", "tool speed".
        unit: m or m/s.
        limit: the smallest distance, or the highest speed.
    """

    name: str
    unit: str
    limit: float


class NearestPoints(NamedTuple):
    """Nearest points of two bodies, or points of deepest penetration.

    Attributes:
        of: name of the distance.
        distance: [m]; negative: penetration depth.
        first, second: the points (3,) [m] in the root's frame.
    """

    of: Distance
    distance: float
    first: Array
    second: Array


class Workspace:
    """The constraints of a profile's ``workspace``.

    Not thread-safe.

    Raises:
        MechanismError: the URDF's shapes are invalid.
        ConfigurationError: an allowed pair has an unknown link, or the SRDF is of another robot.
    """

    def __init__(self, robot: Robot, mechanism: Mechanism) -> None:
        settings = robot.settings(WorkspaceSettings)
        self._settings, self._mechanism = settings, mechanism
        self.kinematics = robot.kinematics()
        self._data = self.kinematics.model.createData()
        self._tool = self.kinematics.model.getBodyId(self.kinematics.tool)
        folder = None if settings.mesh_folder is None else Path(settings.mesh_folder)
        self.bodies = bodies = body_solids(self.kinematics, folder)
        """Solids of the bodies, and where they are from."""
        self_collision = settings.self_collision
        selected, left_out = select_distances(
            settings,
            self.kinematics,
            mechanism,
            bodies.solids,
            self_collision=bodies.of_urdf if self_collision is None else self_collision,
        )
        violated, count = violated_distances(robot, mechanism, selected, self._sampled)
        self._kept = [distance for k, distance in enumerate(selected) if k not in violated]
        self.left_out: tuple[LeftOut, ...] = (*left_out, *violated.values())
        """Pairs whose distances are not checked, and why."""
        self._distances = Distances(self.kinematics, self._kept)
        self.constraints = tuple(_constraints(settings, self._kept))
        """All C constraints, in the order of the margins' columns."""
        self.names = tuple(constraint.name for constraint in self.constraints)
        """Names of the constraints; (C,)."""
        far = {"m": _FAR_DISTANCE * self.kinematics.reach, "m/s": (settings.tool_speed or 0.0) / 2}
        self.scale: Array = np.array([far[constraint.unit] for constraint in self.constraints])
        """Margin that counts as far: a share of the reach [m], half the speed limit [m/s]; (C,)."""
        checked = bool(selected or left_out)
        self.notes = (*(bodies.notes if checked else ()), *left_out_notes(self.left_out, count))
        """Sentences on the shapes used for distances, and on what was left out."""
        self.unchecked = unchecked_bodies(settings, self.kinematics, bodies, self.left_out)
        """What else is not checked, and why, such as collisions with an unknown floor."""

    def _sampled(self, selected: Sequence[Distance], position: Array) -> Array:
        """Return distances beyond the clearance at positions (N, n); (N, K) [m]."""
        full = self._full(position)
        return Distances(self.kinematics, selected).at(full) - self._settings.clearance

    @property
    def passive(self) -> bool:
        """Whether there are moving joints without a drive, whose speed is not limited."""
        return bool(self._mechanism.chain.passive)

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """Names of the bodies and obstacles whose distances are checked."""
        return tuple(distance.names for distance in self._kept)

    def margins(self, motion: Motion, wanted: NDArray[np.bool_] | None = None) -> Array:
        """Return the margin to each constraint, negative if it is violated; (N, C).

        For distances the part beyond the clearance [m], negative for penetration; for speed the
        part below the limit [m/s].

        Args:
            motion: arrays (N, n).
            wanted: (N, K) which distances, the first constraints, to compute, the others are
                infinite; None: all.

        Raises:
            MechanismError: loops cannot be closed at a position.
        """
        full = self._full(motion.position)
        distances = self._distances.at(full, wanted) - self._settings.clearance
        return np.concatenate([distances, self._tool_margins(motion, full)], axis=1)

    def contact(self, name: str, position: Array) -> NearestPoints:
        """Return where two bodies, or a body and an obstacle, are nearest at a position (n,)."""
        number = [distance.name for distance in self._kept].index(name)
        full = self._full(position[np.newaxis])[0]
        return NearestPoints(self._kept[number], *self._distances.nearest(number, full))

    def slopes(self, motion: Motion, selected: NDArray[np.bool_]) -> Array:
        """Return the derivatives of margins by each sample's position and velocity.

        Args:
            motion: arrays (N, n).
            selected: (N, C) which margins to compute.

        Returns:
            (m, 2, n) by position and velocity, of the m selected ones, sample after sample.

        Raises:
            MechanismError: loops cannot be closed at a position.
        """

        def moving(state: Motion) -> Array:
            return self._mechanism.moving_positions(state.position)

        def tool_margins(state: Motion) -> Array:
            return self._tool_margins(state, self._full(state.position))

        joints, kept = motion.position.shape[1], len(self._kept)
        rows, numbers = np.nonzero(selected)
        slopes = np.zeros((len(rows), 2, joints))
        apart, tool = np.flatnonzero(numbers < kept), np.flatnonzero(numbers >= kept)
        full = self._full(motion.position)
        by_moving = self._distances.slopes_at(full, selected[:, :kept])[:, self._columns]
        for joint in range(joints):
            moved = central_difference(moving, motion, 0, joint)[rows[apart]]
            slopes[apart, 0, joint] = np.einsum("mj,mj->m", by_moving, moved)
        used, places = np.unique(rows[tool], return_inverse=True)
        part_of_motion = Motion(*(part[used] for part in motion))
        for order, joint in product(range(2), range(joints) if len(used) else ()):
            change = central_difference(tool_margins, part_of_motion, order, joint)
            slopes[tool, order, joint] = change[places, numbers[tool] - kept]
        return slopes

    def loss_rates(self, slide: Array, speed: Array, acceleration: Array) -> Array:
        """Return a bound on the rate of change of each margin; (N, C) [m/s, or m/s^2 of speed].

        Valid for trees only: the speed of passive joints is not bounded.

        Args:
            slide: largest distance of prismatic joints from 0 (n,) [m].
            speed: bounds on the joints' speeds (N, n).
            acceleration: bounds on their accelerations (N, n).
        """
        kinematics = self.kinematics
        rates = [speed @ self.distance_levers(slide).T]
        if self._settings.tool_box is not None or self._settings.tool_speed is not None:
            radius = float(np.linalg.norm(kinematics.tool_position))
            lengths = levers(kinematics, kinematics.tool_body, radius, slide)
            if self._settings.tool_box is not None:
                rates.append(speed @ lengths[:, np.newaxis])
            if self._settings.tool_speed is not None:
                path = moving_path(kinematics, kinematics.tool_body)
                turns = ~np.array(self._mechanism.prismatic)
                bound = acceleration_bound(path, lengths, turns, speed, acceleration)
                rates.append(bound[:, np.newaxis])
        return np.concatenate(rates, axis=1)

    def distance_levers(self, slide: Array) -> Array:
        """Return a bound on the change of each of K distances for a joint's speed of 1; (K, n).

        Valid for trees only.

        Args:
            slide: largest distance of prismatic joints from 0 (n,) [m].
        """
        bounds = np.zeros((len(self._kept), len(slide)))
        for row, distance in zip(bounds, self._kept, strict=True):
            sides = [
                levers(self.kinematics, body, distance.radius(side), slide)
                for side, body in enumerate(distance.bodies)
                if body > 0
            ]
            # a joint that moves both bodies does not change their distance
            both = np.all([side > 0 for side in sides], axis=0) if len(sides) == 2 else False
            row[:] = np.where(both, 0.0, np.sum(sides, axis=0))
        return bounds

    def _tool_margins(self, motion: Motion, full: Array) -> Array:
        """Return margins to the tool's box and speed limit where there are such, (N, 0 to 2)."""
        settings, margins = self._settings, [np.empty((len(motion.position), 0))]
        if settings.tool_box is not None:
            tool = self.kinematics.tool_path(motion.position)
            low, high = np.array(settings.tool_box.low), np.array(settings.tool_box.high)
            inside = np.minimum(tool - low, high - tool)
            margins.append(np.min(inside, axis=1, keepdims=True))
        if settings.tool_speed is not None:
            speed = self._tool_speed(full, self._moving_velocity(motion))
            margins.append((settings.tool_speed - speed)[:, np.newaxis])
        return np.concatenate(margins, axis=1)

    @property
    def _columns(self) -> list[int]:
        """Indices of the moving joints in pinocchio's velocities."""
        model = self.kinematics.model
        return [model.joints[body].idx_v for body in self.kinematics.moving_bodies]

    def _full(self, position: Array) -> Array:
        return self.kinematics.full_positions(self._mechanism.moving_positions(position))

    def _moving_velocity(self, motion: Motion) -> Array:
        """Return velocities of moving joints (N, m), for passive ones by a difference over time."""
        if not self.passive:
            return motion.velocity
        ahead, back = (
            self._mechanism.moving_positions(motion.position + step * motion.velocity)
            for step in (_STEP, -_STEP)
        )
        return np.asarray((ahead - back) / (2 * _STEP))

    def _tool_speed(self, full: Array, velocity: Array) -> Array:
        """Return the speed of the tool point (N,) [m/s] at pinocchio's positions (N, nq)."""
        model = self.kinematics.model
        columns = self._columns
        speeds = np.empty(len(full))
        velocities = np.zeros(model.nv)
        for k, position in enumerate(full):
            velocities[columns] = velocity[k]
            pinocchio.forwardKinematics(model, self._data, position, velocities)
            twist = pinocchio.getFrameVelocity(model, self._data, self._tool)
            speeds[k] = np.linalg.norm(twist.linear)
        return speeds


def _constraints(settings: WorkspaceSettings, kept: Sequence[Distance]) -> Iterator[Constraint]:
    for distance in kept:
        yield Constraint(distance.name, "m", settings.clearance)
    if settings.tool_box is not None:
        yield Constraint("tool to tool_box", "m", 0.0)
    if settings.tool_speed is not None:
        yield Constraint("tool speed", "m/s", settings.tool_speed)
