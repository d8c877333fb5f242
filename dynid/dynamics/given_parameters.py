"""Base parameters from a file: a published table as CSV, or a file of ``dynid model base``."""

from __future__ import annotations

import csv
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from dynid.configuration import yaml_mapping
from dynid.dynamics.base_table import base_table
from dynid.errors import ConfigurationError
from dynid.input_file import read_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from dynid.dynamics.base_parameters import BaseParameterization
    from dynid.dynamics.mechanism import Mechanism

_SAME = 1e-4  # of coefficients that a file rounds


def read_base_parameters(
    path: Path, mechanism: Mechanism, base: BaseParameterization
) -> dict[str, float]:
    """Return values by the names of ``base``.

    A CSV file has a name and a value in each row, and may have a header and further columns. A YAML
    file is a mapping of names to values, or a file of ``dynid model base --format yaml``. Names
    are dynid's (``ZZ2R``) or SYMORO's (``ZZR2``).

    Raises:
        ConfigurationError: the file cannot be read, a name is unknown or occurs twice, a value is
            not a finite number, or the file regroups parameters differently.
    """
    pairs = list(_csv_pairs(path) if path.suffix == ".csv" else _yaml_pairs(path, mechanism, base))
    names = _names(mechanism, base)
    found: dict[str, float] = {}
    for name, value in pairs:
        if name not in names:
            raise ConfigurationError(
                f"{path.name}: '{name}' is not a base parameter of this robot; available: "
                f"{', '.join(base.names)}."
            )
        if names[name] in found:
            raise ConfigurationError(f"{path.name}: the base parameter {name} is given twice.")
        found[names[name]] = _number(value, name, path)
    return found


def _names(mechanism: Mechanism, base: BaseParameterization) -> dict[str, str]:
    """Return the names of ``base`` by dynid's and by SYMORO's names."""
    symoro = [row.name for row in base_table(mechanism, base, "", "").rows]
    return dict(zip(symoro, base.names, strict=True)) | {name: name for name in base.names}


def _csv_pairs(path: Path) -> Iterable[tuple[str, object]]:
    for number, row in enumerate(csv.reader(read_text(path).splitlines())):
        cells = [cell.strip() for cell in row]
        if not any(cells) or cells[0].startswith("#"):
            continue
        if len(cells) < 2:
            raise ConfigurationError(
                f"{path.name}, line {number + 1}: expected a name and a value, such as ZZ2R, 1.34."
            )
        if cells[:2] != ["name", "value"]:
            yield cells[0], cells[1]


def _yaml_pairs(
    path: Path, mechanism: Mechanism, base: BaseParameterization
) -> Iterable[tuple[str, object]]:
    content = yaml_mapping(read_text(path), path.name)
    if "base_parameters" not in content:
        yield from content.items()
        return
    rows = {row.name: row.coefficients for row in base_table(mechanism, base, "", "").rows}
    for entry in content["base_parameters"] or ():
        if not isinstance(entry, dict) or not {"name", "value"} <= entry.keys():
            raise ConfigurationError(
                f"{path.name}: every entry of base_parameters must have a name and a value."
            )
        name = str(entry["name"])
        if name in rows and not _same(entry.get("coefficients", rows[name]), rows[name]):
            raise ConfigurationError(
                f"{path.name}: {name} is another combination of parameters than that of this "
                "robot; give the profile and URDF that the file was made with."
            )
        yield name, entry["value"]


def _same(coefficients: Any, expected: Mapping[str, float]) -> bool:  # noqa: ANN401 (of a file)
    if not isinstance(coefficients, dict) or coefficients.keys() != expected.keys():
        return False
    values = [coefficients[name] for name in expected]
    numbers = all(isinstance(value, int | float) for value in values)
    return numbers and bool(np.allclose(values, list(expected.values()), rtol=_SAME, atol=_SAME))


def _number(value: object, name: str, path: Path) -> float:
    try:
        number = float(str(value))
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ConfigurationError(f"{path.name}: {name} is '{value}', expected a finite number.")
    return number
