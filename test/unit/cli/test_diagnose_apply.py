"""``dynid diagnose --apply``: a profile with corrections, and an identification with it."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import yaml
from support.command_line import dynid
from support.representatives import representatives
from support.swung_arm import limited_arm, swung
from support.synthetic import ARM_URDF

from dynid.cli.repaired_profile import write_repaired
from dynid.evaluation.diagnosis.finding import Finding
from dynid.evaluation.diagnosis.repair import Repair, repair_of
from dynid.identification.diagnose import diagnose_recordings
from dynid.profile import load_robot
from dynid.recording.convert import write_bag
from dynid.recording.corrections import Correction, corrected
from dynid.recording.model import Recording
from dynid.recording.settings import RecordingSettings


@pytest.fixture(autouse=True)
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The present folder, with the profile of an arm that has comments, and its URDF."""
    content = yaml.safe_dump(limited_arm().yaml_content(exclude_unset=True))
    (tmp_path / "arm.yaml").write_text(f"# of the laboratory\n{content}# the end\n")
    (tmp_path / "arm.urdf").write_text(ARM_URDF)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def record(name: str, **signals: np.ndarray) -> None:
    write_bag(replace(swung(limited_arm()), **signals), Path(name))


def flip(name: str) -> None:
    record(name, effort=swung(limited_arm()).effort * [1.0, -1.0, 1.0])


def test_the_written_profile_identifies_and_leaves_nothing_to_find(shop: Path) -> None:
    flip("flipped")
    ran = dynid("diagnose", "flipped", "-p", "arm.yaml", "--apply", "mended.yaml")
    assert ran.code == 1
    printed = ran.out.splitlines()
    assert "wrote mended.yaml" in printed
    assert "  recording.corrections: [{signal: effort, joint: elbow, factor: -1.0}]" in printed
    command = shlex.split(printed[-1])
    assert command == ["dynid", "identify", "flipped", "-p", "mended.yaml"]
    assert dynid(*command[1:]).code == 0
    ran = dynid("diagnose", "flipped", "-p", "mended.yaml")
    assert ran.code == 0
    assert "No problem found." in ran.out


def test_comments_and_given_corrections_stay(shop: Path) -> None:
    given = (shop / "arm.yaml").read_text() + (
        "recording:\n  corrections:\n"
        "    # the drive counts backwards\n"
        "    - {signal: velocity, joint: wrist, factor: -1}  # measured in May\n"
        "# below\n"
    )
    (shop / "arm.yaml").write_text(given)
    recorded = swung(limited_arm())
    effort, velocity = recorded.effort * [1.0, -1.0, 1.0], recorded.velocity * [1.0, 1.0, -1.0]
    record("flipped", effort=effort, velocity=velocity)
    assert dynid("diagnose", "flipped", "-p", "arm.yaml", "--apply", "mended.yaml").code == 1
    first, _, rest = (shop / "mended.yaml").read_text().partition("\n")
    assert first == "# With the corrections of `dynid diagnose --apply`."
    added = "    - {signal: effort, joint: elbow, factor: -1.0}\n# below\n"
    assert rest == given.replace("# below\n", added)
    assert (shop / "arm.yaml").read_text() == given
    assert dynid("identify", "flipped", "-p", "mended.yaml").code == 0


def test_gravity_becomes_that_of_the_recordings(shop: Path) -> None:
    tilted = limited_arm(gravity=[0.0, 6.94, -6.94])
    write_bag(swung(tilted), shop / "tilted")
    assert dynid("diagnose", "tilted", "-p", "arm.yaml", "--apply", "mended.yaml").code == 1
    gravity = load_robot("mended.yaml").gravity
    np.testing.assert_allclose(gravity, [0.0, 6.94, -6.94], atol=0.3)
    assert dynid("diagnose", "tilted", "-p", "mended.yaml").code == 0


def exchanged(good: Recording) -> Recording:
    order = [0, 2, 1]
    return replace(good, effort=good.effort[:, order])


def moved_and_reversed(good: Recording) -> Recording:
    turned, zero = np.array([1.0, -1.0, 1.0]), np.array([0.0, 0.4, 0.0])
    return replace(
        good,
        position=(good.position + zero) * turned,
        velocity=good.velocity * turned,
        effort=good.effort * turned,
    )


def late(good: Recording) -> Recording:
    return replace(good, effort=np.roll(good.effort, 6, axis=0))


@pytest.mark.parametrize("fault", representatives([moved_and_reversed, exchanged, late], 1))
def test_corrected_recordings_leave_nothing_to_find(fault: Callable[..., Recording]) -> None:
    robot = limited_arm()
    faulty = fault(swung(robot))
    repair = repair_of(diagnose_recordings(robot, [faulty]).findings, (), robot.joints)
    assert repair.left == ()
    assert diagnose_recordings(robot, [corrected(faulty, repair.corrections)]).found == ()


def test_json_lists_corrections_settings_and_alternatives(shop: Path) -> None:
    flip("flipped")
    ran = dynid("diagnose", "flipped", "-p", "arm.yaml", "--json", "--apply", "mended.yaml")
    assert ran.code == 1
    (finding,) = (one for one in json.loads(ran.out)["findings"] if one["cause"] == "flipped_sign")
    assert finding["corrections"] == [{"signal": "effort", "joint": "elbow", "factor": -1.0}]
    assert finding["alternatives"] == []
    assert finding["settings"] == {}
    assert load_robot("mended.yaml").settings(RecordingSettings).corrections


