"""Numbers that Arrow reads, against numpy's reading of the same text."""

import numpy as np
import pytest

from dynid.errors import RecordingError
from dynid.recording import text_table
from dynid.recording.text_table import read_text_table

CELLS = ["0", "-0.0", "1e-310", "1.7976931348623157e308", "-12.5E+3", "0.1", "123456789.123456789"]


@pytest.fixture(autouse=True)
def _small_blocks_too(monkeypatch):
    pytest.importorskip("pyarrow")
    monkeypatch.setattr(text_table, "_SMALLEST_BLOCK", 0)


@pytest.fixture
def used(monkeypatch):
    """Results of the quick reading, None where it left the block to the one with all checks."""
    results = []
    original = text_table.quick_numbers

    def counted(*arguments):
        results.append(original(*arguments))
        return results[-1]

    monkeypatch.setattr("dynid.recording.text_table.quick_numbers", counted)
    return results


def table_of(folder, rows, delimiter=","):
    path = folder / "table.csv"
    path.write_text("".join(delimiter.join(row) + "\n" for row in rows))
    return read_text_table(path, None, header=False)


def test_reads_the_same_bits_as_numpy(tmp_path, used):
    random = np.random.default_rng(0)
    values = random.standard_normal((500, 5)) * 10.0 ** random.integers(-20, 20, (500, 5))
    rows = [[repr(value) for value in row] for row in values.tolist()]
    rows += [[cell] * 5 for cell in CELLS]
    found = table_of(tmp_path, rows).numbers([1, 2, 3, 4, 5])
    assert used[0] is not None
    assert found.tobytes() == np.array([[float(cell) for cell in row] for row in rows]).tobytes()


def test_reads_decimal_commas(tmp_path, used):
    found = table_of(tmp_path, [["1,5", "-2,25"], ["3", "4,0"]], ";").numbers([2, 1])
    assert used[0] is not None
    assert found.tolist() == [[-2.25, 1.5], [4.0, 3.0]]


@pytest.mark.parametrize("cell", ["", "+1", " 7", '"2"', "nan", "inf", "1e400", "-nan"])
def test_unusual_cells_are_read_as_without_arrow(tmp_path, monkeypatch, cell):
    rows = [["1", "2"], ["3", cell], ["5", "6"]]
    quick = table_of(tmp_path, rows).numbers([1, 2])
    monkeypatch.setattr(text_table, "_arrow", lambda: None)
    assert quick.tobytes() == table_of(tmp_path, rows).numbers([1, 2]).tobytes()


@pytest.mark.parametrize("cell", ["1_000", "0x10", "1.2.3", "true", "1e", "e"])
def test_names_the_line_of_a_cell_that_is_no_number(tmp_path, cell):
    table = table_of(tmp_path, [["1", "2"], ["3", cell], ["5", "6"]])
    with pytest.raises(RecordingError, match=f"line 2, column 2 contains '{cell}'"):
        table.numbers([1, 2])


def test_rows_of_wrong_width_that_compensate_each_other_are_found(tmp_path):
    rows = [["1", "2", "3"]] * 5 + [["1", "2"], ["3", "4", "5", "6"]] + [["1", "2", "3"]] * 5
    with pytest.raises(RecordingError, match="line 6 has 2 columns, expected 3"):
        table_of(tmp_path, rows).numbers([1])
