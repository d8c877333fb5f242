"""``dynid excite``: what it writes, prints and refuses."""

from __future__ import annotations

import importlib
import json
import os
import signal
from pathlib import Path

import pytest
import yaml
from support.command_line import Ran, dynid
from support.representatives import representatives
from support.small_robot import write_small_robot

KEPT = "Limits kept; self-collision not checked: the URDF has no readable shapes"


@pytest.fixture(autouse=True)
def _robot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_small_robot(tmp_path)
    monkeypatch.chdir(tmp_path)


def run(command: str, *words: str) -> Ran:
    return dynid(command, *words, "-p", "duo.yaml")


@pytest.mark.parametrize("kind", representatives(["fourier", "sine"], 1))
def test_the_written_motion_is_safe(kind: str) -> None:
    code, out, _ = run("excite", "-o", "best.yaml", "--type", kind, "--starts", "1")
    assert code == 0
    assert "condition number" in out
    assert all(Path(f"best.{kind}").is_file() for kind in ("yaml", "png", "html"))
    assert KEPT in out
    assert Path("best.yaml").read_text("utf-8").startswith("# Excitation of duo, ")
    code, out, _ = run("check", "best.yaml")
    assert KEPT in out
    assert code == 0


@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["fourier", "sine"])
def test_the_margin_of_the_profile_is_respected(kind: str) -> None:
    words = ("--set", "excitation.margin=0.3", "--type", kind, "--starts", "1", "--json")
    _, out, _ = run("excite", *words)
    assert json.loads(out)["excitation"]["margin"] == 0.3


@pytest.mark.thorough
def test_a_series_has_the_requested_duration() -> None:
    words = ("--duration", "9", "--periods", "3", "--harmonics", "5", "--starts", "1", "--json")
    code, out, _ = run("excite", *words)
    assert code == 0
    found = json.loads(out)
    assert found["duration"] == pytest.approx(9.0)
    assert set(found) == {
        *("robot", "good", "verdict", "advice", "assumptions", "doubts", "duration"),
        "sampling_rate",
        *("condition_number", "scaled_condition_number", "log10_det"),
        *("rigid_condition_number", "rigid_scaled_condition_number"),
        *("parameters", "joints", "tool", "excitation", "limits_verdict", "unchecked"),
    }
    parameter, joint = (next(iter(found[group].values())) for group in ("parameters", "joints"))
    assert set(parameter) == {
        *("value", "unit", "standard_deviation", "relative_standard_deviation", "determined")
    }
    assert set(joint) == {
        *("lowest", "highest", "range_share", "bin_share", "pair_share", "peak_velocity"),
        *("velocity_share", "peak_acceleration", "acceleration_share", "cycles"),
        *("moving_share", "torque"),
    }
    assert set(joint["torque"]) == {"peak", "rms", "share", "noise"}
    assert set(found["tool"]) == {"speed", "lowest", "highest"}
    written = yaml.safe_load(Path("excitation.yaml").read_text("utf-8"))["excitation"]
    assert written["periods"] == 3
    assert written["base_frequency"] == pytest.approx(1 / 3)
    assert [len(row) for row in written["sine"]] == [5, 5]


@pytest.mark.thorough
def test_from_centre_starts_at_the_centre_of_the_profile() -> None:
    words = ("--from-centre", "--set", "excitation.centre=[0.3, -0.4]", "--starts", "1", "--json")
    _, out, _ = run("excite", *words)
    settings = json.loads(out)["excitation"]
    rates = [2 * 3.141592653589793 * settings["base_frequency"] * (k + 1) for k in range(20)]
    for centre, cosine, start in zip(
        settings["centre"], settings["cosine"], (0.3, -0.4), strict=True
    ):
        at_start = centre - sum(b / rate for b, rate in zip(cosine, rates, strict=False))
        assert at_start == pytest.approx(start)


@pytest.mark.thorough
def test_existing_files_are_replaced_only_with_force() -> None:
    Path("excitation.png").write_text("mine")
    code, _, err = run("excite", "--starts", "1")
    assert code == 2
    assert "excitation.png: already exists; --force replaces it." in err
    assert Path("excitation.png").read_text() == "mine"
    assert not Path("excitation.yaml").exists()
    assert run("excite", "--starts", "1", "--force")[0] == 0


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("-o", "best.txt"), "--output best.txt: must end in .yaml."),
        (("--harmonics", "2"), "needs 3 or more"),
        (("--harmonics", "400"), "above the cut-off frequency 15 Hz of the identification"),
        (("--duration", "0.1"), "give a duration of 0.6667 s or more"),
        (("--type", "sine", "--periods", "2"), "--periods does not apply to --type sine"),
        (("--model", "no.yaml"), "no.yaml"),
        (("--set", "limits.position=null"), "needs limits.position"),
    ],
)
def test_bad_input_is_one_sentence(words: tuple[str, ...], sentence: str) -> None:
    code, out, err = run("excite", *words)
    assert (code, out) == (2, "")
    assert sentence in err
    assert err.count("\n") == 1


def test_a_missing_folder_is_named_before_the_search(monkeypatch) -> None:
    search = "dynid.excitation.design.optimise.optimise"
    monkeypatch.setattr(search, lambda *_, **__: pytest.fail("searched"))
    code, _, err = run("excite", "-o", "absent/excitation.yaml")
    assert code == 2
    assert "absent/excitation.yaml: its folder does not exist; create it first." in err


@pytest.mark.thorough
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("dynid.excitation.design.optimise", "check_motion"),
        ("dynid.excitation.prediction.prediction", "predict"),
        ("dynid.report.prediction", "write_prediction_report"),
    ],
    ids=["in the proof", "in the prediction", "while writing"],
)
def test_a_signal_after_the_search_does_not_lose_the_motion(
    number: int, module: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    function = getattr(importlib.import_module(module), name)
    sent = []

    def interrupted(*arguments, **options):
        sent.append(number)
        os.kill(os.getpid(), number)
        return function(*arguments, **options)

    monkeypatch.setattr(f"{module}.{name}", interrupted)
    code, _, _ = run("excite", "--starts", "1", "--harmonics", "3")
    assert sent
    assert code in {0, 1}  # as without the signal: whether all parameters are precise enough
    assert all(Path(f"excitation.{kind}").is_file() for kind in ("yaml", "png", "html"))
