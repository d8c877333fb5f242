"""Decompression up to a given size."""

from __future__ import annotations

from pathlib import Path

import zstandard
from lz4.frame import LZ4FrameDecompressor

from dynid.recording.limits import check_unpacked

ZSTD_MAGIC = b"\x28\xb5\x2f\xfd"
_BLOCK = 2**20


def unpack(content: bytes, compression: str, largest: int) -> bytes | None:
    """Decompress data; return None if they are damaged, or larger than ``largest`` bytes.

    The compression is ``""``, ``"lz4"`` or ``"zstd"``.
    """
    if not compression:
        return content if len(content) <= largest else None
    try:
        if compression == "lz4":
            unpacked: bytes = LZ4FrameDecompressor().decompress(content, max_length=largest + 1)
        else:
            with zstandard.ZstdDecompressor().stream_reader(content) as stream:
                unpacked = stream.read(largest + 1)
    # lz4 raises RuntimeError
    except (zstandard.ZstdError, RuntimeError, ValueError, MemoryError):
        return None
    return unpacked if len(unpacked) <= largest else None


def unpack_file(source: Path, target: Path) -> str:
    """Decompress a file that is compressed as a whole (zstd); return its damage, empty if intact.

    Raises:
        RecordingError: it exceeds a limit of size.
    """
    packed, unpacked = source.stat().st_size, 0
    with (
        source.open("rb") as stream,
        target.open("wb") as unfinished,
        zstandard.ZstdDecompressor().stream_reader(stream, read_across_frames=True) as reader,
    ):
        while True:
            try:
                block = reader.read(_BLOCK)
            except zstandard.ZstdError as error:
                return f"its compressed data end early ({error})"
            if not block:
                return ""
            unpacked += len(block)
            check_unpacked(packed, unpacked, source.name)
            unfinished.write(block)
