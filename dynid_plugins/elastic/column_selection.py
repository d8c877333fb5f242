"""Columns of a joint's deflection that reduce the error on data left out, harmonics among them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dynid.arrays import Array
from dynid.identification.held_out import is_worse
from dynid_plugins.elastic.deflection import (
    CANDIDATES,
    COMMON,
    COMPLIANCE,
    ECCENTRICITY,
    HARDENING,
    OVAL,
    POSITION_ERRORS,
    Columns,
    JointLoad,
    columns_of,
)
from dynid_plugins.elastic.link_torque import Band

_BLOCKS = 20  # of all recordings together
_CERTAIN = 2.0  # standard errors of the gain
_LEAST_GAIN = 0.02  # of the squared error: what explains less is not worth a parameter
_FEWEST_PERIODS = 10  # of a harmonic within the joint's range
_LEAST_PERIOD = 0.5  # of a wave of one or two in a turn: less does not show its size
_PERIODS_A_SECOND = 0.4  # of a harmonic at the largest speed, over the sampling rate
_FINE = 0.25  # step of the search, over the resolution of the joint's range
_FINER = 10  # times: the step of the search around the strongest order
_MOST_ORDERS = 4000
_AT_ONCE = 64  # orders
_BY_CHANCE = 0.01  # probability of an order as strong, where there is none


class Selection(NamedTuple):
    """What a joint's deflection depends on besides the five columns of every joint.

    Attributes:
        columns: of ``CANDIDATES``, and of harmonics.
        errors: (blocks,) mean squared errors on blocks left out.
    """

    columns: Columns
    errors: Array


def select_columns(
    motions: Sequence[JointLoad],
    deflections: Sequence[Array],
    used: Sequence[Array],
    band: Band,
    most_harmonics: int,
    candidates: Sequence[str] = CANDIDATES,
) -> Selection:
    """Return the columns of a joint that reduce the error on blocks left out, the best one first.

    Args:
        motions: of the joint in each recording.
        deflections: (K,) of each recording, as the band keeps them.
        used: (K,) samples that are fitted, of each recording.
        band: of the samples.
        most_harmonics: largest number of orders.
        candidates: some of ``CANDIDATES``.
    """
    none = Columns.between([one.position for one in motions])
    data = _Data(motions, deflections, used, band)
    reach = float(none.knots[-1] - none.knots[0])
    turns = {ECCENTRICITY: 1.0, OVAL: 2.0}
    shown = [
        name for name in candidates if reach * turns.get(name, np.inf) > 2 * np.pi * _LEAST_PERIOD
    ]
    chosen = data.tried(none)
    for _ in range(len(shown) + most_harmonics):
        more = _extended(chosen, data, shown, most_harmonics) or _with_error(chosen, data, shown)
        if more is None:
            break
        chosen = _without_needless(more, data)
    return chosen


def _extended(
    chosen: Selection, data: _Data, candidates: Sequence[str], most_harmonics: int
) -> Selection | None:
    """Return the selection with the column that reduces the error most; None if none does."""
    present = chosen.columns
    tried = [
        present._replace(extras=(*present.extras, name))
        for name in candidates
        if name not in present.extras and name not in POSITION_ERRORS
    ]
    tried = [one for one in tried if one.extras[-1] != HARDENING or data.hardens(one)]
    if len(present.orders) < most_harmonics:
        order = data.strongest_order(present)
        if order is not None:
            tried.append(present._replace(orders=(*present.orders, order)))
    return _best(chosen, tried, data)


def _with_error(chosen: Selection, data: _Data, candidates: Sequence[str]) -> Selection | None:
    """Return the selection with an error of the encoders, which can take any shape, at the end."""
    present = chosen.columns
    if any(name in POSITION_ERRORS for name in present.extras):
        return None
    sizes = [name for name in candidates if name in POSITION_ERRORS]
    return _best(chosen, [present._replace(extras=(*present.extras, one)) for one in sizes], data)


def _best(chosen: Selection, tried: Sequence[Columns], data: _Data) -> Selection | None:
    """Return the larger selection of least error; None where none is better beyond scatter."""
    found = [data.tried(one) for one in tried]
    better = [one for one in found if _better(chosen, one) is one]
    return min(better, key=lambda one: float(one.errors.mean()), default=None)


def _without_needless(chosen: Selection, data: _Data) -> Selection:
    """Return the selection without extras in whose place later ones explain the deflection."""
    for name in chosen.columns.extras:
        rest = tuple(other for other in chosen.columns.extras if other != name)
        chosen = _better(data.tried(chosen.columns._replace(extras=rest)), chosen)
    return chosen


def _better(present: Selection, tried: Selection) -> Selection:
    """Return the larger selection where its gain is above scatter, the present one otherwise."""
    gain = present.errors - tried.errors
    worth = float(gain.mean()) > _LEAST_GAIN * float(present.errors.mean())
    return tried if worth and is_worse(gain, _CERTAIN) else present


class _Data:
    """A joint in all recordings, and the blocks that are left out in turn."""

    def __init__(
        self,
        motions: Sequence[JointLoad],
        values: Sequence[Array],
        used: Sequence[Array],
        band: Band,
    ) -> None:
        self._motions, self._band, self._used = motions, band, np.concatenate(used)
        self._values = np.concatenate(values)
        per_recording = max(2, _BLOCKS // len(motions))
        blocks = [
            number * per_recording + np.arange(len(value)) * per_recording // len(value)
            for number, value in enumerate(values)
        ]
        self._block = np.concatenate(blocks)
        self._blocks = range(per_recording * len(motions))
        self._known: dict[tuple[tuple[str, ...], tuple[float, ...]], Array] = {}

    def _raw(self, chosen: Columns) -> Array:
        """Return the columns of all recordings (N, c)."""
        wanted: list[tuple[tuple[str, ...], tuple[float, ...]]] = [((), ())]
        wanted += [((name,), ()) for name in chosen.extras]
        wanted += [((), (order,)) for order in chosen.orders]
        for extras, orders in wanted:
            if (extras, orders) not in self._known:
                part = chosen._replace(extras=extras, orders=orders)
                self._known[extras, orders] = self._kept(part)
        return np.hstack([self._known[part] for part in wanted])

    def _kept(self, chosen: Columns) -> Array:
        """Return the columns of every joint, or those of extras and orders alone (N, c)."""
        band, first = self._band, COMMON if chosen.extras or chosen.orders else 0
        kept = [columns_of(one, chosen, band)[:, first:] for one in self._motions]
        return np.concatenate([band.kept(columns) for columns in kept])

    def _scaled(self, chosen: Columns) -> tuple[Array, Array, Array]:
        """Return columns of equal length (N, c), their scales (c,), rows expected to give 0."""
        columns = self._raw(chosen)
        sizes = np.linalg.norm(columns[self._used], axis=0)
        scale = np.where(sizes > 0, sizes, 1.0)
        return columns / scale, scale, chosen.expected() / scale

    def hardens(self, chosen: Columns) -> bool:
        """Return whether the joint becomes stiffer with load, and bends further with more."""
        columns, scale, expected = self._scaled(chosen)
        fitted = np.concatenate([columns[self._used], expected])
        wanted = np.concatenate([self._values[self._used], np.zeros(len(expected))])
        found = np.linalg.lstsq(fitted, wanted, rcond=1e-9)[0] / scale
        compliance, hardening = found[[COMPLIANCE, len(scale) - 1]]
        largest = float(np.abs(columns[self._used, COMPLIANCE]).max()) * scale[COMPLIANCE]
        return bool(0 < 3 * hardening * largest**2 < compliance)

    def tried(self, chosen: Columns) -> Selection:
        """Return the mean squared error of each block by the coefficients of the others."""
        columns, _, expected = self._scaled(chosen)
        parts = [self._used & (self._block == block) for block in self._blocks]
        grams = [columns[part].T @ columns[part] for part in parts]
        products = [columns[part].T @ self._values[part] for part in parts]
        gram, product = sum(grams) + expected.T @ expected, sum(products)
        found = []
        for part, own_gram, own_product in zip(parts, grams, products, strict=True):
            if not part.any():
                continue
            rest = np.linalg.lstsq(gram - own_gram, product - own_product, rcond=1e-12)[0]
            found.append(float(np.mean((self._values[part] - columns[part] @ rest) ** 2)))
        return Selection(chosen, np.array(found))

    def strongest_order(self, chosen: Columns) -> float | None:
        """Return the order whose wave explains most of the residual; None where none can.

        Waves are sought as strong as the low-pass leaves them at the speed of each sample. The
        strongest of many that are not there explains a maximum of χ² with two degrees of freedom.
        """
        position = self._at_used([one.position for one in self._motions])
        velocity = self._at_used([one.velocity for one in self._motions])
        speed = max(float(np.abs(one.velocity).max()) for one in self._motions)
        reach = float(np.ptp(position))
        if reach <= 0 or speed <= 0:
            return None
        resolution = 2 * np.pi / reach
        highest = _PERIODS_A_SECOND * self._band.rate * 2 * np.pi / speed
        orders = np.arange(_FEWEST_PERIODS * resolution, highest, _FINE * resolution)[:_MOST_ORDERS]
        if not len(orders):
            return None
        basis = np.linalg.qr(self._scaled(chosen)[0][self._used])[0]
        residual = _without(basis, self._values[self._used])
        powers = self._explained(orders, position, velocity, residual)
        strongest = float(powers.max())
        rest = (float(residual @ residual) - strongest) / len(residual)
        if strongest <= 2 * rest * np.log(len(orders) * _FINE / _BY_CHANCE):
            return None
        best = float(orders[int(np.argmax(powers))])
        for spread in (_FINE * resolution, _FINE * resolution / _FINER):
            tried = best + spread * np.linspace(-1, 1, 2 * _FINER + 1)
            waves = [self._kept(chosen._replace(extras=(), orders=(one,))) for one in tried]
            bases = [np.linalg.qr(_without(basis, one[self._used]))[0] for one in waves]
            best = float(tried[np.argmax([np.sum((one.T @ residual) ** 2) for one in bases])])
        return best

    def _at_used(self, values: Sequence[Array]) -> Array:
        kept = [one[:: self._band.step] for one in values]
        return np.asarray(np.concatenate(kept)[self._used])

    def _explained(self, orders: Array, position: Array, velocity: Array, residual: Array) -> Array:
        """Return the part (m,) of the squared residual (N,) that a wave of each order explains."""
        found = []
        for some in np.split(orders, np.arange(_AT_ONCE, len(orders), _AT_ONCE)):
            passed = self._band.gain(np.outer(some, velocity) / (2 * np.pi)) ** 2
            waves = passed * np.exp(1j * np.outer(some, position))
            sizes = np.maximum(np.sum(passed**2, axis=1), 1e-300)
            found.append(np.abs(waves @ residual) ** 2 / sizes)
        return np.concatenate(found)


def _without(basis: Array, values: Array) -> Array:
    """Return values (N, …) without what orthonormal columns (N, c) explain."""
    return np.asarray(values - basis @ (basis.T @ values))
