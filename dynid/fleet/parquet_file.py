"""Parquet files with a checksum of all their bytes.

Parquet has checksums of pages, but none of the footer, which says where pages are and what they
mean. The SHA-256 of the whole file is put between the last page and the footer, in the same file
and so replaced together with it. Other programs do not see it: they find the footer from the end of
a file, and pages by the footer.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

_MARK = b"\0dynid-sha256:"
_END = 8  # [bytes] of the footer's length and of Parquet's own mark


def write_parquet(table: pa.Table, path: Path) -> None:
    """Write a table to a file with a checksum."""
    buffer = pa.BufferOutputStream()
    pq.write_table(table, buffer, write_page_checksum=True)
    content = buffer.getvalue().to_pybytes()
    footer = len(content) - _END - int.from_bytes(content[-_END : -_END + 4], "little")
    seal = _MARK + hashlib.sha256(content).digest()
    path.write_bytes(content[:footer] + seal + content[footer:])


def read_parquet(path: Path) -> pa.Table:
    """Read a table, and check its checksum; a file of another program need not have one.

    Raises:
        OSError: the file cannot be read.
        pa.ArrowException: its content is damaged.
    """
    content = path.read_bytes()
    before, seal, after = _split(content)
    if seal and hashlib.sha256(before + after).digest() != seal:
        raise pa.ArrowInvalid("its SHA-256 does not match")
    file = pq.ParquetFile(pa.BufferReader(content), page_checksum_verification=True)
    return file.read(use_threads=False)


def has_checksum(content: bytes) -> bool:
    """Return whether the content of a file has a checksum, right or wrong."""
    return bool(_split(content)[1])


def _split(content: bytes) -> tuple[bytes, bytes, bytes]:
    """Return what is before the checksum, the checksum, and what is after; without, all before."""
    before, mark, rest = content.rpartition(_MARK)
    if not mark:
        return content, b"", b""
    size = hashlib.sha256().digest_size
    return before, rest[:size], rest[size:]
