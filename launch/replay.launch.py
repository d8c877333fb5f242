"""Replay of a bag: identify from the topic, and compare with the identification from the bag."""

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument, OpaqueFunction, RegisterEventHandler, Shutdown
from launch.event_handlers import OnProcessExit
from launch.events.process import ProcessExited
from launch.substitutions import LaunchConfiguration

from dynid.errors import ConfigurationError
from dynid_ros.launching import dynid_node, end_in_order, on_this_machine

ARGUMENTS = [
    DeclareLaunchArgument("recording", description="Bag to replay."),
    DeclareLaunchArgument(
        "robot", default_value="puma560", description="Robot profile: name or YAML file."
    ),
    DeclareLaunchArgument(
        "urdf", default_value="", description="URDF instead of the profile's; empty: none."
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
    """Return the identifier, and the task that ends the launch."""
    first = (*ARGUMENTS, end_in_order(), on_this_machine())
    return LaunchDescription([*first, OpaqueFunction(function=_replay)])


def _replay(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    def value(name: str) -> str:
        return str(LaunchConfiguration(name).perform(context))

    try:
        rate = float(value("rate"))
    except ValueError:
        raise ConfigurationError(f"rate:={value('rate')} must be a number.") from None
    robot = {"profile": value("robot"), "urdf": value("urdf")}
    chosen = {name: value(name) for name in ("recording", "output", "model")}
    task = dynid_node("replay_task", {**chosen, "rate": rate}, needed=False)  # see _end
    return [
        dynid_node("identifier", robot, shown=False),
        task,
        RegisterEventHandler(OnProcessExit(target_action=task, on_exit=_end)),
    ]


def _end(event: ProcessExited, _context: LaunchContext) -> Shutdown:
    """End with the task; launch gets an exit code other than 0 only by an exception."""
    if event.returncode != 0:
        raise RuntimeError(f"replay_task ended with exit code {event.returncode}: see its message.")
    return Shutdown(reason="the replay is done")
