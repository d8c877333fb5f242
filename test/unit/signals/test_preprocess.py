"""Preprocessing against the drives' formulas, energy, and motion with known derivatives."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynid.errors import PreprocessingError
from dynid.profile import make_robot
from dynid.recording.model import Recording
from dynid.robot.robot import Robot
from dynid.signals.preprocess import preprocess

RATE = 200.0
seeds = st.integers(0, 2**32 - 1)


def robot_of(joints: int = 2, **groups: object) -> Robot:
    identification = {"cutoff_hz": None, "trim_rest": False}
    identification |= groups.pop("identification", {})  # type: ignore[operator]
    content = {
        "robot": "test",
        "urdf": "test.urdf",
        "joints": [f"j{i + 1}" for i in range(joints)],
        "identification": identification,
    }
    return make_robot(content | groups, "")


def recording_of(
    position: np.ndarray,
    effort: np.ndarray | None = None,
    velocity: np.ndarray | None = None,
    rate: float = RATE,
) -> Recording:
    return Recording(
        time=np.arange(len(position)) / rate,
        position=position,
        velocity=velocity,
        effort=np.ones_like(position) if effort is None else effort,
        joint_names=tuple(f"j{i + 1}" for i in range(position.shape[1])),
        sampling_rate=rate,
    )


def swing(samples: int = 1000, joints: int = 2, rate: float = RATE) -> np.ndarray:
    """Sines of 0.5 Hz, 0.7 Hz, …, joint i of amplitude i + 1."""
    time = np.arange(samples)[:, None] / rate
    number = np.arange(joints)
    return (number + 1) * np.sin(2 * np.pi * (0.5 + 0.2 * number) * time)


def with_rest(rest: float, moving: float, joints: int = 2) -> np.ndarray:
    """Rest, a smooth motion in both directions with a stop in the middle, and rest again."""
    ahead = np.zeros((round(rest * RATE), joints))
    time = np.arange(round(moving * RATE))[:, None] / RATE
    motion = np.arange(1, joints + 1) * np.sin(2 * np.pi * time / moving) ** 2
    return np.vstack([ahead, motion, ahead])


# --- units ------------------------------------------------------------------------------------


RATED = {"effort": "rated_current_permille", "torque_constant": 0.2}


@pytest.mark.parametrize(
    ("drives", "factor", "unit"),
    [
        ({"effort": "torque", "gear_ratio": 50}, [1, 1], "N*m"),
        ({"effort": "current", "torque_constant": [0.2, 0.3]}, [0.2, 0.3], "A"),
        (
            {"effort": "current", "torque_constant": 0.2, "gear_ratio": [50, -101]},
            [10, -20.2],
            "A",
        ),
        # 2 A of 0.1 N m/A at a gear of 100, over 1000 permille
        (
            RATED | {"rated_current_ma": 2000, "torque_constant": 0.1, "gear_ratio": 100},
            [0.02, 0.02],
            "permille",
        ),
        # softMC: TFac = 1e6 / (MICONT MKT), torque = current actual value / TFac
        (
            RATED | {"rated_current_ma": [3400, 1000]},
            [3400 * 0.2 / 1e6, 1000 * 0.2 / 1e6],
            "permille",
        ),
        # … times the gear ratio, and per lead [m/rev] 2 pi rad of the screw, which conserves work
        (
            RATED | {"rated_current_ma": 3400, "gear_ratio": [62.6, 3], "screw_lead": 0.02},
            [3400 * 0.2 * 62.6 / 1e6 * 2 * np.pi / 0.02, 3400 * 0.2 * 3 / 1e6 * 2 * np.pi / 0.02],
            "permille",
        ),
    ],
)
def test_effort_becomes_torque_by_the_drives_formula(
    drives: dict[str, object], factor: list[float], unit: str
) -> None:
    effort = np.random.default_rng(0).normal(size=(50, 2)) * 1000
    signals = preprocess(recording_of(swing(50), effort), robot_of(drives=drives))
    np.testing.assert_allclose(signals.torque, effort * factor, rtol=1e-12)
    np.testing.assert_allclose(signals.torque_per_effort, factor, rtol=1e-12)
    assert signals.effort_unit == unit


# --- coupling ---------------------------------------------------------------------------------


@given(seeds)
def test_coupling_preserves_power(seed: int) -> None:
    random = np.random.default_rng(seed)
    coupling = np.eye(3) + random.uniform(-0.3, 0.3, (3, 3))
    motor_position, motor_torque = swing(40, 3), random.normal(size=(40, 3))
    motor_velocity = random.normal(size=(40, 3))
    recording = recording_of(motor_position, motor_torque, motor_velocity)
    robot = robot_of(
        3,
        coupling=coupling.tolist(),
        recording={"side": "motor"},
        identification={"velocity": "measured"},
    )
    signals = preprocess(recording, robot)
    power = (signals.torque * signals.velocity).sum(axis=1)
    np.testing.assert_allclose(power, (motor_torque * motor_velocity).sum(axis=1), atol=1e-9)
    np.testing.assert_allclose(signals.position, [coupling @ q for q in motor_position], atol=1e-12)
    back = [coupling.T @ tau for tau in signals.torque]
    np.testing.assert_allclose(back, motor_torque, atol=1e-9)
    assert signals.effort_unit == "N*m"
    np.testing.assert_array_equal(signals.torque_per_effort, 1.0)


def test_coupling_does_not_change_joint_side_recordings() -> None:
    robot = robot_of(coupling=[[1, 0], [-1, 1]])
    signals = preprocess(recording_of(swing(20)), robot)
    np.testing.assert_array_equal(signals.position, swing(20))
    np.testing.assert_array_equal(signals.torque, np.ones((20, 2)))


@pytest.mark.parametrize(
    ("coupling", "side"), [([[1, 0], [-1, 1]], "joint"), (None, "motor"), (None, "joint")]
)
def test_errors_are_in_units_of_effort_if_every_joint_has_its_own_drive(
    coupling: list[list[float]] | None, side: str
) -> None:
    drives = {"effort": "current", "torque_constant": 0.2, "gear_ratio": 50}
    robot = robot_of(coupling=coupling, recording={"side": side}, drives=drives)
    signals = preprocess(recording_of(swing(20)), robot)
    assert signals.effort_unit == "A"
    np.testing.assert_allclose(signals.torque_per_effort, 10.0)


# --- rest and borders -------------------------------------------------------------------------


def test_rest_at_both_ends_is_removed_and_noted() -> None:
    position = with_rest(rest=2.0, moving=4.0)
    signals = preprocess(recording_of(position), robot_of(identification={"trim_rest": True}))
    # 3 % of the peak speed of sin^2 is reached within 1 % of its period
    assert 2.0 <= signals.time[0] <= 2.06
    assert 5.94 <= signals.time[-1] <= 6.01
    (note,) = signals.notes
    seconds, words = note.split(" ", 1)
    assert words == "s at rest before and after the motion were removed."
    assert float(seconds) == pytest.approx(8.0 - len(signals.time) / RATE, abs=0.006)


def test_rest_in_the_middle_stays() -> None:
    pause = np.vstack([with_rest(0.0, 2.0), np.zeros((400, 2)), with_rest(0.0, 2.0)])
    signals = preprocess(recording_of(pause), robot_of(identification={"trim_rest": True}))
    assert len(signals.time) > 1150
    np.testing.assert_allclose(np.diff(signals.time), 1 / RATE)
    assert signals.notes == ()


def test_one_moving_joint_is_motion() -> None:
    position = swing()
    position[:, 0] = 0.0
    position[:300] = position[300]
    signals = preprocess(recording_of(position), robot_of(identification={"trim_rest": True}))
    assert signals.time[0] == pytest.approx(300 / RATE, abs=2 / RATE)
    assert not signals.moving[:, 0].any()


def test_border_is_removed_after_filtering() -> None:
    recording = recording_of(swing())
    settings = {"cutoff_hz": 10.0}
    whole = preprocess(recording, robot_of(identification=settings))
    inner = preprocess(recording, robot_of(identification=settings | {"border": 0.25}))
    for name in ("time", "position", "velocity", "acceleration", "torque", "moving"):
        # 20 samples at each end of the motion, which is cut, are left out without a border
        np.testing.assert_array_equal(getattr(inner, name), getattr(whole, name)[30:-30])


def test_samples_in_which_filters_settle_are_left_out_where_a_motion_is_cut() -> None:
    rest_before = swing(1100)
    rest_before[:100] = rest_before[100] = 0.0
    rest_before[100:] = swing(1000)
    cut = preprocess(recording_of(rest_before[:1020]), robot_of(identification={"cutoff_hz": 5.0}))
    whole = preprocess(recording_of(rest_before), robot_of(identification={"cutoff_hz": 5.0}))
    assert len(cut.time) == 1020 - RATE / 5
    assert cut.time[0] == 0.0
    (note,) = cut.notes
    assert note.startswith("The recording ends in motion: 0.2 s there are left out")
    same = whole.acceleration[: len(cut.time)]
    # the filter has settled to 2 % of what a wrong curvature at the end changes
    np.testing.assert_allclose(cut.acceleration, same, atol=0.03 * np.abs(same).max())


@pytest.mark.parametrize(
    "settings", [{"cutoff_hz": None}, {"cutoff_hz": 5.0, "period": 2.5}, {"derivatives": "kalman"}]
)
def test_nothing_is_left_out_where_no_filter_settles(settings: dict[str, object]) -> None:
    signals = preprocess(recording_of(swing()), robot_of(identification=settings))
    assert not any("in motion" in note for note in signals.notes)


def test_at_most_a_tenth_is_left_out_at_an_end() -> None:
    signals = preprocess(recording_of(swing(200)), robot_of(identification={"cutoff_hz": 2.0}))
    assert len(signals.time) == 160


def test_motion_before_the_first_sample_is_kept_for_friction_with_memory() -> None:
    recording = recording_of(with_rest(rest=2.0, moving=4.0))
    whole = preprocess(recording, robot_of())
    inner = preprocess(recording, robot_of(identification={"trim_rest": True, "border": 0.5}))
    first = round(inner.time[0] * RATE)
    assert first >= 500
    for earlier, full in (
        (inner.earlier_position, whole.position),
        (inner.earlier_velocity, whole.velocity),
    ):
        np.testing.assert_array_equal(earlier, full[:first])


# --- motion -----------------------------------------------------------------------------------


def test_filter_removes_noise_from_motion_but_not_from_raw_position() -> None:
    noisy = swing() + 1e-3 * np.random.default_rng(1).normal(size=(1000, 2))
    signals = preprocess(recording_of(noisy), robot_of(identification={"cutoff_hz": 5.0}))
    kept = slice(40, -40)  # the motion is cut at both ends
    np.testing.assert_array_equal(signals.raw_position, noisy[kept])
    assert np.abs(signals.position - swing()[kept])[60:-60].max() < 1e-3


@pytest.mark.parametrize("filtered", [False, True])
def test_torque_is_filtered_only_on_request(filtered: bool) -> None:
    effort = np.random.default_rng(2).normal(size=(1000, 2))
    settings = {"cutoff_hz": 5.0, "filter_torque": filtered}
    signals = preprocess(recording_of(swing(), effort), robot_of(identification=settings))
    np.testing.assert_array_equal(signals.raw_torque, effort[40:-40])
    assert np.array_equal(signals.torque, effort[40:-40]) is not filtered
    assert bool(signals.torque.std() < 0.4) is filtered


def test_measured_velocity_is_used_if_set() -> None:
    velocity = 3.0 * swing() + 7.0
    recording = recording_of(swing(), velocity=velocity)
    measured = preprocess(recording, robot_of(identification={"velocity": "measured"}))
    np.testing.assert_array_equal(measured.velocity, velocity)
    np.testing.assert_allclose(
        measured.acceleration, 3.0 * np.gradient(swing(), 1 / RATE, axis=0, edge_order=2), atol=1e-9
    )
    plain = preprocess(recording, robot_of())
    np.testing.assert_allclose(
        plain.velocity, np.gradient(swing(), 1 / RATE, axis=0, edge_order=2), atol=1e-9
    )


# --- motion -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("threshold", "expected", "upper"),
    [
        ({"fraction": 0.2}, 0.2 * np.abs(swing()).max(axis=0), np.inf),
        ({"absolute": 0.5}, 0.5, np.inf),
        ({"absolute": [0.5, 1.5]}, [0.5, 1.5], np.inf),
        ({"absolute": [0.7]}, 0.7, np.inf),
        ({"absolute": 0.1, "upper": 0.8}, 0.1, 0.8),
        ({"absolute": 0.1, "upper": [0.8, 1.2]}, 0.1, [0.8, 1.2]),
    ],
)
def test_samples_between_the_thresholds_are_motion(
    threshold: dict[str, object], expected: object, upper: object
) -> None:
    settings = {"velocity": "measured", "velocity_threshold": threshold}
    signals = preprocess(recording_of(swing(), velocity=swing()), robot_of(identification=settings))
    speed = np.abs(swing())
    np.testing.assert_allclose(signals.velocity_threshold, np.broadcast_to(expected, 2))
    np.testing.assert_array_equal(signals.moving, (speed > expected) & (speed <= upper))


# --- outliers and periods ---------------------------------------------------------------------


def test_outliers_are_counted_over_all_signals() -> None:
    position, effort, velocity = swing(), 5.0 * swing(), 2.0 * swing()
    position[200, 0] += 9.0
    effort[[400, 600], 1] += 90.0
    velocity[800, 0] -= 90.0
    settings = {"median": {"order": 5}, "velocity": "measured"}
    signals = preprocess(
        recording_of(position, effort, velocity), robot_of(identification=settings)
    )
    assert signals.notes == ("4 outliers were replaced by the median of order 5.",)
    np.testing.assert_allclose(signals.position, swing(), atol=0.1)
    np.testing.assert_allclose(signals.torque, 5.0 * swing(), atol=0.5)
    np.testing.assert_allclose(signals.velocity, 2.0 * swing(), atol=0.2)


def periodic(period: float, periods: float, rate: float = RATE) -> np.ndarray:
    angle = 2 * np.pi * np.arange(round(periods * period * rate))[:, None] / (period * rate)
    return np.hstack([np.sin(angle), 0.5 * np.cos(2 * angle)])


def test_averaged_periods_are_one_period_of_the_same_motion() -> None:
    position = periodic(2.0, 5)
    settings = {"cutoff_hz": 20.0, "period": 2.0}
    once = preprocess(recording_of(position, 3 * position), robot_of(identification=settings))
    whole = preprocess(
        recording_of(position, 3 * position), robot_of(identification={"cutoff_hz": 20.0})
    )
    assert once.notes == ("5 periods of 2 s were averaged.",)
    assert len(once.time) == 400
    np.testing.assert_array_equal(once.earlier_position, once.position)
    np.testing.assert_array_equal(once.earlier_velocity, once.velocity)
    for name in ("position", "velocity", "acceleration", "torque"):
        third = getattr(whole, name)[790:1190]  # far from either end, of which 10 are left out
        scale = np.abs(third).max()
        np.testing.assert_allclose(getattr(once, name), third, atol=1e-5 * scale)


@pytest.mark.parametrize("length", [200.4, 333.5, 57.35])
def test_derivatives_are_accurate_with_a_fractional_period(length: float) -> None:
    period = length / RATE
    settings = {"cutoff_hz": None, "period": period}
    signals = preprocess(recording_of(periodic(period, 6)), robot_of(identification=settings))
    omega = 2 * np.pi / period
    assert len(signals.time) / signals.sampling_rate == pytest.approx(period, rel=1e-12)
    # (omega h)^2 / 6 of central differences, and the same from interpolation
    atol = omega * (2 * np.pi / length) ** 2
    velocity = signals.velocity[3:-3, 0]
    np.testing.assert_allclose(velocity, omega * np.cos(omega * signals.time)[3:-3], atol=atol)


def test_trimming_does_not_lose_a_period() -> None:
    # all joints start from rest, so that the first and last samples are trimmed
    angle = 2 * np.pi * np.arange(800)[:, None] / 400
    position = np.hstack([1 - np.cos(angle), np.cos(2 * angle) - 1])
    settings = {"trim_rest": True, "period": 2.0}
    signals = preprocess(recording_of(position), robot_of(identification=settings))
    assert "2 periods of 2 s were averaged." in signals.notes


def test_trimmed_samples_of_a_period_are_restored_at_both_ends() -> None:
    angle = 2 * np.pi * np.arange(800)[:, None] / 400
    swings = np.hstack([1 - np.cos(angle), np.cos(2 * angle) - 1])
    rest = np.zeros((300, 2))
    settings = {"trim_rest": True, "period": 2.0}
    signals = preprocess(
        recording_of(np.vstack([rest, swings, rest])), robot_of(identification=settings)
    )
    assert "2 periods of 2 s were averaged." in signals.notes
    assert signals.time[0] == pytest.approx(300 / RATE, abs=1.5 / RATE)
    step = np.abs(np.diff(swings, axis=0)).max()
    np.testing.assert_allclose(signals.position, swings[:400], atol=1.5 * step)


def test_measured_velocity_is_averaged_over_the_periods_too() -> None:
    position = periodic(2.0, 4)
    velocity = np.vstack([number + position[:400] for number in range(4)])
    settings = {"velocity": "measured", "period": 2.0}
    recording = recording_of(position, velocity=velocity)
    signals = preprocess(recording, robot_of(identification=settings))
    np.testing.assert_allclose(signals.velocity, position[:400] + 1.5, atol=1e-9)


def test_rest_is_trimmed_before_periods_are_averaged() -> None:
    position = np.vstack([np.zeros((330, 2)), np.tile(with_rest(0.0, 2.0), (3, 1))])
    settings = {"trim_rest": True, "period": 2.0}
    signals = preprocess(recording_of(position), robot_of(identification=settings))
    assert "3 periods of 2 s were averaged." in signals.notes
    assert signals.position[:, 0].max() == pytest.approx(1.0, abs=1e-3)
    (rest,) = (note for note in signals.notes if "at rest before and after" in note)
    assert float(rest.split()[0]) == pytest.approx(330 / RATE, abs=0.05)


# --- refusals ---------------------------------------------------------------------------------


def refuses(recording: Recording, match: str, **identification: object) -> None:
    with pytest.raises(PreprocessingError, match=match) as refusal:
        preprocess(recording, robot_of(identification=identification))
    assert str(refusal.value).endswith(".")


@pytest.mark.parametrize(
    ("settings", "samples", "sentence"),
    [
        ({"velocity": "measured"}, 1000, "contains no velocities; use 'differentiated'"),
        ({"border": 0.23}, 100, "only 8 samples remain .* at least 10"),
        ({"border": 0.25}, 100, "only 0 samples remain .* at least 10"),
        ({"border": 9.0}, 100, "only 0 samples remain .* at least 10"),
        ({"cutoff_hz": 2.0, "excitation_hz": 2.0}, 1000, "cutoff_hz = 2 Hz would .* is 2 Hz"),
        ({"cutoff_hz": 1.5, "excitation_hz": 2.0}, 1000, "remove the excitation, .* is 2 Hz"),
        ({"cutoff_hz": 100.0}, 1000, "not below the Nyquist frequency 100 Hz"),
        ({"period": 2.6}, 1000, "needs at least 2"),
    ],
)
def test_refuses_settings_that_a_recording_cannot_meet(
    settings: dict[str, object], samples: int, sentence: str
) -> None:
    refuses(recording_of(swing(samples)), sentence, **settings)


def test_refuses_joints_in_another_order() -> None:
    recording = replace(recording_of(swing()), joint_names=("j2", "j1"))
    refuses(recording, "recording's joints are j2, j1, but the profile's are j1, j2")


@pytest.mark.parametrize("cutoff", [None, 10.0])
def test_a_recording_of_a_pose_is_kept_as_rest(cutoff: float | None) -> None:
    # 0.1 is not a binary fraction, so a filter gives a velocity of 1e-13 rad/s
    still = recording_of(np.full((100, 2), 0.1))
    identification = {"trim_rest": True, "cutoff_hz": cutoff}
    signals = preprocess(still, robot_of(identification=identification))
    assert len(signals.time) == 100
    assert not signals.moving.any()


def test_encoder_noise_at_rest_is_not_motion() -> None:
    noise = np.random.default_rng(0).uniform(-1e-5, 1e-5, (200, 2))
    recording = recording_of(0.3 + noise)
    limits = {"velocity": 2.0}
    assert preprocess(recording, robot_of()).moving.any()
    assert not preprocess(recording, robot_of(limits=limits)).moving.any()


def test_ten_samples_are_enough_and_nine_are_not() -> None:
    assert len(preprocess(recording_of(swing(10)), robot_of()).time) == 10
    refuses(recording_of(swing(9)), "only 9 samples remain")


def test_repairs_of_the_recording_are_noted_first() -> None:
    recording = replace(recording_of(swing()), repairs=("3 stamps were repeated.",))
    signals = preprocess(recording, robot_of(identification={"median": {}}))
    assert signals.notes[0] == "3 stamps were repeated."
    assert len(signals.notes) == 2


# --- spikes -----------------------------------------------------------------------------------
def drive_answer(rate: float = 1000.0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Torque in motion, the same with a drive's answers to late commands, and where these are."""
    smooth = 10 * swing(4000, rate=rate) + np.random.default_rng(3).normal(0, 0.2, (4000, 2))
    spiked = smooth.copy()
    at = np.array([700, 701, 702, 703, 1500, 2600, 2601])
    spiked[at] = np.array([90.0, 90.0, -90.0, -90.0, 90.0, -90.0, -90.0])[:, None] * [1, 0.5]
    return smooth, spiked, at