@pytest.mark.parametrize("profile", representatives(["elsewhere/arm.yaml", "arm.urdf"], 1))
def test_a_urdf_alone_and_a_profile_of_another_folder_stay_found(shop: Path, profile: str) -> None:
    (shop / "elsewhere").mkdir()
    for name in ("arm.yaml", "arm.urdf"):
        (shop / "elsewhere" / name).write_text((shop / name).read_text())
    flip("flipped")
    arguments = ["-p", profile, "--set", "identification.trim_rest=false"]
    assert dynid("diagnose", "flipped", *arguments, "--apply", "out/mended.yaml").code == 1
    text = Path("out/mended.yaml").read_text()
    assert yaml.safe_load(text)["urdf"] == f"../{Path(profile).with_suffix('.urdf')}"
    assert yaml.safe_load(text)["identification"]["trim_rest"] is False
    again = dynid("diagnose", "flipped", "-p", "out/mended.yaml", "--json").out
    left = {one["cause"] for one in json.loads(again)["findings"]}
    assert left <= {"ill_conditioned"}  # with the terms of a robot without a profile


def test_a_shipped_robot_keeps_the_comments_of_its_profile(tmp_path: Path) -> None:
    flipped = Correction(signal="effort", factor=-1.0)
    write_repaired("scara", Repair((flipped,), {}, (), ()), tmp_path / "mended.yaml")
    robot = load_robot(tmp_path / "mended.yaml")
    assert robot.settings(RecordingSettings).corrections == (flipped,)
    assert robot.urdf_xml == load_robot("scara").urdf_xml
    assert (tmp_path / "mended.yaml").read_text().count("#") > 3


def test_a_urdf_alone_becomes_a_profile_that_names_it(shop: Path) -> None:
    (shop / "out").mkdir()
    flipped = Correction(signal="effort", factor=-1.0)
    write_repaired("arm.urdf", Repair((flipped,), {}, (), ()), Path("out/mended.yaml"))
    assert yaml.safe_load(Path("out/mended.yaml").read_text())["urdf"] == "../arm.urdf"
    corrections = load_robot("out/mended.yaml").settings(RecordingSettings).corrections
    assert corrections == (flipped,)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-p", "arm.yaml", "--apply", "mended.yaml"], "nothing was found, so mended.yaml was not"),
        (["-p", "arm.yaml", "--apply", "arm.yaml"], "arm.yaml: "),
        (["-p", "arm.yaml", "--apply", "there.yaml"], "there.yaml: already exists; name a new"),
        (["-p", "arm.yaml", "--apply", "mended.txt"], "must end in .yaml"),
        (["-p", "arm.yaml", "--apply", "no/mended.yaml"], "its folder does not exist"),
        (["-m", "model.yaml", "--apply", "mended.yaml"], "name it with --profile"),
    ],
)
def test_what_cannot_be_written_is_refused_in_one_sentence(
    shop: Path, arguments: list[str], said: str
) -> None:
    record("good")
    (shop / "there.yaml").write_text("mine")
    before = (shop / "arm.yaml").read_text()
    ran = dynid("diagnose", "good", *arguments)
    assert ran.code == 2
    (line,) = ran.err.strip().splitlines()
    assert said in line
    assert not (shop / "mended.yaml").exists()
    assert (shop / "arm.yaml").read_text() == before
    assert (shop / "there.yaml").read_text() == "mine"


def test_findings_without_a_correction_are_not_applied(shop: Path) -> None:
    write_bag(swung(limited_arm(), amplitudes=(0.2, 0.2, 0.2)), shop / "small")
    ran = dynid("diagnose", "small", "-p", "arm.yaml", "--apply", "mended.yaml")
    assert ran.code == 2
    said = "no finding has a correction that the recordings decide on, so mended.yaml was not"
    assert said in ran.err


# --- what is applied --------------------------------------------------------------------------


def found(cause: str, *corrections: Correction) -> Finding:
    return Finding(cause, (), "problem", "Seen.", "Mend.", {}, corrections=corrections)


def test_undecided_findings_and_notes_are_not_applied() -> None:
    delay = Correction(signal="effort", delay=0.01)
    undecided = replace(found("time_shift", delay), alternatives=(("encoder_zero", ("a",)),))
    repair = repair_of([undecided, replace(found("velocity", delay), severity="note")], [], ["a"])
    assert (repair.corrections, repair.applied, repair.left) == ((), (), (undecided,))


def test_a_zero_found_before_its_joint_was_reversed_is_added_after() -> None:
    zero = Correction(signal="position", joint="a", offset=0.3)
    reverse = Correction(signal="position", joint="a", factor=-1.0)
    findings = [found("encoder_zero", zero), found("reversed_joint", reverse)]
    assert repair_of(findings, [], ["a"]).corrections == (reverse, zero)


def test_contradictions_of_channels_are_corrected_before_channels_are_exchanged() -> None:
    turned = Correction(signal="velocity", joint="a", factor=-1.0)
    swap = [
        Correction(signal="velocity", joint=joint, source=other)
        for joint, other in (("a", "b"), ("b", "a"))
    ]
    findings = [found("swapped_channels", *swap), found("velocity", turned)]
    corrections = repair_of(findings, [], ["a", "b"]).corrections
    assert Correction(signal="velocity", joint="b", factor=-1.0) in corrections
    assert turned not in corrections
