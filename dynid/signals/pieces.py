"""The pieces of recordings with gaps that are long enough for the filters."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import product

import numpy as np
import scipy

from dynid.arrays import Array
from dynid.errors import PreprocessingError
from dynid.recording.gaps import gap_list
from dynid.recording.model import FEWEST_SAMPLES, Recording, source_names
from dynid.robot.robot import Robot
from dynid.signals.preprocess import settling_samples
from dynid.signals.settings import SignalSettings
from dynid.text import percent

_STROKE = 0.1  # of a joint's travel; shorter ones are noise or corrections


def usable_pieces(recordings: Iterable[Recording], robot: Robot) -> list[Recording]:
    """Return recordings without gaps: as they are, or the pieces between gaps that can be used.

    A piece is at least four times as long as the filters settle, which is left out at both ends;
    for averaged periods it has two of them.

    Raises:
        PreprocessingError: of a recording with gaps no piece is left, or less than a cycle of a
            joint.
    """
    settings = robot.settings(SignalSettings)
    return [piece for recording in recordings for piece in _pieces(recording, settings)]


def _pieces(recording: Recording, settings: SignalSettings) -> Sequence[Recording]:
    if not recording.gaps:
        return [recording]
    settling = settling_samples(settings, recording.sampling_rate)
    least = 4 * settling + FEWEST_SAMPLES
    if settings.period is not None:
        least = round(2 * settings.period * recording.sampling_rate) + FEWEST_SAMPLES
    kept = [piece for piece in recording.pieces if len(piece.time) >= least]
    joints = len(recording.joint_names)
    whole, cycles = _cycles([recording], joints), _cycles(kept, joints)
    fewest = int(np.argmin(np.where(whole >= 1, cycles, np.inf)))
    used = sum(len(piece.time) for piece in kept) / recording.sampling_rate
    facts = (
        f"{used:.3g} of {recording.duration:.3g} s ({percent(used / recording.duration)}) in "
        f"{len(kept)} {'piece' if len(kept) == 1 else 'pieces'}, with {cycles[fewest]:g} of "
        f"{whole[fewest]:g} cycles of {recording.joint_names[fewest]}"
    )
    if not kept or cycles[fewest] < min(1.0, whole[fewest]):
        name = source_names(recording.sources) or "the recording"
        gaps = gap_list(recording.gaps, recording.sampling_rate)
        raise PreprocessingError(
            f"{name}: samples are missing for {gaps}; pieces that last longer than the filters "
            f"settle are {facts}, and a whole cycle of each joint is needed. Record again."
        )
    note = (
        f"Used are {facts}, and of these pieces not the {settling / recording.sampling_rate:.2g} s "
        "beside a gap, where filters have not settled."
    )
    first = replace(kept[0], repairs=(*recording.repairs, note), piece=0)
    rest = enumerate(kept[1:], start=1)
    return [
        first,
        *(replace(piece, sources=(), repairs=(), piece=number) for number, piece in rest),
    ]


def _cycles(pieces: Sequence[Recording], joints: int) -> Array:
    """Return the cycles of each joint (n,), two reversals each, over all pieces."""
    cycles = np.zeros(joints)
    if not pieces:
        return cycles
    travel = np.max([np.ptp(piece.position, axis=0) for piece in pieces], axis=0)
    for joint in np.flatnonzero(travel > 0).tolist():
        for piece, sign in product(pieces, (1, -1)):
            position = sign * piece.position[:, joint]
            ends, _ = scipy.signal.find_peaks(position, prominence=_STROKE * travel[joint])
            cycles[joint] += len(ends) / 2
    return cycles
