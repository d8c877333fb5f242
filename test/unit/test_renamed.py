"""What docs/development.md states about names is true, and what is deprecated ends in time."""

from __future__ import annotations

import re
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest
from support.pages import ROOT, read_blocks

import dynid
from dynid.guessed_names import REMOVED_IN

PAGE = (ROOT / "docs/development.md").read_text("utf-8")
_NAME = re.compile(r"`(dynid(?:_plugins)?(?:\.\w+)+)`")


def _moved() -> list[tuple[str, str, bool]]:
    """Old, new and accepted of the rows on modules; 'the same names in' is one row for several."""
    rows = []
    for line in PAGE.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if cells[0] == "module":
            old, new = _NAME.findall(cells[1]), _NAME.findall(cells[2])
            if cells[2].startswith("the same names in"):
                rows += [(one, one.replace("dynid", new[0], 1), False) for one in old]
            else:
                accepted = cells[3].startswith("accepted")
                rows += [(one, two, accepted) for one in old for two in new]
    return rows


def _exists(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:
        return False


@pytest.mark.parametrize(("old", "new", "accepted"), _moved())
def test_the_new_module_of_the_table_exists(old: str, new: str, accepted: bool) -> None:
    assert _exists(new), old
    one_file_before = {"dynid.identification"}  # a package of that name now
    assert old in one_file_before or _exists(old) == accepted


def test_the_names_of_the_migration_page_exist() -> None:
    page = PAGE.partition("## Migration")[2].partition("\n## Renamed")[0]
    dotted = {
        name for name in re.findall(r"dynid\.([A-Za-z_]\w+(?:\.\w+)*)", page) if name != "yaml"
    }
    assert {"load_robot", "load_model", "Robot"} <= dotted
    for name in dotted:
        module, _, attribute = f"dynid.{name}".rpartition(".")
        assert hasattr(import_module(module) if module != "dynid" else dynid, attribute), name


@pytest.mark.parametrize(
    ("old", "new"),
    [("torque_error_filter: 0.1", "torque_error_time_constant"), ("debounce: 3", "debounce_time")],
)
def test_an_old_key_is_refused_with_the_new_one(tmp_path: Path, old: str, new: str) -> None:
    scara = (ROOT / "config/robots/scara.yaml").read_text("utf-8")
    profile = tmp_path / "scara.yaml"
    text = re.sub(r"^collision:\n(?:  .*\n)*", "", scara, flags=re.MULTILINE)
    profile.write_text(f"{text}\ncollision:\n  {old}\n", "utf-8")
    with pytest.raises(dynid.ConfigurationError, match=new):
        dynid.load_robot(profile)


# --- deprecated ---------------------------------------------------------------------------------

DEPRECATED = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.partition("### Deprecated now")[2].partition("\n## ")[0].splitlines()
    if re.match(r"\| \d", line)
]


def _number(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2])


@pytest.mark.parametrize("row", DEPRECATED, ids=lambda row: row[1][:30])
def test_what_is_deprecated_ends_after_a_whole_minor_release(row: list[str]) -> None:
    since, *_, removed = row
    assert _number(since) < _number(removed)
    assert _number(dynid.__version__) < _number(removed)


def test_former_commands_end_in_the_release_that_the_page_names() -> None:
    (removed,) = {row[-1] for row in DEPRECATED if "commands" in row[1]}
    assert removed == REMOVED_IN


def test_llms_txt_identifies_a_robot_in_ten_lines_of_public_names() -> None:
    (block,) = (one for one in read_blocks(ROOT / "llms.txt") if one.language == "python")
    statements = [line for line in block.code.splitlines() if line]
    assert len(statements) <= 10
    assert set(re.findall(r"\bdynid\.(\w+)", block.code)) <= set(dynid.__all__)
