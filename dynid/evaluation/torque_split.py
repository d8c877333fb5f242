"""Split of a recording's torque into the parts of a model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.torque_parts import TorqueParts, torque_parts
from dynid.errors import WriteError
from dynid.files import whole_file
from dynid.signals.preprocess import preprocess

if TYPE_CHECKING:
    from pathlib import Path

    from dynid.dynamics.mechanism import Mechanism
    from dynid.recording.model import Recording
    from dynid.robot.robot import Robot
    from dynid.signals.signals import Signals


SUFFIXES = (".csv", ".npz")


@dataclass(frozen=True)
class TorqueSplit:
    """The parts of a model's torque along a recording, and the measured torque.

    Attributes:
        mechanism: the model.
        signals: the preprocessed recording; ``signals.torque`` is the measured torque.
        parts: (N, n) each [N m or N].
    """

    mechanism: Mechanism
    signals: Signals
    parts: TorqueParts

    def torques(self) -> dict[str, Array]:
        """Return the parts, their sum ``model``, ``measured``, and their difference ``error``."""
        model, measured = self.parts.total, self.signals.torque
        sums = {"model": model, "measured": measured, "error": measured - model}
        return {**self.parts.named(), **sums}

    def rms(self) -> dict[str, Array]:
        """Return the root mean square of each over the recording, (n,) [N m or N]."""
        return {name: np.sqrt(np.mean(t**2, axis=0)) for name, t in self.torques().items()}


def split_torque(mechanism: Mechanism, robot: Robot, recording: Recording) -> TorqueSplit:
    """Split the torque of a recording, with the profile's filters.

    Raises:
        PreprocessingError: the filters do not fit the recording.
    """
    signals = preprocess(recording, robot)
    parts = torque_parts(mechanism, *signals.motion)
    return TorqueSplit(mechanism, signals, parts)


def check_split_path(path: Path) -> None:
    """Check that a split can be written to a file of that name.

    Raises:
        WriteError: the name ends neither in .csv nor in .npz.
    """
    if path.suffix not in SUFFIXES:
        message = f"{path}: a torque split is written as .csv or .npz; choose such a file name."
        raise WriteError(message)


def write_split(split: TorqueSplit, path: Path) -> None:
    """Write every sample as CSV, a column per joint and quantity, or as NumPy arrays (N, n).

    Raises:
        WriteError: the file cannot be written, or is neither .csv nor .npz.
    """
    check_split_path(path)
    signals = split.signals
    motion = {
        "position": signals.position,
        "velocity": signals.velocity,
        "acceleration": signals.acceleration,
    }
    arrays = {**motion, **split.torques()}
    with whole_file(path) as unfinished:
        if path.suffix == ".npz":
            joints = np.array(split.mechanism.joints)
            np.savez(unfinished, joints=joints, time=signals.time, **arrays)  # type: ignore[arg-type]
        else:
            _write_csv(split, arrays, unfinished)


def _write_csv(split: TorqueSplit, arrays: dict[str, Array], path: Path) -> None:
    names = ["time [s]"]
    columns = [split.signals.time]
    for number, joint in enumerate(split.mechanism.joints):
        units = _units(split.mechanism.prismatic[number])
        for name, values in arrays.items():
            names.append(f"{joint}.{name} [{units.get(name, units['torque'])}]")
            columns.append(values[:, number])
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(",".join(names) + "\n")
        np.savetxt(file, np.column_stack(columns), fmt="%.9g", delimiter=",")


def _units(prismatic: bool) -> dict[str, str]:
    length = "m" if prismatic else "rad"
    return {
        "position": length,
        "velocity": f"{length}/s",
        "acceleration": f"{length}/s^2",
        "torque": "N" if prismatic else "N*m",
    }
