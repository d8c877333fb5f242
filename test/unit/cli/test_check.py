"""``dynid check``: verdict, limits and exit code."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from support.command_line import run_dynid

from dynid.robot_files import find_robot_file

FOURIER = "{type: fourier, base_frequency: 0.2, harmonics: 3, periods: 1, ramp: 1, span: 0.4}"
SINE = """{{type: sine, start: [0, -1.5, 1.5, 0, 0, 0], target: [0, {target}, 1.5, 0, 0, 0],
  frequency: 0.25, duration: 4, ramp: {ramp}}}"""


@pytest.fixture
def check(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    def run(excitation: str, *arguments: str) -> tuple[int, str, str]:
        file = tmp_path / "excitation.yaml"
        file.write_text(f"excitation: {excitation}\n")
        code = run_dynid(monkeypatch, "check", file, "-p", "puma560", *arguments)
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run


def sine(target: float = -1.2, ramp: float = 1.0) -> str:
    return SINE.format(target=target, ramp=ramp)


def test_the_verdict_names_what_was_not_checked(check) -> None:
    code, out, _ = check(FOURIER)
    assert code == 0
    assert "Limits kept; collisions with floor or table not checked: no plane under" in out
    assert "Safe" not in out
    assert "Torque is predicted at" in out


def test_a_motion_is_safe_only_if_everything_was_checked(check) -> None:
    code, out, _ = check(FOURIER, "--set", "workspace.planes=none")
    assert code == 0
    assert "Safe: every limit is kept." in out


def test_json_has_the_verdict_the_pairs_and_the_reasons_for_omitted_pairs(check) -> None:
    _, out, _ = check(FOURIER, "--json", "--set", "workspace.self_collision=true")
    found = json.loads(out)
    assert found["verdict"].startswith("Limits kept; collisions with floor or table not checked")
    assert len(found["unchecked"]) == 1
    assert set(found) == {
        *("robot", "excitation", "doubts", "duration", "safe", "verdict", "unchecked"),
        *("violation", "violation_time", "limits", "grounds", "pairs"),
    }
    assert set(found["limits"][0]) == {
        *("limit", "of", "unit", "time", "value", "allowed", "beyond", "used", "passed")
    }
    assert set(found["pairs"]) == {"checked", "left_out"}
    assert ["link_6", "link_2"] in found["pairs"]["checked"]
    left_out = {tuple(one["pair"]): one["reason"] for one in found["pairs"]["left_out"]}
    assert left_out["link_2", "link_1"] == "adjacent"
    assert left_out["link_5", "link_3"] == "allowed_pairs"


@pytest.mark.parametrize("limit", ["position", "velocity", "acceleration", "torque_max"])
def test_a_missing_limit_is_named_in_the_verdict(check, limit: str) -> None:
    _, out, _ = check(FOURIER, "--set", f"limits.{limit}=null", "--set", "workspace.planes=none")
    assert f"{limit.removesuffix('_max')} not checked: no `limits.{limit}`." in out


def test_a_waypoint_that_overflows_is_refused_in_a_sentence(check) -> None:
    far = "[0, -1.5, 1.5, 0, 0, 0]"
    code, _, err = check(
        f"{{type: spline, times: [0, 1, 2], waypoints: [{far}, [1.0e+308, 0, 0, 0, 0, 0], {far}]}}"
    )
    assert code == 2
    assert "joint 'joint_1': the velocity of the motion is not a finite number" in err


def test_the_use_of_every_limit_is_reported(check) -> None:
    code, out, _ = check(
        sine(),
        "--json",
        "--set",
        "workspace.tool_speed=2",
        "--set",
        "workspace.self_collision=true",
    )
    assert code == 0
    found = json.loads(out)
    assert found["safe"]
    assert found["violation"] is None
    uses = {(use["limit"], use["of"]): use for use in found["limits"]}
    position = uses["position", "joint 'joint_2'"]
    assert position["value"] == pytest.approx(-1.2, abs=1e-3)
    assert position["passed"] is None
    middle, half = (-3.92 + 0.78) / 2, (0.78 + 3.92) / 2
    assert position["used"] == pytest.approx((-1.2 - middle) / half, abs=1e-3)
    limits = {limit for limit, _ in uses}
    assert limits == {
        "position",
        "velocity",
        "acceleration",
        "predicted torque",
        "distance",
        "speed",
    }


def test_the_first_violation_is_named_not_the_worst(check) -> None:
    # velocity is passed on the way, position only at the far end
    code, out, _ = check(sine(target=1.2), "--json")
    assert code == 1
    found = json.loads(out)
    passed = {(use["limit"], use["of"]): use["passed"] for use in found["limits"] if use["passed"]}
    assert ("position", "joint 'joint_2'") in passed
    assert found["violation_time"] == min(passed.values())
    assert found["violation"].startswith("joint 'joint_2': velocity reaches ")
    assert "beyond its limit of 1.5 rad/s, which it passes at " in found["violation"]


def test_a_collision_names_the_plane_and_the_body(check) -> None:
    wall = "workspace.planes.wall={point: [0, 0, 0.75], normal: [0, 0, -1]}"
    code, out, _ = check(sine(), "--set", wall)
    assert code == 1
    assert (
        "Not safe: link_2 to plane 'wall': at the start of the motion they overlap by 0.443 m"
        in out
    )


def test_a_motion_that_does_not_start_at_rest_is_not_safe(check) -> None:
    code, out, _ = check(
        "{type: fourier, harmonics: 1, periods: 1, ramp: 0, centre: [0, -1.5, 1.5, 0, 0, 0],"
        " sine: [[0.1], [0], [0], [0], [0], [0]], cosine: [[0], [0], [0], [0], [0], [0]]}"
    )
    assert code == 1
    assert "velocity is 0.1 at the start of the motion instead of 0" in out


def test_missing_limits_are_reported(check) -> None:
    _, out, _ = check(
        FOURIER, "--set", "limits.acceleration=null", "--set", "limits.torque_max=null"
    )
    assert "Limits on position and velocity are proven at every instant." in out
    assert "Not checked, because the profile has no limits: acceleration and torque." in out


def test_without_a_model_the_omitted_torques_are_named(check) -> None:
    _, out, _ = check(FOURIER)
    assert "That torque is of the URDF's bodies, without friction and rotor inertia." in out


@pytest.mark.parametrize(
    ("excitation", "sentence"),
    [
        ("{type: fouriér}", "type must be"),
        ("{type: sine, start: [0, 0], target: 1, frequency: 1, duration: 1}", "'start' has 2"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(check, excitation: str, sentence: str) -> None:
    code, _, err = check(excitation)
    assert code == 2
    assert sentence in err


@pytest.fixture
def check_words(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    def run(*words: str) -> tuple[int, str, str]:
        code = run_dynid(monkeypatch, "check", *words)
        printed = capsys.readouterr()
        return code, printed.out, " ".join(printed.err.split())

    return run


def test_a_robot_alone_has_its_own_motion_checked(check_words) -> None:
    code, out, _ = check_words("puma560", "--json")
    assert (code, json.loads(out)["excitation"]) == (0, None)


@pytest.mark.parametrize("given", [[], ["motion.csv"], ["excitation.yaml"]])
def test_a_motion_without_a_robot_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, check_words, given: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("excitation.yaml").write_text("excitation: {type: sine, start: 0, target: 1}\n")
    code, _, err = check_words(*given)
    assert code == 2
    assert "check needs the robot whose limits are to be kept: dynid check ROBOT" in err


def test_a_profile_alone_is_the_robot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, check_words
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(find_robot_file("puma560"), "mine.yaml")
    code, out, _ = check_words("mine.yaml", "--json")
    assert (code, json.loads(out)["robot"]) == (0, "puma560")
