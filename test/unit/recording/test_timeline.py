import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dynid.errors import PreprocessingError, RecordingError
from dynid.recording.timeline import build_recording

STEP = 10_000_000
EVEN = np.arange(400) * STEP


@pytest.fixture
def built(make_motion, make_samples):
    """Build a recording of the motion at the given stamps."""

    def build(stamps, *, order=None, changes=None, **options):
        motion = make_motion(stamps)
        samples = make_samples(motion, **(changes(motion) if changes else {}))
        if order is not None:
            samples = samples.take(np.asarray(order))
        return build_recording(samples, **options)

    return build


def spoil(name, rows, joint, value=np.nan):
    """Return a change of some values of a signal, for ``built``."""

    def change(motion):
        values = getattr(motion, name).copy()
        values[rows, joint] = value
        return {name: values}

    return change


def assert_true_motion(recording, make_motion, start=0, position=0.0, effort=0.0):
    """The recording is the analytic motion on its even time axis, within the given errors."""
    count = len(recording.time)
    truth = make_motion(start + np.rint(np.arange(count) * 1e9 / recording.sampling_rate))
    np.testing.assert_allclose(recording.position, truth.position, atol=position, rtol=1e-15)
    np.testing.assert_allclose(recording.effort, truth.effort, atol=effort, rtol=1e-15)
    np.testing.assert_allclose(np.diff(recording.time), 1 / recording.sampling_rate, rtol=1e-9)
    assert recording.time[0] == 0.0


# the error of linear interpolation of f is at most h² max|f''| / 8; the fastest joint has 0.8 Hz
def linear_error(step):
    return step**2 * (2 * np.pi * 0.8) ** 2 / 8


# a cubic spline by at most 5/384 h⁴ max|f⁗|, a few times that at its ends and on uneven knots
def cubic_error(step):
    return 10 * step**4 * (2 * np.pi * 0.8) ** 4 * 5 / 384


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    rate=st.floats(20, 8000),
    jitter=st.floats(0, 0.009),
    seed=st.integers(0, 99),
    epoch=st.sampled_from([0, 1, 1_700_000_000_123_456_789]),
)
def test_uniform_samples_are_not_changed(make_motion, make_samples, rate, jitter, seed, epoch):
    steps = np.arange(300) + jitter * np.random.default_rng(seed).uniform(-0.5, 0.5, 300)
    motion = make_motion(epoch + np.rint(steps * 1e9 / rate).astype(np.int64))
    recording = build_recording(make_samples(motion))
    np.testing.assert_array_equal(recording.position, motion.position)
    np.testing.assert_array_equal(recording.effort, motion.effort)
    assert recording.sampling_rate == pytest.approx(rate, rel=1e-3)
    assert recording.repairs == ()


def test_repeated_stamps_are_dropped_and_counted(built, make_motion):
    recording = built(np.sort(np.concatenate([EVEN, EVEN[[5, 5, 17, 300]]])))
    assert_true_motion(recording, make_motion)
    assert recording.repairs == ("4 of 404 samples had repeated stamps and were dropped.",)


def test_the_first_of_repeated_samples_is_kept(built, make_motion):
    stamps = np.sort(np.append(EVEN, EVEN[5]))
    second = spoil("effort", 6, slice(None), 99.0)
    assert_true_motion(built(stamps, changes=second), make_motion)


def test_late_samples_are_sorted_and_counted(built, make_motion):
    order = np.arange(400)
    order[[50, 51]] = order[[51, 50]]
    order[200:204] = [203, 200, 201, 202]
    recording = built(EVEN, order=order)
    assert_true_motion(recording, make_motion)
    assert recording.repairs == ("4 of 400 samples came late and were reordered.",)


def test_a_sample_delivered_again_later_is_dropped(built, make_motion):
    order = np.insert(np.arange(400), 103, 100)
    recording = built(EVEN, order=order)
    assert_true_motion(recording, make_motion)
    assert "1 of 401 samples had repeated stamps" in recording.repairs[-1]


@pytest.mark.parametrize("back", [0.013, 0.02, 0.025, 0.03, 0.04])
def test_refuses_a_clock_that_was_set_back_a_little_with_time_and_size(built, back):
    def set_back(motion):
        stamps = motion.stamps.copy()
        stamps[200:] -= round(back * 1e9)
        return {"stamps": stamps}

    size = f"{back - 0.01:.6g}"
    with pytest.raises(RecordingError, match=rf"jumps back by {size} s at sample 201, 1\.990 s"):
        built(10**13 + EVEN, changes=set_back)


def test_refuses_time_in_reverse(built):
    with pytest.raises(RecordingError, match="the clock jumps back"):
        built(EVEN, order=np.arange(400)[::-1])


def test_refuses_one_stamp_far_in_the_future(built):
    stamps = EVEN.copy()
    stamps[100] += 10**12
    with pytest.raises(RecordingError, match=r"the clock jumps back by 999\.99 s at sample 102"):
        built(stamps)


