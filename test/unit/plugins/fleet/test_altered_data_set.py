"""A data set whose files were altered is refused, and removes nothing of others."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pytest

from dynid.errors import ConfigurationError

pa = pytest.importorskip("pyarrow", reason="pyarrow: pip install 'dynid[fleet]'")
pq = pytest.importorskip("pyarrow.parquet")

from dynid_plugins.fleet.dataset import RECORDINGS, load, writer  # noqa: E402
from dynid_plugins.fleet.parquet_file import read_parquet  # noqa: E402

MARK = b"\0dynid-sha256:"


def row(recording: str, model: str | None) -> dict[str, Any]:
    return {
        "schema_version": 1,
        "robot": "a",
        "type": "arm",
        "recording": recording,
        "temperature": 21.5,
        "fingerprint": "",
        "status": "identified",
        "model": model,
        "dynid_version": "0",
        "finished_at": datetime(2026, 1, 31, tzinfo=timezone.utc),
        "seconds": 1.0,
    }


def write(folder: Path, models: Mapping[str, str | None]) -> Path:
    """Add recordings with their models to a data set, and return its file of recordings."""
    rows = [row(recording, model) for recording, model in models.items()]
    with writer(folder) as data:
        data.replace("a", rows, [], {model: "new" for model in models.values() if model})
    return folder / "recordings" / "a.parquet"


@pytest.mark.parametrize(
    "model",
    ["../mine.txt", "models/../../mine.txt", "models/a/../../../mine.txt", "/etc/hostname", ""],
)
def test_a_path_that_leaves_the_data_set_is_refused_and_its_file_kept(tmp_path, model):
    mine = tmp_path / "mine.txt"
    mine.write_text("mine")
    file = write(tmp_path / "fleet", {"1.npz": "models/a/1.yaml"})
    pq.write_table(pa.Table.from_pylist([row("1.npz", model)], schema=RECORDINGS), file)
    with pytest.raises(ConfigurationError, match="'model' names a file outside models/"):
        write(tmp_path / "fleet", {"1.npz": "models/a/2.yaml"})
    with pytest.raises(ConfigurationError, match="'model' names a file outside models/"):
        load(tmp_path / "fleet")
    assert mine.read_text() == "mine"


def test_a_model_is_removed_with_the_last_recording_that_has_it(tmp_path):
    # copies of a recording have the same content, and so the same model
    folder = tmp_path / "fleet"
    write(folder, {"one/log.npz": "models/a/log.yaml", "two/log.npz": "models/a/log.yaml"})
    write(folder, {"one/log.npz": "models/a/other.yaml"})
    assert (folder / "models" / "a" / "log.yaml").exists()
    write(folder, {"two/log.npz": None})
    assert sorted(one.name for one in (folder / "models" / "a").iterdir()) == ["other.yaml"]


def refuses(file: Path, content: bytes) -> bool:
    """Return whether other content of a file is refused, through the reader of data sets."""
    file.write_bytes(content)
    try:
        load(file.parents[1])
    except ConfigurationError:
        return True
    return False


@pytest.mark.thorough
def test_every_changed_byte_is_refused(tmp_path):
    file = write(tmp_path / "fleet", {f"{number}.npz": None for number in range(4)})
    content = file.read_bytes()
    for place in range(len(content)):
        changed = content[:place] + bytes([content[place] ^ 16]) + content[place + 1 :]
        assert refuses(file, changed), f"byte {place}"


def test_every_changed_bit_in_the_mark_of_the_checksum_is_refused(tmp_path):
    file = write(tmp_path / "fleet", {"1.npz": None})
    content = file.read_bytes()
    mark = content.index(MARK)
    for place in range(mark, mark + len(MARK)):
        for bit in range(8):
            value = content[place] ^ (1 << bit)
            file.write_bytes(content[:place] + bytes([value]) + content[place + 1 :])
            with pytest.raises(pa.ArrowInvalid, match="its SHA-256 cannot be read"):
                read_parquet(file)


def test_a_checksum_that_is_overwritten_as_a_whole_is_refused(tmp_path):
    file = write(tmp_path / "fleet", {"1.npz": None})
    content = file.read_bytes()
    mark = content.index(MARK)
    size = len(MARK) + 32
    for other in (bytes(size), b"\xff" * size, content[:size]):
        assert refuses(file, content[:mark] + other + content[mark + size :])


def test_a_changed_footer_is_named(tmp_path):
    file = write(tmp_path / "fleet", {"1.npz": None})
    content = bytearray(file.read_bytes())
    content[content.rindex(b"temperature")] ^= 1
    file.write_bytes(content)
    with pytest.raises(ConfigurationError, match=r"a\.parquet: is damaged .its SHA-256 does not"):
        load(tmp_path / "fleet")


def test_a_file_without_a_checksum_is_read_and_gets_one(tmp_path):
    file = write(tmp_path / "fleet", {"1.npz": None})
    table = pq.read_table(file)  # as other programs do
    assert table.schema.metadata  # says that there is a checksum, and is copied
    pq.write_table(table, file)
    assert MARK not in file.read_bytes()
    assert load(tmp_path / "fleet").recordings.equals(table)
    write(tmp_path / "fleet", {"2.npz": None})
    assert MARK in file.read_bytes()


def test_a_file_of_another_kind_is_refused(tmp_path):
    file = write(tmp_path / "fleet", {"1.npz": None})
    file.write_bytes(b"PAR1" + bytes(100))
    with pytest.raises(ConfigurationError, match=r"a\.parquet: is damaged"):
        load(tmp_path / "fleet")
