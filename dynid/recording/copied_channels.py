"""Channels with the same values in every sample: copies of one of them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np

from dynid.recording.contradiction import Contradiction
from dynid.recording.corrections import SIGNALS
from dynid.recording.model import Recording

_ROUNDING = 1e-6  # of the largest effort: no two measurements agree so well
_FEWEST_VALUES = 10  # of a channel: fewer different values are equal by chance


class Channel(NamedTuple):
    """One column of a recording."""

    joint: str
    signal: str


def copied_channels(recording: Recording) -> Iterator[Contradiction]:
    """Find channels that change and are equal in every sample, but for a factor or the sign."""
    for first, second, factor in equal_channels(recording):
        words = {1.0: "equal", -1.0: "equal but for the sign"}.get(
            factor, f"equal but for a factor of {factor:.6g}"
        )
        same = "of one joint" if first.joint == second.joint else "of two joints"
        yield Contradiction(
            kind="copied_channel",
            joints=tuple(dict.fromkeys((first.joint, second.joint))),
            severity="problem",
            sentence=(
                f"The {first.signal} of {first.joint} and the {second.signal} of {second.joint} "
                f"are {words} in all {len(recording.time)} samples: one is a copy of the other."
            ),
            remedy=(
                "Check which channel is recorded for which joint, in the driver and in "
                "recording.columns of the profile, and record again; recording.corrections: "
                f"[{{signal: {second.signal}, joint: {second.joint}, source: …}}] takes another "
                "channel."
            ),
            evidence={"equal samples": float(len(recording.time))},
            signals=tuple(dict.fromkeys((first.signal, second.signal))),
            statement=f"{first.signal} {second.signal} {same} {words if abs(factor) == 1 else ''}",
        )


def equal_channels(recording: Recording) -> list[tuple[Channel, Channel, float]]:
    """Return pairs of equal channels, and the first over the second: 1, -1 or, of efforts, any.

    A channel that stands for two joints may have been divided by the torque constant of each.
    """
    columns = {}
    for signal in SIGNALS:
        values = getattr(recording, signal)
        for number, joint in enumerate(recording.joint_names if values is not None else ()):
            column = values[:, number]
            # effort in few steps, such as that of a brake, may be equal for a reason
            if len(np.unique(column[: 100 * _FEWEST_VALUES])) >= _FEWEST_VALUES:
                columns[Channel(joint, signal)] = column
    pairs = []
    for (first, a), (second, b) in combinations(columns.items(), 2):
        if a[-1] == b[-1] and np.array_equal(a, b):
            pairs.append((first, second, 1.0))
        elif a[-1] == -b[-1] and np.array_equal(a, -b):
            pairs.append((first, second, -1.0))
        elif first.signal == second.signal == "effort":
            factor = float(a @ b) / float(b @ b)
            if np.abs(a - factor * b).max() <= _ROUNDING * np.abs(a).max():
                pairs.append((first, second, factor))
    return pairs