def test_torque_too_brief_to_move_a_joint_is_left_out_of_the_fit() -> None:
    smooth, spiked, at = drive_answer()
    signals = preprocess(recording_of(swing(4000, rate=1000.0), spiked, rate=1000.0), robot_of())
    assert signals.missing is not None
    np.testing.assert_array_equal(np.flatnonzero(signals.missing), at)
    np.testing.assert_allclose(signals.torque, smooth, atol=1.5)
    np.testing.assert_array_equal(signals.raw_torque, spiked)
    assert "7 samples (0.18 %) were left out" in signals.notes[0]


def test_a_spike_beside_lost_samples_is_left_out_with_the_line_to_it() -> None:
    smooth, spiked, at = drive_answer()
    missing = np.zeros(4000, dtype=bool)
    missing[1501:1540] = True
    spiked[1501:1540] = np.linspace(spiked[1500], spiked[1540], 41)[1:-1]
    recording = recording_of(swing(4000, rate=1000.0), spiked, rate=1000.0)
    signals = preprocess(replace(recording, missing=missing), robot_of())
    assert signals.missing is not None
    np.testing.assert_array_equal(signals.missing, missing | np.isin(np.arange(4000), at))
    np.testing.assert_allclose(signals.torque, smooth, atol=2.0)


@pytest.mark.parametrize(
    ("rate", "width"),
    [(1000.0, 12), (1000.0, 40), (100.0, 1)],
    ids=["push", "acceleration", "sample of 10 ms"],
)
def test_torque_that_may_move_a_joint_is_kept(rate: float, width: int) -> None:
    effort, _, _ = drive_answer(rate)
    effort[900 : 900 + width] += 60.0
    signals = preprocess(recording_of(swing(4000, rate=rate), effort, rate=rate), robot_of())
    assert signals.missing is None
    np.testing.assert_array_equal(signals.torque, effort)
