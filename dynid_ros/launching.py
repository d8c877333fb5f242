"""What the launch files share: nodes with parameter files, and an orderly end on every signal."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from signal import SIGUSR1
from typing import TYPE_CHECKING, Any

import yaml
from launch.actions import EmitEvent, ExecuteProcess, LogInfo, OpaqueFunction, RegisterEventHandler
from launch.event_handlers import OnProcessExit
from launch.events import Shutdown
from launch.events.process import ProcessExited, SignalProcess
from launch.logging import launch_config
from launch.utilities.signal_management import AsyncSafeSignalManager
from launch_ros.actions import Node

from dynid_ros.discovery_range import OPEN_BY, stay_on_this_machine
from dynid_ros.outlive import LONGEST, LONGEST_AFTER_RELEASE
from dynid_ros.stop import ENDS_WITH_PARENT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from launch.launch_context import LaunchContext

AT_REST, RELEASED = ENDS = ("at_rest", "released")
"""When a robot ends after a signal: when it is seen at rest, or when a launch file releases it."""

# [s] after which launch signals again; for the first time where SIGINT went to launch alone, which
# leaves it to the terminal to signal the others
_TERM = 10.0
_KILL = (
    LONGEST + LONGEST_AFTER_RELEASE + 4.0
)  # [s] after which launch kills what has not ended by itself

Value = str | int | float | bool | list[str]


def on_this_machine() -> OpaqueFunction:
    """Let only nodes on this machine be found by what is started after it; say how to open it."""
    return OpaqueFunction(function=_close)


def _close(context: LaunchContext) -> list[LogInfo]:
    return [LogInfo(msg=OPEN_BY)] if stay_on_this_machine(context.environment) else []


def parameter_file(name: str, parameters: Mapping[str, Any]) -> str:
    """Write parameters of any node into this launch's log folder; return the file's path.

    launch_ros would put them into a temporary file that nobody removes.
    """
    path = Path(launch_config.log_dir) / f"{name}.yaml"
    text = yaml.safe_dump({"/**": {"ros__parameters": dict(parameters)}})
    path.write_text(text, encoding="utf-8")
    return str(path)


def dynid_node(name: str, parameters: Mapping[str, Value], *, shown: bool = True) -> Node:
    """A node of dynid, which ends in order on a signal and where launch itself has died.

    Args:
        name: its executable.
        parameters: what they are to be.
        shown: whether it logs to the screen, too.
    """
    return Node(
        package="dynid",
        executable=name,
        parameters=[parameter_file(name, parameters)],
        additional_env={ENDS_WITH_PARENT: str(os.getpid())},
        sigterm_timeout=str(_TERM),
        sigkill_timeout=str(_KILL),
        output="screen" if shown else "log",
    )


def robot_node(package: str, executable: str, parameters: str) -> Node:
    """The process that has the robot; after a signal it goes on until it is released.

    Args:
        package: where it is.
        executable: its name.
        parameters: their file.
    """
    return Node(
        package=package,
        executable=executable,
        exec_name=executable,  # in the log, in place of the prefix
        parameters=[parameters],
        prefix=f"{sys.executable} -m dynid_ros.outlive",
        additional_env={ENDS_WITH_PARENT: str(os.getpid())},
        sigterm_timeout=str(_KILL),
        sigkill_timeout=str(_KILL),
        output="screen",
    )


def release_robot(after: Node) -> RegisterEventHandler:
    """End the robot once a node is gone that, on a signal, first brings or sees it to rest.

    Where that node died, or has not seen rest, the robot goes on for LONGEST: its last command ends
    in rest.
    """

    def release(event: ProcessExited, context: LaunchContext) -> EmitEvent | None:
        if not context.is_shutdown or event.returncode != 0:
            return None
        return EmitEvent(event=SignalProcess(signal_number=SIGUSR1, process_matcher=_is_robot))

    return RegisterEventHandler(OnProcessExit(target_action=after, on_exit=release))


def _is_robot(action: ExecuteProcess) -> bool:
    robots = ("ros2_control_node", "simulated_robot")
    return isinstance(action, Node) and action.node_executable in robots


def end_in_order() -> OpaqueFunction:
    """Let SIGTERM and SIGHUP end launch as Ctrl-C does; by itself it would die, or leave its nodes.

    On a closed terminal, too: what launch logs then is lost, and that is no reason to stop.
    """
    return OpaqueFunction(function=_listen)


def _listen(context: LaunchContext) -> None:
    # where a later launch hides it otherwise: its nodes end all the same, by ENDS_WITH_PARENT
    manager = getattr(AsyncSafeSignalManager, "_AsyncSafeSignalManager__current", None)
    if manager is None:
        return
    # launch hears of Ctrl-C beside Python, which would break off the action that it is in the
    # middle of: a process that was begun by then would not be known, and launch wait for it
    signal.signal(signal.SIGINT, lambda *_: None)
    for number in (signal.SIGTERM, signal.SIGHUP):

        def end(heard: int) -> None:
            if not context.is_shutdown:
                context.emit_event_sync(Shutdown(reason=signal.Signals(heard).name))

        manager.handle(number, end)
        # the manager hears only of signals that Python handles
        signal.signal(number, lambda *_: None)
