"""The robot: ros2_control where it is installed, otherwise the node simulated_robot.

Every other launch file includes this one.
"""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml
from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument, LogInfo, OpaqueFunction, RegisterEventHandler
from launch.event_handlers import OnProcessExit
from launch.events.process import ProcessExited
from launch.logging import launch_config
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from dynid.control.ros2_control import (
    EXTERNAL,
    Controllers,
    check_external,
    controller_parameters,
    controllers,
)
from dynid.control.ros2_hardware import (
    SIMULATED,
    check_hardware,
    has_drive_states,
    installed,
    robot_description,
    uses_ros2_control,
)
from dynid.errors import ConfigurationError
from dynid.profile import load_model, load_robot
from dynid.robot.acceptance import check_acceptance
from dynid.robot.model import Model
from dynid.robot.robot import Robot
from dynid_ros.launching import (
    AT_REST,
    ENDS,
    dynid_node,
    end_in_order,
    on_this_machine,
    parameter_file,
    release_robot,
    robot_node,
)
from dynid_ros.outlive import LONGEST

ARGUMENTS = [
    DeclareLaunchArgument(
        "robot", default_value="puma560", description="Robot profile: name or YAML file."
    ),
    DeclareLaunchArgument(
        "urdf", default_value="", description="URDF instead of the profile's; empty: none."
    ),
    DeclareLaunchArgument(
        "hardware",
        default_value=SIMULATED,
        choices=[SIMULATED, "mock", "ethercat", EXTERNAL],
        description="simulated: dynid's drives and bodies; mock: commands are returned as states, "
        "without torque; ethercat: drives, by the files in slaves, or by the URDF's own "
        "<ros2_control>; external: nothing is started, because the robot's driver and its "
        "joint_trajectory_controller already run.",
    ),
    DeclareLaunchArgument(
        "slaves",
        default_value="",
        description="Folder of `dynid drives`, for hardware:=ethercat; empty: none.",
    ),
    DeclareLaunchArgument(
        "ros2_control",
        default_value="auto",
        choices=["auto", "true", "false"],
        description="Whether controller_manager runs the robot (auto: where it is installed), or "
        "the node simulated_robot.",
    ),
    DeclareLaunchArgument(
        "feedforward",
        default_value="false",
        choices=["true", "false"],
        description="Whether references reach the drives through dynid's feedforward_controller.",
    ),
    DeclareLaunchArgument(
        "command",
        default_value="auto",
        choices=["auto", "position", "torque"],
        description="What the drives are commanded: position, with or without feedforward torque; "
        "torque alone, by dynid/TorqueController, which needs model:=; auto: torque if drives.mode "
        "of the profile is cst.",
    ),
    DeclareLaunchArgument(
        "model", default_value="", description="model.yaml, for command:=torque; empty: none."
    ),
    DeclareLaunchArgument(
        "rate", default_value="1000", description="Control cycles per second [Hz]."
    ),
    DeclareLaunchArgument(
        "ends",
        default_value=AT_REST,
        choices=ENDS,
        description=f"When the robot ends after Ctrl-C, within {LONGEST:g} s. at_rest: when it is "
        "at rest; released: when the node that moves it has brought it to rest and ended.",
    ),
]


def generate_launch_description() -> LaunchDescription:
    """Return the arguments and the nodes."""
    first = (*ARGUMENTS, end_in_order(), on_this_machine())
    return LaunchDescription([*first, OpaqueFunction(function=_robot)])


