"""The diagnosis: order, suppressed causes, the command, and its page."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest
import yaml
from support.command_line import run_dynid
from support.swung_arm import findings, limited_arm, swung
from support.synthetic import ARM_URDF

from dynid.errors import MechanismError
from dynid.evaluation.diagnosis import causes
from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.diagnosis.causes import CAUSES, diagnose
from dynid.evaluation.diagnosis.finding import Finding, Plot, Trace, sentences
from dynid.identification.diagnose import Diagnosis
from dynid.identification.identify import identify
from dynid.recording.convert import write_bag
from dynid.report.diagnosis import write_diagnosis
from dynid.report.report import report_html
from dynid.signals.preprocess import preprocess


def a_finding(cause: str, severity: str = "warning", joint: str | None = None) -> Finding:
    joints = (joint,) if joint else ()
    return Finding(cause, joints, severity, f"{cause} seen.", "Mend it.", {"size": 1.5})


def case_of(robot, recording) -> Case:
    signals = (preprocess(recording, robot),)
    return Case(robot, robot.mechanism(), (recording,), signals)


def diagnosed(monkeypatch: pytest.MonkeyPatch, *found: Finding) -> list[str]:
    """Return the reported causes in order if each check finds the given ones."""
    looks = {
        cause: lambda _, cause=cause: [one for one in found if one.cause == cause]
        for cause in CAUSES
    }
    monkeypatch.setattr(causes, "CAUSES", MappingProxyType(looks))
    robot = limited_arm()
    return [one.cause for one in diagnose(case_of(robot, swung(robot, duration=1.0)))]


# --- order and suppressed causes --------------------------------------------------------------


def test_every_suppressing_cause_exists() -> None:
    suppressing = {cause for others in causes.SUPPRESSED_BY.values() for cause in others}
    assert {*causes.SUPPRESSED_BY, *suppressing} <= set(CAUSES)
    assert len(CAUSES) == 42


def test_findings_are_sorted_by_severity_then_in_the_order_of_causes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = (
        a_finding("ill_conditioned", "note"),
        a_finding("too_short"),
        a_finding("noise", "problem"),
        a_finding("too_slow"),
    )
    assert diagnosed(monkeypatch, *found) == ["noise", "too_slow", "too_short", "ill_conditioned"]


@pytest.mark.parametrize(
    ("joint", "other", "reported"),
    [
        ("elbow", "elbow", ["saturation"]),
        ("elbow", None, ["saturation"]),
        (None, "elbow", ["saturation"]),
        ("elbow", "wrist", ["saturation", "friction_terms"]),
    ],
)
def test_consequence_is_suppressed_by_its_cause_at_the_same_joint(
    monkeypatch: pytest.MonkeyPatch, joint: str | None, other: str | None, reported: list[str]
) -> None:
    found = (a_finding("friction_terms", joint=joint), a_finding("saturation", joint=other))
    assert diagnosed(monkeypatch, *found) == reported


def test_a_gear_with_play_suppresses_contact_of_every_joint(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = (a_finding("contact", joint="elbow"), a_finding("backlash", joint="wrist"))
    assert diagnosed(monkeypatch, *found) == ["backlash"]


def test_flipped_sign_of_one_joint_suppresses_findings_at_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = (a_finding("friction_terms", joint="elbow"), a_finding("flipped_sign", joint="wrist"))
    assert diagnosed(monkeypatch, *found) == ["flipped_sign"]


def test_a_note_suppresses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    found = (a_finding("friction_terms"), a_finding("time_shift", "note"))
    assert diagnosed(monkeypatch, *found) == ["friction_terms", "time_shift"]


def test_cause_with_a_pose_out_of_reach_gives_no_finding(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def out_of_reach(_: Case) -> list[Finding]:
        raise MechanismError("the loop cannot be closed.")

    looks = {"too_slow": out_of_reach, "noise": lambda _: [a_finding("noise")]}
    monkeypatch.setattr(causes, "CAUSES", MappingProxyType(looks))
    robot = limited_arm()
    (found,) = diagnose(case_of(robot, swung(robot, duration=1.0)))
    assert found.cause == "noise"


def test_sentences_are_observation_and_remedy_except_for_notes() -> None:
    found = [a_finding("noise"), a_finding("over_fit", "note")]
    assert sentences(found) == ["noise seen. Mend it."]


@pytest.mark.thorough
def test_long_recordings_give_the_same_findings_as_short_ones() -> None:
    robot = limited_arm()
    long = swung(robot, duration=100.0)  # decimated
    assert findings(robot, long) == {}
    flipped = replace(long, effort=long.effort * [1.0, -1.0, 1.0])
    assert "flipped_sign" in findings(robot, flipped)


# --- the command ------------------------------------------------------------------------------


@pytest.fixture
def workshop(tmp_path: Path) -> Path:
    """A folder with a profile, its URDF, a good recording, one at rest, and a flipped one."""
    robot = limited_arm()
    (tmp_path / "arm.urdf").write_text(ARM_URDF)
    (tmp_path / "arm.yaml").write_text(yaml.safe_dump(robot.yaml_content(exclude_unset=True)))
    good = swung(robot)
    write_bag(good, tmp_path / "good")
    write_bag(swung(robot, amplitudes=(0.0, 0.0, 0.0), duration=2.0), tmp_path / "rest")
    write_bag(replace(good, effort=good.effort * [1.0, -1.0, 1.0]), tmp_path / "flipped")
    return tmp_path


def run(monkeypatch: pytest.MonkeyPatch, workshop: Path, *arguments: str) -> int:
    monkeypatch.chdir(workshop)
    return run_dynid(monkeypatch, "diagnose", *arguments)


def test_good_recording_exits_0(
    workshop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, workshop, "good", "-p", "arm.yaml") == 0
    assert "No problem found." in capsys.readouterr().out
    assert "✓ Nothing found" in (workshop / "out" / "diagnosis.html").read_text()


def test_findings_are_printed_with_their_remedy_and_exit_1(
    workshop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, workshop, "flipped", "-p", "arm.yaml", "-o", "here") == 1
    printed = capsys.readouterr().out
    assert "problem, flipped sign:" in printed
    assert "elbow" in printed
    assert (workshop / "here" / "diagnosis.html").is_file()


def test_recording_that_cannot_be_identified_is_diagnosed_without_a_model(
    workshop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, workshop, "rest", "-p", "arm.yaml", "--json") == 1
    printed = json.loads(capsys.readouterr().out)
    assert "an identification needs motion" in printed["no_model"]
    assert set(printed) == {"robot", "no_model", "reasons", "findings"}
    assert [one["cause"] for one in printed["findings"]] == ["too_slow"]
    assert set(printed["findings"][0]) == {
        *("cause", "joints", "severity", "sentence", "remedy", "evidence"),
        *("corrections", "settings", "alternatives"),
    }


def test_model_contains_its_profile(
    workshop: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    robot = limited_arm()
    identify(robot, [swung(robot)]).model.save(workshop / "model.yaml")
    assert run(monkeypatch, workshop, "good", "--model", "model.yaml") == 0
    capsys.readouterr()
    assert run(monkeypatch, workshop, "flipped", "--model", "model.yaml", "--json") == 1
    printed = json.loads(capsys.readouterr().out)
    assert "flipped_sign" in {one["cause"] for one in printed["findings"]}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["good"], "name one before the recordings"),
        (["gone", "-p", "arm.yaml"], "gone"),
        (["good", "--model", "arm.urdf"], "arm.urdf"),
    ],
)
def test_user_errors_are_one_sentence_and_exit_2(
    workshop: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    said: str,
) -> None:
    assert run(monkeypatch, workshop, *arguments) == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert said in line


# --- the page ---------------------------------------------------------------------------------


def test_every_finding_is_on_the_page_with_evidence_and_plot(tmp_path: Path) -> None:
    time = np.linspace(0, 1, 5_000)
    traces = (Trace(time, np.sin(time), "line <1>"), Trace(time, time, "$dots$", "dots"))
    plot = Plot("time [s]", "torque [N m]", traces)
    found = (
        replace(a_finding("wrong_gravity", "problem"), plot=plot, sentence="a < b."),
        a_finding("noise"),
    )
    write_diagnosis(Diagnosis("arm", (), found), tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert "✗ 2 found" in page
    assert "a &lt; b." in page
    assert "wrong gravity" in page
    assert "line &lt;1&gt;" in page
    assert "$dots$" in page
    assert page.count("<svg") == 1
    assert page.count("Mend it.") == 2
    assert "http:" not in page
    assert len(page) < 100_000


def test_reports_have_a_section_on_the_diagnosis() -> None:
    robot = limited_arm()
    recording = swung(robot)
    flipped = replace(recording, effort=recording.effort * [1.0, -1.0, 1.0])
    result = identify(robot, [flipped])
    page = report_html(result)
    section = page[page.index('id="diagnosis"') : page.index('id="torque"')]
    assert "flipped sign" in section
    for sentence in sentences(result.findings):
        assert sentence in result.verdict.warnings
