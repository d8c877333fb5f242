import pytest

from dynid.configuration import parse
from dynid.errors import ConfigurationError
from dynid.recording.columns import ColumnMap


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"time": None}, "exactly one of 'time' and 'sampling_rate' must be given"),
        ({"sampling_rate": 100}, "exactly one of"),
        ({"position": {"columns": [1, 2]}}, "position lists 2 columns for 3 joints"),
        (
            {"position": {"columns": [2, 3, 4], "factor": [1, 2]}},
            "'position': factor lists 2 numbers for 3 columns",
        ),
        ({"temperature": {"columns": [11]}}, "temperature lists 1 columns for 3 joints"),
        ({"temperature": {"columns": [1, 2, 3], "delay": 1.0}}, "temperature changes slowly"),
        (
            {"effort": {"columns": [8, 9, 10], "delay": [0.1]}},
            "delay lists 1 numbers for 3 columns",
        ),
        ({"effort": {"columns": [8, 9, 10], "delay": "soon"}}, "delay"),
        ({"effort": {"columns": [8, 9, 10], "sign": 2}}, "must be 1 or -1, got 2"),
        ({"effort": {"columns": [8, 9, 10], "factor": 0}}, "must not be 0"),
        ({"effort": {"columns": [0, 9, 10]}}, "greater than or equal to 1"),
        ({"effort": {"columns": [8, 9, 10], "file": "../x.csv"}}, "file beside the recording"),
        ({"effort": {"columns": [8, 9, 10], "sing": -1}}, "did you mean 'sign'"),
        ({"effort": None}, "'effort' is missing"),
        ({"joints": ["a", "b", "a"]}, "joint 'a' is listed more than once"),
        ({"delimiter": "ab"}, "must be one character, or 'whitespace'"),
        ({"time": None, "sampling_rate": -1}, "greater than 0"),
    ],
)
def test_refuses_an_impossible_map_by_file_and_key(column_map, changes, sentence):
    with pytest.raises(ConfigurationError, match=r"^map.yaml: .*\.$") as refused:
        column_map(**changes)
    assert sentence in str(refused.value)


def test_one_number_applies_to_all_joints():
    content = {
        "sampling_rate": 5000,
        "joints": ["a", "b"],
        "position": {"columns": ["A", "B"], "factor": [2, 3], "sign": -1, "offset": [0, 1]},
        "effort": {"columns": ["A", "B"], "file": "effort.csv"},
    }
    parsed = parse(ColumnMap, content, "map.yaml")
    assert parsed.position.scaling() == ((-2.0, 0.0), (-3.0, 1.0))
    assert parsed.effort.scaling() == ((1.0, 0.0), (1.0, 0.0))
