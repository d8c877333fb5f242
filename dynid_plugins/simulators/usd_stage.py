"""Stages of USD: opened from text, in metres and kilograms, by the library of usd-core."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from dynid.errors import ConfigurationError
from dynid.input_file import check_regular
from dynid.plugins import naming_extra
from dynid.text import printable

_FORMS = (".usda", ".usdc", ".usd", ".usdz")
_WORDS = re.compile(r" in file \S+ : '(.*?)'(?= Error in |$)")

Prim = Any
"""A pxr.Usd.Prim; the library has no types."""


class UsdLibrary(NamedTuple):
    """The modules of ``pxr`` that are used."""

    gf: ModuleType
    sdf: ModuleType
    usd: ModuleType
    geom: ModuleType
    physics: ModuleType


def usd_library() -> UsdLibrary:
    """Return the library.

    Raises:
        ConfigurationError: it is not installed.
    """
    with naming_extra("USD", "dynid[usd]"):
        from pxr import Gf, Sdf, Usd, UsdGeom, UsdPhysics  # noqa: PLC0415  an extra
    return UsdLibrary(Gf, Sdf, Usd, UsdGeom, UsdPhysics)


def opened_file(path: Path) -> Any:
    """Open the stage of a user's file, in any form of USD.

    Raises:
        ConfigurationError: it cannot be read, or its units are not metres and kilograms.
    """
    library = usd_library()
    check_regular(path)
    if path.suffix.lower() not in _FORMS:
        raise ConfigurationError(
            f"{printable(path)}: is no file of USD, whose names end in {', '.join(_FORMS)}."
        )
    with usd_errors(str(path)):
        stage = library.usd.Stage.Open(str(path))
    _check_units(stage, library, str(path))
    return stage


def opened_text(text: str, where: Path) -> Any:
    """Open the stage of a text, whose layers are relative to the folder of ``where``.

    Raises:
        ConfigurationError: it cannot be read, or its units are not metres and kilograms.
    """
    library = usd_library()
    layer = library.sdf.Layer.CreateAnonymous(".usda")
    with usd_errors(str(where)):
        layer.ImportFromString(text)
        layer.subLayerPaths = [str(where.parent / path) for path in layer.subLayerPaths]
        stage = library.usd.Stage.Open(layer)
    _check_units(stage, library, str(where))
    return stage


@contextmanager
def usd_errors(where: str) -> Iterator[None]:
    """Convert errors of the library, and of values of another type, to a ConfigurationError."""
    from pxr import Tf  # noqa: PLC0415  an extra

    try:
        yield
    except (Tf.ErrorException, TypeError, ValueError) as error:
        message = f"{where}: USD's library cannot read it ({_reason(error)[:200]})."
        raise ConfigurationError(message) from None


def _reason(error: Exception) -> str:
    try:
        text = " ".join(str(error).split())
        # the library's own words stand in quotation marks, after its functions, lines and files
        return "; ".join(_WORDS.findall(text)) or text
    except UnicodeDecodeError:  # the library quotes the file
        return "its text is not UTF-8"


def _check_units(stage: Any, library: UsdLibrary, where: str) -> None:
    metres = library.geom.GetStageMetersPerUnit(stage)
    kilograms = library.physics.GetStageKilogramsPerUnit(stage)
    if not library.geom.LinearUnitsAre(metres, 1.0) or abs(kilograms - 1.0) > 1e-6:
        raise ConfigurationError(
            f"{where}: its units are {metres:g} m and {kilograms:g} kg; only metres and kilograms "
            "(metersPerUnit = 1, kilogramsPerUnit = 1) are supported."
        )
