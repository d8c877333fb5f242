"""The robot with its identified model: what a cell starts with."""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

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
        default_value="/feedforward_controller",
        description="Controller whose parameters are set from the model; empty: none.",
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
    model = {
        "profile": LaunchConfiguration("robot"),
        "urdf": LaunchConfiguration("urdf"),
        "model": LaunchConfiguration("model"),
        "controller": LaunchConfiguration("controller"),
        "force": ParameterValue(LaunchConfiguration("force"), value_type=bool),
    }
    publisher = Node(
        package="dynid", executable="model_publisher", parameters=[model], output="screen"
    )
    return LaunchDescription([*ARGUMENTS, IncludeLaunchDescription(robot), publisher])
