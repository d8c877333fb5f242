"""The benchmark of the diagnosis injects what it says, and its scoring can fail."""

from __future__ import annotations

import json
import time
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from judgement.__main__ import main
from judgement.cases import make_case, turned, with_plant_faults
from judgement.draws import draw_faults, draw_kinds
from judgement.equivalents import equal_answers
from judgement.injections import AFTER_NOISE, BEFORE_NOISE, InjectedFault, with_faults
from judgement.kinds import CLEAN, KINDS, LISTED, answers_for
from judgement.margin import margin_of, reason_to_drop
from judgement.scoring import score
from judgement.tables import drops, goals, table
from judgement.trials import JudgedOutcome, judge_case
from judgement.unlisted_injections import IN_URDF, UNLISTED_INJECTIONS

JOINTS = ("axis_1", "axis_2", "axis_3")
EVERY = {**BEFORE_NOISE, **AFTER_NOISE}
SMALL = 14
"""Seed of a random robot of two joints, so that a case is made quickly."""


@pytest.fixture(scope="module")
def clean():
    return make_case(SMALL, [])


@dataclass(frozen=True)
class Said:
    cause: str
    joints: tuple[str, ...] = ()
    severity: str = "warning"
    alternatives: tuple[object, ...] = ()


def the_fault(kind, joints=(1,), size=0.0, **more):
    return InjectedFault(kind, joints, size, **more)


def injected(clean, kind, joints=(1,), size=0.0, **more):
    """Return the first recording without and with a fault."""
    before = clean.clean[0]
    fault = the_fault(kind, joints, size, **more)
    return before, with_faults(EVERY, (fault,), before, clean.plant.tree, 0)


def changed(before, after):
    """Return which columns of position, velocity and torque differ."""
    return {
        name: {int(j) for j in np.flatnonzero((getattr(after, name) != value).any(axis=0))}
        for name in ("position", "velocity", "torque")
        if (value := getattr(before, name)) is not None
    }


def test_a_case_is_determined_by_its_seed(clean):
    again = make_case(SMALL, [])
    assert again.drawn.given_urdf == clean.drawn.given_urdf
    for first, second in zip(clean.clean, again.clean, strict=True):
        np.testing.assert_array_equal(first.torque, second.torque)
    for faulty, without in zip(clean.faulty, clean.clean, strict=True):
        np.testing.assert_array_equal(faulty.torque, without.torque)
        np.testing.assert_array_equal(faulty.position, without.position)


def test_bodies_of_the_profile_are_wrong_and_the_rest_of_it_is_right(clean):
    parameters = clean.profile.mechanism().urdf_parameters
    assert clean.drawn.given_urdf != clean.drawn.true_urdf
    assert clean.profile.joints == clean.drawn.joints
    assert clean.profile.mechanism().physical_problem() == ""
    assert np.all(np.isfinite(parameters))


def test_every_kind_is_injected_somewhere():
    of_cases = {"missing_friction", "wrong_gravity", "coupling", "payload_of_one_recording"}
    of_cases |= {"eccentric_friction"}
    assert set(EVERY) | of_cases | set(IN_URDF) == set(KINDS)
    assert not set(EVERY) & of_cases
    assert all(answers_for(kind, (1,)) for kind in LISTED)


@pytest.mark.parametrize(
    ("kind", "size", "columns"),
    [
        ("torque_factor", 2.0, {"torque"}),
        ("flipped_torque", 0.0, {"torque"}),
        ("flipped_position", 0.0, {"position", "velocity"}),
        ("position_factor", 1.2, {"position", "velocity"}),
        ("gear_ratio", 1.2, {"position", "velocity", "torque"}),
        ("torque_dead_zone", 0.5, {"torque"}),
        ("saturation", 0.5, {"torque"}),
        ("torque_delay_of_one_joint", 0.03, {"torque"}),
        ("torque_low_pass", 2.0, {"torque"}),
        ("encoder_zero", 0.5, {"position"}),
        ("backlash", 0.05, {"position"}),
        ("wrapped_position", 0.0, {"position"}),
        ("velocity_sign", -1.0, {"velocity"}),
        ("reversed_joint", 0.0, {"position", "velocity", "torque"}),
    ],
)
def test_a_fault_of_one_joint_changes_that_joint_alone(clean, kind, size, columns):
    before, after = injected(clean, kind, size=size)
    recorded = columns if before.velocity is not None else columns - {"velocity"}
    assert changed(before, after) == {
        name: {1} if name in recorded else set() for name in changed(before, after)
    }


