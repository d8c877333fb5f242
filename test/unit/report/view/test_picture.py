"""Shapes, markers and legends of scenes."""

from __future__ import annotations

import numpy as np
import pytest
from support.synthetic import ARM_URDF, arm_robot, recorded, true_parameters

from dynid.errors import ConfigurationError, MechanismError
from dynid.profile import load_robot
from dynid.report.view.joint_motion import JointMotion, excitation_motion, recorded_motion
from dynid.report.view.picture import RobotPicture
from dynid.report.view.torque_markers import AMBER, GREY, RED, WHITE, torque_errors
from dynid.robot.shapes import Shape, robot_shapes
from dynid.robot.torque_settings import CollisionSettings

MESH = '<visual><geometry><mesh filename="package://x/y.stl"/></geometry></visual>'
BOX = '<visual><origin xyz="0.1 0 0"/><geometry><box size="0.2 0.04 0.03"/></geometry></visual>'


def arm_picture(urdf_xml: str = ARM_URDF, **collision: object) -> RobotPicture:
    return RobotPicture(arm_robot(collision=collision).with_urdf(urdf_xml))


def balls(picture: RobotPicture, error: list[float] | None) -> tuple[Shape, ...]:
    return picture.scene([0.1, 0.2, 0.3], torque_error=error).shapes("torque_error")


def test_primitives_of_the_urdf_are_taken_and_meshes_are_not() -> None:
    urdf_xml = ARM_URDF.replace('<link name="upper">', f'<link name="upper">{MESH}{BOX}')
    shapes = robot_shapes(arm_robot().with_urdf(urdf_xml).kinematics())
    assert [(s.kind, s.size, s.pose.position) for s in shapes[1]] == [
        ("box", (0.2, 0.04, 0.03), (0.1, 0.0, 0.0))
    ]


def test_a_body_without_primitives_gets_a_capsule_to_the_next_joint() -> None:
    shapes = robot_shapes(arm_robot().kinematics())
    capsule = shapes[1][0]
    assert capsule.kind == "cylinder"
    ends = capsule.pose.apply([[0, 0, -capsule.size[2] / 2], [0, 0, capsule.size[2] / 2]])
    np.testing.assert_allclose(ends, [[0, 0, 0], [0.3, 0, 0.05]], atol=1e-12)


def test_refuses_a_visual_that_is_no_number() -> None:
    urdf_xml = ARM_URDF.replace(
        '<link name="upper">', f'<link name="upper">{BOX.replace("0.04", "wide")}'
    )
    with pytest.raises(
        MechanismError, match=r'<box size="0\.2 wide 0\.03"> .*expected 3 finite numbers'
    ):
        arm_picture(urdf_xml)


def test_errors_go_from_white_over_amber_to_red() -> None:
    picture = arm_picture(torque_error_max=[10, 20, 30])
    found = balls(picture, [0.0, -10.0, 45.0])
    assert [ball.colour for ball in found] == [WHITE, AMBER, RED]
    assert found[0].size < found[1].size < found[2].size


def test_an_error_without_a_threshold_is_grey_with_its_value() -> None:
    picture = arm_picture()
    assert {ball.colour for ball in balls(picture, [1.0, -2.5, 3.0])} == {GREY}
    scene = picture.scene([0, 0, 0], torque_error=[1.0, -2.5, 3.0])
    assert scene.labels()[1].text == "elbow  −2.5 N·m"


def test_without_an_error_only_the_joint_is_named() -> None:
    picture = arm_picture(torque_error_max=[10])
    assert {ball.colour for ball in balls(picture, None)} == {GREY}
    assert [label.text for label in picture.scene([0, 0, 0]).labels()] == [
        "shoulder",
        "elbow",
        "wrist",
    ]


def test_labels_have_the_share_of_the_threshold_at_rest() -> None:
    picture = arm_picture(torque_error_max=[6], reversal_boost=[4])
    collision = picture.robot.settings(CollisionSettings)
    errors = torque_errors(picture.kinematics.mechanism, collision, [2.5, 0, 0])
    assert errors[0].text == "shoulder  +2.5 N·m (25 %)"


