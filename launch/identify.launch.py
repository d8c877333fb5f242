"""The whole identification: move, play, record, identify, publish, validate; ends by itself.

``ros2 launch`` returns 0 for a model that passes its criterion, also where its validation could not
be evaluated, and 1 otherwise. If interrupted in a motion, the robot is brought to rest before its
controllers end.
"""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import (
    DeclareLaunchArgument,
    EmitEvent,
    ExecuteProcess,
    IncludeLaunchDescription,
    OpaqueFunction,
    RegisterEventHandler,
    Shutdown,
)
from launch.conditions import IfCondition
from launch.event import Event
from launch.event_handler import EventHandler
from launch.event_handlers import OnProcessExit, OnShutdown
from launch.events.process import ProcessExited
from launch.logging import get_logger, launch_config
from launch.substitutions import EqualsSubstitution, LaunchConfiguration, PathJoinSubstitution
from launch_ros.actions import Node, PushRosNamespace
from launch_ros.substitutions import FindPackageShare

from dynid.control.ros2_control import EXTERNAL, TRAJECTORIES
from dynid.control.ros2_hardware import SIMULATED, uses_ros2_control
from dynid.errors import ConfigurationError
from dynid.excitation.default_motion import default_excitation
from dynid.excitation.files import excitation_text
from dynid.excitation.settings import find_excitation
from dynid.files import write_text
from dynid.playback.plan import second_seed
from dynid.profile import load_robot
from dynid.recording.settings import RecordingSettings
from dynid.robot.robot import Robot
from dynid_ros.launching import (
    ENDS,
    RELEASED,
    dynid_node,
    end_in_order,
    ended,
    on_this_machine,
    release_robot,
)
from dynid_ros.motion_parameters import check_motion_is_given
from dynid_ros.stop import CRITERION_FAILED, VALIDATION_MISSING

ARGUMENTS = [
    DeclareLaunchArgument(
        "robot", default_value="puma560", description="Robot profile: name or YAML file."
    ),
    DeclareLaunchArgument(
        "urdf", default_value="", description="URDF instead of the profile's; empty: none."
    ),
    DeclareLaunchArgument(
        "ros2_control",
        default_value="auto",
        choices=["auto", "true", "false"],
        description="Whether controller_manager runs the robot (auto: where it is installed), or "
        "the node simulated_robot.",
    ),
    DeclareLaunchArgument(
        "controller",
        default_value=TRAJECTORIES,
        description="Controller that follows trajectories, with its namespace.",
    ),
    DeclareLaunchArgument(
        "namespace",
        default_value="",
        description="Namespace of dynid's own nodes, for several robots with hardware:=external in "
        "one graph; empty: none.",
    ),
    DeclareLaunchArgument(
        "joint_states",
        default_value="",
        description="Topic of joint states instead of the profile's recording.topic; empty: none.",
    ),
    DeclareLaunchArgument(
        "excitation",
        default_value="",
        description="Excitation file, CSV or JointTrajectory instead of the profile's; "
        "empty: none.",
    ),
    DeclareLaunchArgument(
        "recording",
        default_value="",
        description="Bag to identify from, instead of moving the robot; empty: none.",
    ),
    DeclareLaunchArgument(
        "start",
        default_value="-1.0",
        description="Ignore samples of recording:= before [s since its first sample]; -1: none.",
    ),
    DeclareLaunchArgument(
        "stop", default_value="-1.0", description="Ignore samples behind, likewise [s]."
    ),
    DeclareLaunchArgument(
        "output", default_value="out", description="Folder for bags, model and reports."
    ),
    DeclareLaunchArgument(
        "validation_seed",
        default_value="auto",
        description="Seed of a second excitation to validate the model on; -1: no validation; "
        "auto: the first one's plus 1, if that has random coefficients.",
    ),
    DeclareLaunchArgument(
        "horizon",
        default_value="2.0",
        description="Time for which the robot continues before it brakes, if the player dies; "
        "a busy computer needs more [s].",
    ),
    DeclareLaunchArgument(
        "max_age",
        default_value="1.0",
        description="Time without joint states that stops a motion, pauses of the player not "
        "counted [s].",
    ),
    DeclareLaunchArgument(
        "ends",
        default_value=RELEASED,
        choices=ENDS,
        description="When the robot ends after Ctrl-C. released: when the player has brought it to "
        "rest and ended; at_rest: when another node has observed it at rest.",
    ),
    DeclareLaunchArgument(
        "rviz",
        default_value="false",
        choices=["true", "false"],
        description="Whether RViz shows the robot, its path and the torque error.",
    ),
]


def generate_launch_description() -> LaunchDescription:
    """Return the robot with the arguments of robot.launch.py, dynid's nodes, and the task."""
    moves = IfCondition(EqualsSubstitution(LaunchConfiguration("recording"), ""))
    robot = _included("robot.launch.py", condition=moves)
    # errors of the arguments come before the robot starts
    first = (*ARGUMENTS, end_in_order(), on_this_machine())
    return LaunchDescription([*first, OpaqueFunction(function=_job), robot])


