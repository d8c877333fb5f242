"""RViz with the robot, the excitation's path and the torque error at each joint."""

from pathlib import Path

from ament_index_python.packages import get_package_share_directory
from launch import LaunchContext, LaunchDescription, LaunchDescriptionEntity
from launch.actions import DeclareLaunchArgument, LogInfo, OpaqueFunction
from launch.substitutions import LaunchConfiguration
from launch_ros.actions import Node

from dynid.control.ros2_hardware import installed
from dynid.profile import load_robot
from dynid_ros.launching import dynid_node, end_in_order, on_this_machine, parameter_file

ARGUMENTS = [
    DeclareLaunchArgument(
        "robot", default_value="puma560", description="Robot profile: name or YAML file."
    ),
    DeclareLaunchArgument(
        "urdf", default_value="", description="URDF instead of the profile's; empty: none."
    ),
    DeclareLaunchArgument(
        "model",
        default_value="",
        description="model.yaml whose torque error is shown; empty: the URDF's masses.",
    ),
    DeclareLaunchArgument(
        "state_publisher",
        default_value="true",
        choices=["true", "false"],
        description="Whether robot_state_publisher is started; false if it already runs.",
    ),
]


def generate_launch_description() -> LaunchDescription:
    """Return the arguments and the nodes."""
    first = (*ARGUMENTS, end_in_order(), on_this_machine())
    return LaunchDescription([*first, OpaqueFunction(function=_view)])


def _view(context: LaunchContext) -> list[LaunchDescriptionEntity]:
    def value(name: str) -> str:
        return str(LaunchConfiguration(name).perform(context))

    urdf = value("urdf")
    robot = load_robot(value("robot"), urdf=Path(urdf) if urdf else None)
    parameters = {"profile": value("robot"), "urdf": urdf, "model": value("model")}
    nodes: list[LaunchDescriptionEntity] = [
        dynid_node("visualizer", parameters, shown=False, needed=False)
    ]
    if value("state_publisher") == "true" and installed("robot_state_publisher"):
        name = "robot_state_publisher"
        file = parameter_file(name, {"robot_description": robot.urdf_xml})
        nodes.append(Node(package=name, executable=name, parameters=[file]))
    if not installed("rviz2"):
        hint = f"rviz2 is not installed; 'dynid view {value('robot')}' shows this in a browser"
        return [*nodes, LogInfo(msg=hint)]
    config = Path(get_package_share_directory("dynid")) / "rviz" / "dynid.rviz"
    arguments = ["-d", str(config), "-f", robot.kinematics().root]
    return [*nodes, Node(package="rviz2", executable="rviz2", arguments=arguments)]
