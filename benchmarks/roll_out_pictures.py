"""Draw errors of roll-outs of a simulated robot with servos, before and after identification.

    python benchmarks/roll_out_pictures.py [ROBOT] [-o docs/images/roll-outs.png]

The robot is recorded along two motions. Models are rolled out along the second one, held out, for a
second at a time: the URDF's bodies without friction and with a rotor inertia of 0.005 kg m^2, and
the model that is identified from the first motion. The top row is the recorded motion.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import matplotlib as mpl
import numpy as np
from encoder_only import identified, motion_of
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from dynid.arrays import Array
from dynid.profile import load_robot
from dynid.recording.model import Recording
from dynid.report.png_style import DPI, STYLE
from dynid.robot.model import nominal_model
from dynid.robot.robot import Robot
from dynid_plugins.servo.roll_out import RollOuts, roll_outs
from dynid_plugins.servo.simulated_servo import record_servos

_BARE_ROTOR = 0.005  # [kg m^2]
_RATE = 50.0  # [Hz]
_SPAN = 8.0  # of the picture [s]
_BEFORE, _AFTER, _RECORDED = "#c2410c", "#1f6feb", "#5b6472"


def main() -> None:
    """Write the picture and print the errors in it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("robot", nargs="?", default="so101")
    parser.add_argument("-o", "--output", type=Path, default=Path("docs/images/roll-outs.png"))
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    robot = load_robot(options.robot)
    motion, other = motion_of(robot, options.seed), motion_of(robot, options.seed + 1)
    if motion is None or other is None:
        parser.error("a motion of this seed does not keep the limits")
    commanded = record_servos(robot, other, sampling_rate=_RATE, seed=1)
    values = robot.mechanism().urdf_parameters.copy()
    rotors = [name.startswith("Ia") for name in robot.mechanism().parameter_names]
    values[rotors] = _BARE_ROTOR
    before = roll_outs(nominal_model(robot, values), commanded)
    after = roll_outs(identified(robot, motion, _RATE).model, commanded)
    for name, found in (("before", before), ("after", after)):
        print(f"{name:7s}" + "".join(f"{1e3 * one:8.2f}" for one in found.rms) + " mrad")
    draw(robot, commanded, before, after, options.output)


def draw(robot: Robot, commanded: Recording, before: RollOuts, after: RollOuts, path: Path) -> None:
    """Draw the recorded motion, and below it the errors of each joint."""
    middle = before.starts[len(before.starts) // 2] - _SPAN / 2
    with mpl.rc_context(STYLE):
        drawing = Figure(figsize=(9.0, 8.0), dpi=DPI, layout="constrained")
        FigureCanvasAgg(drawing)
        rows = drawing.subplots(
            len(robot.joints) + 1, 1, sharex=True, height_ratios=[1.6] + [1.0] * len(robot.joints)
        )
        drawing.suptitle(
            f"{robot.name}: roll-outs of 1 s along a motion that was not identified from",
            x=0.01,
            ha="left",
            parse_math=False,
        )
        rows[0].plot(commanded.time, commanded.position, color=_RECORDED, lw=0.8)
        rows[0].set_ylabel("recorded\n[rad]")
        for joint, axes in enumerate(rows[1:]):
            for found, colour, label in (
                (before, _BEFORE, "URDF without friction"),
                (after, _AFTER, "identified"),
            ):
                time, error = _segments(found, joint)
                axes.plot(time, 1e3 * error, color=colour, lw=1.0, label=label)
            axes.set_ylabel(f"{robot.joints[joint]}\n[mrad]", parse_math=False)
        rows[1].legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=2, borderaxespad=0)
        rows[-1].set_xlabel("time [s]")
        rows[-1].set_xlim(middle, middle + _SPAN)
        drawing.align_ylabels()
        drawing.savefig(path, format="png", metadata={"Software": None})


def _segments(found: RollOuts, joint: int) -> tuple[Array, Array]:
    """Return times and errors of all roll-outs, with gaps between them."""
    count = found.errors.shape[1]
    after_start = found.horizon * np.arange(1, count + 1) / count
    time = np.column_stack(
        [found.starts[:, None] + after_start, np.full(len(found.starts), np.nan)]
    )
    error = np.column_stack([found.errors[..., joint], np.full(len(found.starts), np.nan)])
    return time.ravel(), error.ravel()


if __name__ == "__main__":
    main()
