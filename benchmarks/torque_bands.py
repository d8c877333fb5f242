"""Share of the samples of unseen motion that are within the 95 % intervals of torque, per robot.

Each real robot is identified from the parts of recordings that ``dynid bench`` fits, with
its shipped profile where that was made for them, and validated on the other parts. The intervals
are quantiles of the errors on blocks left out of the fit. A joint that the verdict does not know
has none.

The recordings are not part of this repository (docs/real-data.md).

Run: python benchmarks/torque_bands.py [--data FOLDER] [--robots NAME …]
"""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
from real_recordings import present, recordings_parser
from threadpoolctl import threadpool_limits

from dynid.errors import DynidError
from dynid.identification.identify import identify
from dynid.identification.validate import validate
from dynid_plugins.bench.registry import PublicRecording


def main() -> None:
    """Print the coverage of each robot whose recordings are there."""
    options = recordings_parser(__doc__).parse_args()
    print(f"{'coverage [%]':<16s}{'mean':>7s}{'CPU [s]':>9s}  joints")
    for name, recording in present(options.data, options.robots):
        with threadpool_limits(1, user_api="blas"):
            print_coverage(name, recording, options.data)


def print_coverage(name: str, recording: PublicRecording, folder: Path) -> None:
    """Print the coverage on the parts that are held out."""
    robot = recording.shipped_robot() or recording.robot(folder)
    fitted, unseen = recording.recordings(folder, robot)
    begun = time.process_time()
    try:
        checked = validate(identify(robot, fitted).model, unseen)
    except DynidError as error:
        print(f"{name:<16s} {error}", flush=True)
        return
    seconds = time.process_time() - begun
    inside = np.array([100 * joint.coverage for joint in checked.verdict.joints])
    joints = "".join(f"{value:7.1f}" for value in inside)
    print(f"{name:<16s}{np.nanmean(inside):7.1f}{seconds:9.1f}  {joints}", flush=True)


if __name__ == "__main__":
    main()
