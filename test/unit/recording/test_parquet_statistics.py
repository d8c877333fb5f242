"""Altered bits of a Parquet file are noticed by checksums, or by the statistics in its footer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dynid.errors import RecordingError
from dynid.recording.table_file import read_table

arrow = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

COUNT = 200
TIME = np.arange(COUNT) / 100


def columns(kind: str) -> dict[str, Any]:
    values = np.sin(TIME).astype(np.float32)
    if kind == "plain":
        return {"t": TIME, "q": values}
    width = {"list": -1, "fixed": 2}[kind]
    listed = arrow.array(
        np.stack([values, -values], axis=1).tolist(), arrow.list_(arrow.float32(), width)
    )
    return {"t": TIME, "arm.q": listed}


def damaged(path: Path, old: bytes, new: bytes) -> Path:
    content = path.read_bytes()
    assert content.count(old) >= 1
    place = content.index(old)
    path.write_bytes(content[:place] + new + content[place + len(old) :])
    return path


@pytest.mark.parametrize("kind", ["plain", "list", "fixed"])
@pytest.mark.parametrize("rows", [COUNT, 64])
def test_an_altered_extreme_is_noticed(tmp_path: Path, kind: str, rows: int) -> None:
    path, table = tmp_path / "log.parquet", arrow.table(columns(kind))
    plain = {"compression": "none", "use_dictionary": False, "row_group_size": rows}
    parquet.write_table(table, path, **plain)
    assert read_table(path, None, "auto").rows == COUNT
    values = np.sin(TIME).astype(np.float32)
    at = int(values[:rows].argmax())
    # the value itself is also in the statistics of the page and the footer
    follows = -values[at] if kind != "plain" else values[at + 1 if at + 1 < rows else at - 1]
    pair = [values[at], follows] if kind != "plain" or at + 1 < rows else [follows, values[at]]
    changed = [np.float32(1.5) if value == values[at] else value for value in pair]
    damaged(path, np.array(pair).tobytes(), np.array(changed).tobytes())
    with pytest.raises(RecordingError, match=r"q' are from .* to 1\.5, but its footer .* damaged"):
        read_table(path, None, "auto")


def test_any_altered_bit_is_noticed_where_pages_have_checksums(tmp_path: Path) -> None:
    path = tmp_path / "log.parquet"
    table = arrow.table(columns("plain"))
    parquet.write_table(
        table, path, compression="none", use_dictionary=False, write_page_checksum=True
    )
    inner = np.sin(TIME).astype(np.float32)[20]
    damaged(path, inner.tobytes(), np.float32(inner + 1e-3).tobytes())
    with pytest.raises(RecordingError, match=r"cannot be read as \.parquet"):
        read_table(path, None, "auto")


def test_nulls_nan_and_texts_are_no_damage(tmp_path: Path) -> None:
    path = tmp_path / "log.parquet"
    numbers = [None, np.nan, *np.sin(TIME[2:]).tolist()]
    content = {"t": TIME, "q": numbers, "empty": [np.nan] * COUNT, "name": ["a"] * COUNT}
    content |= {"count": np.arange(COUNT) - 2**40, "flag": [True] * COUNT}
    parquet.write_table(arrow.table(content), path)
    assert read_table(path, None, "auto").rows == COUNT


def test_files_without_statistics_are_read(tmp_path: Path) -> None:
    path = tmp_path / "log.parquet"
    parquet.write_table(arrow.table(columns("list")), path, write_statistics=False)
    assert read_table(path, None, "auto").rows == COUNT
