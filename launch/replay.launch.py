"""A bag into the topics: identify what is heard, and compare with what the bag itself gives."""

from launch import LaunchContext, LaunchDescription
from launch.actions import DeclareLaunchArgument, RegisterEventHandler, Shutdown
from launch.event_handlers import OnProcessExit
from launch.events.process import ProcessExited
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue

ARGUMENTS = [
    DeclareLaunchArgument("recording", description="Bag to replay."),
    DeclareLaunchArgument(
        "robot", default_value="puma560", description="Robot profile: name or YAML file."
    ),
    DeclareLaunchArgument(
        "urdf", default_value="", description="URDF in place of the profile's; empty: none."
    ),
    DeclareLaunchArgument("output", default_value="out", description="Folder for the results."),
    DeclareLaunchArgument(
        "model",
        default_value="",
        description="model.yaml to validate on the bag as well; empty: none.",
    ),
    DeclareLaunchArgument("rate", default_value="1.0", description="Recorded seconds per second."),
]


def generate_launch_description() -> LaunchDescription:
    """The identifier, and the task that ends it all."""
    identifier = {name: LaunchConfiguration(a) for name, a in (("profile", "robot"), ("urdf",) * 2)}
    chosen = {name: LaunchConfiguration(name) for name in ("recording", "output", "model")}
    rate = ParameterValue(LaunchConfiguration("rate"), value_type=float)
    task = Node(
        package="dynid",
        executable="replay_task",
        parameters=[{**chosen, "rate": rate}],
        output="screen",
    )
    return LaunchDescription(
        [
            *ARGUMENTS,
            Node(package="dynid", executable="identifier", parameters=[identifier]),
            task,
            RegisterEventHandler(OnProcessExit(target_action=task, on_exit=_end)),
        ]
    )


def _end(event: ProcessExited, _context: LaunchContext) -> Shutdown:
    """End with the task; an exception is launch's only way to an exit code of its own."""
    if event.returncode != 0:
        raise RuntimeError(f"replay_task ended with exit code {event.returncode}: see its message.")
    return Shutdown(reason="the replay is done")
