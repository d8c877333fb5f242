"""The robot with its identified model, as a cell runs it."""

import warnings
from pathlib import Path

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument, IncludeLaunchDescription, OpaqueFunction
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.substitutions import FindPackageShare

from dynid.control.ros2_hardware import uses_ros2_control
from dynid.errors import ConfigurationError, ModelFileWarning
from dynid.profile import load_model, load_robot
from dynid.robot.acceptance import check_acceptance
from dynid_ros.launching import dynid_node, end_in_order, on_this_machine

ARGUMENTS = [
    DeclareLaunchArgument(
        "robot", default_value="puma560", description="Robot profile: name or YAML file."
    ),
    DeclareLaunchArgument(
        "urdf", default_value="", description="URDF instead of the profile's; empty: none."
    ),
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
        description="Whether a model that failed its criterion is loaded anyway.",
    ),
]


def generate_launch_description() -> LaunchDescription:
    """Return the robot with the arguments of robot.launch.py, and model_publisher."""
    robot = PathJoinSubstitution([FindPackageShare("dynid"), "launch", "robot.launch.py"])
    return LaunchDescription(
        [
            *ARGUMENTS,
            end_in_order(),
            on_this_machine(),
            OpaqueFunction(function=_check_model),  # before anything runs
            IncludeLaunchDescription(robot),
            OpaqueFunction(function=_publisher),
        ]
    )


def _check_model(context: LaunchContext) -> None:
    """Refuse a model as model_publisher would: a cell must not run without its model.

    Raises:
        DynidError: there is no such file, or it is not a model of this robot.
    """

    def value(name: str) -> str:
        return str(LaunchConfiguration(name).perform(context))

    path = value("model")
    if not path:
        raise ConfigurationError("model:= is empty; it must be the path of a model.yaml.")
    urdf = Path(value("urdf")) if value("urdf") else None
    robot = load_robot(value("robot"), urdf=urdf)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ModelFileWarning)  # model_publisher logs it
        model = load_model(path)
    check_acceptance(model, robot, path, force=value("force") == "true")


def _publisher(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    def value(name: str) -> str:
        return str(LaunchConfiguration(name).perform(context))

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
    return [dynid_node("model_publisher", model)]
