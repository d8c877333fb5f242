"""Inputs are found again by any name, and only while the command runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from dynid.errors import WriteError
from dynid.files import refuse_to_replace, write_text
from dynid.kept_inputs import inputs_kept
from dynid.transaction import written_together

REFUSED = "is an input, which is never overwritten; name another output."


@pytest.fixture
def given(tmp_path: Path) -> Path:
    path = tmp_path / "given.yaml"
    path.write_text("mine")
    (tmp_path / "link.yaml").symlink_to(path)
    return path


@pytest.mark.parametrize("name", ["given.yaml", "link.yaml", "../{folder}/given.yaml"])
def test_an_input_is_kept_under_any_name(given, name):
    output = given.parent / name.format(folder=given.parent.name)
    with inputs_kept([given]):
        with pytest.raises(WriteError, match=REFUSED):
            refuse_to_replace([output], force=True)
        with pytest.raises(WriteError, match=REFUSED):
            write_text(output, "other")
    assert given.read_text() == "mine"
    write_text(output, "other")
    assert given.read_text() == "other"


@pytest.mark.parametrize("new", ["given.yaml", "link.yaml", "other.yaml"])
def test_files_written_together_neither_replace_nor_remove_an_input(given, new):
    with (
        inputs_kept([given]),
        pytest.raises(WriteError, match=REFUSED),
        written_together(given.parent, stale=["given*"]) as folder,
    ):
        (folder / new).write_text("other")
    assert given.read_text() == "mine"
    assert sorted(one.name for one in given.parent.iterdir()) == ["given.yaml", "link.yaml"]
