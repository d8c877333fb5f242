"""``dynid bench``."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from dynid.cli import app
from dynid.errors import DynidError


def bench(folder: Path, *words: str) -> Any:
    options = ["--data", str(folder), "--registry", str(folder)]
    return CliRunner().invoke(app, ["bench", *options, *words])


def own(folder: Path, name: str) -> str:
    return f"{folder / 'own.py'}:{name}"


@pytest.fixture(scope="module")
def page(bench_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("page") / "bench.html"


@pytest.fixture(scope="module")
def found(bench_folder: Path, page: Path) -> dict[str, Any]:
    tools = f"plain,dynid,{own(bench_folder, 'ZERO')}"
    shown = bench(bench_folder, "--tools", tools, "--json", "-o", str(page))
    assert shown.exit_code == 0, shown.output
    content: dict[str, Any] = json.loads(shown.stdout)
    return content


def test_tools_are_compared_on_what_none_was_fitted_to(found: dict[str, Any]) -> None:
    plain, ours, zero = found["errors"]
    # a simulated robot is within both models' reach; what is left is noise and friction at rest
    assert 0 < ours["held_out"] < 0.1
    assert 0 < plain["held_out"] < 0.1
    assert ours["held_out"] != ours["fit"]
    assert 0.5 < ours["coverage"] <= 1
    assert ours["cpu"] > 0
    assert ours["memory"] > 10
    # no torque at all is wrong by all of it, however it is counted
    for share in ("fit", "held_out", "moving"):
        assert zero[share] == pytest.approx(1.0)
    assert zero["joints"] == [pytest.approx(1.0)]
    assert (zero["coverage"], zero["keys"]) == (None, 3)


def test_recordings_that_are_not_there_are_skipped_by_name(found: dict[str, Any]) -> None:
    assert "absent.npz is not in" in found["skipped"]["absent"]


def test_the_page_has_the_table_of_recordings_and_tools(found: dict[str, Any], page: Path) -> None:
    text = page.read_text("utf-8")
    ours = found["errors"][1]
    assert f'<td class="n" data-value="{ours["held_out"]}">' in text
    assert "100.00" in text
    assert ">1.5<" in text  # published
    assert "first 20 s, rest" in text
    assert "absent.npz is not in" in text


@pytest.mark.thorough
def test_a_tool_that_hangs_ends_at_the_limit_and_one_that_fails_is_named(
    bench_folder: Path,
) -> None:
    shown = bench(bench_folder, "--tools", own(bench_folder, "ENDLESS"), "--limit", "1", "--json")
    assert "longer than 1 s" in json.loads(shown.stdout)["errors"][0]["problem"]
    names = ",".join(own(bench_folder, name) for name in ("CRASH", "WRONG"))
    shown = bench(bench_folder, "--tools", names)
    assert shown.exit_code == 0
    assert "exit code 3" in shown.stdout
    assert "KeyError: 'parameter'" in shown.stdout


def test_a_tool_without_its_library_is_skipped_by_name(
    bench_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "dynid_plugins.bench.contenders.learned", raising=False)
    monkeypatch.setitem(sys.modules, "sklearn", None)
    shown = bench(bench_folder, "--tools", f"learned,{own(bench_folder, 'WRONG')}")
    assert "learned: the tool learned needs sklearn, which is missing" in shown.stdout
    assert "pip install 'dynid[bench]'" in shown.stdout


@pytest.mark.thorough
def test_a_kept_result_is_not_computed_again_until_what_it_depends_on_changes(
    bench_folder: Path, tmp_path: Path
) -> None:
    tool = tmp_path / "own.py"
    shutil.copy(bench_folder / "own.py", tool)

    def held_out(*words: str) -> float:
        options = ["--tools", f"{tool}:ZERO", "--keep", str(tmp_path / "kept"), "--json", *words]
        (error,) = json.loads(bench(bench_folder, *options).stdout)["errors"]
        return float(error["held_out"])

    assert held_out() == pytest.approx(1.0)
    (file,) = (tmp_path / "kept").iterdir()
    file.write_text(file.read_text("utf-8").replace('"held_out": 1.0', '"held_out": 0.25'), "utf-8")
    assert held_out() == 0.25
    assert held_out("--limit", "500") == pytest.approx(1.0)
    tool.write_text(tool.read_text("utf-8") + "# another tool", "utf-8")
    assert held_out() == pytest.approx(1.0)
    file.write_text("{", "utf-8")  # written by hand
    shutil.copy(bench_folder / "own.py", tool)
    assert held_out() == pytest.approx(1.0)


@pytest.mark.thorough
def test_a_process_that_crashed_is_tried_again(bench_folder: Path, tmp_path: Path) -> None:
    names = ",".join(own(bench_folder, name) for name in ("CRASH", "WRONG"))
    bench(bench_folder, "--tools", names, "--keep", str(tmp_path), "--workers", "2")
    (file,) = tmp_path.iterdir()
    assert "KeyError" in file.read_text("utf-8")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--only", "swung"], "--only swung: is not known; the names are swing, absent."),
        (["--tools", "plane"], "--tools plane: is not known; the names are plain, dynid,"),
        (["--tools", "none.py:ONE"], "--tools none.py:ONE: cannot be loaded: FileNotFoundError"),
        (["--only", "absent"], "no recording can be used; absent: absent.npz is not in"),
        (["--data", "nowhere"], "--data nowhere: is not a folder."),
        (["--keep", __file__], "is no folder and cannot be made one (File exists)."),
        (["-o", "nowhere/page.html"], "nowhere/page.html: its folder does not exist"),
    ],
)
def test_a_mistake_is_a_sentence(bench_folder: Path, words: list[str], sentence: str) -> None:
    refused = bench(bench_folder, *words).exception
    assert isinstance(refused, DynidError)
    assert sentence in str(refused)
