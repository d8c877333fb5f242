"""Contradictions in a recording without a model: each fault is found, and nothing without one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy import signal
from support.real_recordings import DVRK, PANDA, UR10, UR10E, needs
from support.representatives import representatives
from support.synthetic import swinging

from dynid.recording.columns import ColumnMap
from dynid.recording.contradiction import Contradiction
from dynid.recording.corrections import corrected
from dynid.recording.load import load_recording
from dynid.recording.model import Recording
from dynid.recording.redundancy import contradictions

RATE = 200.0
JOINTS = ("j1", "j2", "j3")
COUNT = 2 * np.pi / 2**15


def clean(samples: int = 4000, joints: int = 3, seed: int = 0) -> Recording:
    """Return a motion as drives record it: encoder counts, a noisy velocity and effort."""
    q, dq, ddq = swinging(samples, joints, RATE, seed)
    random = np.random.default_rng(seed)
    return Recording(
        time=np.arange(samples) / RATE,
        position=np.round(q / COUNT) * COUNT,
        velocity=dq + 0.01 * random.standard_normal(dq.shape),
        effort=5 * ddq + 2 * np.sign(dq) + 0.1 * random.standard_normal(dq.shape),
        joint_names=JOINTS[:joints],
        sampling_rate=RATE,
    )


def filtered(values: np.ndarray, cutoff: float, rate: float = RATE) -> np.ndarray:
    """Return values behind a causal low pass, as of a drive."""
    return signal.sosfilt(signal.butter(2, cutoff, fs=rate, output="sos"), values, axis=0)


def scaled(recording: Recording, name: str, *factors: float) -> Recording:
    return replace(recording, **{name: getattr(recording, name) * np.array(factors)})


def changed(name: str, change: Callable[[np.ndarray], object], where: object = ...) -> Recording:
    """Return a clean recording of which some values of a signal are those of a change."""
    values = getattr(clean(), name).copy()
    values[where] = change(values[where])
    return replace(clean(), **{name: values})


def found(recording: Recording) -> list[Contradiction]:
    """Return the contradictions above a note."""
    return [one for one in contradictions(recording) if one.severity != "note"]


def the_only(recording: Recording) -> Contradiction:
    (contradiction,) = found(recording)
    return contradiction


# --- nothing without a fault -------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_a_clean_recording_has_no_contradiction(seed: int) -> None:
    assert contradictions(clean(seed=seed)) == ()


@pytest.mark.parametrize(("per_cycle", "size"), [(9.0, 0.05), (9.0, 0.02), (12.0, 0.05)])
def test_a_velocity_of_few_samples_per_cycle_is_that_of_the_positions(
    per_cycle: float, size: float
) -> None:
    time = np.arange(4000)[:, None] / RATE + np.arange(3)
    omega = 2 * np.pi * RATE / per_cycle
    fast = replace(
        clean(),
        position=np.sin(6 * time) + size * np.sin(omega * time),
        velocity=6 * np.cos(6 * time) + size * omega * np.cos(omega * time),
        position_step=None,
    )
    assert contradictions(fast) == ()


@pytest.mark.parametrize(
    "change",
    [
        lambda r: replace(r, velocity=filtered(r.velocity, 10.0)),
        lambda r: replace(r, velocity=np.round(r.velocity / 0.05) * 0.05),
        lambda r: replace(r, velocity=r.velocity + 0.5 * noise(r)),
        lambda r: replace(r, position=np.round(r.position / 0.002) * 0.002, position_step=None),
        lambda r: replace(r, position=r.position + 1e-3 * noise(r), position_step=None),
        lambda r: replace(r, effort=np.round(r.effort)),
        lambda r: replace(r, effort=np.round(r.effort / 4) * 4),
        lambda r: replace(r, velocity=None),
        lambda r: scaled(r, "velocity", 1.01, 0.99, 1.0),
        lambda r: stopped(r),  # noqa: PLW0108 (defined below)
        lambda r: late_stamps(r),  # noqa: PLW0108 (defined below)
        lambda r: one_stale(r),  # noqa: PLW0108 (defined below)
    ],
)
def test_what_drives_do_is_no_contradiction(change: Callable[[Recording], Recording]) -> None:
    assert found(change(clean())) == []


def noise(recording: Recording) -> np.ndarray:
    return np.random.default_rng(9).standard_normal(recording.position.shape)


def stopped(recording: Recording) -> Recording:
    """Return abrupt starts and stops of all joints at once, with rests between them."""
    speed = np.repeat(np.tile([1.0, 0.0, -1.0, 0.0], 10), 100)[:, None] * np.array([1.0, -0.7, 0.4])
    velocity = speed + 0.01 * noise(recording)
    return replace(recording, position=np.cumsum(speed, axis=0) / RATE, velocity=velocity)


def late_stamps(recording: Recording) -> Recording:
    """Return samples that were measured up to 0.3 steps beside their stamps."""
    late = np.random.default_rng(3).uniform(-0.3, 0.3, len(recording.time)) / RATE
    columns = [np.interp(recording.time + late, recording.time, q) for q in recording.position.T]
    return replace(recording, position=np.column_stack(columns), position_step=None)


def one_stale(recording: Recording) -> Recording:
    """Return a recording in which every 50th sample repeats the one before."""
    position = recording.position.copy()
    position[50::50] = position[49:-1:50]
    return replace(recording, position=position)


# --- velocity ----------------------------------------------------------------------------------


def test_a_wrong_sign_is_found_and_corrected() -> None:
    wrong = scaled(clean(), "velocity", 1, -1, 1)
    contradiction = the_only(wrong)
    assert (contradiction.kind, contradiction.joints) == ("velocity", ("j2",))
    assert contradiction.severity == "problem"
    assert "opposite sign" in contradiction.sentence
    assert "[{signal: velocity, joint: j2, factor: -1.0}]" in contradiction.remedy
    assert found(corrected(wrong, contradiction.corrections)) == []


@pytest.mark.parametrize(
    ("factor", "unit"),
    [(180 / np.pi, "deg/s"), (30 / np.pi, "rpm"), (0.5 / np.pi, "turns/s"), (1000.0, "mrad/s")],
)
@pytest.mark.parametrize("joints", representatives([((0, 2),), ((1,),), ((0, 1, 2),)], 1))
def test_a_unit_of_velocity_is_named(factor: float, unit: str, joints: tuple[int, ...]) -> None:
    factors = np.where(np.isin(range(3), joints), factor, 1.0)
    wrong = scaled(clean(), "velocity", *factors)
    contradiction = the_only(wrong)
    assert contradiction.kind == "velocity"
    assert contradiction.joints == tuple(JOINTS[joint] for joint in joints)
    assert unit in contradiction.sentence
    restored = corrected(wrong, contradiction.corrections)
    assert restored.velocity == pytest.approx(clean().velocity, rel=1e-9)


@pytest.mark.parametrize("size", [0.3, -1.0])
def test_a_jump_of_a_position_does_not_make_its_velocity_another_signal(size: float) -> None:
    jumped = changed("position", lambda q: q + size, (slice(300, 2500), 1))
    assert the_only(jumped).kind == "position_jump"


def test_a_unit_is_named_where_positions_shake() -> None:
    recording = clean()
    shaking = np.cumsum(filtered(noise(recording), 15.0), axis=0) / RATE
    position = recording.position + 0.7 * shaking * recording.velocity.std(axis=0)
    velocity = 180 / np.pi * recording.velocity
    shaken = replace(recording, position=position, velocity=velocity, position_step=None)
    contradiction = the_only(shaken)
    assert contradiction.kind == "velocity"
    assert "deg/s" in contradiction.sentence


def test_a_unit_of_position_is_named() -> None:
    wrong = scaled(clean(), "position", 180 / np.pi, 1, 1)
    contradiction = the_only(wrong)
    assert "position in degrees" in contradiction.sentence
    assert contradiction.corrections[0].signal == "position"
    assert found(corrected(wrong, contradiction.corrections)) == []


@pytest.mark.parametrize("factor", [-180 / np.pi, 0.5, 0.9, 1.1, 4.0])
def test_any_factor_of_one_joint_has_its_value(factor: float) -> None:
    contradiction = the_only(scaled(clean(), "velocity", 1, 1, factor))
    assert (contradiction.kind, contradiction.joints) == ("velocity", ("j3",))
    assert contradiction.corrections[0].factor == pytest.approx(1 / factor, rel=0.01)


@pytest.mark.parametrize("order", [(1, 0, 2), (1, 2, 0), (2, 1, 0)])
def test_a_permutation_is_found_and_corrected(order: tuple[int, ...]) -> None:
    recording = clean()
    wrong = replace(recording, velocity=recording.velocity[:, order])
    contradiction = the_only(wrong)
    assert contradiction.kind == "velocity"
    assert set(contradiction.joints) == {j for k, j in enumerate(JOINTS) if order[k] != k}
    assert np.array_equal(corrected(wrong, contradiction.corrections).velocity, recording.velocity)


@pytest.mark.parametrize(
    ("wrong", "joints", "words"),
    [
        (lambda: changed("velocity", lambda v: -v[:, ::-1] * [1, -1, 1]), ("j1", "j3"), "other"),
        (
            lambda: changed("velocity", lambda _: filtered(noise(clean())[:, 1], 2.0), np.s_[:, 1]),
            ("j2",),
            "nothing to do",
        ),
        (lambda: scaled(clean(), "velocity", 1, 0, 0), ("j2", "j3"), "constant"),
    ],
    ids=["permuted with opposite signs", "noise", "zero"],
)
def test_a_velocity_that_is_another_signal_is_named(
    wrong: Callable[[], Recording], joints: tuple[str, ...], words: str
) -> None:
    contradiction = the_only(wrong())
    assert set(contradiction.joints) == set(joints)
    assert words in contradiction.sentence


def test_a_filter_of_the_drive_is_a_note_with_its_delay() -> None:
    late = replace(clean(), velocity=filtered(clean().velocity, 15.0))
    (note,) = contradictions(late)
    assert (note.kind, note.severity) == ("velocity", "note")
    delay = 2**0.5 / (2 * np.pi * 15.0)  # of a Butterworth filter of second order
    for correction in note.corrections:
        assert correction.delay == pytest.approx(delay, rel=0.15)


def test_a_long_delay_is_a_warning_that_its_correction_removes() -> None:
    late = replace(clean(), velocity=np.roll(clean().velocity, 18, axis=0)).cut(0.1, None)
    warning = the_only(late)
    assert (warning.severity, warning.joints) == ("warning", JOINTS)
    assert [c.delay for c in warning.corrections] == pytest.approx([0.09] * 3, rel=0.05)
    assert found(corrected(late, warning.corrections)) == []


# --- backlash ----------------------------------------------------------------------------------


def pushed_ahead(recording: Recording, play: np.ndarray) -> np.ndarray:
    """Return positions of motors, ahead where they push."""
    effort = recording.effort
    return recording.position + play / 2 * np.tanh(effort / (0.02 * effort.std(axis=0)))


@pytest.mark.parametrize("joints", [(1,), (0, 2)])
def test_play_between_position_and_velocity_is_found(joints: tuple[int, ...]) -> None:
    play = np.where(np.isin(range(3), joints), 0.04, 0.0)
    contradiction = the_only(replace(clean(), position=pushed_ahead(clean(), play)))
    assert contradiction.kind == "backlash"
    assert contradiction.joints == tuple(JOINTS[joint] for joint in joints)
    assert list(contradiction.evidence.values()) == pytest.approx([0.04] * len(joints), rel=0.25)
    assert contradiction.corrections == ()


def test_play_that_is_most_of_the_motion_is_found() -> None:
    recording = clean()
    moved = 0.02 * (recording.position - recording.position.mean(axis=0))
    small = replace(recording, position=moved, velocity=0.02 * recording.velocity)
    play = 0.1 * np.ptp(moved, axis=0) * [1, 0, 0]
    ahead = replace(small, position=pushed_ahead(small, play), position_step=None)
    assert [one.kind for one in found(ahead)] == ["backlash"]


def test_play_within_the_noise_of_positions_is_none() -> None:
    assert found(replace(clean(), position=pushed_ahead(clean(), np.full(3, COUNT)))) == []


# --- time --------------------------------------------------------------------------------------


def stretched(recording: Recording, factor: float) -> Recording:
    return replace(recording, time=recording.time * factor, sampling_rate=RATE / factor)


@pytest.mark.parametrize("factor", [0.5, 0.9, 1.05, 1.2, 2.0])
@pytest.mark.parametrize("joints", [1, 3])
def test_stretched_times_are_found_with_both_alternatives(factor: float, joints: int) -> None:
    contradiction = the_only(stretched(clean(joints=joints), factor))
    assert (contradiction.kind, contradiction.severity) == ("time", "problem")
    assert contradiction.corrections == ()
    assert "{signal: time, factor: " in contradiction.remedy
    assert "{signal: velocity, factor: " in contradiction.remedy
    slopes = list(contradiction.evidence.values())
    assert slopes == pytest.approx([factor] * joints, rel=0.01)


def test_stretched_times_are_found_by_a_filtered_noisy_velocity() -> None:
    recording = clean()
    rough = replace(recording, velocity=filtered(recording.velocity, 8.0) + 0.2 * noise(recording))
    assert the_only(stretched(rough, 1.2)).kind == "time"


def test_the_same_factor_of_two_of_three_joints_is_none_of_time() -> None:
    wrong = scaled(clean(), "velocity", 1.2, 1.2, 1)
    assert {one.kind for one in found(wrong)} == {"velocity"}


# --- wrapped positions -------------------------------------------------------------------------


def wrapped(period: float, seed: int = 0, speed: float = 0.2) -> Recording:
    recording = clean(seed=seed)
    turns = speed * recording.time + recording.position[:, 0] / (2 * np.pi)
    turning = (period * turns + period / 2) % period - period / 2
    velocity = np.gradient(period * turns) * RATE
    columns = {
        "position": np.column_stack([turning, recording.position[:, 1:]]),
        "velocity": np.column_stack([velocity, recording.velocity[:, 1:]]),
    }
    return replace(recording, **columns, position_step=None)


@pytest.mark.parametrize("period", [2 * np.pi, 360.0, 4096.0, 1.0])
@pytest.mark.parametrize("speed", [0.06, -0.2, 1.5])
def test_a_wrapped_position_is_found_and_corrected(period: float, speed: float) -> None:
    recording = wrapped(period, speed=speed)
    contradiction = next(one for one in contradictions(recording))
    assert (contradiction.kind, contradiction.joints) == ("wrapped_position", ("j1",))
    after = corrected(recording, contradiction.corrections)
    assert np.ptp(np.diff(after.position[:, 0])) < 0.1 * period
    assert found(after) == []


def test_a_single_jump_by_a_turn_is_enough() -> None:
    whole = wrapped(2 * np.pi, speed=0.3)
    jump = int(np.argmax(np.abs(np.diff(whole.position[:, 0]))))
    once = replace(whole.cut((jump - 150) / RATE, (jump + 150) / RATE), position_step=None)
    assert any(one.kind == "wrapped_position" for one in contradictions(once))


@pytest.mark.parametrize("offset", [0.2, 0.5, 0.7])
def test_a_jump_that_was_resampled_is_found_and_unwrapped(offset: float) -> None:
    """Of uneven stamps the positions are interpolated, some of them within the jump."""
    whole = wrapped(2 * np.pi, speed=0.3)
    at = np.arange(len(whole.time) - 1) + offset
    columns = [np.interp(at, np.arange(len(whole.time)), q) for q in whole.position.T]
    smeared = replace(
        whole,
        time=at / RATE,
        position=np.column_stack(columns),
        velocity=whole.velocity[:-1],
        effort=whole.effort[:-1],
        position_step=None,
    )
    contradiction = next(one for one in contradictions(smeared))
    assert (contradiction.kind, contradiction.joints) == ("wrapped_position", ("j1",))
    after = corrected(smeared, contradiction.corrections)
    assert np.abs(np.diff(after.position[:, 0], 2)).max() < 0.05


def test_a_spike_and_a_step_are_not_wrapped() -> None:
    position = changed("position", lambda q: q + 2 * np.pi, (1000, 0)).position.copy()
    position[2000:, 1] += 1.9
    kinds = {one.kind for one in contradictions(replace(clean(), position=position))}
    assert "wrapped_position" not in kinds


# --- lost samples ------------------------------------------------------------------------------


def with_loss(*places: tuple[int, int], seed: int = 0) -> Recording:
    whole = clean(4000 + sum(count for _, count in places), seed=seed)
    kept = np.ones(len(whole.time), dtype=bool)
    for first, count in places:
        kept[first : first + count] = False
    return replace(
        whole,
        time=np.arange(kept.sum()) / RATE,
        **{name: getattr(whole, name)[kept] for name in ("position", "velocity", "effort")},
    )


@pytest.mark.parametrize("seed", range(4))
def test_lost_samples_are_found_with_place_and_number(seed: int) -> None:
    lossy = with_loss((900, 8), (2500, 3), (3300, 10), seed=seed)
    contradiction = the_only(lossy)
    assert (contradiction.kind, contradiction.severity) == ("lost_samples", "warning")
    assert contradiction.evidence == {"lost samples": 21.0, "places": 3.0}
    for at in (900, 2492, 3289):
        assert any(f" at {(at + k) / RATE:.3f} s" in contradiction.sentence for k in (-1, 0))


def test_lost_samples_are_found_without_velocity() -> None:
    lossy = replace(with_loss((1500, 12)), velocity=None)
    assert the_only(lossy).evidence["lost samples"] == 12.0


def test_one_lost_sample_is_a_note() -> None:
    (note,) = contradictions(with_loss((1500, 1)))
    assert (note.kind, note.severity) == ("lost_samples", "note")


@pytest.mark.parametrize("jump", [0.1, 0.4])
@pytest.mark.parametrize("at", [700, 2000, 2600])
def test_a_jump_of_one_joint_is_no_loss(at: int, jump: float) -> None:
    ahead = np.sign(clean().velocity[at, 1]) * jump  # as if time had passed
    (one,) = contradictions(changed("position", lambda q: q + ahead, np.s_[at:, 1]))
    assert one.kind == "position_jump"


# --- effort, held values, copies ---------------------------------------------------------------


def without_small(effort: np.ndarray, least: float) -> np.ndarray:
    return np.where(np.abs(effort) < least, 0.0, effort)


def in_steps(values: np.ndarray, step: float = 0.1) -> np.ndarray:
    return np.round(values / step) * step


SPORADIC = np.arange(4000) % 400 < 320


@pytest.mark.parametrize(
    ("change", "joint", "severity", "evidence"),
    [
        (lambda e: without_small(e, 2.0), 0, "warning", {"smallest effort": 2.0}),
        (lambda e: np.where(SPORADIC, 0.0, in_steps(e)), 0, "problem", {"share of zeros": 0.8}),
        (lambda e: np.full_like(e, 1.5), 2, "problem", {"effort": 1.5}),
    ],
    ids=["dead band", "in some moments only", "constant"],
)
def test_an_effort_that_does_not_follow_the_motion_is_found(
    change: Callable[[np.ndarray], np.ndarray],
    joint: int,
    severity: str,
    evidence: dict[str, float],
) -> None:
    contradiction = the_only(changed("effort", change, np.s_[:, joint]))
    assert (contradiction.kind, contradiction.joints) == ("effort", (JOINTS[joint],))
    assert contradiction.severity == severity
    for name, value in evidence.items():
        assert contradiction.evidence[name] == pytest.approx(value, abs=0.1)


def test_a_dead_band_of_coarse_effort_is_found() -> None:
    coarse = changed("effort", lambda effort: without_small(in_steps(effort), 1.95))
    assert {one.kind for one in found(coarse)} == {"effort"}


def test_an_effort_that_hardly_exceeds_one_step_of_its_measurement_is_no_dead_band() -> None:
    small = in_steps(0.15 * np.random.default_rng(0).standard_normal(4000))
    small[np.abs(small) > 0.15] = 0.0
    hardly = changed("effort", lambda _: small, np.s_[:, 0])
    assert not any("share of zeros" in one.evidence for one in found(hardly))


@pytest.mark.parametrize("ratio", [2, 2.5, 5, 20])
@pytest.mark.parametrize("name", ["effort", "position"])
def test_a_held_signal_is_found_with_its_rate(ratio: float, name: str) -> None:
    recording = clean()
    last = np.floor(np.floor(np.arange(4000) / ratio) * ratio).astype(int)
    held = replace(recording, **{name: getattr(recording, name)[last]}, position_step=None)
    contradiction = next(one for one in found(held) if one.kind in ("effort", "held_position"))
    assert contradiction.joints == JOINTS
    assert contradiction.evidence["updates [Hz]"] == pytest.approx(RATE / ratio, rel=0.02)


def test_a_coarse_effort_and_a_coarse_encoder_are_not_held() -> None:
    recording = clean()
    slow = replace(
        recording,
        position=np.round(recording.position / 0.02) * 0.02,
        effort=np.round(filtered(recording.effort, 1.0)),
        position_step=None,
    )
    kinds = {one.kind for one in found(slow)}
    assert kinds.isdisjoint({"effort", "held_position"})


@pytest.mark.parametrize("name", ["position", "velocity", "effort"])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_copied_channel_is_found(name: str, sign: int) -> None:
    first = sign * getattr(clean(), name)[:, 0]
    wrong = changed(name, lambda _: first, np.s_[:, 2])
    copied = [one for one in found(wrong) if "copied" in one.kind]
    assert [one.joints for one in copied] == [("j1", "j3")]


@pytest.mark.parametrize("factor", [0.73, -12.5])
def test_an_effort_that_was_copied_and_scaled_is_found(factor: float) -> None:
    first = np.float32(factor * clean().effort[:, 0])
    contradiction = the_only(changed("effort", lambda _: first, np.s_[:, 2]))
    assert (contradiction.kind, contradiction.joints) == ("copied_channel", ("j1", "j3"))
    assert f"{1 / factor:.6g}" in contradiction.sentence


def test_efforts_of_the_same_shape_with_noise_are_no_copies() -> None:
    alike = 0.7 * clean().effort[:, 0] * (1 + 1e-4 * noise(clean())[:, 0])
    assert found(changed("effort", lambda _: alike, np.s_[:, 2])) == []


def test_an_effort_that_is_the_position_is_found() -> None:
    contradiction = the_only(changed("effort", lambda _: clean().position[:, 1], np.s_[:, 1]))
    assert (contradiction.kind, contradiction.joints) == ("copied_channel", ("j2",))


# --- pieces and real recordings ----------------------------------------------------------------


def test_a_recording_with_gaps_is_checked_between_them() -> None:
    missing = np.zeros(4000, dtype=bool)
    missing[3000:3200] = True
    wrong = scaled(clean(), "velocity", 1, -1, 1)
    position = wrong.position.copy()
    position[3000:] += 1.0
    gappy = replace(wrong, position=position, missing=missing, gaps=((3000, 3200),))
    assert the_only(gappy).joints == ("j2",)


def plain_columns(joints: int, first: int = 2, **time: object) -> ColumnMap:
    places = [list(range(first + k * joints, first + (k + 1) * joints)) for k in range(3)]
    signals = ("position", "velocity", "effort")
    columns = {name: {"columns": place} for name, place in zip(signals, places, strict=True)}
    names = [f"j{number + 1}" for number in range(joints)]
    return ColumnMap.model_validate({"header": False, "joints": names, **columns, **time})


WITH_TIME = {"time": {"column": 1}}
REAL = {
    "panda": (PANDA, lambda: plain_columns(7, **WITH_TIME)),
    "ur10e": (UR10E / "ur-20_02_12-50sec_12harm.csv", lambda: plain_columns(6, **WITH_TIME)),
    "dwells": (UR10E / "ur-20_01_17-ptp_10_points.csv", lambda: plain_columns(6, **WITH_TIME)),
    "psm": (DVRK / "psm_one_results.csv", lambda: plain_columns(7, 1, sampling_rate=200)),
    "ur10": (UR10, lambda: None),
}


@pytest.mark.parametrize("name", REAL)
def test_a_real_recording_has_a_contradiction_only_with_a_fault(name: str) -> None:
    path, columns = REAL[name]
    if not path.exists():
        pytest.skip(f"the recording {path.name} is not available")
    recording = load_recording(path, None, columns=columns())
    assert found(recording) == []
    assert recording.velocity is not None
    signs = np.where(np.arange(len(recording.joint_names)) == 1, -1.0, 1.0)
    flipped = the_only(replace(recording, velocity=recording.velocity * signs))
    assert flipped.joints == (recording.joint_names[1],)
    rate = recording.sampling_rate / 1.2
    slow = replace(recording, time=recording.time * 1.2, sampling_rate=rate)
    assert the_only(slow).kind == "time"
    assert {one.kind for one in found(replace(recording, velocity=recording.velocity * 57.29578))}


@needs(DVRK / "mtm_one_results.csv")
def test_the_velocity_of_an_arm_that_differs_from_its_positions_is_found() -> None:
    """Its integral over 15.5 rad is 18 % longer than the way of the position."""
    path = DVRK / "mtm_one_results.csv"
    recording = load_recording(path, None, columns=plain_columns(7, 1, sampling_rate=200))
    contradiction = the_only(recording)
    assert (contradiction.kind, contradiction.joints) == ("velocity", ("j7",))
