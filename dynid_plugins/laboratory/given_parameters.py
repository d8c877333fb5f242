"""Base parameters from a file: a published table as CSV, or a file of ``dynid model base``."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from dynid.configuration import yaml_mapping
from dynid.dynamics.base_parameters import BaseParameterization, base_table
from dynid.dynamics.joint_terms import term_kinds
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import ConfigurationError
from dynid.input_file import read_text

_COEFFICIENT_TOLERANCE = 1e-4  # of coefficients that a file rounds


def read_base_parameters(
    path: Path, mechanism: Mechanism, base: BaseParameterization
) -> dict[str, float]:
    """Return values by the names of ``base``.

    A CSV file has a name and a value in each row, and may have a header and further columns. A YAML
    file is a mapping of names to values, or what ``dynid model base --format yaml`` writes. Names
    are dynid's (``ZZ2R``, ``Ia3``) or SYMORO's (``ZZR2``, ``IA3``), which earlier versions of
    ``dynid model base`` wrote.

    Raises:
        ConfigurationError: the file cannot be read, a name is unknown or occurs twice, a value is
            not a finite number, or the file regroups parameters differently.
    """
    pairs = list(_csv_pairs(path) if path.suffix == ".csv" else _yaml_pairs(path, mechanism, base))
    names = _with_symoro_names(base.names)
    values: dict[str, float] = {}
    for name, value in pairs:
        if name not in names:
            raise ConfigurationError(
                f"{path.name}: '{name}' is not a base parameter of this robot; available: "
                f"{', '.join(base.names)}."
            )
        if names[name] in values:
            raise ConfigurationError(f"{path.name}: the base parameter {name} is given twice.")
        values[names[name]] = _number(value, name, path)
    return values


def symoro_name(name: str) -> str:
    """Return SYMORO's name of a parameter: ``ZZR2`` for ``ZZ2R``, ``FS1`` for ``Fc1``.

    Kinds of terms that SYMORO does not have keep their names.
    """
    parts = re.fullmatch(r"(\D+)([\d_]+)(R?)", name)
    if parts is None:
        return name
    # Khalil and Dombre, Modeling, Identification and Control of Robots, write Coulomb friction FS
    known = {kind.prefix: kind.symoro_prefix for kind in term_kinds()}
    return f"{known.get(parts[1]) or parts[1]}{parts[3]}{parts[2]}"


def _with_symoro_names(names: Iterable[str]) -> dict[str, str]:
    """Names by themselves and by SYMORO's."""
    names = list(names)
    return {symoro_name(name): name for name in names} | {name: name for name in names}


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
    names = _with_symoro_names(base.names)
    standard_names = _with_symoro_names(mechanism.parameter_names)
    rows = {row.name: row.coefficients for row in base_table(mechanism, base, "", "").rows}
    for entry in content["base_parameters"] or ():
        if not isinstance(entry, dict) or not {"name", "value"} <= entry.keys():
            raise ConfigurationError(
                f"{path.name}: every entry of base_parameters must have a name and a value."
            )
        name = str(entry["name"])
        expected = rows.get(names.get(name, name))
        coefficients = entry.get("coefficients", expected)
        if expected is not None and not _same(coefficients, expected, standard_names):
            raise ConfigurationError(
                f"{path.name}: {name} is another combination of parameters than that of this "
                "robot; give the profile and URDF that the file was made with."
            )
        yield name, entry["value"]


def _same(
    coefficients: Any, expected: Mapping[str, float], standard_names: Mapping[str, str]
) -> bool:
    if not isinstance(coefficients, dict):
        return False
    named = {standard_names.get(name, name): value for name, value in coefficients.items()}
    if named.keys() != expected.keys():
        return False
    values = [named[name] for name in expected]
    numbers = all(isinstance(value, int | float) for value in values)
    return numbers and bool(
        np.allclose(
            values,
            list(expected.values()),
            rtol=_COEFFICIENT_TOLERANCE,
            atol=_COEFFICIENT_TOLERANCE,
        )
    )


def _number(value: object, name: str, path: Path) -> float:
    try:
        number = float(str(value))
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ConfigurationError(f"{path.name}: {name} is '{value}', expected a finite number.")
    return number
