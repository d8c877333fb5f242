"""The part of a recording that is wanted, cut out before anything in it is judged."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from dynid.errors import RecordingError
from dynid.recording.model import span_limits
from dynid.recording.order import FARTHEST_MOVE
from dynid.recording.samples import NANOSECONDS, Samples

if TYPE_CHECKING:
    from numpy.typing import NDArray


def cut_span(samples: Samples, start: float | None, stop: float | None) -> Samples:
    """The samples with ``start <= time < stop``, and the flaws among them.

    Args:
        samples: as read, in the order of the file.
        start: [s] since the first sample; None for the beginning.
        stop: [s] since the first sample; None for the end.

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
    """Refuse samples among which something cannot be read.

    Args:
        samples: of the span.
        first_stamp: [ns] of the whole recording's first sample, which times are told from.

    Raises:
        RecordingError: naming the first such place.
    """
    if not samples.flaws:
        return
    first = samples.flaws[0]
    begin = samples.stamps[0] if first_stamp is None else first_stamp
    at = float(first.stamp - begin) / NANOSECONDS
    more = len(samples.flaws) - 1
    others = f" {more} more cannot be read." if more else ""
    where = f" It lies {at:.3f} s after the first sample." if at > 0 else ""
    raise RecordingError(
        f"{first.sentence}{where}{others} A span beside it can be selected (start, stop)."
    )


def _since_first(samples: Samples) -> NDArray[np.float64]:
    """(N,) time since the earliest of the first samples [s], which may have come out of order."""
    first = samples.stamps[: FARTHEST_MOVE + 1].min() if len(samples) else 0
    return np.asarray((samples.stamps - first) / NANOSECONDS, dtype=np.float64)
