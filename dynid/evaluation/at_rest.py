"""What a model cannot know of a robot at rest: the friction with which its joints stopped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.mechanism import Mechanism
from dynid.signals.signals import Signals
from dynid.text import listed, significant

_TRAVEL = 10.0  # times the distance of a contact, after which it slides


def static_friction(mechanism: Mechanism, position: Array, speed: Array) -> Array:
    """Return how far friction can hold each joint at rest, to either side; (n,) [N m or N].

    It is half the difference between the torques of a slow arrival from both directions.

    Args:
        mechanism: with the model's parameters.
        position: (n,) [rad or m].
        speed: (n,) of the arrival, below which joints count as at rest [rad/s or m/s].
    """
    slides = [term.scale + term.dead_band for term in mechanism.terms if term.traits.has_memory]
    travel = _TRAVEL * max(slides, default=0.0)
    arriving = []
    for sign in (-1.0, 1.0):
        path = position - sign * travel * np.array([[1.0], [0.0]])
        velocity = sign * np.array([speed, speed])
        arriving.append(mechanism.torque(path, velocity, 0 * path, mechanism.parameters)[-1])
    return np.asarray(np.abs(arriving[1] - arriving[0]) / 2)


def largest_static_friction(mechanism: Mechanism, signals: Sequence[Signals]) -> list[float]:
    """Return the static friction of each joint (n,) at the mean positions of the recordings."""
    return [
        float(f)
        for f in np.max([_of_signals(mechanism, recording) for recording in signals], axis=0)
    ]


def without_noise_at_rest(signals: Signals) -> Signals:
    """Return the signals with velocity and acceleration 0 of joints that do not move.

    The sign of noise is no direction of friction.
    """
    moves = signals.moving.any(axis=0)
    return replace(
        signals,
        velocity=np.where(moves, signals.velocity, 0.0),
        acceleration=np.where(moves, signals.acceleration, 0.0),
    )


def _of_signals(mechanism: Mechanism, signals: Signals) -> Array:
    return static_friction(mechanism, signals.position.mean(axis=0), signals.velocity_threshold)


def rest_notes(mechanism: Mechanism, signals: Sequence[Signals]) -> tuple[str, ...]:
    """Return a sentence for each recording in which no joint moves."""
    return tuple(_note(mechanism, recording) for recording in signals if not recording.moving.any())


def _note(mechanism: Mechanism, signals: Signals) -> str:
    holding = _of_signals(mechanism, signals)
    units = ("N" if slides else "N*m" for slides in mechanism.prismatic)
    held = listed(
        f"±{significant(value)} {unit} ({joint})"
        for joint, value, unit in zip(mechanism.joints, holding.tolist(), units, strict=True)
    )
    return (
        "No joint moves, and friction at rest depends on motion before the recording, so torque is "
        f"undetermined within {held}; the model predicts the middle."
    )
