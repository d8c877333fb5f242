"""Shared functions of the launch files: nodes with parameter files, and shutdown on signals."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from functools import cache
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

from dynid_ros.discovery_range import stay_on_this_machine
from dynid_ros.outlive import CONTROLLERS, LONGEST, LONGEST_AFTER_RELEASE
from dynid_ros.stop import ENDS_WITH_PARENT, HANDLED

if TYPE_CHECKING:
    from collections.abc import Mapping

    from launch.launch_context import LaunchContext

AT_REST, RELEASED = ENDS = ("at_rest", "released")
"""When a robot ends after a signal: when it is at rest, or when a launch file releases it."""

# [s] after which launch signals again; for the first time where SIGINT went to launch alone, which
# leaves it to the terminal to signal the others
_TERM = 10.0
_KILL = (
    LONGEST + LONGEST_AFTER_RELEASE + 4.0
)  # [s] after which launch kills processes that have not ended

Value = str | int | float | bool | list[str]


def on_this_machine() -> OpaqueFunction:
    """Let later processes accept nodes on this machine only, and log how to change that."""
    return OpaqueFunction(function=_close)


def _close(context: LaunchContext) -> list[LogInfo]:
    reach = stay_on_this_machine(context.environment)
    return [LogInfo(msg=reach)] if reach else []


def parameter_file(name: str, parameters: Mapping[str, Any]) -> str:
    """Write parameters of any node into this launch's log folder; return the file's path.

    launch_ros would use a temporary file that is never removed.
    """
    path = Path(launch_config.log_dir) / f"{name}.yaml"
    text = yaml.safe_dump({"/**": {"ros__parameters": dict(parameters)}})
    path.write_text(text, encoding="utf-8")
    return str(path)


def dynid_node(
    name: str, parameters: Mapping[str, Value], *, shown: bool = True, needed: bool = True
) -> Node:
    """Return a node of dynid, which shuts down on a signal and when launch itself has died.

    Args:
        name: its executable.
        parameters: values by name.
        shown: whether it also logs to the screen.
        needed: whether the launch ends with it.
    """
    return Node(
        package="dynid",
        executable=name,
        exec_name=name,  # in the log, instead of the prefix
        parameters=[parameter_file(name, parameters)],
        prefix=_blocking_signals() or None,
        on_exit=_end_without if needed else None,
        additional_env={ENDS_WITH_PARENT: str(os.getpid())},
        sigterm_timeout=str(_TERM),
        sigkill_timeout=str(_KILL),
        output="screen" if shown else "log",
    )


def robot_node(package: str, executable: str, parameters: str) -> Node:
    """Return the process of the robot, which continues after a signal until it is released.

    Args:
        package: name of the package.
        executable: name of the executable.
        parameters: path of the parameter file.
    """
    option = f" {CONTROLLERS}" if package == "controller_manager" else ""
    return Node(
        package=package,
        executable=executable,
        exec_name=executable,  # in the log, instead of the prefix
        parameters=[parameters],
        prefix=f"{_blocking_signals()} {sys.executable} -m dynid_ros.outlive{option}".strip(),
        on_exit=_end_without,
        additional_env={ENDS_WITH_PARENT: str(os.getpid())},
        sigterm_timeout=str(_KILL),
        sigkill_timeout=str(_KILL),
        output="screen",
    )


@cache
def _blocking_signals() -> str:
    """Return the command that starts another one with blocked signals; empty where there is none.

    A program of dynid unblocks the signals when it can handle them. Without this, one that arrives
    while Python starts would kill it.
    """
    names = ",".join(number.name.removeprefix("SIG") for number in HANDLED)
    command = [shutil.which("env") or "env", f"--block-signal={names}"]
    try:  # an option of GNU coreutils 8.31
        subprocess.run([*command, "true"], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return ""
    return " ".join(command)


def _end_without(event: ProcessExited, context: LaunchContext) -> None:
    """End the launch, because a process that it needs has ended.

    Raises:
        RuntimeError: the launch was not ending; launch then ends all others, and returns 1.
    """
    if not context.is_shutdown:
        raise RuntimeError(f"{ended(event)}, and nothing here works without it: the launch ends.")


def ended(event: ProcessExited) -> str:
    """Return how a process ended, in words."""
    code = event.returncode - 128 if event.returncode > 128 else -event.returncode
    try:
        return f"{event.process_name} was ended by {signal.Signals(code).name}"
    except ValueError:
        return f"{event.process_name} ended with exit code {event.returncode}"


def release_robot(after: Node) -> RegisterEventHandler:
    """End the robot after a node that, on a signal, first brings it or waits for it to rest.

    Where that node died, or did not detect rest, the robot continues for LONGEST: its last command
    ends at rest.
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
    """Let SIGTERM and SIGHUP end launch as Ctrl-C does; otherwise it would leave its nodes.

    This includes a closed terminal, where messages of launch are lost.
    """
    return OpaqueFunction(function=_listen)


def _listen(context: LaunchContext) -> None:
    # a later launch may hide this differently; then its nodes end by ENDS_WITH_PARENT
    manager = getattr(AsyncSafeSignalManager, "_AsyncSafeSignalManager__current", None)
    if manager is None:
        return
    # launch handles Ctrl-C besides Python, which would interrupt its current action: launch would
    # then wait for a started process without knowing it
    signal.signal(signal.SIGINT, lambda *_: None)
    for number in (signal.SIGTERM, signal.SIGHUP):

        def end(number: int) -> None:
            if not context.is_shutdown:
                context.emit_event_sync(Shutdown(reason=signal.Signals(number).name))

        manager.handle(number, end)
        # the manager only gets signals that Python handles
        signal.signal(number, lambda *_: None)
