"""A plan is refused where its motion exceeds the robot's limits."""

from __future__ import annotations

import numpy as np
import pytest
from support.fake_cell import SINE, puma, sine_plan

from dynid.errors import ConfigurationError, ExcitationError
from dynid.excitation import default_motion
from dynid.excitation.settings import find_excitation
from dynid.playback.plan import check_joint_side, examine_plan, make_plan, second_seed
from dynid.profile import load_robot


def test_a_plan_has_the_motion_as_points() -> None:
    plan = sine_plan()
    assert plan.trajectory.joints == plan.robot.joints
    assert len(plan.trajectory.time) == 201
    assert np.allclose(plan.start, SINE.start)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            {
                "start": (2.6, -1.5, 1.5, 0.5, 0.0, 0.0),
                "target": (2.9, -1.3, 1.2, 0.9, 0.4, -0.5),
            },
            r"joint 'joint_1': position reaches 2\.9 rad at .* beyond its limit of 2\.79 rad",
        ),
        ({"frequency": (3.0, 0.6, 0.7, 0.8, 0.9, 1.0)}, "joint 'joint_1': (velocity|accel)"),
    ],
)
def test_refuses_a_motion_beyond_the_limits(change, sentence) -> None:
    with pytest.raises(ExcitationError, match=sentence):
        make_plan(puma().with_settings(SINE.model_copy(update=change)))


def test_the_predicted_torque_is_that_of_inverse_dynamics() -> None:
    plan = sine_plan()
    motion = plan.excitation.evaluate(np.linspace(0.0, 2.0, 4001))
    peaks = np.abs(plan.mechanism.inverse_dynamics(*motion)).max(axis=0)
    make_plan(puma(torque_max=tuple(1.01 * peaks)))
    with pytest.raises(ExcitationError, match="predicted torque"):
        make_plan(puma(torque_max=tuple(0.99 * peaks)))
    peaks = np.where(np.arange(6) == 1, 2.0, 1.01 * peaks)
    expected = r"^joint 'joint_2': the predicted torque reaches .* beyond its limit of 2 N m"
    with pytest.raises(ExcitationError, match=expected):
        make_plan(puma(torque_max=tuple(peaks)))


def test_a_plan_that_is_too_fast_for_the_tool_is_refused() -> None:
    kept, broken = (
        load_robot("puma560", overrides=[f"workspace.tool_speed={speed}"]).with_settings(SINE)
        for speed in (2, 0.1)
    )
    assert "tool speed" in make_plan(kept).workspace.names
    with pytest.raises(ExcitationError, match=r"tool: speed reaches .* its limit of 0\.1 m/s"):
        make_plan(broken)


def test_another_seed_is_another_motion() -> None:
    robot = load_robot("puma560")
    own, other = make_plan(robot), make_plan(robot, seed=2)
    assert find_excitation(robot).seed != 2
    assert not np.allclose(own.trajectory.position, other.trajectory.position)


def test_refuses_a_seed_where_nothing_is_random() -> None:
    with pytest.raises(ConfigurationError, match="seed 3: the excitation has no random"):
        make_plan(puma(), seed=3)


def test_an_excitation_can_come_from_a_file(tmp_path) -> None:
    file = tmp_path / "slow.yaml"
    slower = SINE.model_copy(update={"duration": 5.0})
    file.write_text(f"excitation: {slower.model_dump_json()}")
    assert make_plan(puma(), excitation=file).trajectory.duration == pytest.approx(5.8)
    file.write_text("motion: 1")
    with pytest.raises(ConfigurationError, match=r"slow\.yaml: unknown key 'motion'"):
        make_plan(puma(), excitation=file)


def test_a_profile_without_excitation_gets_a_motion_that_is_searched_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    without = puma().without_settings(type(SINE))
    plan = make_plan(without)
    assert plan.verdict.startswith("Limits kept")
    monkeypatch.setattr(default_motion, "_candidates", lambda *_: ())
    equal = puma().without_settings(type(SINE))
    np.testing.assert_array_equal(make_plan(equal).start, plan.start)
    with pytest.raises(ExcitationError, match="no motion was found"):
        make_plan(puma(velocity=(1.0,) * 6).without_settings(type(SINE)))


def test_refuses_a_profile_whose_joint_states_are_the_motors() -> None:
    check_joint_side(puma())
    with pytest.raises(ConfigurationError, match=r"profile 'tx40': recording\.side is 'motor'"):
        check_joint_side(load_robot("tx40"))


def test_a_motion_is_examined_without_being_refused() -> None:
    robot = puma(torque_max=(97.6, 2.0, 89.4, 24.2, 20.1, 21.3))
    motion, check = examine_plan(robot, excitation=None, model=None)
    assert motion.duration == pytest.approx(2.0)
    assert "joint 'joint_2': the predicted torque reaches " in str(check.violation)
    assert any("without friction and rotor inertia" in ground for ground in check.grounds)
    _, kept = examine_plan(puma(), excitation=None, model=None)
    assert kept.violation is None


def test_a_second_seed_is_another_one_whose_motion_can_be_played() -> None:
    robot = load_robot("puma560")
    seed = second_seed(robot)
    assert seed is not None
    assert seed > find_excitation(robot).seed
    make_plan(robot, seed=seed)
    assert second_seed(puma()) is None
