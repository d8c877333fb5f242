"""Scenes of a robot from its profile and URDF."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from dynid.dynamics.pose import Pose
from dynid.errors import ModelFileError
from dynid.report.view.joint_motion import JointMotion, resting_position
from dynid.report.view.robot_meshes import robot_meshes
from dynid.report.view.scene import Label, LegendEntry, Polyline, Scene, SceneBody, TriangleMesh
from dynid.report.view.torque_markers import (
    LEGEND,
    NO_THRESHOLD,
    UNKNOWN,
    marker_places,
    torque_error_markers,
    torque_errors,
)
from dynid.robot.robot import Robot
from dynid.robot.shapes import Colour, Shape, robot_shapes, rod, urdf_shapes
from dynid.robot.torque_settings import CollisionSettings

_PATHS: tuple[Colour, ...] = (
    (0.0, 0.447, 0.698, 1.0),
    (0.0, 0.62, 0.45, 1.0),
    (0.8, 0.47, 0.65, 1.0),
)
_REFUSED: Colour = (0.85, 0.1, 0.1, 1.0)
_AXES: tuple[Colour, ...] = (
    (0.85, 0.20, 0.20, 1.0),
    (0.25, 0.65, 0.25, 1.0),
    (0.20, 0.35, 0.85, 1.0),
)
_AXIS_LENGTH, _AXIS_WIDTH = 0.16, 0.008  # of the robot's reach
_PATH_WIDTH = 0.004  # of the robot's reach
_PATH_RATE, _MOST_POINTS = 50.0, 2000
_FRAME_RATE, _MOST_FRAMES = 20.0, 600


class RobotPicture:
    """Common parts of all scenes of a robot: its bodies, and the places of markers.

    Args:
        robot: with its limits and settings.
        tool: link whose origin is the tool point; None for the last one, see :class:`Kinematics`.
        meshes: draw the meshes of the URDF, in place of capsules.

    Attributes:
        note: on meshes that cannot be drawn; empty if there are none.

    Raises:
        DynidError: profile and URDF do not match.
    """

    def __init__(self, robot: Robot, *, tool: str | None = None, meshes: bool = False) -> None:
        self.robot = robot
        self.kinematics = robot.kinematics(tool=tool)
        self._given = tool is not None
        self._shapes = robot_shapes(self.kinematics)
        self._meshes: dict[int, list[TriangleMesh]] = {}
        self.note = ""
        solids = self._shapes
        if meshes:
            loaded = robot_meshes(robot, self.kinematics)
            self._meshes, self.note = loaded.meshes, loaded.note
            given = urdf_shapes(self.kinematics, "visual")
            # a mesh takes the place of the capsules that are drawn without any visual
            self._shapes = tuple(
                tuple(given.get(body, ())) if body in self._meshes else shapes
                for body, shapes in enumerate(self._shapes)
            )
            solids = tuple(s + loaded.boxes(body) for body, s in enumerate(self._shapes))
        self._places = marker_places(self.kinematics, solids, resting_position(robot))

    def tool_paths(self, motion: JointMotion) -> tuple[Polyline, ...]:
        """Return the path of the tool point along a motion, at 50 points per second.

        Unless a tool was given, the paths of the robot's other arms follow.
        """
        links = [self.kinematics.tool, *(() if self._given else self.kinematics.other_tools)]
        sampled = motion.resampled(_PATH_RATE, _MOST_POINTS)
        paths = self.kinematics.link_paths(sampled.position, links)
        return tuple(
            Polyline(
                f"path of {link}, {motion.name} of {motion.time[-1]:.3g} s"
                + ("" if motion.violation is None else ", REFUSED"),
                points,
                _PATH_WIDTH * self.kinematics.reach,
                _PATHS[number % len(_PATHS)] if motion.violation is None else _REFUSED,
            )
            for number, (link, points) in enumerate(zip(links, paths, strict=True))
        )

    def scene(
        self,
        position: ArrayLike,
        *,
        torque_error: ArrayLike | None = None,
        paths: tuple[Polyline, ...] = (),
        motion: JointMotion | None = None,
        title: str | None = None,
        time: float = 0.0,
    ) -> Scene:
        """Return the scene of the robot at a position.

        Args:
            position: (n,) [rad or m].
            torque_error: (n,) model minus measured [N m or N], NaN or None where unknown.
            paths: of the tools.
            motion: for the bodies' tracks; None for a still picture.
            title: None for the robot's name.
            time: of the position in the motion [s].
        """
        kinematics = self.kinematics
        now = np.asarray(position, dtype=np.float64)
        poses = kinematics.poses([now])[0]
        frames = None if motion is None else motion.resampled(_FRAME_RATE, _MOST_FRAMES)
        tracks = None if frames is None else kinematics.poses(frames.position)
        markers = self._markers(torque_error)
        markers[0] = (_base_axes(kinematics.reach), ())
        bodies = []
        for number, name in enumerate(kinematics.bodies):
            shapes, labels = markers.get(number, ((), ()))
            track = None if tracks is None or number == 0 else tracks[:, number]
            pose = Pose.from_numbers(poses[number])
            meshes = tuple(self._meshes.get(number, ()))
            bodies.append(
                SceneBody(name, pose, self._shapes[number] + shapes, labels, track, meshes)
            )
        return Scene(
            title=self.robot.name if title is None else title,
            frame_id=kinematics.root,
            bodies=tuple(bodies),
            lines=paths,
            legend=self._legend(torque_error, paths),
            reach=kinematics.reach,
            times=None if frames is None else frames.time,
            time=time,
        )

    def _markers(
        self, torque_error: ArrayLike | None
    ) -> dict[int, tuple[tuple[Shape, ...], tuple[Label, ...]]]:
        kinematics = self.kinematics
        errors = torque_errors(
            kinematics.mechanism, self.robot.settings(CollisionSettings), torque_error
        )
        markers = torque_error_markers(errors, self._places, kinematics.reach)
        return dict(zip(kinematics.joint_bodies, markers, strict=True))

    def _legend(
        self, torque_error: ArrayLike | None, paths: tuple[Polyline, ...]
    ) -> tuple[LegendEntry, ...]:
        entries = [LegendEntry(path.colour, path.name) for path in paths]
        if torque_error is None or np.isnan(np.asarray(torque_error)).all():
            return (*entries, UNKNOWN)
        if self.robot.settings(CollisionSettings).torque_error_max is None:
            return (*entries, NO_THRESHOLD)
        return (*entries, *LEGEND)


def check_same_joints(model: Robot, robot: Robot, path: Path) -> None:
    """Raise if a model is of other joints than the robot that is shown.

    Args:
        model: profile within a model.yaml.
        robot: the robot that is shown.
        path: of the model.yaml.

    Raises:
        ModelFileError: their joints differ.
    """
    if model.joints != robot.joints:
        raise ModelFileError(
            f"{path}: its joints are {', '.join(model.joints)}, but those of the profile "
            f"{robot.name} are {', '.join(robot.joints)}."
        )


def _base_axes(reach: float) -> tuple[Shape, ...]:
    """Return the axes of the base frame: x red, y green, z blue, as usual in robotics."""
    shapes = []
    for axis, colour in zip(np.eye(3), _AXES, strict=True):
        pose, length = rod((0, 0, 0), _AXIS_LENGTH * reach * axis)
        width = _AXIS_WIDTH * reach
        shapes.append(Shape("cylinder", (width, width, length), pose, colour, "base"))
    return tuple(shapes)
