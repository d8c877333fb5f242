"""``dynid check``: verdict, limits and exit code."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from support.command_line import Ran, dynid

from dynid.robot_files import find_robot_file

FOURIER = "{type: fourier, base_frequency: 0.2, harmonics: 3, periods: 1, ramp: 1, span: 0.4}"
SINE = """{{type: sine, start: [0, -1.5, 1.5, 0, 0, 0], target: [0, {target}, 1.5, 0, 0, 0],
  frequency: 0.25, duration: 4, ramp: 1.0}}"""
FAR = "[0, -1.5, 1.5, 0, 0, 0]"


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def check(excitation: str, *settings: str, json: bool = False) -> Ran:
    Path("excitation.yaml").write_text(f"excitation: {excitation}\n")
    options = [word for one in settings for word in ("--set", one)]
    options += ["--json"] if json else []
    return dynid("check", "excitation.yaml", "-p", "puma560", *options)


def test_the_verdict_names_what_was_not_checked() -> None:
    ran = check(FOURIER)
    assert ran.code == 0
    assert "Limits kept; collisions with floor or table not checked: no plane under" in ran.out
    assert "Safe" not in ran.out
    assert "Torque is predicted at" in ran.out
    assert "That torque is of the URDF's bodies, without friction and rotor inertia." in ran.out


def test_a_motion_is_safe_only_if_everything_was_checked() -> None:
    ran = check(FOURIER, "workspace.planes=none")
    assert ran.code == 0
    assert "Safe: every limit is kept." in ran.out


def test_json_has_the_verdict_the_pairs_and_the_reasons_for_omitted_pairs() -> None:
    found = json.loads(check(FOURIER, "workspace.self_collision=true", json=True).out)
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
def test_a_missing_limit_is_named_in_the_verdict(limit: str) -> None:
    out = check(FOURIER, f"limits.{limit}=null", "workspace.planes=none").out
    assert f"{limit.removesuffix('_max')} not checked: no `limits.{limit}`." in out


def test_the_use_of_every_limit_is_reported() -> None:
    settings = ("workspace.tool_speed=2", "workspace.self_collision=true")
    ran = check(SINE.format(target=-1.2), *settings, json=True)
    assert ran.code == 0
    found = json.loads(ran.out)
    assert found["safe"]
    assert found["violation"] is None
    uses = {(use["limit"], use["of"]): use for use in found["limits"]}
    position = uses["position", "joint 'joint_2'"]
    assert position["value"] == pytest.approx(-1.2, abs=1e-3)
    assert position["passed"] is None
    middle, half = (-3.92 + 0.78) / 2, (0.78 + 3.92) / 2
    assert position["used"] == pytest.approx((-1.2 - middle) / half, abs=1e-3)
    limits = {"position", "velocity", "acceleration", "predicted torque", "distance", "speed"}
    assert {limit for limit, _ in uses} == limits


def test_the_first_violation_is_named_not_the_worst() -> None:
    # velocity is passed on the way, position only at the far end
    ran = check(SINE.format(target=1.2), json=True)
    assert ran.code == 1
    found = json.loads(ran.out)
    passed = {(use["limit"], use["of"]): use["passed"] for use in found["limits"] if use["passed"]}
    assert ("position", "joint 'joint_2'") in passed
    assert found["violation_time"] == min(passed.values())
    assert found["violation"].startswith("joint 'joint_2': velocity reaches ")
    assert "beyond its limit of 1.5 rad/s, which it passes at " in found["violation"]


def test_a_collision_names_the_plane_and_the_body() -> None:
    wall = "workspace.planes.wall={point: [0, 0, 0.75], normal: [0, 0, -1]}"
    ran = check(SINE.format(target=-1.2), wall)
    assert ran.code == 1
    start = "Not safe: link_2 to plane 'wall': at the start of the motion they overlap by 0.443 m"
    assert start in ran.out


def test_a_motion_that_does_not_start_at_rest_is_not_safe() -> None:
    ran = check(
        "{type: fourier, harmonics: 1, periods: 1, ramp: 0, centre: [0, -1.5, 1.5, 0, 0, 0],"
        " sine: [[0.1], [0], [0], [0], [0], [0]], cosine: [[0], [0], [0], [0], [0], [0]]}"
    )
    assert ran.code == 1
    assert "velocity is 0.1 at the start of the motion instead of 0" in ran.out


def test_missing_limits_are_reported() -> None:
    out = check(FOURIER, "limits.acceleration=null", "limits.torque_max=null").out
    assert "Limits on position and velocity are proven at every instant." in out
    assert "Not checked, because the profile has no limits: acceleration and torque." in out


@pytest.mark.parametrize(
    ("excitation", "sentence"),
    [
        ("{type: fouriér}", "type must be"),
        ("{type: sine, start: [0, 0], target: 1, frequency: 1, duration: 1}", "'start' has 2"),
        (
            f"{{type: spline, times: [0, 1, 2], waypoints: [{FAR}, [1.0e+308, 0, 0, 0, 0, 0], "
            f"{FAR}]}}",
            "joint 'joint_1': the velocity of the motion is not a finite number",
        ),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(excitation: str, sentence: str) -> None:
    ran = check(excitation)
    assert ran.code == 2
    assert sentence in ran.err


@pytest.mark.parametrize("name", ["puma560", "mine.yaml"])
def test_a_robot_or_profile_alone_has_its_own_motion_checked(name: str) -> None:
    shutil.copy(find_robot_file("puma560"), "mine.yaml")
    ran = dynid("check", name, "--json")
    assert ran.code == 0
    found = json.loads(ran.out)
    assert (found["robot"], found["excitation"]) == ("puma560", None)


@pytest.mark.parametrize("given", [[], ["motion.csv"], ["excitation.yaml"]])
def test_a_motion_without_a_robot_says_what_is_missing(given: list[str]) -> None:
    Path("excitation.yaml").write_text("excitation: {type: sine, start: 0, target: 1}\n")
    ran = dynid("check", *given)
    assert ran.code == 2
    assert "check needs the robot whose limits are to be kept: dynid check ROBOT" in ran.said
