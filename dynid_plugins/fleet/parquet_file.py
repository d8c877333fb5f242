"""Parquet files with a checksum of all their bytes.

Parquet has checksums of pages, but none of the footer, which says where pages are and what they
mean. The SHA-256 of the whole file is put between the last page and the footer, in the same file
and so replaced together with it. Other programs do not see it: they find the footer from the end of
a file, and pages by the footer. The footer says that it is there, so that a checksum that cannot be
recognised any more is not taken for none. A file that another program has written again from this
one may still say so, but nothing lies between its last page and the footer.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

_MARK = b"\0dynid-sha256:"
_SEAL = len(_MARK) + hashlib.sha256().digest_size  # [bytes]
_END = 8  # [bytes] of the footer's length and of Parquet's own mark
_SEALED = {b"dynid": b"sealed by SHA-256"}


def write_parquet(table: pa.Table, path: Path) -> None:
    """Write a table to a file with a checksum."""
    buffer = pa.BufferOutputStream()
    pq.write_table(table.replace_schema_metadata(_SEALED), buffer, write_page_checksum=True)
    content = buffer.getvalue().to_pybytes()
    at = _footer(content)
    seal = _MARK + hashlib.sha256(content).digest()
    path.write_bytes(content[:at] + seal + content[at:])


def read_parquet(path: Path) -> pa.Table:
    """Read a table, and check its checksum; a file of another program need not have one.

    Raises:
        OSError: the file cannot be read.
        pa.ArrowException: its content is damaged.
    """
    content = path.read_bytes()
    at = _footer(content)
    begin = max(at - _SEAL, 0)
    has_seal = content[begin:at].startswith(_MARK)
    if has_seal:
        found = hashlib.sha256(content[:begin] + content[at:]).digest()
        if found != content[at - len(found) : at]:
            raise pa.ArrowInvalid("its SHA-256 does not match")
    file = pq.ParquetFile(pa.BufferReader(content), page_checksum_verification=True)
    if not has_seal and _lost_its_seal(file, at):
        raise pa.ArrowInvalid("its SHA-256 cannot be read")
    return file.read(use_threads=False).replace_schema_metadata(None)


def _footer(content: bytes) -> int:
    """Return where the footer begins; what a damaged file says may be before its beginning."""
    return len(content) - _END - int.from_bytes(content[-_END : -_END + 4], "little")


def _lost_its_seal(file: pq.ParquetFile, footer: int) -> bool:
    """Return whether a file without a seal was written with one."""
    if _SEALED.keys().isdisjoint(file.metadata.metadata or {}):
        return False
    groups = (file.metadata.row_group(index) for index in range(file.metadata.num_row_groups))
    columns = (one.column(index) for one in groups for index in range(one.num_columns))
    return footer >= _SEAL + max(map(_end, columns), default=0)


def _end(column: pq.ColumnChunkMetaData) -> int:
    """Return where the pages of a column end."""
    begin = column.dictionary_page_offset or column.data_page_offset
    return int(begin + column.total_compressed_size)