def _robot(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    def value(name: str) -> str:
        return str(LaunchConfiguration(name).perform(context))

    urdf = value("urdf")
    robot = load_robot(value("robot"), urdf=Path(urdf) if urdf else None)
    hardware, torque = value("hardware"), _commands_torque(value("command"), robot)
    feedforward = torque or value("feedforward") == "true"
    if hardware == EXTERNAL:
        check_external(robot, feedforward=feedforward, slaves=bool(value("slaves")))
        return [LogInfo(msg="hardware:=external: the robot's own driver and controllers must run")]
    if uses_ros2_control(value("ros2_control")):
        rate = int(value("rate"))
        slaves = Path(value("slaves")) if value("slaves") else None
        description = robot_description(
            robot, hardware, control_rate=rate, slaves=slaves, torque=torque
        )
        check_hardware(description)
        drives = has_drive_states(description, robot.joints)
        model = _model(value("model"), robot) if torque else None
        parameters = controller_parameters(
            robot,
            rate,
            feedforward=feedforward,
            drives=drives,
            torque=model,
            simulated=hardware == SIMULATED,
        )
        spawned = controllers(feedforward=feedforward, drives=drives)
        return [*_controlled(description, parameters, spawned), *_monitored(value)]
    if hardware != SIMULATED:
        raise ConfigurationError(
            f"hardware:={hardware} needs ros2_control, which is not installed or not enabled; "
            "without it use hardware:=simulated."
        )
    simulation = {
        "profile": value("robot"),
        "urdf": urdf,
        "rate": float(value("rate")),
        "feedforward": feedforward and not torque,
        **({"command": "torque", "model": value("model")} if torque else {}),
    }
    file = parameter_file("simulated_robot", simulation)
    return [
        LogInfo(msg="ros2_control is not installed or not enabled: simulated_robot runs"),
        robot_node("dynid", "simulated_robot", file),
        *_state_publisher(robot.urdf_xml),
        *_monitored(value),
    ]


def _commands_torque(command: str, robot: Robot) -> bool:
    return command == "torque" or (command == "auto" and robot.drives.mode == "cst")


def _model(path: str, robot: Robot) -> Model:
    """Return the model of a robot that is commanded torque.

    Raises:
        DynidError: there is none, it is of another robot, or its identification failed.
    """
    if not path:
        raise ConfigurationError(
            "command:=torque needs model:=, the path of a model.yaml, because the robot is held by "
            "its torque."
        )
    model = load_model(path)
    check_acceptance(model, robot, path, force=False)
    return model


def _monitored(value: Callable[[str], str]) -> list[LaunchDescriptionEntity]:
    """Return the node that waits for rest, if no node of this launch brings the robot to rest."""
    if value("ends") != AT_REST:
        return []
    monitor = dynid_node("rest_monitor", {"profile": value("robot"), "urdf": value("urdf")})
    return [monitor, release_robot(after=monitor)]


def _controlled(
    description: str, parameters: dict[str, Any], controllers: Controllers
) -> list[LaunchDescriptionEntity]:
    """Return controller_manager and controllers; those that command motion wait for the drives."""
    file = Path(launch_config.log_dir) / "controllers.yaml"
    file.write_text(yaml.safe_dump(parameters), encoding="utf-8")
    return [
        *_state_publisher(description),
        robot_node("controller_manager", "ros2_control_node", str(file)),
        *_spawned(controllers, file),
    ]


def _spawned(controllers: Controllers, file: Path) -> list[LaunchDescriptionEntity]:
    first = _spawner(controllers.first, file)
    if not controllers.then:
        return [
            LogInfo(msg="the drives report no status words: controllers do not wait for them"),
            first,
        ]
    drives = Node(package="dynid", executable="wait_for_drives", output="screen")
    return _in_order(first, drives, _spawner(controllers.then, file))


def _in_order(*nodes: Node) -> list[LaunchDescriptionEntity]:
    """Return the first node, and each other one when the previous one has succeeded."""
    handlers = [
        RegisterEventHandler(OnProcessExit(target_action=one, on_exit=partial(_go_on, after)))
        for one, after in pairwise(nodes)
    ]
    return [*handlers, nodes[0]]


def _go_on(after: Node, event: ProcessExited, context: LaunchContext) -> Node | None:
    """Start the next node, or end the launch if the previous one failed."""
    if context.is_shutdown:
        return None
    if event.returncode != 0:
        raise RuntimeError(
            f"the controllers were not activated ({event.process_name} ended with exit code "
            f"{event.returncode}); see the messages of ros2_control_node."
        )
    return after


def _spawner(controllers: Sequence[str], file: Path) -> Node:
    return Node(
        package="controller_manager",
        executable="spawner",
        arguments=[
            *controllers,
            "--param-file",
            str(file),
            "--activate-as-group",
            "--controller-manager-timeout",
            "60",  # [s] in which the hardware is activated
            "--service-call-timeout",
            "20",  # [s] controller_manager answers late on a busy machine, or an answer is lost
            "--switch-timeout",
            "30",  # [s]
        ],
        output="screen",
    )


def _state_publisher(description: str) -> list[LaunchDescriptionEntity]:
    if not installed("robot_state_publisher"):
        return []
    file = parameter_file("robot_state_publisher", {"robot_description": description})
    name = "robot_state_publisher"
    return [Node(package=name, executable=name, parameters=[file])]
