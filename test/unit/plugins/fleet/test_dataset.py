"""A damaged file of the data set is named in one sentence, whatever the damage."""

from __future__ import annotations

import random
from datetime import datetime, timezone
from pathlib import Path

import pytest
from support.arm_fleet import write_fleet

from dynid.errors import ConfigurationError

pytest.importorskip("pyarrow", reason="pyarrow: pip install 'dynid[fleet]'")
pytest.importorskip("distributed", reason="Dask: pip install 'dynid[fleet]'")

import pyarrow as pa
import pyarrow.parquet as pq

from dynid_plugins.fleet.dataset import RECORDINGS, load, writer
from dynid_plugins.fleet.identify import identify_fleet
from dynid_plugins.fleet.settings import Fleet

CASES = 300


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """Write rows of one robot; return the file of its recordings."""
    now = datetime.now(timezone.utc)
    values = {"schema_version": 1, "seconds": 1.0, "finished_at": now, "recorded_at": now}
    texts = ("robot", "type", "recording", "fingerprint", "status", "dynid_version")
    values |= {"model": "models/ärm/1.yaml"}
    row = values | dict.fromkeys(texts, "ärm") | {"joints": ["a", "b"], "covariance": [1.0] * 6}
    with writer(tmp_path) as data:
        data.replace("robot", [row | {"recording": f"{i}"} for i in range(5)], [], {})
    return tmp_path / "recordings" / "robot.parquet"


def rows_or_error(folder: Path) -> list[dict[str, object]] | str:
    try:
        return load(folder).recordings.to_pylist()
    except ConfigurationError as error:
        return str(error)


def test_damage_is_one_sentence_or_has_no_effect(rows):
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


def test_other_columns_and_a_newer_version_are_refused(rows):
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
