"""The estimators by name: those of the core, and those that plug-ins register.

An estimator is a class that says itself what it is (:class:`~dynid.estimation.estimate.Estimator`).
One line makes it known: of the core in :data:`CORE`, so that it works without an installed
distribution and is found without a search; of a plug-in as an entry point in the group
``dynid.estimators``. Both are imported when they are used.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from dynid.errors import ConfigurationError
from dynid.plugins import ESTIMATORS, load_plugin, registered

if TYPE_CHECKING:
    from dynid.estimation.estimate import Estimator

CORE = {
    "ols": "least_squares:OrdinaryLeastSquares",
    "wls": "least_squares:WeightedLeastSquares",
    "irls": "least_squares:IterativelyReweightedLeastSquares",
    "rls": "recursive:RecursiveLeastSquares",
}
"""Modules below dynid.estimation and classes, by the estimators' names."""


def estimator_names() -> tuple[str, ...]:
    """Return the names of all estimators: those of the core, then those of plug-ins."""
    return (*CORE, *(name for name in registered(ESTIMATORS) if name not in CORE))


@cache
def estimator_class(name: str) -> type[Estimator]:
    """Import an estimator's class.

    Raises:
        ConfigurationError: there is none of this name, or it cannot be imported.
    """
    if name in CORE:
        module, _, attribute = CORE[name].partition(":")
        core: type[Estimator] = getattr(import_module(f"dynid.estimation.{module}"), attribute)
        return core
    found: type[Estimator] = load_plugin(ESTIMATORS, name, f"the estimator '{name}'")
    if found.name != name:
        message = f"the estimator '{found.name}' is registered as '{name}'; both must be the same."
        raise ConfigurationError(message)
    return found


def make_estimator(chosen: str | Estimator) -> Estimator:
    """Return an estimator: the given one, or the one of a name with its default settings."""
    return estimator_class(chosen)() if isinstance(chosen, str) else chosen


def name_of(chosen: str | Estimator) -> str:
    """Return the name of an estimator, which may be one itself."""
    return chosen if isinstance(chosen, str) else chosen.name


def is_estimator(chosen: object) -> bool:
    """Return whether this is the name of an estimator, or an estimator."""
    if isinstance(chosen, str):
        return chosen in CORE or chosen in registered(ESTIMATORS)
    return hasattr(chosen, "fit") and not isinstance(chosen, type)
