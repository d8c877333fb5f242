"""The robot with its identified model: what a cell starts with."""

from pathlib import Path

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription, OpaqueFunction
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare

from dynid.control.ros2_control import uses_ros2_control
from dynid.errors import ConfigurationError

ARGUMENTS = [
    DeclareLaunchArgument("model", description="model.yaml of an identification."),
    DeclareLaunchArgument(
        "feedforward",
        default_value="true",
        choices=["true", "false"],
        description="Whether the model's torque is added, and collisions are detected.",
    ),
    DeclareLaunchArgument(
        "controller",
        default_value="auto",
        description="Controller whose parameters are set from the model; empty: none; auto: "
        "/feedforward_controller where it runs.",
    ),
    DeclareLaunchArgument(
        "force",
        default_value="false",
        choices=["true", "false"],
        description="Whether a model that failed its criterion is loaded all the same.",
    ),
]


def generate_launch_description() -> LaunchDescription:
    """The robot with the arguments of robot.launch.py, and model_publisher."""
    robot = PathJoinSubstitution([FindPackageShare("dynid"), "launch", "robot.launch.py"])
    return LaunchDescription(
        [*ARGUMENTS, IncludeLaunchDescription(robot), OpaqueFunction(function=_publisher)]
    )


def _publisher(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    def value(name: str) -> str:
        return str(LaunchConfiguration(name).perform(context))

    if value("model") and not Path(value("model")).is_file():
        raise ConfigurationError(f"model:={value('model')}: there is no such file.")
    controller = value("controller")
    if controller == "auto":
        # simulated_robot takes its model from /dynid/model
        runs = value("feedforward") == "true" and uses_ros2_control(value("ros2_control"))
        controller = "/feedforward_controller" if runs else ""
    model = {
        "profile": value("robot"),
        "urdf": value("urdf"),
        "model": value("model"),
        "controller": controller,
        "force": value("force") == "true",
    }
    return [
        Node(package="dynid", executable="model_publisher", parameters=[model], output="screen")
    ]
