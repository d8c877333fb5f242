"""Rasterisation of faces with hidden surfaces, without a graphics card."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dynid.arrays import Array

_FINER = 2  # oversampling along each side; pixels are averaged


def paint(
    faces: Sequence[Array], colours: Array, low: Array, high: Array, width: int, height: int
) -> Array:
    """Paint convex faces in parallel projection.

    Args:
        faces: f of them, (K, 3) each: to the right, up, and towards the viewer [m].
        colours: (F, 4) red, green, blue, opacity from 0 to 1.
        low: (2,) coordinates of the lower left corner [m].
        high: (2,) coordinates of the upper right corner [m].
        width: [px].
        height: [px].

    Returns:
        (height, width, 4) red, green, blue, opacity, the top row first; transparent background.
    """
    size = _FINER * np.array([width, height])
    image = np.zeros((size[1], size[0], 4))
    nearest = np.full((size[1], size[0]), -np.inf)
    scale = size / (high - low)
    # transparent faces last, over those behind them
    for number in sorted(range(len(faces)), key=lambda f: colours[f][3] < 1):
        corners = faces[number] * [*scale, 1.0] - [*(low * scale + 0.5), 0.0]
        for corner in range(1, len(corners) - 1):
            _paint_triangle(image, nearest, corners[[0, corner, corner + 1]], colours[number])
    pixels = image[::-1].reshape(height, _FINER, width, _FINER, 4)
    opacity = pixels[..., 3:].mean(axis=(1, 3))
    blended = (pixels[..., :3] * pixels[..., 3:]).mean(axis=(1, 3))
    return np.concatenate([blended / np.maximum(opacity, 1e-9), opacity], axis=2)


def _paint_triangle(image: Array, nearest: Array, triangle: Array, colour: Array) -> None:
    """Paint a triangle (3, 3), in pixels and depth; pixel centres are at whole numbers."""
    first = np.maximum(np.ceil(triangle[:, :2].min(axis=0)).astype(int), 0)
    last = np.minimum(np.floor(triangle[:, :2].max(axis=0)).astype(int), image.shape[1::-1])
    if (last < first).any():
        return
    origin, a, b = triangle[0], triangle[1] - triangle[0], triangle[2] - triangle[0]
    area = a[0] * b[1] - a[1] * b[0]
    if abs(area) < 1e-9:
        return
    x = np.arange(first[0], last[0] + 1)[None, :] - origin[0]
    y = np.arange(first[1], last[1] + 1)[:, None] - origin[1]
    toward_a = (x * b[1] - y * b[0]) / area
    toward_b = (y * a[0] - x * a[1]) / area
    depth = origin[2] + toward_a * a[2] + toward_b * b[2]
    window = np.s_[first[1] : last[1] + 1, first[0] : last[0] + 1]
    inside = (toward_a >= 0) & (toward_b >= 0) & (toward_a + toward_b <= 1)
    inside = inside[: nearest[window].shape[0], : nearest[window].shape[1]]
    depth = depth[: inside.shape[0], : inside.shape[1]]
    inside &= depth > nearest[window]
    opacity = colour[3] + (1 - colour[3]) * image[window][inside, 3:]
    mixed = colour[3] * colour[:3] + (1 - colour[3]) * image[window][inside, :3]
    image[window][inside] = np.concatenate([mixed, opacity], axis=1)
    if colour[3] == 1:
        nearest[window][inside] = depth[inside]