def test_injections_do_what_they_say(clean):
    before, after = injected(clean, "torque_factor", size=2.0)
    np.testing.assert_allclose(after.torque[:, 1], 2 * before.torque[:, 1])
    before, after = injected(clean, "saturation", size=0.5)
    assert np.abs(after.torque[:, 1]).max() == pytest.approx(np.abs(before.torque[:, 1]).max() / 2)
    before, after = injected(clean, "swapped_torque", joints=(0, 1))
    np.testing.assert_array_equal(after.torque[:, :2], before.torque[:, 1::-1])
    before, after = injected(clean, "copied_channel", joints=(0, 1))
    np.testing.assert_array_equal(after.torque[:, 0], before.torque[:, 1])
    before, after = injected(clean, "wrapped_position", place=0.5)
    assert np.abs(np.diff(after.position[:, 1])).max() > 6
    np.testing.assert_allclose(
        np.cos(after.position[:, 1]), np.cos(before.position[:, 1]), atol=1e-9
    )


def test_time_is_wrong_where_it_should_be(clean):
    before, after = injected(clean, "time_scale", size=2.0)
    assert after.time[-1] == pytest.approx(2 * before.time[-1])
    before, after = injected(clean, "lost_samples", size=5.0)
    assert len(after.time) < len(before.time)
    assert np.ptp(np.diff(after.time)) < 1e-9
    before, after = injected(clean, "torque_delay", joints=(0, 1), size=0.1)
    late = round(0.1 * before.rate)
    np.testing.assert_allclose(
        after.torque[late + 5 : -5, 0], before.torque[5 : -5 - late, 0], rtol=1e-6, atol=1e-6
    )


def test_a_contact_lasts_for_a_while_and_one_recording_has_its_fault_alone(clean):
    push = the_fault("contact", tuple(range(2)), 1.0, direction=(0.6, 0.0, 0.8))
    before = clean.clean[0]
    after = with_faults(EVERY, (push,), before, clean.plant.tree, 0)
    pushed = (after.torque != before.torque).any(axis=1)
    assert 0 < pushed.sum() / before.rate < 2.1
    alone = replace(push, kind="zero_of_one_recording", recording=1)
    assert with_faults(EVERY, (alone,), before, clean.plant.tree, 0) is before


def test_faults_of_the_robot_and_its_profile(clean):
    coupled = with_plant_faults(clean.plant, (the_fault("coupling", (1, 0), 0.5),))
    assert [c.target for c in coupled.couplings] == [0]
    wrong = the_fault("wrong_gravity", size=1.0, direction=(1.0, 0.0, 0.0))
    gravity = turned([0.0, 0.0, -9.81], wrong)
    assert np.linalg.norm(gravity) == pytest.approx(9.81)
    assert gravity[2] == pytest.approx(-9.81 * np.cos(1.0))
    missing = make_case(SMALL, ["missing_friction"])
    kinds = {term.kind for term in missing.profile.explicit_terms}
    assert "coulomb" not in kinds
    assert "viscous" in kinds
    loaded = make_case(SMALL, ["payload_of_one_recording"])
    differing = [
        not np.array_equal(with_load.torque, without.torque)
        for with_load, without in zip(loaded.faulty, loaded.clean, strict=True)
    ]
    assert sum(differing) == 1