@pytest.mark.parametrize("name", ["puma560", "ur10e", "tx40"])
def test_markers_are_visible_and_do_not_overlap(name: str) -> None:
    robot = load_robot(name)
    scene = RobotPicture(robot).scene(np.zeros(6))
    markers = scene.shapes("torque_error")
    for number, ball in enumerate(markers):
        radius = ball.size[0] / 2
        inside = [s for s in scene.shapes("robot") if s.distance(ball.pose.position) < radius]
        assert not inside
        for other in markers[number + 1 :]:
            assert np.linalg.norm(np.subtract(ball.pose.position, other.pose.position)) > 2 * radius


def test_a_marker_stands_on_its_joint_s_axis() -> None:
    robot = load_robot("ur10e")
    picture = RobotPicture(robot)
    position = np.random.default_rng(5).uniform(-2, 2, 6)
    poses = picture.kinematics.poses([position])[0]
    for body, ball in zip(
        picture.kinematics.joint_bodies,
        picture.scene(position).shapes("torque_error"),
        strict=True,
    ):
        away = np.subtract(ball.pose.position, poses[body][:3])
        axis = np.array([0.0, 0.0, 1.0])  # of every joint of this URDF
        axis = np.linalg.inv(_turn(poses[body])).T @ axis
        assert np.linalg.norm(np.cross(away, axis)) < 1e-12


def _turn(pose: np.ndarray) -> np.ndarray:
    x, y, z, w = pose[3:]
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


@pytest.mark.parametrize(
    ("shape", "point", "distance"),
    [
        (("box", (2.0, 2.0, 2.0)), (4.0, 5.0, 0.5), 5.0),
        (("cylinder", (2.0, 2.0, 2.0)), (0.0, 4.0, 5.0), 5.0),
        (("sphere", (2.0, 2.0, 2.0)), (0.0, 3.0, 4.0), 4.0),
        (("sphere", (2.0, 2.0, 2.0)), (0.0, 0.3, 0.4), 0.0),
    ],
)
def test_distance_is_from_the_surface(shape, point, distance) -> None:
    kind, size = shape
    found = Shape(kind, size, arm_picture().scene([0, 0, 0]).bodies[0].pose, GREY)
    assert found.distance(point) == pytest.approx(distance)


def test_the_path_ends_where_the_tool_does() -> None:
    robot = load_robot("puma560")
    picture = RobotPicture(robot)
    motion = excitation_motion(robot)
    assert motion is not None
    points = picture.tool_paths(motion)[0].points
    np.testing.assert_allclose(points[-1], picture.kinematics.tool_path(motion.position[-1:])[0])


def test_the_path_of_a_motion_that_would_be_refused_is_marked() -> None:
    robot = load_robot("puma560", overrides=["limits.torque_max=1.0"])
    motion = excitation_motion(robot)
    assert motion is not None
    assert "the predicted torque reaches" in str(motion.violation)
    (path,) = RobotPicture(robot).tool_paths(motion)
    assert path.name.endswith("REFUSED")


def test_errors_of_a_recording_are_those_of_a_validation() -> None:
    robot = arm_robot()
    mechanism = robot.mechanism()
    true = true_parameters(mechanism)
    recording = recorded(mechanism, true, samples=400)
    offset = mechanism.parameter_names.index("Off2")
    wrong = true.copy()
    wrong[offset] += 1.5
    motion = recorded_motion(robot, recording, mechanism.with_parameters(wrong))
    peak = motion.peak_errors()
    assert peak is not None
    # differentiation leaves a little of its own
    np.testing.assert_allclose(peak, [0, 1.5, 0], atol=0.6)
    assert motion.torque_error is not None
    np.testing.assert_allclose(np.median(motion.torque_error, axis=0), [0, 1.5, 0], atol=1e-2)


def test_refuses_a_time_outside_the_motion() -> None:
    motion = JointMotion("recording", np.linspace(0, 2, 21), np.zeros((21, 3)))
    assert motion.index(1.02) == 10
    with pytest.raises(ConfigurationError, match="--at 3: the recording has samples from"):
        motion.index(3.0)
