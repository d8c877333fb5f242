"""What was held out, and recordings that the others do not explain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isfinite

import numpy as np

from dynid.estimation.cross_validation import HeldOut
from dynid.text import listed, percent

_TIMES = 1.2  # error of a recording over that of blocks; friction of another day adds less
_SCATTERS = 3.0  # standard deviations between blocks
_SMALLEST_INCREASE = 0.02  # of the torque: smaller differences are ignored


def held_out_notes(held_out: HeldOut, joints: Sequence[str]) -> list[str]:
    """Return sentences on what the held-out errors are of."""
    if held_out.left_out == "blocks":
        return [
            f"Held-out data are {held_out.folds} blocks of the same recording, so another motion "
            "was not tried; validate the model on another recording (dynid validate)."
        ]
    unknown = [name for number, name in enumerate(joints) if held_out.undetermined(number)]
    rest = (
        f" Recordings that the others do not determine at {listed(unknown)}, such as the only one "
        "that moves a joint, are represented by blocks of them, so another motion was not tried "
        "there."
        if unknown
        else ""
    )
    return [
        f"Held-out data are whole recordings: each of {held_out.folds} was predicted from the "
        f"others.{rest}"
    ]


def disagreements(held_out: HeldOut, joints: Sequence[str]) -> Iterator[str]:
    """Yield a sentence for each recording that the others do not explain.

    Its error exceeds that of blocks, in which all recordings take part in the fit, by more than
    blocks scatter. At each joint only the recording that is explained worst is named: it is part of
    the fit that predicts the others.
    """
    if held_out.left_out == "blocks":
        return
    errors, expected = np.array(held_out.recording_error), np.array(held_out.expected_error)
    increase = np.where(np.isfinite(errors) & np.isfinite(expected), errors - expected, 0.0)
    scatter = np.array(held_out.scatter)
    limit = np.maximum((_TIMES - 1) * expected, np.maximum(_SCATTERS * scatter, _SMALLEST_INCREASE))
    worst = np.nan_to_num(increase * (errors + expected))  # growth of the squared error
    beyond = (increase > limit) & (worst == worst.max(axis=0))
    others = "the others" if len(errors) > 2 else "the other"
    for number in np.flatnonzero(beyond.any(axis=1)).tolist():
        at = np.flatnonzero(beyond[number]).tolist()
        seen = listed(percent(errors[number, j]) for j in at if isfinite(errors[number, j]))
        usual = listed(percent(expected[number, j]) for j in at)
        yield (
            f"recording {number + 1} is not explained by {others} at "
            f"{listed(joints[j] for j in at)}: {seen} instead of {usual}: payload, torque constant "
            "or encoder zero may differ."
        )
