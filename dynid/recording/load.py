"""One function from a path to a recording, whatever the format."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

from dynid.errors import RecordingError
from dynid.recording.bag import DEFAULT_TOPIC, read_bag
from dynid.recording.bag_folder import is_bag, require_present
from dynid.recording.csv_file import read_csv
from dynid.recording.names import shown
from dynid.recording.npz_file import read_npz
from dynid.recording.timeline import build_recording

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dynid.recording.columns import ColumnMap
    from dynid.recording.model import Recording
    from dynid.recording.samples import Samples


def load_recording(
    path: Path | str,
    joints: Sequence[str] | None,
    *,
    topic: str = DEFAULT_TOPIC,
    columns: ColumnMap | None = None,
    sampling_rate: float | None = None,
    start: float | None = None,
    stop: float | None = None,
) -> Recording:
    """Read, mend and evenly sample one recording.

    Args:
        path: rosbag2 folder, ``.mcap``, ``.db3``, ``.npz`` or CSV file, or, where ``columns``
            names the files, their folder.
        joints: the joints to read, in this order; None for all that the source names.
        topic: the topic to read, for a bag; a lone JointState topic of another name will do.
        columns: which column is what, for CSV; ignored for other formats, which name their joints.
        sampling_rate: [Hz]; None for the rate that the recording shows.
        start: [s] since the first sample; what lies before is not looked at.
        stop: [s] since the first sample; what lies behind is not looked at.

    Raises:
        RecordingError: the recording cannot be read or mended.
        PreprocessingError: the span does not fit the recording.
    """
    if sampling_rate is not None and not (math.isfinite(sampling_rate) and sampling_rate > 0):
        raise RecordingError(f"The sampling rate must be positive, got {sampling_rate:g} Hz.")
    samples = read_samples(Path(path), joints, topic=topic, columns=columns)
    return build_recording(samples, start=start, stop=stop, sampling_rate=sampling_rate)


def read_samples(
    path: Path,
    joints: Sequence[str] | None,
    *,
    topic: str = DEFAULT_TOPIC,
    columns: ColumnMap | None = None,
) -> Samples:
    """The samples of a recording as they are, with nothing mended but the file itself.

    Args:
        path: as for :func:`load_recording`, and so are the others.
        joints: the joints to read.
        topic: of a bag.
        columns: of a CSV file.

    Raises:
        RecordingError: the file, its format, or what it must hold is absent.
    """
    require_present(path)
    if is_bag(path):
        return read_bag(path, joints, topic)
    if path.suffix == ".npz":
        return read_npz(path, joints)
    if path.suffix == ".bag":
        raise RecordingError(
            f"{shown(path)}: is a ROS 1 bag; convert it first (rosbags-convert --src … --dst …)."
        )
    if columns is None:
        raise RecordingError(
            f"{shown(path)}: is neither a rosbag2 nor an .npz file; to read it as CSV, "
            "a column map is needed."
        )
    return read_csv(path, columns, joints)