def _job(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    def value(name: str) -> str:
        return str(LaunchConfiguration(name).perform(context))

    robot = {"profile": value("robot"), "urdf": value("urdf")}
    external = context.launch_configurations.get("hardware") == EXTERNAL
    if value("namespace") and not (external or value("recording")):
        raise ConfigurationError(
            "namespace:= is for a robot whose driver already runs, and needs hardware:=external."
        )
    parameters = {name: value(name) for name in ("output", "recording")}
    excitation = _excitation(context, value)
    seed = {"validation_seed": _seed(value, excitation)}
    task = dynid_node("identification_task", {**parameters, **seed}, needed=False)  # see _end
    topic = {"topic": value("joint_states")}
    identifier = dynid_node("identifier", {**robot, **topic, **_span(value)})
    nodes = [PushRosNamespace(value("namespace"))] if value("namespace") else []
    nodes += [identifier, dynid_node("model_publisher", robot)]
    nodes.append(RegisterEventHandler(OnProcessExit(target_action=task, on_exit=_end)))
    nodes += _refuse_early_end(task)
    if value("recording") or external or not uses_ros2_control(value("ros2_control")):
        nodes.append(task)
    else:
        begin = partial(_begin, task)
        nodes.append(RegisterEventHandler(OnProcessExit(target_action=_is_spawner, on_exit=begin)))
    if not value("recording"):
        patience = {name: float(value(name)) for name in ("horizon", "max_age")}
        chosen = {
            "excitation": excitation,
            "controller": value("controller"),
            "doubtful_limits": _is_simulated(context),
        }
        player = dynid_node("excitation_player", {**robot, **topic, **patience, **chosen})
        nodes += [player, dynid_node("recorder", {"topics": [_topic(value)]})]
        nodes.append(release_robot(after=player))
    if value("rviz") == "true":
        nodes.append(_included("view.launch.py", state_publisher="false"))
    return nodes


def _span(value: Callable[[str], str]) -> dict[str, float]:
    """Return the parameters of the span of the recording that is identified."""
    span = {name: float(value(name)) for name in ("start", "stop")}
    if max(span.values()) >= 0 and not value("recording"):
        raise ConfigurationError(
            "start:= and stop:= select a span of a recording; give it with recording:=."
        )
    return span


def _topic(value: Callable[[str], str]) -> str:
    """Return the topic of joint states."""
    return value("joint_states") or _robot(value).settings(RecordingSettings).topic


def _robot(value: Callable[[str], str]) -> Robot:
    return load_robot(value("robot"), urdf=Path(value("urdf")) if value("urdf") else None)


def _excitation(context: LaunchContext, value: Callable[[str], str]) -> str:
    """Return the file of the motion; empty for the profile's own.

    A motion for the simulated robot is searched for where there is none; a real one is refused.
    """
    given = value("excitation")
    if given or value("recording"):
        return given
    robot = _robot(value)
    if not _is_simulated(context):
        check_motion_is_given(robot, value("robot"), given)
    if find_excitation(robot) is not None:
        return ""
    file = Path(launch_config.log_dir) / "excitation.yaml"
    searched = ["A motion within all limits, searched for the simulated robot."]
    write_text(file, excitation_text(default_excitation(robot), searched))
    get_logger("launch").info(f"the profile has no excitation; the motion is in {file}")
    return str(file)


def _is_simulated(context: LaunchContext) -> bool:
    return context.launch_configurations.get("hardware", SIMULATED) == SIMULATED


def _seed(value: Callable[[str], str], excitation: str) -> int:
    """Return the seed of the second motion; -1: there is none."""
    if value("validation_seed") != "auto":
        return int(value("validation_seed"))
    if value("recording"):
        return -1
    seed = second_seed(_robot(value), Path(excitation) if excitation else None)
    return -1 if seed is None else seed


def _included(
    file: str, condition: IfCondition | None = None, **arguments: str
) -> IncludeLaunchDescription:
    path = PathJoinSubstitution([FindPackageShare("dynid"), "launch", file])
    return IncludeLaunchDescription(path, launch_arguments=arguments.items(), condition=condition)


def _begin(task: Node, event: ProcessExited, context: LaunchContext) -> Node | None:
    """Start when the controllers are active, or end if they cannot be activated."""
    if context.is_shutdown:
        return None
    if event.returncode != 0:
        raise RuntimeError(
            f"the controllers were not activated (the spawner ended with exit code "
            f"{event.returncode}); see the messages of ros2_control_node."
        )
    return task


def _is_spawner(action: ExecuteProcess) -> bool:
    """Return whether it is the spawner of the trajectory controller, the robot's last."""
    spawner = isinstance(action, Node) and action.node_executable == "spawner"
    return spawner and TRAJECTORIES in action.process_details["cmd"]


class _NotBegun(Event):
    """The launch ends before the task was started."""

    name = "dynid.NotBegun"


def _refuse_early_end(task: Node) -> list[LaunchDescriptionEntity]:
    """Return what makes the launch return 1 if it is ended before the task has been started."""

    def check(*_: object) -> EmitEvent | None:
        return None if task.process_details else EmitEvent(event=_NotBegun())

    def refuse(*_: object) -> None:
        raise RuntimeError("the identification had not begun, so there is no model.")

    # raised by an event of its own, because all processes must still learn of the shutdown
    refusal = EventHandler(
        matcher=lambda event: isinstance(event, _NotBegun),
        entities=[OpaqueFunction(function=refuse)],
    )
    return [RegisterEventHandler(OnShutdown(on_shutdown=check)), RegisterEventHandler(refusal)]


def _end(event: ProcessExited, _context: LaunchContext) -> Shutdown:
    """End with the task; launch gets an exit code other than 0 only by an exception.

    Raises:
        RuntimeError: there is no good model, or it was refuted.
    """
    if event.returncode == VALIDATION_MISSING:
        get_logger("launch").warning("the model is good, but was not validated: see the message.")
    elif event.returncode == CRITERION_FAILED:
        raise RuntimeError(f"{ended(event)}: the model failed its criterion.")
    elif event.returncode:
        raise RuntimeError(
            f"{ended(event)}: see its message. The parameters horizon and max_age are arguments of "
            "this launch file, such as max_age:=2.0."
        )
    return Shutdown(reason="the identification is done")
