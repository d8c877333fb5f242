"""Many robots over years: one engine, one data set, and what changes.

``dynid.fleet.load(folder)`` returns the results that ``dynid fleet identify`` has written.
"""

from dynid.fleet.dataset import FleetResults, load

__all__ = ["FleetResults", "load"]
