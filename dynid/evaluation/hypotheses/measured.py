"""What a torque sensor may do besides a factor, and recordings with parameters of their own."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.evaluation.hypotheses.refit import Data


class Measured(NamedTuple):
    """A relation of the measured torque to that of the model, with factors that a refit finds.

    Attributes:
        kind: "shape": a joint's torque is no multiple of what is measured; "filter": it is measured
            behind a low-pass of first order; "crosstalk": torques of two joints are measured with a
            part of each other; "robot": a recording has all parameters of its own.
        place: the joint, or the recording.
        other: the other joint of a crosstalk.
    """

    kind: Literal["shape", "filter", "crosstalk", "robot"]
    place: int
    other: int = -1


def measured_columns(
    data: Data, slope: Array, recording: NDArray[np.intp], measured: Measured
) -> Array:
    """Return columns (m, n, c) of a relation.

    Args:
        data: with the measured torque.
        slope: (m, n) its derivative [N m/s or N/s].
        recording: (m,) number of each instant's recording.
        measured: the relation.
    """
    kind, joint, other = measured
    if kind == "robot":
        own = recording == joint
        return np.asarray(data.regressor[:, :, data.base.independent] * own[:, None, None])
    columns = np.zeros((*data.torque.shape, {"shape": 4, "filter": 1, "crosstalk": 2}[kind]))
    if kind == "shape":
        columns[:, joint] = _bent(data.torque[:, joint], data.kept[:, joint])
    elif kind == "filter":
        columns[:, joint, 0] = slope[:, joint]
    else:
        columns[:, joint, 0] = data.torque[:, other]
        columns[:, other, 1] = data.torque[:, joint]
    return columns


def _bent(torque: Array, kept: NDArray[np.bool_]) -> Array:
    """Return functions (m, 4) of a joint's torque (m,) that no factor of it explains [N m or N].

    A sensor that saturates, has a dead zone, or has another factor for each direction. A factor is
    taken from them so that the torque keeps its size.
    """
    peak = float(np.abs(torque[kept]).max(initial=0.0)) or 1.0
    share = torque / peak
    size = np.abs(share)
    shapes = np.column_stack([share * size, share**3, np.sign(share) * np.sqrt(size), size])
    inside = share[kept]
    multiples = inside @ shapes[kept] / max(float(inside @ inside), 1e-300)
    return np.asarray(peak * (shapes - np.outer(share, multiples)))
