"""Checks and conversion of arrays for the compiled core: numbers, C-ordered, of its shape."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import ArrayLike

from dynid.arrays import Array
from dynid.errors import MechanismError


def sample_arrays(count: int, arrays: Mapping[str, ArrayLike]) -> tuple[list[Array], bool]:
    """Return samples of ``count`` joints as arrays (N, count), and whether they were one sample.

    Args:
        count: number of joints.
        arrays: arrays by name, all (N, count) or all (count,).

    Raises:
        MechanismError: an array is not numeric, or of another shape.
    """
    read = {name: numbers(name, array) for name, array in arrays.items()}
    first = next(iter(read.values()))
    single = first.ndim == 1
    expected = (count,) if single else (len(first) if first.ndim == 2 else "N", count)
    for name, array in read.items():
        if array.shape != expected:
            raise MechanismError(
                f"{name} has shape {array.shape}, but must have "
                f"({', '.join(map(str, expected))}{',' if single else ''}), "
                f"one column for each of the {count} joints."
            )
    return [array.reshape(-1, count) for array in read.values()], single


def numbers(name: str, array: ArrayLike) -> Array:
    """Return a C-ordered float64 array; raises MechanismError where it is not numeric."""
    try:
        return np.ascontiguousarray(array, dtype=np.float64)
    except (TypeError, ValueError):
        raise MechanismError(f"{name} must be an array of numbers.") from None


def vector(name: str, array: ArrayLike, size: int) -> Array:
    """Return a vector of that size; raises MechanismError for any other."""
    vector = numbers(name, array)
    if vector.shape != (size,):
        raise MechanismError(f"{name} has shape {vector.shape}, but must have ({size},).")
    return vector


def check_output(out: Array, shape: tuple[int, ...]) -> None:
    """Raise MechanismError where ``out`` cannot be filled in place."""
    usable = out.dtype == np.float64 and out.flags.c_contiguous and out.flags.writeable
    if out.shape != shape or not usable:
        raise MechanismError(f"out must be a writeable C-ordered float64 array of shape {shape}.")
