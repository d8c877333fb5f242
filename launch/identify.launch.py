"""The whole job: move, play, record, identify, publish, validate; ends by itself.

``ros2 launch`` returns 0 for a good model, and 1 otherwise.
"""

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import (
    DeclareLaunchArgument,
    IncludeLaunchDescription,
    OpaqueFunction,
    RegisterEventHandler,
    Shutdown,
)
from launch.event_handlers import OnProcessExit
from launch.events.process import ProcessExited
from launch.substitutions import LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.substitutions import FindPackageShare

ARGUMENTS = [
    DeclareLaunchArgument(
        "robot", default_value="puma560", description="Robot profile: name or YAML file."
    ),
    DeclareLaunchArgument(
        "urdf", default_value="", description="URDF in place of the profile's; empty: none."
    ),
    DeclareLaunchArgument(
        "hardware",
        default_value="simulated",
        choices=["simulated", "mock", "ethercat"],
        description="What moves: dynid's simulated drives, ros2_control's mirror of commands "
        "(which has no torque to identify from), or the drives of the URDF's own <ros2_control>.",
    ),
    DeclareLaunchArgument(
        "ros2_control",
        default_value="auto",
        choices=["auto", "true", "false"],
        description="Whether controller_manager runs the robot (auto: where it is installed), or "
        "the node simulated_robot.",
    ),
    DeclareLaunchArgument(
        "excitation",
        default_value="",
        description="YAML file with an excitation in place of the profile's; empty: none.",
    ),
    DeclareLaunchArgument(
        "recording",
        default_value="",
        description="Bag to identify from, in place of moving the robot; empty: none.",
    ),
    DeclareLaunchArgument(
        "output", default_value="out", description="Folder for bags, model and reports."
    ),
    DeclareLaunchArgument(
        "validation_seed",
        default_value="2",
        description="Seed of a second excitation to validate the model on; -1: no validation.",
    ),
    DeclareLaunchArgument(
        "rviz",
        default_value="false",
        choices=["true", "false"],
        description="Whether RViz shows the robot, its path and the torque error.",
    ),
]


def generate_launch_description() -> LaunchDescription:
    """The robot, the nodes of dynid, and the task that ends it all."""
    return LaunchDescription([*ARGUMENTS, OpaqueFunction(function=_job)])


def _job(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    def value(name: str) -> str:
        return str(LaunchConfiguration(name).perform(context))

    robot = {"profile": value("robot"), "urdf": value("urdf")}
    task = Node(
        package="dynid",
        executable="identification_task",
        parameters=[
            {
                "output": value("output"),
                "recording": value("recording"),
                "validation_seed": int(value("validation_seed")),
            }
        ],
        output="screen",
    )
    nodes = [_node("identifier", **robot), _node("model_publisher", **robot), task]
    if not value("recording"):
        chosen = {name: value(name) for name in ("robot", "urdf", "hardware", "ros2_control")}
        nodes += [
            _included("robot.launch.py", **chosen),
            _node("excitation_player", **robot, excitation=value("excitation")),
            _node("recorder"),
        ]
    if value("rviz") == "true":
        chosen = {name: value(name) for name in ("robot", "urdf")}
        nodes.append(_included("view.launch.py", **chosen, state_publisher="false"))
    nodes.append(RegisterEventHandler(OnProcessExit(target_action=task, on_exit=_end)))
    return nodes


def _node(name: str, **parameters: str) -> Node:
    return Node(package="dynid", executable=name, parameters=[parameters], output="screen")


def _included(file: str, **arguments: str) -> IncludeLaunchDescription:
    path = PathJoinSubstitution([FindPackageShare("dynid"), "launch", file])
    return IncludeLaunchDescription(path, launch_arguments=arguments.items())


def _end(event: ProcessExited, _context: LaunchContext) -> Shutdown:
    """End with the task; an exception is launch's only way to an exit code of its own."""
    if event.returncode != 0:
        raise RuntimeError(
            f"identification_task ended with exit code {event.returncode}: "
            + ("the model failed its criterion." if event.returncode == 1 else "see its message.")
        )
    return Shutdown(reason="the identification is done")
