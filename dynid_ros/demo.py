"""The demonstration on ROS 2: every node of dynid around a simulated robot, in one process.

One executor serves all nodes in turn, so simulated time waits for slow nodes, and no message is
lost on a busy machine.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import rclpy
import typer
from rclpy.parameter import Parameter
from rclpy.signals import SignalHandlerOptions

from dynid.demonstration import prepare
from dynid.errors import DynidError, TaskError
from dynid.playback.plan import make_plan, second_seed
from dynid.report.terminal.console import print_text, print_written, result_console
from dynid.report.terminal.progress import progress
from dynid.report.terminal.results import print_demonstration, print_kept_model
from dynid_ros.discovery_range import enter_own_domain
from dynid_ros.excitation_player import ExcitationPlayer
from dynid_ros.executor import close, make_executor
from dynid_ros.identification_task import STEPS, IdentificationTask
from dynid_ros.identifier import Identifier
from dynid_ros.model_publisher import ModelPublisher
from dynid_ros.node import DynidNode
from dynid_ros.recorder import Recorder
from dynid_ros.sequence import answer, outcome
from dynid_ros.simulated_robot import SimulatedRobotNode
from dynid_ros.stop import Stop

Value = str | float | bool


def demonstrate(
    robot: Annotated[str, typer.Option(help="A profile, or a URDF.")] = "puma560",
    output: Annotated[Path, typer.Option("--output", "-o")] = Path("out"),
    speed: Annotated[float, typer.Option(help="Most simulated seconds per second.")] = 10.0,
    as_json: Annotated[bool, typer.Option("--json")] = False,
) -> None:
    """Excite, record, identify and validate a simulated robot with the nodes of dynid."""
    before = _state(output)
    prepared = prepare(robot, output)
    make_plan(prepared.robot)  # raises the player's errors before nodes are made
    seed = second_seed(prepared.robot)
    output.mkdir(parents=True, exist_ok=True)
    # no real robot may follow the simulated robot's motions
    enter_own_domain()
    stop = Stop()
    stop.waiting_for = "the simulated robot to come to rest and the bag to be closed"
    # messages of nodes go to ROS log files; the terminal shows the progress
    quiet = ["--ros-args", "--disable-stdout-logs"]
    rclpy.init(args=quiet, signal_handler_options=SignalHandlerOptions.NO)
    console = result_console(as_json)
    for sentence in prepared.assumed:
        print_text(console, sentence)
    executor = make_executor()
    nodes: list[DynidNode] = []
    try:
        for make, values in _nodes(prepared.profile, speed).items():
            nodes.append(make(parameter_overrides=_overrides(values)))
            executor.add_node(nodes[-1])
        parameters: dict[str, Value] = {
            "use_sim_time": True,
            "output": str(output),
            "validation_seed": -1 if seed is None else seed,
        }
        task = IdentificationTask(stop, executor, parameter_overrides=_overrides(parameters))
        nodes.append(task)
        with progress(console, steps=STEPS) as step:
            good = task.perform(step)
    except TaskError as error:
        raise typer.Exit(answer(error, stop)) from None
    finally:
        try:
            for node in reversed(nodes):
                node.finish()
        finally:
            close(executor, nodes)
            stop.over()
    if as_json:
        typer.echo(json.dumps({kind: json.loads(text) for kind, text in task.received.items()}))
    else:
        print_demonstration(console, task.cards, task.quantities)
        print_written(console, _changed(output, before))
    print_kept_model(output, success=task.cards["identification"].verdict.success)
    raise typer.Exit(outcome(task, good=good))


def _nodes(robot: str, speed: float) -> dict[Callable[..., DynidNode], dict[str, Value]]:
    """Return every node with its parameters."""
    follower: dict[str, Value] = {"profile": robot, "use_sim_time": True}
    return {
        SimulatedRobotNode: {"profile": robot, "speed": speed},
        # in one process, missing messages and delays only mean that the machine is busy
        ExcitationPlayer: {**follower, "max_age": 10.0, "horizon": 10.0},
        Recorder: {"use_sim_time": True},
        Identifier: follower,
        ModelPublisher: follower,
    }


def _state(folder: Path) -> dict[Path, tuple[int, int]]:
    """Return times and sizes of the files in a folder, to detect changes; none without one."""
    if not folder.exists():
        return {}
    statuses = ((path, path.stat()) for path in folder.iterdir() if path.exists())
    return {path: (status.st_ino, status.st_mtime_ns) for path, status in statuses}


def _changed(folder: Path, before: dict[Path, tuple[int, int]]) -> list[Path]:
    """Return the files of a folder that have changed since the state ``before``."""
    now = _state(folder)
    return sorted(path for path, state in now.items() if before.get(path) != state)


def _overrides(values: dict[str, Value]) -> list[Parameter]:
    return [Parameter(name, value=value) for name, value in values.items()]


def main() -> None:
    """Run the demonstration; any error becomes one sentence and exit code 2."""
    try:
        typer.run(demonstrate)
    except DynidError as error:
        typer.echo(f"dynid: {error}", err=True)
        sys.exit(2)
    except OSError as error:
        typer.echo(f"dynid: {error.filename or 'a file'}: {error.strerror or error}.", err=True)
        sys.exit(2)


if __name__ == "__main__":
    main()
