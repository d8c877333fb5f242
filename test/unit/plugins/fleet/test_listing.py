"""fleet.yaml and tables: what they name is found, and mistakes are named."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.arm_fleet import write_profile

from dynid.errors import ConfigurationError
from dynid_plugins.fleet.listing import fingerprint, list_recordings
from dynid_plugins.fleet.settings import Fleet


def fleet(folder: Path, types: str) -> Fleet:
    write_profile(folder)
    path = folder / "fleet.yaml"
    path.write_text(f"types: {types}\n")
    return Fleet(path)


def touch(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(os.fsencode(name))


def test_a_pattern_names_robots_by_a_part_of_the_path(tmp_path):
    touch(tmp_path, "a/cell_1-day.csv", "a/cell_2-day.csv", "b/c/x-day.csv", "a/notes.txt")
    found = list_recordings(
        fleet(tmp_path, "{arm: {profile: arm.yaml, recordings: '**/{robot}-*.csv'}}")
    )
    assert [(one.robot, Path(one.recording).name) for one in found] == [
        ("cell_1", "cell_1-day.csv"),
        ("cell_2", "cell_2-day.csv"),
        ("x", "x-day.csv"),
    ]
    assert all(one.fingerprint for one in found)


def test_a_folder_has_no_fingerprint(tmp_path):
    # its own time does not change when a file in it does
    assert fingerprint({"type": "directory", "size": 0, "mtime": 1.0}) == ""
    assert fingerprint({"type": "file", "size": 3}) == ""
    assert fingerprint({"type": "file", "size": 3, "ETag": "a"}) != fingerprint(
        {"type": "file", "size": 3, "ETag": "b"}
    )


@pytest.mark.parametrize(
    ("types", "sentence"),
    [
        ("{}", "'types'"),
        ("{arm: {profile: arm.yaml}}", "needs 'recordings' .patterns. or 'table'"),
        ("{arm: {profile: arm.yaml, recordings: 'rec/*.npz'}}", "must contain {robot} once"),
        ("{arm: {profile: other.yaml, recordings: '{robot}.npz'}}", "type 'arm': .*other.yaml"),
        (f"{{arm: {{profile: {'a' * 300}, recordings: '{{robot}}.npz'}}}}", "type 'arm': .*aaa"),
        ("{arm: {profile: arm.yaml, recordings: '{robot}.npz', colums: 1}}", "unknown .*colums"),
        (
            "{arm: {profile: arm.yaml, set: [identification.cutof_hz=1], recordings: '{robot}'}}",
            "did you mean 'cutoff_hz'",
        ),
    ],
)
def test_a_mistake_in_the_file_is_named(tmp_path, types, sentence):
    with pytest.raises(ConfigurationError, match=sentence):
        fleet(tmp_path, types)


@pytest.mark.parametrize("name", ['""', '"a\\0b"'])
def test_a_data_set_without_the_name_of_a_folder_is_refused(tmp_path, name):
    path = tmp_path / "fleet.yaml"
    path.write_text(f"data_set: {name}\ntypes: {{arm: {{profile: pendulum, table: t.csv}}}}\n")
    with pytest.raises(ConfigurationError, match="'data_set'"):
        Fleet(path)


@pytest.mark.parametrize(
    ("types", "sentence"),
    [
        ("{arm: {profile: arm.yaml, recordings: 'none/{robot}.npz'}}", "no recording matches"),
        ("{arm: {profile: arm.yaml, recordings: 'nope://{robot}.npz'}}", "Protocol not known"),
        (
            "{a: {profile: arm.yaml, recordings: 'r/{robot}.csv'}, "
            "b: {profile: arm.yaml, recordings: '{robot}/1.csv'}}",
            "belongs to 1 .a. and to r .b.",
        ),
        (
            "{a: {profile: arm.yaml, recordings: 'r/{robot}.csv'}, "
            "b: {profile: arm.yaml, recordings: 's/{robot}.csv'}}",
            "robot '1': is of type a and of type b",
        ),
    ],
)
def test_a_mistake_in_the_recordings_is_named(tmp_path, types, sentence):
    touch(tmp_path, "r/1.csv", "s/1.csv")
    with pytest.raises(ConfigurationError, match=sentence):
        list_recordings(fleet(tmp_path, types))


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        ("", "its columns are ''"),
        ("robot,file\na,b\n", "its columns are 'file,robot', expected robot, recording"),
        ("robot,recording\na\n", "line 2: has no robot, or no recording"),
        ("robot,recording,time\na,b.csv,yesterday\n", "'yesterday' is not a date"),
        ("robot,recording,temperature\na,b.csv,warm\n", "'warm' is not a number"),
        ("robot,recording\na,b.csv,c\n", "its columns are"),
        ('robot,recording\na,"b.csv\n', "t.csv: is not a CSV table .unexpected end of data"),
        (f"robot,recording\na,{'b' * 200_000}\n", "t.csv: is not a CSV table .field larger"),
        ("robot,recording,time\na,b.csv,0001-01-01T00:00:00+14:00\n", "is not a date"),
        ("robot,recording,time\na,b.csv,9999-12-31T23:59:59-14:00\n", "is not a date"),
        ("robot,recording,time\na,b.csv,9999-12-31T23:59:59.999999+00:00\n", "between the years"),
        ("robot,recording,time\na,b.csv,0001-01-01T00:00:00Z\n", "between the years 1980 and 2200"),
        ("robot,recording\na,generic://b\n", "generic://b: cannot be read"),
        ("robot,recording\na,reference://b\n", "reference://b: cannot be read"),
        (f"robot,recording\n{'a' * 201},b.csv\n", "name is too long for names of files"),
        (f"robot,recording\n{'/' * 67},b.csv\n", "name is too long for names of files"),
    ],
)
def test_a_mistake_in_a_table_is_named(tmp_path, table, sentence):
    (tmp_path / "t.csv").write_text(table)
    with pytest.raises(ConfigurationError, match=sentence):
        list_recordings(fleet(tmp_path, "{arm: {profile: arm.yaml, table: t.csv}}"))


@pytest.mark.parametrize("name", [b"\xff.csv", b"1-\xff/day.csv"])
def test_a_name_that_is_no_text_is_refused(tmp_path, name):
    # Parquet has no texts but those in UTF-8
    touch(tmp_path, f"r/{os.fsdecode(name)}")
    types = "{arm: {profile: arm.yaml, recordings: ['r/{robot}.csv', 'r/{robot}/day.csv']}}"
    with pytest.raises(ConfigurationError, match=r"\\xff.*is not UTF-8; rename it"):
        list_recordings(fleet(tmp_path, types))


@pytest.mark.parametrize("place", ["b.csv", "data://b"], ids=["missing", "cannot be listed"])
def test_a_recording_of_a_table_without_a_fingerprint_is_listed(tmp_path, place):
    # its identification reports it, and the others are done
    (tmp_path / "t.csv").write_text(f"robot,recording\na,{place}\n")
    (one,) = list_recordings(fleet(tmp_path, "{arm: {profile: arm.yaml, table: t.csv}}"))
    assert (one.robot, one.fingerprint) == ("a", "")
