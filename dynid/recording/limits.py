"""Limits of the size of recordings, as a small file can unpack to a huge one."""

from __future__ import annotations

from dynid.errors import RecordingError
from dynid.limits import RECORDING_COMPRESSION_RATIO, RECORDING_MEMORY, RECORDING_UNPACKED_BYTES

_SMALL_SIZE = 2**24
"""[bytes] Unpacked size below which any ratio is accepted."""


class RecordingTooLargeError(RecordingError):
    """A part of a recording exceeds a limit; the recording is not read any further."""


def check_unpacked(packed: int, unpacked: int, where: str) -> None:
    """Check the size and ratio of decompressed data of a file [bytes].

    Raises:
        RecordingTooLargeError: they exceed a limit.
    """
    what = f"{where}: unpacks to {unpacked} bytes"
    RECORDING_UNPACKED_BYTES.check(unpacked, what, RecordingTooLargeError)
    if unpacked > _SMALL_SIZE:
        ratio = unpacked // max(packed, 1)
        what = f"{where}: unpacks to {ratio} times as many bytes as it has"
        RECORDING_COMPRESSION_RATIO.check(ratio, what, RecordingTooLargeError)


def check_memory(samples: int, joints: int, where: str) -> None:
    """Check the memory of samples: time, position, velocity and effort of every joint.

    Raises:
        RecordingTooLargeError: it exceeds a limit.
    """
    size = samples * (1 + 3 * joints) * 8
    what = f"{where}: contains {samples} samples of {joints} joints, which take {size} bytes"
    RECORDING_MEMORY.check(size, what, RecordingTooLargeError)
