"""A data set whose files were altered is refused, and removes nothing of others."""

from __future__ import annotations

import random
from collections.abc import Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from support.arm_fleet import write_fleet

from dynid.errors import ConfigurationError
from dynid_plugins.fleet.dataset import RECORDINGS, load, writer
from dynid_plugins.fleet.identify import identify_fleet
from dynid_plugins.fleet.parquet_file import read_parquet
from dynid_plugins.fleet.settings import Fleet

MARK = b"\0dynid-sha256:"
CASES = 300


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
        "joints": ["ä", "b"],
        "covariance": [1.0] * 6,
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


def rows_or_error(folder: Path) -> list[dict[str, object]] | str:
    try:
        return load(folder).recordings.to_pylist()
    except ConfigurationError as error:
        return str(error)


def test_damage_is_one_sentence_or_has_no_effect(tmp_path):
    rows = write(tmp_path, {f"{number}": "models/ärm/1.yaml" for number in range(5)})
    good = rows.read_bytes()
    expected = load(rows.parents[1]).recordings.to_pylist()
    refused = 0
    for seed in range(CASES):
        drawn = random.Random(seed)
        content = bytearray(good)
        for _ in range(drawn.choice([1, 3, 10])):
            content[drawn.randrange(len(content))] = drawn.randrange(256)
        rows.write_bytes(content[: drawn.choice([len(content), drawn.randrange(len(content))])])
        found = rows_or_error(rows.parents[1])
        if isinstance(found, str):
            refused += 1
            assert found.startswith(f"{rows}: ")
            assert "\n" not in found
            assert found.endswith(".")
        else:
            assert found == expected
    assert refused > CASES / 2


def test_other_columns_and_a_newer_version_are_refused(tmp_path):
    rows = write(tmp_path, {"1.npz": None})
    table = pq.read_table(rows)
    newer = table.set_column(0, RECORDINGS.field(0), pa.array([2] * len(table), pa.int32()))
    pq.write_table(newer, rows)
    with pytest.raises(ConfigurationError, match="is of version 2, this dynid reads version 1"):
        load(rows.parents[1])
    pq.write_table(table.drop_columns(["seconds"]), rows)
    with pytest.raises(ConfigurationError, match="not those of the table 'recordings'"):
        load(rows.parents[1])


def test_a_run_on_a_damaged_file_says_what_to_do_and_then_repairs_it(client, tmp_path):
    path = write_fleet(tmp_path, robots=1)
    identify_fleet(Fleet(path), client)
    damaged = tmp_path / "fleet" / "recordings" / "cell_0.parquet"
    damaged.write_bytes(damaged.read_bytes()[:-9])
    with pytest.raises(ConfigurationError, match="remove it, and dynid fleet identify writes it"):
        identify_fleet(Fleet(path), client)
    damaged.unlink()
    assert identify_fleet(Fleet(path), client).identified == 2
    assert load(tmp_path / "fleet").recordings.num_rows == 2
