"""Torque at rest that the model does not explain, nor static friction: a brake, or a support."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynid.evaluation.at_rest import largest_static_friction
from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.diagnosis.finding import Finding
from dynid.evaluation.settings import LARGEST_UNEXPLAINED
from dynid.recording.model import source_names
from dynid.text import listed, percent, significant

_AT_REST_SHARE = 0.5  # share of the squared error at rest from which on the error is one of rest
_NAMED = 0.9  # share of the squared error in the times that are named
_TIMES = 3  # at most
_PAUSE = 0.1  # [s] between two stretches that are one


class _Stretch(NamedTuple):
    squared: float  # error [(N m)² or N²]
    recording: int
    start: float  # [s]
    stop: float  # [s]


def unexplained_at_rest(case: Case) -> Iterator[Finding]:
    """Yield joints whose error is too large and mostly at rest, which no refit is judged by.

    At rest, torque is any within static friction of the model's. If the error is larger, something
    else holds the joint.
    """
    if case.model is None or case.held_out is None:
        return
    holding = largest_static_friction(case.model, case.signals)
    for joint, (name, friction) in enumerate(zip(case.joints, holding, strict=True)):
        moving = [c.signals.moving[:, joint] for c in case.comparisons]
        errors = [(c.model - c.measured)[:, joint] for c in case.comparisons]
        squared = [float(np.sum(c.measured[:, joint] ** 2)) for c in case.comparisons]
        if not any(flags.any() for flags in moving):
            continue
        total = sum(float(error @ error) for error in errors)
        resting = [np.where(flags, 0.0, error) for flags, error in zip(moving, errors, strict=True)]
        rest = sum(float(error @ error) for error in resting)
        if rest < _AT_REST_SHARE * total or not total > LARGEST_UNEXPLAINED**2 * sum(squared):
            continue
        rms = float(np.sqrt(rest / sum(int((~flags).sum()) for flags in moving)))
        unit = "N" if case.mechanism.prismatic[joint] else "N·m"
        held = rms > friction
        than = "more than" if held else "within"
        yield Finding(
            cause="unexplained",
            joints=(name,),
            severity="warning",
            sentence=(
                f"{name}: {percent(total / sum(squared))} of the squared torque is not explained, "
                f"{percent(rest / total)} of that at rest{_times(case, resting)}: there the error "
                f"is {significant(rms, 3)} {unit} (rms), {than} static friction of up to "
                f"{significant(friction, 3)} {unit}."
            ),
            advice=(
                "Find what holds the joint there, such as a closed brake, a support or a stop, and "
                "leave these times out (--start, --stop), or record without it."
                if held
                else "Record this joint in motion for more of the time; static friction may be any "
                "of both signs at rest."
            ),
            evidence={
                f"unexplained of {name}": total / sum(squared),
                "share of it at rest": rest / total,
            },
        )


def _times(case: Case, errors: list[NDArray[np.float64]]) -> str:
    """Return in which times most of the squared errors (N,) of the recordings are."""
    stretches: list[_Stretch] = []
    names, number = [], -1
    for recording, comparison, error in zip(case.recordings, case.comparisons, errors, strict=True):
        if not comparison.signals.piece:
            number += 1
            name = source_names(recording.sources)
            names.append(f"recording {number + 1}" + (f" ({name})" if name else ""))
        time = comparison.signals.time
        rows = np.flatnonzero(error)
        for part in np.split(rows, np.flatnonzero(np.diff(time[rows]) > _PAUSE) + 1):
            if len(part):
                size = float(np.sum(error[part] ** 2))
                stretches.append(_Stretch(size, number, time[part[0]], time[part[-1]]))
    stretches.sort(reverse=True)
    sums = np.cumsum([one.squared for one in stretches])
    count = int(np.searchsorted(sums, _NAMED * sums[-1])) + 1
    if count > _TIMES:
        return ""
    named = sorted(stretches[:count], key=lambda one: one[1:])
    times = (
        f"from {one.start:.1f} to {one.stop:.1f} s"
        + (f" of {names[one.recording]}" if len(names) > 1 else "")
        for one in named
    )
    return f" {listed(times)}"
