"""Samples that are lost although the stamps are regular: all joints jump at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.recording.contradiction import Contradiction
from dynid.recording.model import Recording
from dynid.recording.velocity_agreement import moving_joints, near_missing, position_noise

_WINDOW = 3  # steps in which a jump is sought: one that only comes a sample late is none
_FEWEST_LOST = 0.7  # samples: late stamps are a fraction of a step
_COMMON = 0.9  # of the squared jump, that the same number of lost samples explains at all joints
_FALSE_ALARM = 1e-3  # probability in a whole recording
_BEYOND_OPPOSITE = 1.5  # times the largest score of too short steps, which no loss explains
_KNOWN_SPEED = 3.0  # times its noise: a slower joint does not count lost samples
_FEWEST_JOINTS = 2  # one alone may be struck, or slip
_NAMED = 5  # places in a sentence
_HARMLESS = 1e-3  # of the samples


class Loss(NamedTuple):
    """Lost samples: after which sample, and how many."""

    sample: int
    lost: int


def lost_samples(recording: Recording) -> Iterator[Contradiction]:
    """Find places where positions of all moving joints go several steps in one."""
    losses = find_losses(recording)
    if not losses:
        return
    total, rate = sum(loss.lost for loss in losses), recording.sampling_rate
    places = ", ".join(f"{loss.lost} at {loss.sample / rate:.3f} s" for loss in losses[:_NAMED])
    more = f" and at {len(losses) - _NAMED} other places" if len(losses) > _NAMED else ""
    plural = "" if total == 1 else "s"
    share = total / len(recording.time)
    yield Contradiction(
        kind="lost_samples",
        joints=(),
        severity="note" if share < _HARMLESS else "warning",
        sentence=(
            f"{total} sample{plural} ({total / rate:.3g} s) "
            f"{'is' if total == 1 else 'are'} lost behind regular time stamps: all moving joints "
            f"jump at once by several steps ({places}{more})."
        ),
        remedy=(
            "Record stamps of the measurement instead of counting samples, or use the spans "
            "between these times (--start, --stop); recording.corrections cannot restore samples."
        ),
        evidence={"lost samples": float(total), "places": float(len(losses))},
    )


def find_losses(recording: Recording) -> list[Loss]:
    """Return where samples are lost, in the order of time."""
    noise, moving = position_noise(recording), moving_joints(recording)
    if len(moving) < _FEWEST_JOINTS or len(recording.time) < 8 * _WINDOW:
        return []
    position = recording.position[:, moving]
    steps = np.diff(position, axis=0)
    before, after = steps[:-4], steps[4:]
    jump = position[4:-1] - position[1:-4]  # over the steps between them
    # the smaller number of the two speeds: at a start or stop one of them explains the jump
    counts = np.array([_lost(jump, speed, noise[moving]) for speed in (before, after)])
    lost = counts[:, :, 0].min(axis=0)
    speed = 0.5 * (before + after)
    middle = _lost(jump, speed, noise[moving])
    score = counts[:, :, 2]
    chance = scipy.stats.norm.isf(_FALSE_ALARM / len(lost))
    opposite = -float(score.max(axis=0).min(initial=0.0))
    least = max(chance, _BEYOND_OPPOSITE * opposite)
    seen = (lost > _FEWEST_LOST) & (middle[:, 1] > _COMMON) & (score.min(axis=0) > least)
    seen &= counts[:, :, 3].min(axis=0) > _KNOWN_SPEED
    seen &= ~near_missing(recording, len(lost), 2 * _WINDOW + 1, before=1)
    # a joint that was struck, or slipped in its gear, jumps alone, however far
    beyond = np.abs(jump - _WINDOW * speed) / noise[moving]
    others = np.where(beyond < beyond.max(axis=1, keepdims=True), 1.0, 0.0)
    rest = _lost(jump * others, speed * others, noise[moving])
    seen &= (rest[:, 0] > _FEWEST_LOST) & (rest[:, 1] > _COMMON) & (rest[:, 2] > chance)
    return _places(seen, middle[:, 0], steps)


def _lost(jump: Array, speed: Array, noise: Array) -> Array:
    """Return lost samples, their share of the squared jump, and standard scores, (M, 4).

    The scores are those of the lost samples, and of the speed. The jump (M, n) is the distance over
    the window, the speed (M, n) a step beside it, and the noise (n,) that of the positions.
    """
    excess = jump - _WINDOW * speed
    # noise of the two ends of the window, and of a step beside it for each step in it
    deviation = noise * (2 + 2 * _WINDOW**2) ** 0.5
    weighted, direction = excess / deviation, speed / deviation
    size = np.sum(direction**2, axis=1)
    along = np.sum(weighted * direction, axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        lost = np.where(size > 0, along / size, 0.0)
        share = along**2 / (size * np.sum(weighted**2, axis=1))
        score = along / np.sqrt(size)
    return np.stack([lost, np.nan_to_num(share), np.nan_to_num(score), np.sqrt(size)], axis=1)


def _places(seen: NDArray[np.bool_], lost: Array, steps: Array) -> list[Loss]:
    """Return one loss for each run of windows that contain it, at the largest step."""
    losses = []
    numbers = np.flatnonzero(seen)
    for group in np.split(numbers, np.flatnonzero(np.diff(numbers) > _WINDOW) + 1):
        if not len(group):
            continue
        middle = int(group[len(group) // 2])
        inside = slice(middle + 1, middle + 1 + _WINDOW)
        at = middle + 1 + int(np.argmax(np.linalg.norm(steps[inside], axis=1)))
        losses.append(Loss(at, max(1, round(float(np.median(lost[group]))))))
    return losses
