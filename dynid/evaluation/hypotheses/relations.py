"""Relations that a refit adds to a model: columns whose factors it finds."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.evaluation.hypotheses.refit import Data

HATS = 8
"""Functions of a joint's position that dry friction may have, each 0 at the others' peaks."""

OF_SENSORS: Mapping[str, int] = MappingProxyType(
    {"shape": 4, "hysteresis": 3, "filter": 1, "second": 1, "crosstalk": 2}
)
"""Kinds that change the measured torque, with their numbers of columns."""

Joints = tuple[int, ...]


class Relation(NamedTuple):
    """What acts besides the model, or what a torque sensor does besides a factor.

    Attributes:
        kind: a key of ``_COLUMNS``.
        joints: those concerned; () for the whole robot.
        recordings: those concerned; () for all.
    """

    kind: str
    joints: Joints = ()
    recordings: tuple[int, ...] = ()


class Context(NamedTuple):
    """What columns are made of.

    Attributes:
        data: with the measured torque.
        signal: returns a signal of the joints, (m, n, …), by its name in ``SampledTrack``.
        time: (m,) of the instants [s].
        recording: (m,) number of that of each instant.
    """

    data: Data
    signal: Callable[[str], Array]
    time: Array
    recording: NDArray[np.intp]


def relation_columns(context: Context, relation: Relation) -> Array:
    """Return columns (m, n, c) of a relation."""
    numbers = relation.recordings or context.recording
    instants = np.isin(context.recording, numbers)
    return _COLUMNS[relation.kind](context, relation.joints, instants)


def payload_columns(data: Data, instants: NDArray[np.bool_]) -> Array:
    """Return columns (m, n, 10) of a body carried by the payload's joint at some instants."""
    first = 10 * data.mechanism.payload_body
    columns = data.regressor[:, :, first : first + 10]
    return np.asarray(columns * instants[:, None, None])


def friction_columns(data: Data, joint: int, instants: NDArray[np.bool_], time: Array) -> Array:
    """Return columns (m, n, 4) of an offset, its growth, and dry and viscous friction.

    Of a joint, at some instants of a recording; its growth is over all of them.
    """
    velocity = data.motion[1][:, joint] * instants
    span = time[instants]
    growth = (time - span.mean()) / max(float(np.ptp(span)), 1e-9) * instants
    columns = np.column_stack([instants, growth, np.sign(velocity), velocity])
    return _at(data, joint, columns)


def _at(data: Data, joint: int, columns: Array) -> Array:
    """Return columns (m, c) of one joint as those of all, (m, n, c)."""
    every = np.zeros((*data.torque.shape, columns.shape[1]))
    every[:, joint] = columns
    return every


def _friction(context: Context, joints: Joints, instants: NDArray[np.bool_]) -> Array:
    parts = [friction_columns(context.data, joint, instants, context.time) for joint in joints]
    return np.concatenate(parts, axis=2)


def _drift(context: Context, joints: Joints, _: NDArray[np.bool_]) -> Array:
    """Return offsets (m, n, R) that grow, each over one recording, from -1/2 to 1/2."""
    columns = []
    for number in np.unique(context.recording):
        here = context.recording == number
        columns.append(friction_columns(context.data, joints[0], here, context.time)[:, :, 1:2])
    return np.concatenate(columns, axis=2)


def _uneven(context: Context, joints: Joints, instants: NDArray[np.bool_]) -> Array:
    """Return dry friction (m, n, c) as any function of the joint's position."""
    position, velocity = (part[:, joints[0]] for part in context.data.motion[:2])
    if not context.data.mechanism.prismatic[joints[0]] and np.ptp(position) > 2 * np.pi:
        position = position % (2 * np.pi)
    places = np.linspace(position.min(), position.max(), HATS)
    hats = [np.interp(position, places, row) for row in np.eye(HATS)]
    return _at(
        context.data, joints[0], np.column_stack(hats) * np.sign(velocity * instants)[:, None]
    )


def _robot(context: Context, _: Joints, instants: NDArray[np.bool_]) -> Array:
    data = context.data
    return np.asarray(data.regressor[:, :, data.base.independent] * instants[:, None, None])


def _coupling(context: Context, joints: Joints, _: NDArray[np.bool_]) -> Array:
    """Return columns (m, n, 5) of friction and rotor of a motor that moves two joints."""
    velocity, acceleration = context.data.motion[1:]
    first, other = velocity[:, joints].T
    signs = [np.sign(other), np.sign(first + other), np.sign(first - other)]
    columns = np.column_stack([other, *signs, acceleration[:, joints[1]]])
    return _at(context.data, joints[0], columns)


def _crosstalk(context: Context, joints: Joints, _: NDArray[np.bool_]) -> Array:
    columns, torque = np.zeros((*context.data.torque.shape, 2)), context.data.torque
    for column, (joint, other) in enumerate((joints, joints[::-1])):
        columns[:, joint, column] = torque[:, other]
    return columns


def _derivative(context: Context, joints: Joints, _: NDArray[np.bool_], name: str) -> Array:
    """Return a derivative (m, n, 1) of the torque of joints, whose filters have one factor."""
    columns = np.zeros((*context.data.torque.shape, 1))
    columns[:, joints, 0] = context.signal(name)[:, joints]
    return columns


def _memory(context: Context, joints: Joints, _: NDArray[np.bool_], name: str) -> Array:
    """Return stop operators (m, n, c) of a joint, by their name in ``SampledTrack``."""
    return _at(context.data, joints[0], context.signal(name)[:, joints[0]])


def _shape(context: Context, joints: Joints, _: NDArray[np.bool_]) -> Array:
    """Return functions (m, n, 4) of a joint's torque that no factor of it explains [N m or N].

    A sensor that saturates, has a dead zone, or has another factor for each direction. A factor is
    taken from them so that the torque keeps its size.
    """
    torque, kept = (values[:, joints[0]] for values in (context.data.torque, context.data.kept))
    peak = float(np.abs(torque[kept]).max(initial=0.0)) or 1.0
    share = torque / peak
    size = np.abs(share)
    shapes = np.column_stack([share * size, share**3, np.sign(share) * np.sqrt(size), size])
    inside = share[kept]
    multiples = inside @ shapes[kept] / max(float(inside @ inside), 1e-300)
    return _at(context.data, joints[0], peak * (shapes - np.outer(share, multiples)))


_COLUMNS: Mapping[str, Callable[[Context, Joints, NDArray[np.bool_]], Array]] = MappingProxyType(
    {
        "payload": lambda context, _, instants: payload_columns(context.data, instants),
        "friction": _friction,
        "drift": _drift,
        "uneven": _uneven,
        "coupling": _coupling,
        "robot": _robot,
        "shape": _shape,
        "hysteresis": partial(_memory, name="stops"),
        "presliding": partial(_memory, name="presliding"),
        "filter": partial(_derivative, name="slope"),
        "second": partial(_derivative, name="curvature"),
        "crosstalk": _crosstalk,
    }
)