def test_missing_samples_are_interpolated_and_the_others_not_changed(built, make_motion):
    kept = np.delete(np.arange(400), [30, 100, 101, 102, 350])
    recording = built(EVEN[kept])
    truth = make_motion(EVEN)
    np.testing.assert_array_equal(recording.position[kept], truth.position[kept])
    np.testing.assert_array_equal(recording.velocity[kept], truth.velocity[kept])
    np.testing.assert_array_equal(recording.effort[kept], truth.effort[kept])
    assert_true_motion(
        recording, make_motion, position=cubic_error(0.04), effort=linear_error(0.04)
    )
    (sentence,) = recording.repairs
    assert sentence.startswith("5 of 400 samples were missing and were interpolated; positions")
    np.testing.assert_array_equal(np.flatnonzero(recording.missing), [30, 100, 101, 102, 350])


def test_a_long_gap_is_stated_and_divides_the_recording(built, make_motion):
    kept = np.delete(np.arange(400), np.arange(100, 120))
    recording = built(EVEN[kept])
    assert recording.gaps == ((100, 120),)
    assert "missing for 0.210 s after 0.990 s, which is too long" in recording.repairs[-1]
    before, after = recording.pieces
    assert (before.piece, after.piece, before.gaps, after.gaps) == (0, 1, (), ())
    assert_true_motion(before, make_motion)
    assert_true_motion(after, make_motion, start=120 * STEP)


def test_a_cut_keeps_the_gaps_and_missing_samples_inside(built):
    kept = np.delete(np.arange(400), [40, *range(100, 120)])
    part = built(EVEN[kept]).cut(0.5, 1.1)
    assert part.gaps == ((50, 60),)
    np.testing.assert_array_equal(np.flatnonzero(part.missing), np.arange(50, 60))


def test_a_clock_jump_forward_is_a_gap(built):
    stamps = EVEN.copy()
    stamps[200:] += 60 * 10**9
    recording = built(stamps)
    assert recording.gaps == ((200, 6200),)
    assert "missing for 60.010 s after 1.990 s" in recording.repairs[-1]


def test_a_span_without_the_gap_is_read(built, make_motion):
    kept = np.delete(np.arange(400), np.arange(100, 120))
    before = built(EVEN[kept], stop=1.0)
    after = built(EVEN[kept], start=1.2)
    assert (len(before.time), len(after.time)) == (100, 280)
    assert_true_motion(before, make_motion)
    assert_true_motion(after, make_motion, start=120 * STEP)


def test_refuses_a_span_outside_the_recording(built):
    with pytest.raises(PreprocessingError, match=r"lasts from 0 s to 3\.990 s"):
        built(EVEN, start=5.0)


@pytest.mark.parametrize("name", ["position", "velocity", "effort"])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_short_runs_of_invalid_numbers_are_interpolated_and_counted(built, make_motion, name, bad):
    places = [40, 41, 42, 43, 200], [1, 1, 1, 1, 0]
    recording = built(EVEN, changes=spoil(name, *places, bad))
    error = linear_error(0.05)
    assert_true_motion(recording, make_motion, position=error, effort=error)
    assert recording.repairs == (
        f"5 of 1200 {name} values were not numbers and were interpolated.",
    )
    untouched = getattr(make_motion(EVEN), name)[:, 2]
    np.testing.assert_array_equal(getattr(recording, name)[:, 2], untouched)


@pytest.mark.parametrize("name", ["position", "effort"])
def test_long_runs_of_invalid_numbers_are_gaps(built, name):
    recording = built(EVEN, changes=spoil(name, slice(40, 60), 1))
    assert recording.gaps == ((40, 60),)
    assert f"20 of 1200 {name} values were not numbers" in recording.repairs[0]
    assert "missing for 0.210 s after 0.390 s" in recording.repairs[1]


@pytest.mark.parametrize("name", ["position", "effort"])
def test_refuses_a_joint_without_any_number(built, name):
    with pytest.raises(RecordingError, match=f"{name} of joint 'wrist' is not a number in any"):
        built(EVEN, changes=spoil(name, slice(None), 2))


@pytest.mark.parametrize("rows", [slice(None), slice(40, 60)])
def test_a_velocity_that_cannot_be_repaired_is_ignored_and_noted(built, rows):
    recording = built(EVEN, changes=spoil("velocity", rows, 0))
    assert recording.velocity is None
    assert "was ignored" in recording.repairs[0]
    assert "base" in recording.repairs[0]


def test_invalid_ends_are_dropped_and_counted(built, make_motion):
    places = [*range(30), *range(395, 400)], 30 * [1] + 5 * [2]
    recording = built(EVEN, changes=spoil("effort", *places))
    assert_true_motion(recording, make_motion, start=30 * STEP)
    assert recording.repairs == (
        "35 of 400 samples at the ends were not numbers and were dropped.",
    )