def test_a_fault_is_kept_where_it_matters_and_contradicts():
    case = make_case(SMALL, ["flipped_torque"])
    margin = margin_of(case)
    assert margin.clean_fit < 0.1
    assert margin.faulty > margin.clean + 0.5
    assert reason_to_drop(case, margin) in {"", "not visible"}
    tiny = replace(margin, faulty=margin.clean + 0.01)
    assert reason_to_drop(case, tiny) == "too small"
    assert reason_to_drop(case, replace(margin, faulty_fit=margin.clean_fit)) == "not visible"
    undone = [joints for answer, joints in equal_answers(case, margin)]
    assert case.faults[0].joints in undone


def test_a_pair_is_kept_where_each_of_its_faults_would_be():
    both = make_case(SMALL, ["flipped_torque", "encoder_zero"])
    parts = [make_case(SMALL, ["flipped_torque", "encoder_zero"], alone=k) for k in range(2)]
    assert [part.faults for part in parts] == [both.faults[:1], both.faults[1:]]
    np.testing.assert_array_equal(parts[0].faulty[0].torque, both.faulty[0].torque)
    np.testing.assert_array_equal(parts[1].faulty[0].position, both.faulty[0].position)


def test_a_third_is_clean_and_pairs_differ():
    random = np.random.default_rng(0)
    drawn = [draw_kinds(random) for _ in range(3000)]
    assert sum(not kinds for kinds in drawn) / 3000 == pytest.approx(1 / 3, abs=0.03)
    assert sum(len(kinds) == 2 for kinds in drawn) / 3000 == pytest.approx(0.15, abs=0.03)
    assert {name for kinds in drawn for name in kinds} == set(LISTED)
    assert all(
        KINDS[a].group != KINDS[b].group for a, b in (kinds for kinds in drawn if len(kinds) == 2)
    )


def test_sizes_are_drawn_for_every_kind():
    for name in KINDS:
        (fault,) = draw_faults([name], (False, True, False), 2, np.random.default_rng(3))
        assert set(fault.joints) <= {0, 1, 2}
        if name in LISTED:
            assert (fault.recording is not None) == name.endswith("of_one_recording")


@pytest.mark.parametrize("kind", UNLISTED_INJECTIONS)
def test_unlisted_faults_change_what_they_concern(clean, kind):
    count = max(KINDS[kind].joints, 1)
    (fault,) = draw_faults([kind], clean.plant.tree.prismatic, 2, np.random.default_rng(3))
    fault = replace(fault, recording=None)
    before = clean.clean[0]
    before = replace(before, torque=before.torque - before.torque.mean(axis=0))  # of both signs
    after = with_faults(EVERY, (fault,), before, clean.plant.tree, 0)
    assert after.rate != before.rate or any(changed(before, after).values())
    if KINDS[kind].joints and count == len(fault.joints):
        assert set().union(*changed(before, after).values()) == set(fault.joints)


@pytest.mark.parametrize("kind", IN_URDF)
def test_faults_of_a_urdf_leave_the_true_robot(clean, kind):
    case = make_case(SMALL, [kind])
    assert case.drawn.given_urdf != clean.drawn.given_urdf
    assert case.drawn.true_urdf == clean.drawn.true_urdf
    np.testing.assert_array_equal(case.faulty[0].torque, clean.faulty[0].torque)


FLIPPED = (the_fault("flipped_torque"),)


@pytest.mark.parametrize(
    ("findings", "success", "judgement"),
    [
        ([Said("flipped_sign", ("axis_2",))], False, "right"),
        ([Said("too_slow"), Said("flipped_sign", ("axis_2",))], False, "right"),
        ([Said("too_slow", severity="problem"), Said("flipped_sign", ("axis_2",))], False, "wrong"),
        ([Said("flipped_sign", ("axis_1",))], False, "wrong"),
        ([Said("flipped_sign")], False, "wrong"),
        ([Said("torque_factor", ("axis_2",))], False, "wrong"),
        ([Said("unexplained", ("axis_2",))], False, "unexplained"),
        ([Said("small_region")], True, "silent"),
        ([Said("torque_factor", severity="note")], True, "silent"),
        ([], False, "no cause"),
    ],
)
def test_findings_of_a_faulty_case_are_judged(findings, success, judgement):
    assert score(findings, FLIPPED, JOINTS, success=success).judgement == judgement


