"""Which recordings and tools are there, and why others are not."""

from __future__ import annotations

import runpy
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from dynid.errors import ConfigurationError
from dynid.plugins import naming_extra, on_use
from dynid_plugins.bench.contenders.interface import Contender
from dynid_plugins.bench.registry import PublicRecording, download

TOOLS = {
    "plain": ("model_based:PLAIN", ""),
    "dynid": ("model_based:DYNID", ""),
    "shipped": ("model_based:SHIPPED", ""),
    "figaroh": ("figaroh:FIGAROH", "figaroh"),
    "flobaroid": ("flobaroid:FLOBAROID", ""),
    "sysid": ("mujoco_sysid:SYSID", "mujoco[sysid]"),
    "learned": ("learned:LEARNED", "dynid[bench]"),
    "dynid+learned": ("learned:RESIDUAL", "dynid[bench]"),
}
"""Of each tool the module of ``contenders`` with its name in it, and what pip installs for it."""

_Entry = TypeVar("_Entry")


def chosen(
    option: str, names: Sequence[str] | None, known: Mapping[str, _Entry]
) -> dict[str, _Entry]:
    """Return the entries of these names, or all.

    Raises:
        ConfigurationError: a name is unknown.
    """
    for name in names or ():
        if name not in known:
            raise ConfigurationError(_unknown(option, name, known))
    return {name: known[name] for name in names or known}


def contender(name: str) -> Contender:
    """Return a tool by its name, or by ``file.py:NAME``.

    Raises:
        ConfigurationError: it is unknown, or a library that it needs is not installed.
    """
    if name in TOOLS:
        place, package = TOOLS[name]
        with naming_extra(f"the tool {name}", package), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of libraries, when they are imported
            found: Contender = on_use(f"dynid_plugins.bench.contenders.{place}")
            return found
    path, _, attribute = name.rpartition(":")
    if not path:
        raise ConfigurationError(_unknown("--tools", name, TOOLS))
    try:
        made = runpy.run_path(path)[attribute]
    except Exception as error:  # of a user's file
        message = f"--tools {name}: cannot be loaded: {type(error).__name__}: {error}."
        raise ConfigurationError(message) from error
    if not isinstance(made, Contender):
        raise ConfigurationError(f"--tools {name}: is {type(made).__name__}, not a Contender.")
    return made


def available_tools(names: Sequence[str] | None) -> tuple[dict[str, Contender], dict[str, str]]:
    """Return the tools that are installed, and why others are not, by name.

    Raises:
        ConfigurationError: a name is unknown, or a user's file cannot be loaded.
    """
    there, skipped = {}, {}
    for name in names or TOOLS:
        try:
            found = contender(name)
            found.with_versions()
        except ConfigurationError as error:  # noqa: PERF203  of a tool, which others do not need
            if name not in TOOLS:
                raise
            skipped[name] = str(error)
        else:
            there[name] = found
    return there, skipped


def available_recordings(
    wanted: Mapping[str, PublicRecording], data: Path | None
) -> tuple[Path, dict[str, PublicRecording], dict[str, str]]:
    """Return the folder, the recordings in it, and why others are not, by name.

    Args:
        wanted: by name.
        data: folder of the recordings; None for a cache, which is filled from the network.

    Raises:
        ConfigurationError: the folder does not exist or has none of them, or pooch is not
            installed.
    """
    skipped: dict[str, str] = {}
    if data is not None:
        if not data.is_dir():
            raise ConfigurationError(f"--data {data}: is not a folder.")
        folder = data
    else:
        with naming_extra("dynid bench without --data", "dynid[bench]"):
            import pooch  # noqa: PLC0415  of the extra

            folder = Path(pooch.os_cache("dynid")) / "bench"
            skipped = {name: download(one, folder) for name, one in wanted.items()}
    for name, one in wanted.items():
        skipped[name] = skipped.get(name) or one.missing(folder)
    there = {name: one for name, one in wanted.items() if not skipped[name]}
    if not there:
        name, why = next(iter(skipped.items()))
        raise ConfigurationError(f"no recording can be used; {name}: {why}")
    return folder, there, {name: why for name, why in skipped.items() if why}


def _unknown(option: str, name: str, known: Mapping[str, object]) -> str:
    return f"{option} {name}: is not known; the names are {', '.join(known)}."
