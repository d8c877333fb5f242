"""How large a recording may be before it is refused: a small file can unpack to a huge one."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from dynid.configuration import Settings
from dynid.errors import RecordingError

Size = Annotated[int, Field(gt=0)]

_MIB, _GIB = 2**20, 2**30
_SMALL = 16 * _MIB
"""[bytes] What unpacks to no more than this does no harm, whatever its ratio."""


class RecordingTooLargeError(RecordingError):
    """Something in a recording is larger than the settings allow."""


class RecordingLimits(Settings):
    """Sizes beyond which a recording is refused: the profile's ``recording.limits``.

    The defaults let an hour of seven joints at 1 kHz pass, in every format (0.6 GiB of numbers),
    and refuse a file that unpacks to more than the memory of a small computer.

    Attributes:
        memory_bytes: numbers of a recording, at 8 bytes each.
        text_bytes: one CSV file.
        line_bytes: one line of a CSV file.
        unpacked_bytes: what one compressed file unpacks to.
        compression_ratio: how many times as large compressed data may become, beyond 16 MiB.
        chunk_bytes: one chunk of an MCAP file, unpacked; also its index.
        message_bytes: one message of joint states.
        columns: of a CSV file.
        joints: of a message, array or column map.
        topics: of a bag.
    """

    memory_bytes: Size = 2 * _GIB
    text_bytes: Size = 4 * _GIB
    line_bytes: Size = _MIB
    unpacked_bytes: Size = 16 * _GIB
    compression_ratio: Size = 200
    chunk_bytes: Size = 256 * _MIB
    message_bytes: Size = _MIB
    columns: Size = 10_000
    joints: Size = 1_000
    topics: Size = 10_000

    def require(self, limit: str, found: int, where: str, what: str) -> None:
        """Refuse what is larger than a limit.

        Args:
            limit: name of the limit.
            found: what is compared with it.
            where: names the file.
            what: says what has this size, as in ``a line has {} bytes``.

        Raises:
            RecordingError: it is larger.
        """
        allowed = getattr(self, limit)
        if found > allowed:
            raise RecordingTooLargeError(
                f"{where}: {what.format(found)}, and {allowed} are allowed; if the file is to be "
                f"trusted, raise recording.limits.{limit} in the profile."
            )

    def require_ratio(self, packed: int, unpacked: int, where: str) -> None:
        """Refuse compressed data that grow beyond all measure.

        Args:
            packed: [bytes].
            unpacked: [bytes].
            where: names the file.

        Raises:
            RecordingError: they do.
        """
        self.require("unpacked_bytes", unpacked, where, "unpacks to {} bytes")
        if unpacked > _SMALL:
            ratio = unpacked // max(packed, 1)
            self.require(
                "compression_ratio", ratio, where, "unpacks to {} times as many bytes as it has"
            )

    def require_memory(self, samples: int, joints: int, where: str) -> None:
        """Refuse more samples than fit: time, position, velocity and effort of every joint.

        Args:
            samples: their number.
            joints: number of joints.
            where: names the file.

        Raises:
            RecordingError: they do not fit.
        """
        text = f"holds {samples} samples of {joints} joints, which take {{}} bytes"
        self.require("memory_bytes", samples * (1 + 3 * joints) * 8, where, text)


LIMITS = RecordingLimits()
"""The limits where nothing else is said."""
