"""Torque errors as balls at the ends of the joints' axes: white is 0, red is a collision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from numpy.typing import ArrayLike

from dynid.arrays import Array
from dynid.dynamics.kinematics import Kinematics
from dynid.dynamics.mechanism import Mechanism
from dynid.dynamics.pose import Pose
from dynid.report.view.scene import Label, LegendEntry
from dynid.robot.shapes import Colour, Shape, rod
from dynid.robot.torque_settings import CollisionSettings

WHITE: Colour = (0.97, 0.97, 0.95, 1.0)
AMBER: Colour = (1.0, 0.72, 0.05, 1.0)
RED: Colour = (0.84, 0.10, 0.12, 1.0)
GREY: Colour = (0.58, 0.61, 0.66, 1.0)
_INK: Colour = (0.11, 0.13, 0.15, 1.0)
_ROD: Colour = (0.25, 0.28, 0.33, 1.0)

LEGEND = (
    LegendEntry(WHITE, "torque error 0"),
    LegendEntry(AMBER, "half of the collision threshold"),
    LegendEntry(RED, "collision threshold or more"),
)
UNKNOWN = LegendEntry(GREY, "torque error unknown")
NO_THRESHOLD = LegendEntry(GREY, "torque error; no collision threshold defined")

# shares of the robot's reach
_OFFSETS = (0.07, 0.09, 0.11, 0.13, 0.15, 0.17, 0.19, 0.22, 0.25)
_CLEAR_OF_SHAPES = 0.045
_CLEAR_OF_MARKERS = 0.11
_SIDES = 8  # directions beside the axis
_SMALLEST_DIAMETER = 0.035
_GROWTH = 0.035  # of the diameter at the threshold
_TEXT = 0.017
_ROD_WIDTH = 0.006


@dataclass(frozen=True)
class TorqueError:
    """Torque error of a joint: model minus measured [N m, or N], NaN if unknown."""

    joint: str
    error: float
    threshold: float | None
    unit: str

    @property
    def ratio(self) -> float:
        """Size of the error over the threshold; NaN if either is unknown."""
        return float("nan") if self.threshold is None else abs(self.error) / self.threshold

    @property
    def text(self) -> str:
        """The joint, its error and the share of the threshold."""
        if np.isnan(self.error):
            return self.joint
        share = "" if self.threshold is None else f" ({100 * self.ratio:.0f} %)"
        value = f"{self.error:+.3g}".replace("-", "−")
        return f"{self.joint}  {value} {self.unit}{share}"

    @property
    def colour(self) -> Colour:
        """White at 0, amber at half of the threshold, red from the threshold on; or grey."""
        if np.isnan(self.ratio):
            return GREY
        stops = np.array([WHITE, AMBER, RED])
        red, green, blue, alpha = (
            float(np.interp(self.ratio, (0.0, 0.5, 1.0), channel)) for channel in stops.T
        )
        return red, green, blue, alpha


def torque_errors(
    mechanism: Mechanism, settings: CollisionSettings, error: ArrayLike | None
) -> tuple[TorqueError, ...]:
    """Compare errors (n,) [N m or N], or None if unknown, with thresholds at rest.

    These are higher than in motion: errors of free motion never exceed them.
    """
    joints = len(mechanism.joints)
    values = np.full(joints, np.nan) if error is None else np.asarray(error, dtype=np.float64)
    at_rest = settings.threshold_at_rest(joints)
    thresholds: Sequence[float | None] = [None] * joints if at_rest is None else at_rest.tolist()
    return tuple(
        TorqueError(name, float(value), threshold, "N" if kind == "prismatic" else "N·m")
        for name, kind, value, threshold in zip(
            mechanism.joints, mechanism.joint_types, values, thresholds, strict=True
        )
    )


def marker_places(
    kinematics: Kinematics, shapes: Sequence[Sequence[Shape]], position: ArrayLike
) -> Array:
    """Choose the place of each joint's marker on its axis, in the joint's frame [m]; (n, 3).

    A marker inside the robot is not visible, and markers of joints with the same origin, as in a
    wrist, would overlap. Each marker therefore gets the first of several places that is clear of
    the robot's shapes (of each body, in its frame) and of other markers at a position (n,). Where
    the axis has none, places beside it are taken.
    """
    reach = kinematics.reach
    frames = [Pose.from_numbers(pose) for pose in kinematics.poses(np.asarray(position)[None])[0]]
    solids = [
        replace(shape, pose=frame.then(shape.pose))
        for frame, bodies in zip(frames, shapes, strict=True)
        for shape in bodies
    ]
    markers: list[Array] = []
    places = []
    for body, axis in zip(kinematics.joint_bodies, kinematics.mechanism.axes, strict=False):
        along = [side * stretch * axis for stretch, side in product(_OFFSETS, (1.0, -1.0))]
        # the axis of a joint that turns a link about itself is within the link
        beside = [stretch * side for stretch, side in product(_OFFSETS, _across(axis))]
        candidates = [reach * place for place in (*along, *beside)]
        seen = [frames[body].apply([candidate])[0] for candidate in candidates]
        room: list[float] = []
        while len(room) < len(seen) and max(room, default=0) < 1:
            room.append(_room(seen[len(room)], solids, markers, reach))
        chosen = int(np.argmax(room))
        places.append(candidates[chosen])
        markers.append(seen[chosen])
    return np.array(places)


def _across(axis: Array) -> list[Array]:
    """Return unit vectors (3,) normal to an axis, all around it."""
    first = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    first /= np.linalg.norm(first)
    second = np.cross(axis, first)
    angles = 2 * np.pi * np.arange(_SIDES) / _SIDES
    return [np.cos(angle) * first + np.sin(angle) * second for angle in angles]


def _room(point: Array, solids: Sequence[Shape], markers: Sequence[Array], reach: float) -> float:
    """Return the distance to the nearest shape or marker, relative to the required one."""
    to_shapes = min((solid.distance(point) for solid in solids), default=np.inf)
    to_markers = min((float(np.linalg.norm(point - other)) for other in markers), default=np.inf)
    return min(to_shapes / (_CLEAR_OF_SHAPES * reach), to_markers / (_CLEAR_OF_MARKERS * reach))


def torque_error_markers(
    errors: Sequence[TorqueError], places: Array, reach: float
) -> tuple[tuple[tuple[Shape, ...], tuple[Label, ...]], ...]:
    """Return the shapes and labels of each joint's marker, in the joint's frame.

    Args:
        errors: one for each of the n joints.
        places: of the markers, (n, 3) [m].
        reach: length of the stretched robot [m], to which sizes are proportional.
    """
    return tuple(_marker(error, place, reach) for error, place in zip(errors, places, strict=True))


def _marker(
    error: TorqueError, place: Array, reach: float
) -> tuple[tuple[Shape, ...], tuple[Label, ...]]:
    pose, length = rod((0, 0, 0), place)
    ratio = 0.0 if np.isnan(error.ratio) else min(error.ratio, 1.5)
    across = (_SMALLEST_DIAMETER + _GROWTH * ratio) * reach
    width = _ROD_WIDTH * reach
    x, y, z = place.tolist()
    ball = Shape("sphere", (across,) * 3, Pose((x, y, z)), error.colour, "torque_error")
    axis = Shape("cylinder", (width, width, length), pose, _ROD, "axis")
    text = _TEXT * reach
    label = Label(error.text, (x, y, z), across / 2 + 1.4 * text, text, _INK)
    return (axis, ball), (label,)
