"""Fitting of one tool to one public recording, and its errors on what was held out."""

from __future__ import annotations

import logging
import multiprocessing
import os
import resource
import sys
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from multiprocessing.connection import Connection
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from dynid.arrays import Array
from dynid.errors import DynidError
from dynid.identification.settings import IdentificationSettings
from dynid.json_text import Figure
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid.signals.filters import ParallelFilter
from dynid.signals.preprocess import preprocess
from dynid.signals.settings import ParallelFilterSettings
from dynid.signals.signals import Signals
from dynid_plugins.bench.contenders.interface import FittedModel, FittingTask
from dynid_plugins.bench.registry import PublicRecording
from dynid_plugins.bench.selection import contender


@dataclass(frozen=True)
class ToolErrors:
    """How a tool did on a recording; NaN where it could not be determined.

    Attributes:
        recording, tool: names.
        problem: why there are no errors; "" if there are.
        crashed: whether its process ended before it had a result.
        fit: relative error on the fitted parts, all joints together.
        held_out: the same on the parts held out.
        moving, resting: the same, of samples in which a joint moves, or does not.
        joints: relative errors held out, of each joint.
        coverage: share of samples held out within the 95 % band.
        width: mean width of the band over the rms of the torque held out.
        cpu: time of the fit, of all threads [s].
        memory: largest of the process, which also read the recordings [MiB].
        keys: number of settings made by hand for this robot.
    """

    recording: str
    tool: str
    problem: str = ""
    crashed: bool = False
    fit: Figure = nan
    held_out: Figure = nan
    moving: Figure = nan
    resting: Figure = nan
    joints: tuple[float, ...] = ()
    coverage: Figure = nan
    width: Figure = nan
    cpu: Figure = nan
    memory: Figure = nan
    keys: int = 0


def evaluate_apart(
    name: str, recording: PublicRecording, folder: Path, tool: str, limit: float
) -> ToolErrors:
    """Evaluate a tool in a process of its own, which is killed after ``limit`` [s]."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    child = context.Process(target=_send_errors, args=(sender, name, recording, folder, tool))
    child.start()
    sender.close()
    try:
        if receiver.poll(limit):
            found: ToolErrors = receiver.recv()
            return found
    except EOFError:  # it crashed, or ran out of memory
        child.join()
        problem = f"its process ended with exit code {child.exitcode}."
        return ToolErrors(name, tool, problem, crashed=True)
    finally:
        child.kill()
        child.join()
    return ToolErrors(name, tool, f"it took longer than {limit:g} s; --limit allows more.")


def _send_errors(
    sender: Connection, name: str, recording: PublicRecording, folder: Path, tool: str
) -> None:
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    with Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), 1)  # what a tool prints is no result
    sender.send(evaluate_tool(name, recording, folder, tool))


def evaluate_tool(name: str, recording: PublicRecording, folder: Path, tool: str) -> ToolErrors:
    """Fit a tool to a recording, and evaluate it on what is held out."""
    try:
        chosen = contender(tool)  # before the limits, which act on loaded libraries
        with threadpool_limits(1):
            task, held_out = prepare(recording, folder)
            begun = time.process_time()
            model = chosen.fit(task)
            cpu = time.process_time() - begun
            return _errors(name, tool, model, task, held_out, cpu)
    except DynidError as error:
        return ToolErrors(name, tool, str(error))
    except Exception as error:  # noqa: BLE001  of a tool, which must not end the others
        return ToolErrors(name, tool, f"{type(error).__name__}: {error}")


def prepare(recording: PublicRecording, folder: Path) -> tuple[FittingTask, list[Signals]]:
    """Read a recording, and return what is fitted, and the signals held out."""
    robot, cutoff_hz = recording.robot(folder), recording.cutoff_hz
    fitted, unseen = recording.recordings(folder, robot)
    task = FittingTask(
        robot=robot,
        shipped=recording.shipped_robot(),
        recordings=tuple(fitted),
        signals=tuple(neutral_signals(robot, part, cutoff_hz) for part in fitted),
        cutoff_hz=cutoff_hz,
    )
    return task, [neutral_signals(robot, part, cutoff_hz) for part in unseen]


def neutral_settings(cutoff_hz: float) -> IdentificationSettings:
    """Return the filters with which every model is evaluated."""
    return IdentificationSettings(
        cutoff_hz=cutoff_hz,
        filter_torque=False,
        parallel_filter=ParallelFilterSettings(cutoff_hz=cutoff_hz),
        trim_rest=False,
        border=0.0,
    )


def neutral_signals(robot: Robot, recording: Recording, cutoff_hz: float) -> Signals:
    """Preprocess a recording with the filters of every model."""
    return preprocess(recording, robot.with_settings(neutral_settings(cutoff_hz)))


def compared_torques(
    model: FittedModel, signals: Sequence[Signals], cutoff_hz: float
) -> tuple[Array, Array]:
    """Return measured and predicted torque (N, n) through the filter of every model."""
    settings = neutral_settings(cutoff_hz)
    pairs = []
    for one in signals:
        parallel = ParallelFilter.of(settings, one.sampling_rate)
        pairs.append((parallel.smooth(one.torque), parallel.smooth(model.torque(one))))
    measured, predicted = (np.concatenate(part) for part in zip(*pairs, strict=True))
    return measured, predicted


def _errors(
    name: str,
    tool: str,
    model: FittedModel,
    task: FittingTask,
    held_out: Sequence[Signals],
    cpu: float,
) -> ToolErrors:
    measured, predicted = compared_torques(model, held_out, task.cutoff_hz)
    moving = np.concatenate([one.moving for one in held_out])
    inside, width = nan, nan
    if model.band is not None:
        half = np.concatenate([np.broadcast_to(model.band(s), s.torque.shape) for s in held_out])
        inside = float(np.mean(np.abs(predicted - measured) <= half))
        width = float(2 * np.mean(half) / np.sqrt(np.mean(measured**2)))
    return ToolErrors(
        recording=name,
        tool=tool,
        fit=_relative_error(*compared_torques(model, task.signals, task.cutoff_hz)),
        held_out=_relative_error(measured, predicted),
        moving=_relative_error(measured, predicted, moving),
        resting=_relative_error(measured, predicted, ~moving),
        joints=tuple(_relative_error(*both) for both in zip(measured.T, predicted.T, strict=True)),
        coverage=inside,
        width=width,
        cpu=cpu,
        memory=_peak_memory(),
        keys=model.keys,
    )


def _relative_error(
    measured: Array, predicted: Array, chosen: NDArray[np.bool_] | slice = np.s_[:]
) -> float:
    """Return the norm of the error over that of the torque, of the chosen values; or NaN."""
    whole = float(np.linalg.norm(measured[chosen]))
    return float(np.linalg.norm((predicted - measured)[chosen])) / whole if whole else nan


def _peak_memory() -> float:
    """Return the largest memory of this process so far [MiB]."""
    status = Path("/proc/self/status")
    if status.exists():  # ru_maxrss of a new process begins with that of its parent
        line = next(line for line in status.read_text("ascii").splitlines() if "VmHWM" in line)
        return float(line.split()[1]) / 1024
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return largest / (2**20 if sys.platform == "darwin" else 2**10)
