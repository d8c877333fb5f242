"""Selection of a span of a recording before any check."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from dynid.errors import RecordingError
from dynid.recording.model import span_limits
from dynid.recording.order import FARTHEST_MOVE
from dynid.recording.samples import NANOSECONDS, Samples


def cut_span(samples: Samples, start: float | None, stop: float | None) -> Samples:
    """Return the samples with ``start <= time < stop``, with the flaws among them.

    Args:
        samples: as read, in the order of the file.
        start: [s] since the first sample; None: the beginning.
        stop: [s] since the first sample; None: the end.

    Raises:
        PreprocessingError: the span is reversed, outside the recording, or nearly empty.
    """
    seconds = _since_first(samples)
    in_order = np.sort(seconds)
    first, past = span_limits(in_order, 1.0, start, stop)
    kept = samples.take((in_order[first] <= seconds) & (seconds <= in_order[past - 1]))
    earliest, latest = int(kept.stamps.min()), int(kept.stamps.max())
    inside = tuple(flaw for flaw in samples.flaws if earliest <= flaw.stamp <= latest)
    outside = len(samples.flaws) - len(inside)
    kept = replace(kept, flaws=inside)
    if outside:
        kept = kept.noting(f"{outside} places outside of the span cannot be read.")
    return kept


def refuse_flaws(samples: Samples, first_stamp: int | None = None) -> None:
    """Refuse samples with an unreadable place.

    Args:
        samples: of the span.
        first_stamp: [ns] of the whole recording's first sample, the origin of times in messages.

    Raises:
        RecordingError: there is an unreadable place.
    """
    if not samples.flaws:
        return
    first = samples.flaws[0]
    begin = samples.stamps[0] if first_stamp is None else first_stamp
    at = float(first.stamp - begin) / NANOSECONDS
    further = len(samples.flaws) - 1
    others = f" {further} more cannot be read." if further else ""
    where = f" It is {at:.3f} s after the first sample." if at > 0 else ""
    raise RecordingError(f"{first.sentence}{where}{others} Select a span without it (start, stop).")


def _since_first(samples: Samples) -> NDArray[np.float64]:
    """Return the time (N,) since the earliest of the first samples, which may be unsorted [s]."""
    first = samples.stamps[: FARTHEST_MOVE + 1].min() if len(samples) else 0
    return np.asarray((samples.stamps - first) / NANOSECONDS, dtype=np.float64)
