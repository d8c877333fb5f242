"""The direction from which pictures of a robot are seen."""

from __future__ import annotations

import numpy as np

from dynid.arrays import Array

_AZIMUTH, _ELEVATION = np.radians(-54.0), np.radians(22.0)  # of the viewer


def view_axes() -> Array:
    """Return the directions to the right, up, and towards the viewer, as columns; (3, 3)."""
    back = np.array(
        [
            np.cos(_ELEVATION) * np.cos(_AZIMUTH),
            np.cos(_ELEVATION) * np.sin(_AZIMUTH),
            np.sin(_ELEVATION),
        ]
    )
    right = np.array([-np.sin(_AZIMUTH), np.cos(_AZIMUTH), 0.0])
    return np.stack([right, np.cross(back, right), back], axis=1)
