"""Two masses joined by a gear that bends, fitted to a frequency response, against one mass."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.identification.held_out import mean_and_error
from dynid_plugins.elastic.frequency_response import FrequencyResponse
from dynid_plugins.elastic.m_estimate import robust_loss

PARAMETERS = ("rotor", "viscous", "link", "stiffness", "damping")
_LEAST_DEVIATION = 0.02  # of a response: windows leak, whatever the coherence
_REACH = 7.0  # of the logarithms of parameters from their first guesses: a factor of 1100
_FOLDS = 4
_BLOCK = 5  # frequencies that are left out together: a Hann window mixes as many
_SIGNIFICANT = 2.0  # standard errors


class TwoMassFit(NamedTuple):
    """Two masses that fit a response.

    Attributes:
        logarithms: (5,) of rotor inertia, viscous friction, link inertia, stiffness, damping.
        covariance: (5, 5) of these.
        bends: whether they predict frequencies that are left out better than one mass does.
    """

    logarithms: Array
    covariance: Array
    bends: bool


class _Lines(NamedTuple):
    """Frequencies (F,) [Hz] with the response, and its relative standard deviation."""

    frequency: Array
    response: Array
    deviation: Array

    def at(self, chosen: NDArray[np.bool_]) -> _Lines:
        return _Lines(*(values[chosen] for values in self))

    def errors(self, modelled: Array) -> Array:
        """Return the errors (2 F,) of a model's logarithm, in standard deviations."""
        error = np.log(modelled / self.response) / self.deviation
        return np.concatenate([error.real, error.imag])


_Model = Callable[[Array, Array], Array]


def two_mass_response(frequency: Array, logarithms: Array) -> Array:
    """Return velocity over torque (F,) of two masses at frequencies [Hz]."""
    rotor, viscous, link, stiffness, damping = np.exp(logarithms)
    s = 2j * np.pi * frequency
    gear = damping * s + stiffness
    moved = link * s**2 + gear
    return np.asarray(moved / ((rotor * s + viscous) * moved + link * s * gear))


def fit_two_masses(response: FrequencyResponse) -> TwoMassFit:
    """Fit two masses to the coherent part of a response, and compare them with one."""
    used = response.coherent
    deviation = np.maximum(response.deviation[used], _LEAST_DEVIATION)
    lines = _Lines(response.frequency[used], response.response[used], deviation)
    fits = [_fitted(two_mass_response, lines, start) for start in _starts(lines)]
    best = min(fits, key=lambda one: float(one.cost))
    freedom = max(2 * len(deviation) - len(PARAMETERS), 1)
    scale = max(1.0, 2 * float(best.cost) / freedom)
    covariance = np.asarray(np.linalg.pinv(best.jac.T @ best.jac) * scale)
    return TwoMassFit(best.x, covariance, _bends(lines, best.x))


def _fitted(
    model: _Model, lines: _Lines, start: Array, reach: float = _REACH
) -> scipy.optimize.OptimizeResult:
    return scipy.optimize.least_squares(
        lambda values: lines.errors(model(lines.frequency, values)),
        start,
        bounds=(start - reach, start + reach),
        loss="soft_l1",
        x_scale="jac",
        max_nfev=200,
    )


def _starts(lines: _Lines) -> list[Array]:
    """Return first guesses: the deepest antiresonance, with several ratios of the masses."""
    frequency = lines.frequency
    size = np.abs(lines.response) * frequency  # constant for one mass
    smooth = scipy.ndimage.median_filter(size, 3, mode="nearest")
    low = scipy.signal.argrelextrema(smooth, np.less_equal, order=3)[0]
    inside = low[(low > 1) & (low < len(smooth) - 2)]  # at the ends excitation may be missing
    deepest = min(inside, key=lambda i: smooth[i], default=int(np.argmin(smooth)))
    locked = 2 * np.pi * float(frequency[deepest])
    total = 1 / (2 * np.pi * float(np.median(size[: max(3, len(size) // 10)])))
    guesses = []
    for share in (0.2, 0.5, 0.8):
        link = share * total
        stiffness = link * locked**2
        values = [total - link, 0.01 * total * locked, link, stiffness, 0.05 * stiffness / locked]
        guesses.append(np.log(values))
    return guesses


def _one_mass_response(frequency: Array, values: Array) -> Array:
    """Return velocity over torque (F,) of inertia, friction, spring (gravity), and a delay [s]."""
    inertia, viscous, spring, delay = values
    s = 2j * np.pi * frequency
    return np.asarray(np.exp(-delay * s) / (inertia * s + viscous + spring / s))


def _one_mass(lines: _Lines) -> Array:
    """Return inertia, viscous friction and spring by linear least squares, and no delay; (4,)."""
    s = 2j * np.pi * lines.frequency
    columns = np.column_stack([s, np.ones_like(s), 1 / s]) * lines.response[:, None]
    columns = columns / lines.deviation[:, None]
    right = np.concatenate([1 / lines.deviation, np.zeros(len(s))])
    stacked = np.concatenate([columns.real, columns.imag])
    return np.append(np.linalg.lstsq(stacked, right, rcond=None)[0], 0.0)


def _bends(lines: _Lines, two_masses: Array) -> bool:
    """Whether two masses predict frequencies that are left out better than one mass does."""
    block = np.arange(len(lines.frequency)) // _BLOCK
    gains = np.zeros(len(block))
    for fold in range(_FOLDS):
        out = block % _FOLDS == fold
        fitted, left = lines.at(~out), lines.at(out)
        one = _fitted(_one_mass_response, fitted, _one_mass(fitted), np.inf).x
        two = _fitted(two_mass_response, fitted, two_masses).x
        losses = [
            robust_loss(left.errors(model(left.frequency, values)))
            for model, values in ((_one_mass_response, one), (two_mass_response, two))
        ]
        gains[out] = losses[0] - losses[1]
    mean, error = mean_and_error(np.asarray(np.bincount(block, gains), dtype=np.float64))
    return mean > _SIGNIFICANT * error
