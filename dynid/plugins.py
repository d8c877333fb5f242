"""What plug-ins register: entry points by group and name, without importing any plug-in.

A distribution declares them, as setup.cfg does for the packages in ``dynid_plugins``. An
entry point may name the extra that installs the libraries it needs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from types import MappingProxyType
from typing import Any

from dynid.errors import ConfigurationError
from dynid.guessed_names import unknown_name

COMMANDS = "dynid.commands"
"""Group of commands: by name, each a ``dynid.cli.commands.CommandEntry``."""
ESTIMATORS = "dynid.estimators"
"""Group of estimators: classes by name."""
NAMES = "dynid.names"
"""Group of the names that ``import dynid`` has besides those of the core."""
MODEL_COMMANDS = "dynid.model_commands"
"""Group of commands below ``dynid model``: functions by name."""
PROFILE_GROUPS = "dynid.profile_groups"
"""Group of the groups of a profile that plug-ins add: classes of settings by key."""
RECORDINGS = "dynid.recordings"
"""Group of formats of recordings: functions of a path, see :mod:`dynid.recording.load`."""
HOOKS = "dynid.hooks"
"""Group of functions that the core calls and only a plug-in has."""


@cache
def registered(group: str) -> Mapping[str, EntryPoint]:
    """Return the entry points of a group, sorted by name; of equal names, the first installed."""
    found: dict[str, EntryPoint] = {}
    for one in entry_points(group=group):
        found.setdefault(one.name, one)
    return MappingProxyType(dict(sorted(found.items())))


def extra_of(entry: EntryPoint) -> str:
    """Return what pip calls an entry point's extras, such as ``dynid[fleet]``; "" without any."""
    names = ",".join(entry.extras)
    project = "dynid" if entry.dist is None else entry.dist.name
    return f"{project}[{names}]" if names else ""


@contextmanager
def naming_extra(user: str, extra: str) -> Iterator[None]:
    """Let a library that is missing in the block be an error that names the extra.

    Args:
        user: what needs the library, such as ``dynid fleet``.
        extra: what pip installs, such as ``dynid[fleet]``; "" for the library itself.

    Raises:
        ConfigurationError: a module of another project is not installed.
    """
    try:
        yield
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if not missing or missing.startswith("dynid"):
            raise
        message = f"{user} needs {missing}, which is missing: pip install '{extra or missing}'."
        raise ConfigurationError(message) from error


def public_name(name: str, others: Iterable[str] = ()) -> object:
    """Import a name of ``import dynid`` that a plug-in registers, or the class of an estimator.

    Raises:
        AttributeError: none registers it.
        ConfigurationError: a library that it needs is not installed.
    """
    estimators = {estimator.attr: estimator for estimator in registered(ESTIMATORS).values()}
    entry = registered(NAMES).get(name) or estimators.get(name)
    if entry is None:
        known = (*others, *registered(NAMES), *estimators)
        raise AttributeError(unknown_name("module 'dynid'", name, known), name=name)
    return _load(entry, f"dynid.{name}")


def on_use(place: str) -> Any:
    """Import ``module:name``, which a method needs of a package above that of its class."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


def names_on_use(package: str, modules: Mapping[str, str]) -> Callable[[str], object]:
    """Return the ``__getattr__`` of a package that imports its public names when they are used."""

    def find(name: str) -> object:
        if name not in modules:
            raise AttributeError(f"module '{package}' has no attribute '{name}'", name=name)
        found: object = getattr(import_module(f"{package}.{modules[name]}"), name)
        setattr(sys.modules[package], name, found)
        return found

    return find


def load_plugin(group: str, name: str, user: str) -> Any:
    """Import what a plug-in registers.

    Raises:
        ConfigurationError: none registers it, it cannot be imported, or a library that it needs is
            not installed.
    """
    entry = registered(group).get(name)
    if entry is None:
        message = f"{user} needs a plug-in that registers '{name}' in {group}; none is installed."
        raise ConfigurationError(message)
    try:
        return _load(entry, user)
    except (ImportError, AttributeError) as error:
        message = f"{user}: the plug-in {entry.value} cannot be imported: {error}."
        raise ConfigurationError(message) from error


def _load(entry: EntryPoint, user: str) -> Any:
    with naming_extra(user, extra_of(entry)):
        return entry.load()
