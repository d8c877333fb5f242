"""The robot with its identified model: what a cell starts with."""

from launch import LaunchDescription
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare

ROBOT = {
    "robot": "Robot profile: name or YAML file.",
    "urdf": "URDF in place of the profile's; empty: none.",
    "hardware": "simulated, mock or ethercat; see robot.launch.py.",
    "ros2_control": "auto, true or false; see robot.launch.py.",
}
DEFAULTS = {"robot": "puma560", "urdf": "", "hardware": "simulated", "ros2_control": "auto"}


def generate_launch_description() -> LaunchDescription:
    """The robot, and model_publisher."""
    launch = PathJoinSubstitution([FindPackageShare("dynid"), "launch", "robot.launch.py"])
    model = {
        "profile": LaunchConfiguration("robot"),
        "urdf": LaunchConfiguration("urdf"),
        "model": LaunchConfiguration("model"),
        "controller": LaunchConfiguration("controller"),
        "force": ParameterValue(LaunchConfiguration("force"), value_type=bool),
    }
    return LaunchDescription(
        [
            *(
                DeclareLaunchArgument(name, default_value=DEFAULTS[name], description=text)
                for name, text in ROBOT.items()
            ),
            DeclareLaunchArgument("model", description="model.yaml of an identification."),
            DeclareLaunchArgument(
                "controller",
                default_value="",
                description="Controller whose parameters are set from the model; empty: none.",
            ),
            DeclareLaunchArgument(
                "force",
                default_value="false",
                choices=["true", "false"],
                description="Whether a model that failed its criterion is loaded all the same.",
            ),
            IncludeLaunchDescription(
                launch,
                launch_arguments={name: LaunchConfiguration(name) for name in ROBOT}.items(),
            ),
            Node(
                package="dynid", executable="model_publisher", parameters=[model], output="screen"
            ),
        ]
    )
