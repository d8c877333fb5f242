"""Whether a recording is too large to be read: a small file can unpack to a huge one."""

from __future__ import annotations

from dynid.errors import RecordingError
from dynid.limits import RECORDING_COMPRESSION_RATIO, RECORDING_MEMORY, RECORDING_UNPACKED_BYTES

_SMALL = 2**24
"""[bytes] What unpacks to no more than this does no harm, whatever its ratio."""


class RecordingTooLargeError(RecordingError):
    """Something in a recording is larger than is allowed; no other part of it is read then."""


def check_unpacked(packed: int, unpacked: int, where: str) -> None:
    """Refuse compressed data that become too large, or grow beyond all measure.

    Args:
        packed: [bytes].
        unpacked: [bytes].
        where: names the file.

    Raises:
        RecordingTooLargeError: they do.
    """
    what = f"{where}: unpacks to {unpacked} bytes"
    RECORDING_UNPACKED_BYTES.check(unpacked, what, RecordingTooLargeError)
    if unpacked > _SMALL:
        ratio = unpacked // max(packed, 1)
        what = f"{where}: unpacks to {ratio} times as many bytes as it has"
        RECORDING_COMPRESSION_RATIO.check(ratio, what, RecordingTooLargeError)


def check_memory(samples: int, joints: int, where: str) -> None:
    """Refuse more samples than fit: time, position, velocity and effort of every joint.

    Args:
        samples: their number.
        joints: number of joints.
        where: names the file.

    Raises:
        RecordingTooLargeError: they do not fit.
    """
    size = samples * (1 + 3 * joints) * 8
    what = f"{where}: holds {samples} samples of {joints} joints, which take {size} bytes"
    RECORDING_MEMORY.check(size, what, RecordingTooLargeError)
