"""From raw samples to a uniform time axis: repairs are counted, other problems refused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import scipy
from numpy.typing import NDArray

from dynid.errors import PreprocessingError, RecordingError
from dynid.recording.corrections import Correction, corrected, time_factor, unwrap_samples
from dynid.recording.gaps import find_gaps
from dynid.recording.grid import place_on_grid
from dynid.recording.limits import RecordingTooLargeError
from dynid.recording.model import FEWEST_SAMPLES, Recording, frozen
from dynid.recording.order import put_in_order
from dynid.recording.plausible_temperature import place_temperature
from dynid.recording.position_step import position_steps
from dynid.recording.samples import NANOSECONDS, Samples, mark_impossible, require_finite
from dynid.recording.span import cut_span, described_runs, refuse_flaws, select_run

_FEWEST_REPEATS = 3  # repeats: fewer give no rate of the source
# steps of the stamps: lateness of a regular source is at most one, and its rate may drift a little
_LARGEST_LATENESS = 1.5
_HALFWAY = 0.5  # from a ratio of 1 to those of 0 and 2
_FEWEST_REPEATED_SAMPLES = 10  # published again: fewer may be equal by chance
_EVEN = 1.1  # ratio of steps: samples between others make them uneven
_SAME_DELAY = 1.0  # usual steps that the delay of a relay may vary
_CERTAIN = 0.9  # of the samples that equal an earlier one


def build_recording(
    samples: Samples,
    *,
    start: float | None = None,
    stop: float | None = None,
    run: int | None = None,
    sampling_rate: float | None = None,
    corrections: Sequence[Correction] = (),
    part: bool = False,
) -> Recording:
    """Repair samples and sample them uniformly.

    In this order: the run, the span, repeated and unsorted stamps, invalid numbers, late stamps,
    uneven steps, missing samples, corrections; positions are unwrapped before uneven steps. Uniform
    samples are returned exactly. Samples outside of the span are not checked.

    Args:
        samples: as read.
        start: [s] since the first sample of the run; None: the beginning.
        stop: [s] since the first sample of the run; None: the end.
        run: number from 1, where the clock was set back; None: the only one, or the first one if
            a span is given.
        sampling_rate: [Hz]; None: the rate of the stamps.
        corrections: of the joints' signals; the span counts in recorded seconds.
        part: whether they are part of a recording, in which signals may be constant.

    Raises:
        ConfigurationError: a correction is of an unknown joint.
        RecordingError: a problem cannot be repaired.
        PreprocessingError: the span does not fit the recording.
    """
    try:
        if sampling_rate is not None:
            sampling_rate *= time_factor(corrections)
        has_span = start is not None or stop is not None
        selected = select_run(samples, run, has_span=has_span)
        return _build(selected, start, stop, sampling_rate, corrections, part)
    except MemoryError:  # a wrong stamp stretches the grid, which is within the limit on its own
        raise RecordingTooLargeError(
            f"{samples.label}: its times, from the first to the last, need more samples than fit "
            "into the memory; correct a wrong time, or select a span."
        ) from None
    except PreprocessingError as error:
        runs = described_runs(samples)
        raise type(error)(" ".join([str(error), *runs])) from None
    except RecordingError as error:
        if not samples.damage:
            raise
        # lost data are the likely reason
        raise type(error)(" ".join([str(error), *samples.damage])) from None


def _build(
    samples: Samples,
    start: float | None,
    stop: float | None,
    sampling_rate: float | None,
    corrections: Sequence[Correction],
    part: bool,
) -> Recording:
    first_stamp = int(samples.stamps[0]) if len(samples) else None
    if start is not None or stop is not None:
        samples = cut_span(samples, start, stop)
    refuse_flaws(samples, first_stamp)
    _require_samples(samples)
    samples = put_in_order(samples)
    _require_samples(samples)
    samples = mark_impossible(samples)
    samples, corrections = unwrap_samples(samples, corrections)
    samples = _drop_absent_velocity(samples)
    samples = _trim_invalid_ends(samples)
    samples = without_repeats(without_relayed(samples))
    steps = position_steps(samples.position)
    finite = np.isfinite(np.hstack([samples.position, samples.effort]))
    valid = np.asarray(finite.all(axis=1))
    for name in ("position", "effort"):
        samples = _fill_invalid(samples, name)
    samples = _fill_invalid(_drop_broken_velocity(samples, valid), "velocity")
    placed, rate, bridging = place_on_grid(samples, valid, sampling_rate)
    for name, values in placed.measured().items():
        if values is not getattr(samples, name):  # made by resampling: no later copy is needed
            frozen(values)
    samples = placed
    _require_samples(samples)
    if not part:
        stuck = stuck_notes(samples.label, samples.joint_names, samples.position, samples.effort)
        samples = samples.noting(*stuck)
    require_finite(samples)
    temperature, notes = place_temperature(samples, (len(samples) - 1) / rate)
    recording = Recording(
        time=np.arange(len(samples)) / rate,
        position=samples.position,
        velocity=samples.velocity,
        effort=samples.effort,
        joint_names=samples.joint_names,
        sampling_rate=rate,
        sources=samples.sources,
        repairs=(*samples.repairs, *bridging.sentences(rate), *notes),
        position_step=steps,
        temperature=temperature,
        missing=bridging.missing if bridging.missing.any() else None,
        gaps=bridging.gaps,
    )
    return corrected(recording, corrections)


def _require_samples(samples: Samples) -> None:
    if len(samples) < FEWEST_SAMPLES:
        raise RecordingError(
            f"{samples.label}: contains {len(samples)} usable samples; "
            f"at least {FEWEST_SAMPLES} are needed."
        )


def _drop_absent_velocity(samples: Samples) -> Samples:
    """Ignore velocity if a joint has none, as it can be differentiated from position."""
    if samples.velocity is None:
        return samples
    absent = ~np.isfinite(samples.velocity).any(axis=0)
    if not absent.any():
        return samples
    names = ", ".join(np.array(samples.joint_names)[absent])
    return _without_velocity(samples, f"contains no number for {names}")


def _without_velocity(samples: Samples, reason: str) -> Samples:
    return replace(samples, velocity=None).noting(f"The velocity {reason} and was ignored.")


def _trim_invalid_ends(samples: Samples) -> Samples:
    """Drop samples before the first and after the last in which every joint is valid."""
    for name in ("position", "effort"):
        absent = ~np.isfinite(getattr(samples, name)).any(axis=0)
        if absent.any():
            joint = samples.joint_names[int(np.argmax(absent))]
            raise RecordingError(
                f"{samples.label}: the {name} of joint '{joint}' is not a number in any sample; "
                "the source must measure it."
            )
    valid = np.isfinite(samples.position).all(axis=1) & np.isfinite(samples.effort).all(axis=1)
    rows = np.flatnonzero(valid)
    if not len(rows):
        raise RecordingError(
            f"{samples.label}: no sample contains a valid position and effort of every joint."
        )
    dropped = len(samples) - (rows[-1] + 1 - rows[0])
    if not dropped:
        return samples
    kept = samples.take(slice(int(rows[0]), int(rows[-1]) + 1)).noting(
        f"{dropped} of {len(samples)} samples at the ends were not numbers and were dropped."
    )
    _require_samples(kept)
    return kept


def _drop_broken_velocity(samples: Samples, valid: NDArray[np.bool_]) -> Samples:
    """Ignore velocity where too much of it is missing beside valid positions and efforts."""
    if samples.velocity is None:
        return samples
    absent = ~np.isfinite(samples.velocity)
    gaps = find_gaps(samples.position, samples.effort, absent.any(axis=1) & valid).gaps
    if not gaps:
        return samples
    first, past = gaps[0]
    joint = samples.joint_names[int(np.argmax(absent[first]))]
    return _without_velocity(
        samples,
        f"is unusable (velocity of joint '{joint}' is not a number for {past - first} samples at "
        f"{samples.seconds[first]:.3f} s)",
    )


def _fill_invalid(samples: Samples, name: str) -> Samples:
    """Interpolate NaN and infinity in one signal, linearly in time."""
    values = getattr(samples, name)
    if values is None or np.isfinite(values).all():
        return samples
    seconds, filled, count = samples.seconds, values.copy(), 0
    for column in range(values.shape[1]):
        known = np.isfinite(values[:, column])
        filled[~known, column] = np.interp(seconds[~known], seconds[known], values[known, column])
        count += int((~known).sum())
    return replace(samples, **{name: filled}).noting(
        f"{count} of {values.size} {name} values were not numbers and were interpolated."
    )


def stuck_notes(
    label: str,
    names: Sequence[str],
    position: NDArray[np.float64],
    effort: NDArray[np.float64],
) -> list[str]:
    """Return sentences on joints with constant positions or efforts (N, n).

    Raises:
        RecordingError: the effort is always zero.
    """
    if not effort.any():
        raise RecordingError(
            f"{label}: the effort of every joint is always zero; the source must measure it."
        )
    notes = []
    for name, values in (("position", position), ("effort", effort)):
        stuck = np.array(names)[(values == values[0]).all(axis=0)]
        if len(stuck):
            notes.append(
                f"The {name} of {len(stuck)} of {len(names)} joints is constant "
                f"({', '.join(stuck)}) and contains no information."
            )
    return notes


def without_relayed(samples: Samples) -> Samples:
    """Return the samples without those that a relay has published again, later and in between.

    These equal an earlier sample, not the one directly before, in position, velocity and effort of
    all joints, with nearly the same delay. The robot seems to jump back by this delay, and forward
    again. Stamps increase.
    """
    steps = np.diff(samples.stamps)
    if len(steps) < _FEWEST_REPEATED_SAMPLES or steps.max() < _EVEN * steps.min():
        return samples
    rows = np.ascontiguousarray(np.hstack(list(samples.measured().values())))
    content = rows.view(np.dtype((np.void, rows.itemsize * rows.shape[1]))).ravel()
    _, first, number = np.unique(content, return_index=True, return_inverse=True)
    at = np.arange(len(rows))
    earlier = first[number.ravel()]
    # a robot that rests without noise has equal samples, too, which follow each other
    again = (earlier < at) & (content != np.roll(content, 1))
    if again.sum() < _FEWEST_REPEATED_SAMPLES:
        return samples
    delays = samples.stamps[again] - samples.stamps[earlier[again]]
    delay = float(np.median(delays))
    alike = np.abs(delays - delay) <= _SAME_DELAY * float(np.median(steps))
    if alike.mean() < _CERTAIN:
        return samples
    return samples.take(~again).noting(
        f"{int(again.sum())} of {len(rows)} samples equal one {1e3 * delay / NANOSECONDS:.3g} ms "
        "before, as of a node that publishes states again with its own stamps, and were dropped."
    )


def without_repeats(samples: Samples) -> Samples:
    """Return the samples without those sent again, at the times of their regular source.

    A publisher that is a little faster than its source sends a sample twice every now and then. Its
    stamps are up to a step late, with each sample less, then a whole step again. So positions seem
    to stop, and their second derivative is more than any acceleration of the robot.

    A sample is sent again if position, velocity and effort of all joints equal those before. The
    source is regular where its stamps differ from equal steps by hardly more than a step of the
    stamps, and the robot moves as far over a repeat as over any other step. Otherwise, such as
    with a robot that rests without noise, the samples are returned as they are. Stamps increase.
    """
    signals = samples.measured().values()
    same = np.all([(values[1:] == values[:-1]).all(axis=1) for values in signals], axis=0)
    kept = np.concatenate([[True], ~same])
    count = len(kept) - int(kept.sum())
    if count < _FEWEST_REPEATS or len(kept) - count < _FEWEST_REPEATS:
        return samples
    measured = samples.take(kept)
    step, lateness = _regular(measured.seconds)
    over_repeat = np.flatnonzero(np.diff(np.flatnonzero(kept)) > 1)
    if lateness > _LARGEST_LATENESS * np.median(
        np.diff(samples.seconds)
    ) or not _moves_as_elsewhere(measured.position, over_repeat):
        return samples
    times = np.rint(step * NANOSECONDS * np.arange(len(measured))).astype(np.int64)
    return replace(measured, stamps=measured.stamps[0] + times).noting(
        f"{count} of {len(samples)} samples were sent twice and were dropped; the others got the "
        f"regular times of their source, {1 / step:.4g} Hz, as their stamps were up to "
        f"{1e3 * lateness:.3g} ms late."
    )


def _regular(seconds: NDArray[np.float64]) -> tuple[float, float]:
    """Return the step of regular times nearest to others, and the range of the distances [s]."""
    number = np.arange(len(seconds))
    mean = seconds[-1] / number[-1]

    def distances(step: float) -> float:
        return float(np.ptp(seconds - step * number))

    reach = 2 * distances(mean) / number[-1]
    found = scipy.optimize.minimize_scalar(
        distances, bounds=(mean - reach, mean + reach), method="bounded"
    )
    return float(found.x), float(found.fun)


def _moves_as_elsewhere(position: NDArray[np.float64], places: NDArray[np.intp]) -> bool:
    """Return whether the steps at ``places`` are as large as those beside them, and this is sure.

    The ratio would be 2 where another sample was lost, and 0 where nothing can be told from the
    steps beside; its standard error is that of a regression through the origin.
    """
    steps = np.diff(position, axis=0)
    places = places[(places > 0) & (places < len(steps) - 1)]
    beside = ((steps[places - 1] + steps[places + 1]) / 2).ravel()
    over = steps[places].ravel()
    total = float(beside @ beside)
    if total == 0 or len(over) < 2:
        return False
    ratio = float(over @ beside) / total
    error = float(np.sqrt(np.sum((over - ratio * beside) ** 2) / (len(over) - 1) / total))
    return abs(ratio - 1) + 2 * error < _HALFWAY
