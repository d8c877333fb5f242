"""Share of the report in the CPU time of `dynid identify`, and the size of the file.

The whole is reading, identification and writing of all files, without the start of the process and
its imports, with which the share would be smaller.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from statistics import median

import numpy as np
from bench_identification import example_robot, recorded

from dynid.identification.identify import identify
from dynid.profile import load_robot
from dynid.recording.convert import write_bag
from dynid.recording.model import Recording
from dynid.report.report import report_html
from dynid.report.write import write_outputs
from dynid.robot.recordings import load_recording
from dynid.robot.robot import Robot
from dynid.simulation.simulate import simulate

_RUNS = 5


def demonstrated(name: str) -> tuple[Robot, Recording]:
    """The excitation of a shipped profile, recorded from its simulated robot as in `dynid demo`."""
    robot = load_robot(name)
    return robot, simulate(robot)


def measure(robot: Robot, recording: Recording) -> tuple[float, float, int]:
    """CPU seconds of the whole and of the report, and the report's size [bytes]."""
    with tempfile.TemporaryDirectory() as folder:
        bag, output = Path(folder) / "bag", Path(folder) / "out"
        write_bag(recording, bag)
        start = time.process_time()
        identification = identify(robot, load_recording(bag, robot))
        write_outputs(identification, output)
        whole = time.process_time() - start
        start = time.process_time()
        report_html(identification)
        report = time.process_time() - start
        size = max(path.stat().st_size for path in output.glob("report*.html"))
    return whole, report, size


def main() -> None:
    """Print whole, report, their ratio, and the size of report.html."""
    robot = example_robot()
    cases = {
        "50 000 samples of UR10e, simple terms": (robot, recorded(robot.mechanism())),
        "excitation of puma560, as in dynid demo": demonstrated("puma560"),
    }
    print(f"median of {_RUNS}, CPU seconds")
    print(f"{'':42s} {'samples':>8s} {'identify':>9s} {'report':>8s} {'share':>6s} {'size':>9s}")
    for name, (one, recording) in cases.items():
        measure(one, recording)  # imports, which do not count
        runs = np.array([measure(one, recording) for _ in range(_RUNS)])
        whole, report, size = runs[:, 0], runs[:, 1], runs[0, 2]
        print(
            f"{name:42s} {len(recording.time):8d} {median(whole):8.2f}s {median(report):7.2f}s "
            f"{100 * median(report / whole):5.0f}% {size / 1e6:6.2f} MB"
        )


if __name__ == "__main__":
    main()
