"""Share of the samples of unseen motion that are within the 95 % intervals of torque, per robot.

Each real robot is identified from the parts of recordings that ``real_recordings.py`` fits, with
its shipped profile where that was made for them, and validated on the other parts. The intervals
are quantiles of the errors on blocks left out of the fit. A joint that the verdict does not know
has none.

The recordings are not part of this repository (docs/real-data.md).

Run: python benchmarks/torque_bands.py [--data FOLDER] [--robots NAME …]
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from real_recordings import DATA, TRIALS, Trial, present
from threadpoolctl import threadpool_limits

from dynid.errors import DynidError
from dynid.identification.identify import identify
from dynid.identification.validate import validate
from dynid.profile import load_robot


def main() -> None:
    """Print the coverage of each robot whose recordings are there."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the recordings")
    parser.add_argument("--robots", nargs="*", default=[one.name for one in TRIALS])
    options = parser.parse_args()
    print(f"{'coverage [%]':<16s}{'mean':>7s}{'CPU [s]':>9s}  joints")
    for trial in present(options.data, options.robots):
        with threadpool_limits(1, user_api="blas"):
            print_trial(trial, options.data)


def print_trial(trial: Trial, folder: Path) -> None:
    """Print the coverage on the parts that are held out."""
    robot = trial.robot(folder)
    if trial.profile is not None and trial.shipped:
        robot = load_robot(trial.profile)
    fitted, unseen = trial.recordings(folder, robot)
    begun = time.process_time()
    try:
        checked = validate(identify(robot, fitted).model, unseen)
    except DynidError as error:
        print(f"{trial.name:<16s} {error}", flush=True)
        return
    seconds = time.process_time() - begun
    inside = np.array([100 * joint.coverage for joint in checked.verdict.joints])
    joints = "".join(f"{value:7.1f}" for value in inside)
    print(f"{trial.name:<16s}{np.nanmean(inside):7.1f}{seconds:9.1f}  {joints}", flush=True)


if __name__ == "__main__":
    main()
