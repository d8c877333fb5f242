"""Models in the files of simulators: MJCF, SDF, USD and URDF.

What a format cannot represent is named, with the nearest that it can and what that costs.
"""

from typing import TYPE_CHECKING

from dynid.plugins import names_on_use

if TYPE_CHECKING:
    from dynid_plugins.simulators.export import Export, export_model

__all__ = ["Export", "export_model"]

__getattr__ = names_on_use(__name__, {"Export": "export", "export_model": "export"})
