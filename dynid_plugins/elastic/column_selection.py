"""Columns of a joint's deflection that reduce the error on data left out, harmonics among them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dynid.arrays import Array
from dynid.identification.held_out import mean_and_error
from dynid_plugins.elastic.deflection import (
    CANDIDATES,
    COMMON,
    COMPLIANCE,
    HARDENING,
    JointLoad,
    columns_of,
)
from dynid_plugins.elastic.link_torque import Band

_BLOCKS = 10  # of all recordings together
_CERTAIN = 2.0  # standard errors of the gain
_LEAST_GAIN = 0.02  # of the squared error: what explains less is not worth a parameter
_FEWEST_PERIODS = 10  # of a harmonic within the joint's range
_PERIODS_A_SECOND = 0.4  # of a harmonic at the largest speed, over the sampling rate
_FINE = 0.25  # step of the search, over the resolution of the joint's range
_FINER = 10  # times: the step of the search around the strongest order
_MOST_ORDERS = 4000
_AT_ONCE = 64  # orders


class Selection(NamedTuple):
    """What a joint's deflection depends on besides the five columns of every joint.

    Attributes:
        extras: of ``CANDIDATES``.
        orders: of harmonics, periods for each turn of the joint.
        errors: (blocks,) mean squared errors on blocks left out.
    """

    extras: tuple[str, ...]
    orders: tuple[float, ...]
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
    data = _Data(motions, deflections, used, band)
    chosen = Selection((), (), data.errors((), ()))
    for _ in candidates:
        extended = _extended(chosen, data, candidates)
        if extended is chosen:
            break
        chosen = _without_needless(extended, data)
    for _ in range(most_harmonics):
        order = data.strongest_order(chosen)
        if order is None:
            break
        orders = (*chosen.orders, order)
        tried_one = Selection(chosen.extras, orders, data.errors(chosen.extras, orders))
        if _better(chosen, tried_one) is chosen:
            break
        chosen = tried_one
    return chosen


def _extended(chosen: Selection, data: _Data, candidates: Sequence[str]) -> Selection:
    """Return the selection with the extra that reduces the error most; the same if none does."""
    best = chosen
    for name in candidates:
        extras = (*chosen.extras, name)
        if name not in chosen.extras and (name != HARDENING or data.hardens(extras)):
            tried = Selection(extras, (), data.errors(extras, ()))
            if _better(chosen, tried) is tried and tried.errors.mean() < best.errors.mean():
                best = tried
    return best


def _without_needless(chosen: Selection, data: _Data) -> Selection:
    """Return the selection without extras in whose place later ones explain the deflection."""
    for name in chosen.extras:
        rest = tuple(other for other in chosen.extras if other != name)
        chosen = _better(Selection(rest, (), data.errors(rest, ())), chosen)
    return chosen


def _better(present: Selection, tried: Selection) -> Selection:
    """Return the larger selection where its gain is above scatter, the present one otherwise."""
    gain, scatter = mean_and_error(present.errors - tried.errors)
    worth = max(_CERTAIN * scatter, _LEAST_GAIN * float(present.errors.mean()))
    return tried if gain > worth else present


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

    def columns(self, extras: tuple[str, ...], orders: tuple[float, ...]) -> Array:
        """Return the columns of all recordings (N, c), scaled to equal length."""
        columns = self._raw(extras, orders)
        sizes = np.linalg.norm(columns[self._used], axis=0)
        return np.asarray(columns / np.where(sizes > 0, sizes, 1.0))

    def _raw(self, extras: tuple[str, ...], orders: tuple[float, ...]) -> Array:
        wanted: list[tuple[tuple[str, ...], tuple[float, ...]]] = [((), ())]
        wanted += [((name,), ()) for name in extras]
        wanted += [((), (order,)) for order in orders]
        for part in wanted:
            if part not in self._known:
                self._known[part] = self._kept(*part)
        return np.hstack([self._known[part] for part in wanted])

    def _kept(self, extras: tuple[str, ...], orders: tuple[float, ...]) -> Array:
        """Return the columns of every joint, or those of an extra or an order (N, c)."""
        band, first = self._band, COMMON if extras or orders else 0
        kept = [columns_of(one, extras, orders, band)[:, first:] for one in self._motions]
        return np.concatenate([band.kept(columns) for columns in kept])

    def hardens(self, extras: tuple[str, ...]) -> bool:
        """Return whether the joint becomes stiffer with load, and bends further with more."""
        columns = self._raw(extras, ())
        sizes = np.linalg.norm(columns[self._used], axis=0)
        scale = np.where(sizes > 0, sizes, 1.0)
        found = np.linalg.lstsq(columns[self._used] / scale, self._values[self._used], rcond=1e-9)
        compliance, hardening = (found[0] / scale)[[COMPLIANCE, len(scale) - 1]]
        largest = float(np.abs(columns[self._used, COMPLIANCE]).max())
        return bool(0 < 3 * hardening * largest**2 < compliance)

    def errors(self, extras: tuple[str, ...], orders: tuple[float, ...]) -> Array:
        """Return the mean squared error of each block by the coefficients of the others."""
        columns = self.columns(extras, orders)
        parts = [self._used & (self._block == block) for block in self._blocks]
        grams = [columns[part].T @ columns[part] for part in parts]
        products = [columns[part].T @ self._values[part] for part in parts]
        gram, product = sum(grams), sum(products)
        found = []
        for part, own_gram, own_product in zip(parts, grams, products, strict=True):
            if not part.any():
                continue
            rest = np.linalg.lstsq(gram - own_gram, product - own_product, rcond=1e-12)[0]
            found.append(float(np.mean((self._values[part] - columns[part] @ rest) ** 2)))
        return np.array(found)

    def strongest_order(self, chosen: Selection) -> float | None:
        """Return the order whose wave explains most of the residual; None where none can."""
        kept = [one.position[:: self._band.step] for one in self._motions]
        position = np.concatenate(kept)[self._used]
        speed = max(float(np.abs(one.velocity).max()) for one in self._motions)
        reach = float(np.ptp(position))
        if reach <= 0 or speed <= 0:
            return None
        resolution = 2 * np.pi / reach
        highest = _PERIODS_A_SECOND * self._band.rate * 2 * np.pi / speed
        orders = np.arange(_FEWEST_PERIODS * resolution, highest, _FINE * resolution)[:_MOST_ORDERS]
        if not len(orders):
            return None
        columns = self.columns(chosen.extras, chosen.orders)[self._used]
        basis = np.linalg.qr(columns)[0]
        residual = self._values[self._used]
        residual = residual - basis @ (basis.T @ residual)
        best = 0.0
        step = float(orders[1] - orders[0]) if len(orders) > 1 else 0.0
        for spread in (0.0, step, step / _FINER):
            tried = orders if spread == 0 else best + spread * np.linspace(-1, 1, 2 * _FINER + 1)
            powers = [
                np.abs(np.exp(1j * np.outer(tried[n : n + _AT_ONCE], position)) @ residual)
                for n in range(0, len(tried), _AT_ONCE)
            ]
            best = float(tried[int(np.argmax(np.concatenate(powers)))])
        return best