def test_a_right_finding_behind_a_wrong_one_is_listed():
    findings = [Said("contact"), Said("flipped_sign", ("axis_2",))]
    judged = score(findings, FLIPPED, JOINTS, success=False)
    assert (judged.judgement, judged.listed) == ("wrong", True)
    pair = (*FLIPPED, the_fault("encoder_zero", (2,)))
    judged = score(findings[1:], pair, JOINTS, success=False)
    assert (judged.judgement, judged.listed) == ("right", False)


@pytest.mark.parametrize(
    "alternative", ["flipped_sign", Said("flipped_sign", ("axis_2",)), ("flipped_sign", "axis_2")]
)
def test_an_alternative_that_is_right_is_hedged(alternative):
    said = Said("reversed_joint", ("axis_2",), alternatives=(alternative,))
    judged = score([said], FLIPPED, JOINTS, success=False)
    assert (judged.judgement, judged.hedged) == ("right", True)


def test_findings_of_a_clean_case_are_judged():
    assert score([Said("noise")], (), JOINTS, success=True).judgement == "quiet"
    assert score([Said("contact")], (), JOINTS, success=True).judgement == "called faulty"
    assert score([], (), JOINTS, success=False).judgement == "no cause"


def outcome(kind, judgement, **more):
    return JudgedOutcome(1, "robot", kind, [], more.pop("dropped", ""), {}, judgement, **more)


def test_goals_are_met_and_missed():
    good = [outcome("saturation", "right", listed=True), outcome(CLEAN, "quiet")]
    text, met = goals(good)
    assert met
    assert "MISSED" not in text
    for kind, judgement in (
        ("saturation", "wrong"),
        ("saturation", "silent"),
        ("saturation", "unexplained"),
        (CLEAN, "called faulty"),
    ):
        text, met = goals([*good, outcome(kind, judgement)])
        assert not met
        assert "MISSED" in text
    dropped = outcome("contact", None, dropped="too small")
    assert goals([*good, dropped])[1]
    assert "1 too small" in drops([*good, dropped])
    assert "contact" in table([*good, dropped])


def test_pieces_are_joined_into_a_table_of_each_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pieces = {
        "first.json": [outcome("contact", "right"), outcome(CLEAN, "quiet")],
        "second.json": [outcome("contact", "wrong", real=True)],
    }
    for name, content in pieces.items():
        text = json.dumps([asdict(one) for one in content])
        (tmp_path / name).write_text(text, encoding="utf-8")
    paths = [str(tmp_path / name) for name in pieces]
    monkeypatch.setattr("sys.argv", ["judgement", "--join", *paths])
    assert main() == 0  # real recordings have no goal
    simulated, real = capsys.readouterr().out.split("real recordings")
    assert "right cause first      100.0%" in simulated
    assert "wrong cause asserted   100.0%" in real


MISJUDGED = {
    "a spring stands for a reversed joint": ("reversed_joint", 5201000040),
    "a spring stands for gravity": ("wrong_gravity", 5201000137),
    "coarse positions beside missing friction": ("missing_friction", 5201000035),
    "a sign with an uncertain factor": ("flipped_torque", 5202000038),
    "play that hides a light joint's inertia": ("backlash", 5201000048),
    "gravity far off, and not along an axis": ("wrong_gravity", 60606000077),
    "two signs": ("flipped_torques", 77000000),
    "a sign of a position": ("flipped_position", 77000000),
}
SLOW = (5201000040, 5201000137, 5202000038, 5201000048)


@pytest.mark.parametrize(
    ("kind", "seed"),
    [
        pytest.param(kind, seed, id=name, marks=[pytest.mark.thorough] if seed in SLOW else [])
        for name, (kind, seed) in MISJUDGED.items()
    ],
)
def test_cases_that_were_misjudged_are_right(kind, seed):
    outcome = judge_case(make_case(seed, [kind]), time.process_time())
    assert (outcome.judgement, outcome.dropped) == ("right", "")
