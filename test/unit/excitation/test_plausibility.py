"""Limits, masses and inertias of a URDF that are not believable are named before anything moves."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from support.fake_cell import Cell, FakeClock
from support.representatives import representatives
from support.synthetic import ARM_URDF

from dynid.demonstration import prepare
from dynid.errors import DynidError, PlaybackError
from dynid.excitation.plausibility import urdf_doubts
from dynid.excitation.plausible_limits import Doubt, limit_doubts, refusal
from dynid.excitation.workspace.workspace import Workspace
from dynid.files import share_directories
from dynid.playback.options import Options
from dynid.playback.plan import make_plan
from dynid.playback.playback import Playback
from dynid.playback.robot_state import StateReader
from dynid.profile import load_robot, make_robot
from dynid.robot_files import shipped_profiles

ARM = {"robot": "arm", "urdf": "arm.urdf", "joints": ["shoulder", "elbow", "wrist"]}
SHAPE = '<collision><geometry><box size="0.1 0.1 0.3"/></geometry></collision>'


def with_limits(text: str, **values: str) -> str:
    """Return a URDF with other values of attributes in every <limit>."""
    for key, value in values.items():
        text, count = re.subn(rf'(<limit[^>]*\b{key}=)"[^"]*"', rf'\1"{value}"', text)
        assert count == 3
    return text


def with_light_hand(text: str) -> str:
    """Return the arm's URDF with a last body that needs a thousandth of the first one's torque."""
    hand = text.index('<link name="hand">'), text.index('<joint name="shoulder"')
    light = with_masses(with_inertias(text[slice(*hand)], 0.02), 0.02)
    return text[: hand[0]] + light + text[hand[1] :]


def with_inertias(text: str, factor: float) -> str:
    def scaled(match: re.Match[str]) -> str:
        return f'{match[1]}="{float(match[2]) * factor:.12g}"'

    return re.sub(r'(i[xyz][xyz])="([^"]*)"', scaled, text)


def with_masses(text: str, factor: float) -> str:
    return re.sub(
        r'<mass value="([^"]*)"', lambda m: f'<mass value="{float(m[1]) * factor:.12g}"', text
    )


def with_shapes(text: str) -> str:
    return text.replace("</inertial>", f"</inertial>{SHAPE}")


def doubts_of(text: str, **limits: Any) -> tuple[Doubt, ...]:
    robot = make_robot(ARM | ({"limits": limits} if limits else {}), text)
    return urdf_doubts(robot, Workspace(robot, robot.mechanism()))


def test_a_urdf_with_sensible_values_is_not_doubted() -> None:
    assert doubts_of(ARM_URDF) == ()
    assert doubts_of(with_shapes(ARM_URDF)) == ()


@pytest.mark.parametrize("name", shipped_profiles())
def test_the_urdfs_of_shipped_robots_are_not_doubted(name: str) -> None:
    robot = load_robot(name)
    assert refusal(limit_doubts(robot)) is None
    if not robot.closed_chain.passive:  # passive joints of a URDF alone have no limits
        alone = load_robot(share_directories()[0] / "urdf" / robot.urdf)
        assert refusal(limit_doubts(alone)) is None


@pytest.mark.parametrize(
    ("limits", "keys", "words"),
    [
        ({"velocity": "0"}, ("velocity",), "velocity limit of shoulder, elbow and wrist is 0"),
        ({"effort": "0"}, (), "effort limit of .* is 0, .* no torque is .*limits.torque_max sets"),
        ({"effort": "1000"}, ("torque_max",), "efforts of all joints add up to 3000 N m"),
        ({"effort": "3000", "velocity": "1"}, ("torque_max",), "efforts of all joints add up"),
        ({"velocity": "180"}, ("velocity", "torque_max"), "effort times velocity of all joints"),
        ({"effort": "20", "velocity": "120"}, ("velocity",), "only reached after many turns"),
        ({"effort": "50", "velocity": "10"}, ("velocity", "torque_max"), "may be placeholders"),
        ({"effort": "200", "velocity": "0.5"}, ("velocity", "torque_max"), "may be placeholders"),
        ({"lower": "-10", "upper": "10"}, ("position",), "from -10 to 10 rad, up to 1.59 turns"),
        ({"lower": "0", "upper": "9"}, ("position",), "from 0 to 9 rad, .* may be degrees"),
    ],
)
def test_a_doubtful_limit_is_named_until_the_profile_has_it(
    limits: dict[str, str], keys: tuple[str, ...], words: str
) -> None:
    text = with_limits(with_light_hand(ARM_URDF), **limits)
    (doubt,) = (doubt for doubt in doubts_of(text) if re.search(words, doubt.sentence))
    assert doubt.limits == keys
    assert all(f"limits.{key}" in doubt.sentence for key in keys)
    stated = {"position": [[-1, 1]] * 3, "velocity": 2.0, "torque_max": [50.0, 50.0, 20.0]}
    every = {key for doubt in doubts_of(text) for key in doubt.limits}
    assert refusal(doubts_of(text, **dict.fromkeys(every))) is None
    assert refusal(doubts_of(text, **{key: stated[key] for key in every})) is None


@pytest.mark.parametrize("size", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("number", ["10", "10.0", "5", "20"])
def test_one_number_for_all_efforts_and_velocities_is_a_placeholder(
    number: str, size: float
) -> None:
    text = with_masses(with_inertias(ARM_URDF, size), size)
    found = doubts_of(with_limits(text, effort=number, velocity=number))
    (doubt,) = (doubt for doubt in found if "placeholders" in doubt.sentence)
    assert f"{float(number):g} rad/s, the same number for both" in doubt.sentence
    assert refusal([doubt]) is not None
    other = doubts_of(with_limits(text, effort=number, velocity="3"))
    assert not any("placeholders" in doubt.sentence for doubt in other)


def test_small_limits_beside_others_in_degrees_are_doubted_too() -> None:
    text = ARM_URDF.replace('lower="-3" upper="3"', 'lower="-170" upper="170"', 1)
    text = text.replace('lower="-3" upper="3"', 'lower="-5" upper="6"', 1)
    text = text.replace('lower="-3" upper="3"', 'lower="-2.9" upper="2.9"', 1)
    first, second = (doubt.sentence for doubt in doubts_of(text))
    assert "shoulder has a limit from -170 to 170" in first
    assert "elbow has a limit from -5 to 6 rad beside joints in degrees" in second


def test_equal_servos_are_no_placeholders() -> None:
    for effort, velocity in (("3.35", "5.2"), ("33.5", "20")):
        text = with_limits(with_light_hand(ARM_URDF), effort=effort, velocity=velocity)
        assert not any("placeholders" in doubt.sentence for doubt in doubts_of(text))


@pytest.mark.parametrize("unit", [1e3, 1e2, 1e6])
def test_lengths_in_other_units_are_named(unit: float) -> None:
    def scaled(match: re.Match[str]) -> str:
        return match[1] + " ".join(f"{float(word) * unit:g}" for word in match[2].split()) + '"'

    joints = ARM_URDF.index("<joint")
    text = ARM_URDF[:joints] + re.sub(r'(<origin xyz=")([^"]*)"', scaled, ARM_URDF[joints:])
    (doubt,) = (doubt for doubt in doubts_of(text) if "from the joint before" in doubt.sentence)
    assert refusal([doubt]) is None
    assert re.search(r"(elbow|wrist) is \d\S* m .* correct <origin>", doubt.sentence)


def test_a_robot_that_cannot_hold_itself_is_named_and_only_warned_of() -> None:
    needs = make_robot(ARM, ARM_URDF).mechanism()
    q = np.random.default_rng(1).uniform(-3, 3, (200, 3))
    held = np.abs(needs.gravity_torque(q)).max(axis=0)
    weak = with_limits(ARM_URDF, effort=f"{0.5 * held.max():.4f}")
    joint = ARM["joints"][int(held.argmax())]
    (doubt,) = (doubt for doubt in doubts_of(weak) if "to hold its bodies" in doubt.sentence)
    assert joint in doubt.sentence
    assert doubt.limits == ("torque_max",)
    assert refusal([doubt]) is None
    strong = with_limits(ARM_URDF, effort=f"{1.5 * held.max():.4f}")
    assert not any("to hold its bodies" in doubt.sentence for doubt in doubts_of(strong))


@pytest.mark.parametrize(
    ("change", "factor", "words"),
    [
        (with_inertias, 1e9, "more than two masses at its ends have"),  # g mm^2
        (with_inertias, 1e4, "more than two masses at its ends have"),  # kg cm^2
        (with_inertias, 3417.0, "more than two masses at its ends have"),  # lb in^2
        (with_inertias, 1e-3, "as if all mass were in one point"),
        (with_masses, 1e3, "heavier than any metal"),  # g
        (with_masses, 2e-4, "about as light as air"),
    ],
)
def test_bodies_in_other_units_are_named(change: Any, factor: float, words: str) -> None:
    found = [doubt.sentence for doubt in doubts_of(change(with_shapes(ARM_URDF), factor))]
    named = [sentence for sentence in found if words in sentence]
    assert named
    assert all(re.search("link '.*' .*; correct <", sentence) for sentence in named)


def test_without_shapes_inertias_are_compared_with_the_robots_length() -> None:
    assert any("whole robot" in d.sentence for d in doubts_of(with_inertias(ARM_URDF, 1e4)))


def test_a_real_robot_does_not_move_within_doubtful_limits() -> None:
    sine = {"type": "sine", "start": 0, "target": 0.2, "frequency": 0.2, "duration": 5}
    workspace = {"planes": "none", "self_collision": False}
    content = ARM | {"excitation": sine, "workspace": workspace}
    robot = make_robot(content, with_limits(ARM_URDF, velocity="0"))
    reader = StateReader(robot.joints, "test")
    player = Playback(reader, FakeClock(), Cell())
    with pytest.raises(PlaybackError, match=r"no robot moves .* limits\.velocity sets it"):
        player.prepare(make_plan(robot), Options())
    with pytest.raises(PlaybackError, match="position is unknown"):  # the next reason
        player.prepare(make_plan(robot), Options(doubtful_limits=True))
    confirmed = make_robot(
        content | {"limits": {"velocity": 1}}, with_limits(ARM_URDF, velocity="0")
    )
    with pytest.raises(PlaybackError, match="position is unknown"):  # the next reason
        player.prepare(make_plan(confirmed), Options())


def test_a_rehearsal_warns_and_names_the_limits_it_uses(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(with_limits(ARM_URDF, velocity="0"))
    prepared = prepare(str(tmp_path / "arm.urdf"), tmp_path / "out")
    warned, used = prepared.assumed[:2]
    assert warned.startswith("In the URDF, the velocity limit of shoulder, elbow and wrist is 0")
    assert "velocities up to [1.571, 1.571, 1.571]" in used
    written = load_robot(prepared.profile)
    assert written.limits.velocity == pytest.approx((np.pi / 2,) * 3)
    assert make_plan(written).doubts == ()


@pytest.mark.parametrize("effort", representatives(["0.01", "1e-6"], 1))
def test_a_rehearsal_of_a_robot_that_cannot_hold_itself_has_no_limit_of_torque(
    tmp_path: Path, effort: str
) -> None:
    (tmp_path / "arm.urdf").write_text(with_limits(ARM_URDF, effort=effort))
    (tmp_path / "arm.yaml").write_text(yaml.safe_dump(ARM | {"limits": {"velocity": 1}}))
    for file in ("arm.urdf", "arm.yaml"):
        prepared = prepare(str(tmp_path / file), tmp_path / "out")
        assert any("to hold its bodies" in sentence for sentence in prepared.assumed)
        assert any("no limit of torque" in sentence for sentence in prepared.assumed)
        assert load_robot(prepared.profile).limits.torque_max is None
        assert prepare(prepared.profile, tmp_path / "out").assumed == ()


def test_a_rehearsal_keeps_weak_torques_with_which_a_motion_is_possible(tmp_path: Path) -> None:
    still = with_limits(ARM_URDF, effort="100")
    mechanism = make_robot(ARM, still).mechanism()
    q = np.random.default_rng(1).uniform(-3, 3, (2000, 3))
    held = np.abs(mechanism.gravity_torque(q)).max()
    (tmp_path / "arm.urdf").write_text(with_limits(ARM_URDF, effort=f"{0.95 * held:.4f}"))
    prepared = prepare(str(tmp_path / "arm.urdf"), tmp_path / "out")
    assert any("to hold its bodies" in sentence for sentence in prepared.assumed)
    assert load_robot(prepared.profile).limits.torque_max == pytest.approx(
        [0.95 * held] * 3, rel=1e-3
    )


def test_a_rehearsal_names_bodies_in_other_units(tmp_path: Path) -> None:
    text = with_limits(with_inertias(with_shapes(ARM_URDF), 1e-3), effort="100")
    (tmp_path / "arm.urdf").write_text(text)
    assumed = prepare(str(tmp_path / "arm.urdf"), tmp_path / "out").assumed
    assert any("as if all mass were in one point" in sentence for sentence in assumed)


def test_a_negative_limit_is_refused_with_its_line(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(with_limits(ARM_URDF, effort="-1"))
    with pytest.raises(DynidError, match=r"joint 'shoulder' \(line \d+\) .* effort -1, expected"):
        load_robot(tmp_path / "arm.urdf")
