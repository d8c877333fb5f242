"""Array types used in all packages."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
"""Array of float64, time along axis 0, joints along axis 1; each docstring gives the shape."""
Vector = tuple[float, float, float]
"""x, y and z."""
