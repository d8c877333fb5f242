"""Contradictions in a recording, found without any model: what is recorded twice must agree.

Velocity is the derivative of position, positions are continuous, and no two channels are equal. All
limits are those of the data: noise, steps of the position, and the spread between parts of it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from dynid.recording.contradiction import SEVERITIES, Contradiction
from dynid.recording.copied_channels import copied_channels, equal_channels
from dynid.recording.corrections import Correction, corrected, correction_yaml
from dynid.recording.held_values import held_signals
from dynid.recording.model import Recording
from dynid.recording.sample_loss import lost_samples
from dynid.recording.stuck_channels import stuck_channels
from dynid.recording.velocity_contradictions import velocity_contradictions
from dynid.recording.wrapping import TURNS, find_wrapping
from dynid.text import listed

__all__ = ["Contradiction", "contradictions"]


def contradictions(recording: Recording) -> tuple[Contradiction, ...]:
    """Return what contradicts itself in a recording, the worst first.

    Wrapped positions are unwrapped for all other checks. A recording with gaps is checked in its
    longest piece.
    """
    piece = max(recording.pieces, key=lambda part: len(part.time), default=None)
    if piece is None:
        return ()
    return tuple(sorted(_all(piece), key=lambda c: SEVERITIES.index(c.severity)))


def _all(recording: Recording) -> Iterator[Contradiction]:
    wrapped = list(_wrapped_positions(recording))
    yield from wrapped
    fixes = [correction for contradiction in wrapped for correction in contradiction.corrections]
    recording = replace(corrected(recording, fixes), repairs=recording.repairs)
    yield from lost_samples(recording)
    yield from copied_channels(recording)
    copied = [
        second.joint for _, second, _ in equal_channels(recording) if second.signal == "velocity"
    ]
    yield from velocity_contradictions(recording, copied)
    yield from held_signals(recording)
    yield from stuck_channels(recording)


def _wrapped_positions(recording: Recording) -> Iterator[Contradiction]:
    periods: dict[float, dict[str, int]] = {}
    for joint, column in zip(recording.joint_names, recording.position.T, strict=True):
        wrapping = find_wrapping(column)
        if wrapping is not None:
            periods.setdefault(wrapping.period, {})[joint] = len(wrapping.jumps)
    for period, jumps in periods.items():
        joints = tuple(jumps)
        unwrap = tuple(Correction(signal="position", joint=joint, unwrap=True) for joint in joints)
        size = {TURNS[0]: "2 π", TURNS[1]: "360"}.get(period, f"{period:.5g}")
        count = sum(jumps.values())
        yield Contradiction(
            kind="wrapped_position",
            joints=joints,
            severity="problem",
            sentence=(
                f"The position of {listed(joints)} jumps by {size} against the motion, "
                f"{'once' if count == 1 else f'{count} times'}: it is wrapped to this range."
            ),
            remedy=f"Add {correction_yaml(unwrap)} to the profile.",
            corrections=unwrap,
            evidence={f"jumps of {joint}": float(number) for joint, number in jumps.items()},
        )
