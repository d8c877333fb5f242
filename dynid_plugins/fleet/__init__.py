"""Many robots over years: one engine, one data set, and what changes.

``load(folder)`` returns the results that ``dynid fleet identify`` has written; ``detect_drift``
compares a history of models with its beginning. Names are imported on first use: drift needs no
library of the extra ``dynid[fleet]``.
"""

from typing import TYPE_CHECKING

from dynid.plugins import names_on_use

if TYPE_CHECKING:
    from dynid_plugins.fleet.dataset import FleetResults, load
    from dynid_plugins.fleet.drift.detection import Drift, detect_drift
    from dynid_plugins.fleet.drift.history import History, history_of_models

__all__ = ["Drift", "FleetResults", "History", "detect_drift", "history_of_models", "load"]

__getattr__ = names_on_use(
    __name__,
    {
        "Drift": "drift.detection",
        "FleetResults": "dataset",
        "History": "drift.history",
        "detect_drift": "drift.detection",
        "history_of_models": "drift.history",
        "load": "dataset",
    },
)