def test_uneven_steps_are_resampled_at_the_usual_rate(built, make_motion):
    steps = np.random.default_rng(0).choice([10, 12], 2000, p=[0.65, 0.35])
    recording = built(np.cumsum(steps) * 1_000_000)
    assert recording.sampling_rate == 100.0
    assert_true_motion(
        recording,
        make_motion,
        start=int(steps[0]) * 1_000_000,
        position=cubic_error(0.012),
        effort=linear_error(0.012),
    )
    assert recording.repairs == (
        f"2000 samples were resampled to {len(recording.time)} at 100 Hz "
        "because steps were uneven (10 to 12 ms).",
    )


def test_acceleration_of_a_resampled_motion_is_that_of_the_motion(built, make_motion):
    steps = np.random.default_rng(0).choice([10, 12], 2000, p=[0.65, 0.35])
    recording = built(np.cumsum(steps) * 1_000_000)
    acceleration = np.diff(recording.position, 2, axis=0)[5:-5] * 100.0**2
    truth = -((2 * np.pi * np.linspace(0.3, 0.8, 3)) ** 2) * recording.position[6:-6]
    assert np.abs(acceleration - truth).max() < 1e-3 * np.abs(truth).max()


def test_bursts_do_not_set_the_rate(built):
    stamps = np.sort(np.concatenate([EVEN, EVEN + 1_000_000]))
    recording = built(stamps)
    assert recording.sampling_rate == pytest.approx(200.0, rel=0.01)


def test_a_requested_rate_is_used_and_noted(built, make_motion):
    recording = built(EVEN, sampling_rate=125.0)
    assert recording.sampling_rate == 125.0
    assert_true_motion(
        recording, make_motion, position=cubic_error(0.01), effort=linear_error(0.01)
    )
    assert "the requested 125 Hz differ from the recorded steps" in recording.repairs[0]


def test_a_requested_rate_equal_to_the_recorded_one_changes_nothing(built, make_motion):
    recording = built(EVEN, sampling_rate=100.0)
    assert_true_motion(recording, make_motion)
    assert recording.repairs == ()


def test_a_requested_rate_below_the_recorded_one_warns_of_aliasing(built):
    assert "filter and decimate instead" in built(EVEN, sampling_rate=20.0).repairs[-1]


def test_a_joint_without_motion_is_noted(built):
    (sentence,) = built(EVEN, changes=spoil("position", slice(None), 1, 0.25)).repairs
    assert sentence.startswith("The position of 1 of 3 joints is constant (elbow)")


def test_refuses_an_effort_that_is_always_zero(built):
    with pytest.raises(RecordingError, match="effort of every joint is always zero"):
        built(EVEN, changes=lambda motion: {"effort": np.zeros_like(motion.effort)})


@pytest.mark.parametrize("count", [1, 2, 9])
def test_refuses_too_few_samples(built, count):
    with pytest.raises(RecordingError, match=f"contains {count} usable samples; at least 10"):
        built(EVEN[:count])


def test_refuses_stamps_that_are_all_the_same(built):
    with pytest.raises(RecordingError, match="contains 1 usable samples"):
        built(np.full(400, 7))


@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_stamps_give_a_uniform_finite_recording_or_a_sentence(make_motion, make_samples, data):
    steps = data.draw(
        st.lists(
            st.sampled_from([10, 10, 10, 10, 10, 9, 12, 0, 1, 20, 45, -10, -3, 400]),
            min_size=0,
            max_size=60,
        )
    )
    motion = make_motion(np.cumsum([0, *steps]) * 1_000_000)
    for values in (motion.position, motion.velocity, motion.effort):
        for row in data.draw(st.lists(st.integers(0, len(values) - 1), max_size=4)):
            values[row, row % 3] = np.nan
    try:
        recording = build_recording(make_samples(motion))
    except RecordingError:
        return
    assert len(recording.time) >= 10
    assert np.isfinite(recording.position).all()
    assert np.isfinite(recording.effort).all()
    np.testing.assert_allclose(np.diff(recording.time), 1 / recording.sampling_rate, rtol=1e-9)


def test_jitter_beyond_a_hundredth_of_a_step_is_resampled_and_noted(built, make_motion):
    stamps = EVEN + np.random.default_rng(0).integers(-500_000, 500_000, len(EVEN))
    recording = built(stamps)
    assert_true_motion(
        recording,
        make_motion,
        start=int(stamps[0]),
        position=cubic_error(0.011),
        effort=linear_error(0.011),
    )
    assert "positions are smoother at the stamps" in recording.repairs[0]
    assert "were resampled to" in recording.repairs[1]


def test_a_stamp_that_nearly_repeats_another_is_dropped(built, make_motion):
    recording = built(np.sort(np.append(EVEN, EVEN[5] + 100_000)))
    assert_true_motion(recording, make_motion)
    assert recording.repairs == ("1 of 401 samples had repeated stamps and were dropped.",)
