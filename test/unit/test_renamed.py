"""What docs/development.md and docs/development.md state about names is true of the code."""

from __future__ import annotations

import re
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest
from support.pages import ROOT

import dynid

_NAME = re.compile(r"`(dynid(?:_plugins)?(?:\.\w+)+)`")


def _moved() -> list[tuple[str, str, bool]]:
    """Old, new and accepted of the rows on modules; 'the same names in' is one row for several."""
    rows = []
    for line in (ROOT / "docs/development.md").read_text("utf-8").splitlines():
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
    page = (ROOT / "docs/development.md").read_text("utf-8")
    page = page.partition("## Migration")[2].partition("\n## Renamed")[0]
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
