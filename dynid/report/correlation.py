"""Correlation of the estimated base parameters: a map, and the strongest pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from markupsafe import Markup, escape

from dynid.arrays import Array

if TYPE_CHECKING:
    from dynid.robot.provenance import BaseEstimate

_DRAWN = 0.1  # smaller correlations are left white
_PAIRS = 8
_NAMED = 60  # rows with a name; of more, every k-th, as names would overlap
_MOST_PARAMETERS = 120  # parameters of a map that can be read


class CorrelatedPair(NamedTuple):
    """Two base parameters and the correlation of their errors."""

    first: str
    second: str
    correlation: float


class CorrelationMap(NamedTuple):
    """The map as HTML, and the strongest pairs."""

    markup: Markup
    pairs: list[CorrelatedPair]


def correlation_map(base: BaseEstimate) -> CorrelationMap | None:
    """Return the correlations of the errors of base parameters; None without their covariance."""
    if base.covariance is None or not 2 <= len(base.names) <= _MOST_PARAMETERS:
        return None
    values = correlations(base.covariance)
    first, second = np.tril_indices(len(values), -1)
    order = np.argsort(-np.abs(values[first, second]))[:_PAIRS]
    pairs = [
        CorrelatedPair(base.names[i], base.names[j], float(values[i, j]))
        for i, j in zip(second[order].tolist(), first[order].tolist(), strict=True)
    ]
    return CorrelationMap(_map(base.names, values), pairs)


def correlations(covariance: Array) -> Array:
    """Return the correlations (b, b) of a covariance; 0 where a variance is 0."""
    spread = np.sqrt(np.diag(covariance))
    scale = np.divide(1.0, spread, out=np.zeros_like(spread), where=spread > 0)
    return np.asarray(covariance * np.outer(scale, scale))


def _map(names: tuple[str, ...], values: Array) -> Markup:
    count = len(names)
    cells = "".join(
        f'<rect class="{"model" if values[i, j] > 0 else "error"}" x="{j}" y="{i}" '
        f'width="1" height="1" '
        f'fill-opacity="{abs(values[i, j]):.2f}">'
        f"<title>{escape(names[i])}, {escape(names[j])}: {values[i, j]:.2f}</title></rect>"
        for i, j in zip(*np.nonzero(np.abs(np.tril(values)) >= _DRAWN), strict=True)
    )
    rows = "".join(
        f'<span class="y" style="top:{100 * (number + 0.5) / count:.4g}%">{escape(name)}</span>'
        for number, name in enumerate(names)
        if number % -(-count // _NAMED) == 0
    )
    return Markup(  # noqa: S704  names are escaped, the rest are numbers
        f'<div class="map" role="img" aria-label="Correlation of {count} base parameters">'
        f'<svg viewBox="0 0 {count} {count}">{cells}</svg>{rows}</div>'
    )
