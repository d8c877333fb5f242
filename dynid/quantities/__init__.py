"""Physical quantities of a robot, worked out from its identified parameters."""

from dynid.quantities.quantity import Quantity, check_quantities, find_quantities
from dynid.quantities.settings import QuantitySettings

__all__ = ["Quantity", "QuantitySettings", "check_quantities", "find_quantities"]
