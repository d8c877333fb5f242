"""Base parameters with their regrouping relations, in SYMORO's names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from dynid.dynamics.base_parameters import relation
from dynid.dynamics.joint_terms import term_kinds

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dynid.dynamics.base_parameters import BaseParameterization
    from dynid.dynamics.mechanism import Mechanism

Role = Literal["leads", "regrouped", "without effect"]


@dataclass(frozen=True)
class BaseRow:
    """One base parameter.

    Attributes:
        name: SYMORO's name, such as ``ZZR2``; ``ZZ2`` where nothing is regrouped.
        unit: unit of the value.
        value: value with the mechanism's parameters.
        standard_deviation: from its identification, or None.
        coefficients: of the standard parameters that it consists of, the leading one first.
    """

    name: str
    unit: str
    value: float
    standard_deviation: float | None
    coefficients: dict[str, float]

    def relation(self) -> str:
        """Return the relation as text, such as ``ZZ2 + YY3 + 0.0961 M3``."""
        return relation(self.coefficients)


@dataclass(frozen=True)
class BaseTable:
    """All base parameters of a mechanism, and its standard parameters.

    Attributes:
        robot: name of the robot.
        origin: source of the values.
        rows: one per base parameter.
        bodies: names of the joints that carry the bodies.
        names: (p,) of the standard parameters, bodies first.
        units: (p,) of the standard parameters.
        values: (p,) of the standard parameters.
        roles: (p,) whether each leads a base parameter, is regrouped into others, or has no effect
            on torque.
    """

    robot: str
    origin: str
    rows: tuple[BaseRow, ...]
    bodies: tuple[str, ...]
    names: tuple[str, ...]
    units: tuple[str, ...]
    values: tuple[float, ...]
    roles: tuple[Role, ...]


def base_table(
    mechanism: Mechanism,
    base: BaseParameterization,
    robot: str,
    origin: str,
    standard_deviations: Mapping[str, float] | None = None,
) -> BaseTable:
    """Return the base parameters of a mechanism, with the values of its own parameters.

    Args:
        mechanism: the model.
        base: its base parameters.
        robot: name of the robot.
        origin: source of its parameters.
        standard_deviations: by the names of ``base`` (``ZZ2R``).
    """
    deviations = standard_deviations or {}
    names = tuple(symoro_name(name) for name in mechanism.parameter_names)
    values = base.project(mechanism.parameters)
    rows = tuple(
        BaseRow(
            name=_regrouped(names[lead]) if len(coefficients) > 1 else names[lead],
            unit=base.units[k],
            value=float(values[k]),
            standard_deviation=deviations.get(base.names[k]),
            coefficients=coefficients,
        )
        for k, lead in enumerate(base.independent)
        for coefficients in [_coefficients(base, names, k)]
    )
    return BaseTable(
        robot=robot,
        origin=origin,
        rows=rows,
        bodies=mechanism.body_joints,
        names=names,
        units=mechanism.parameter_units,
        values=tuple(float(value) for value in mechanism.parameters),
        roles=tuple(_role(base, column) for column in range(len(names))),
    )


def symoro_name(name: str) -> str:
    """Return SYMORO's name of a standard parameter: ``IA1`` for ``Ia1``, ``FS1`` for ``Fc1``.

    Kinds of terms that SYMORO does not have keep their names.
    """
    prefix, number = _split(name)
    # Khalil and Dombre, Modeling, Identification and Control of Robots, write Coulomb friction FS
    known = {kind.prefix: kind.symoro_prefix for kind in term_kinds()}
    return (known.get(prefix) or prefix) + number


def _regrouped(name: str) -> str:
    prefix, number = _split(name)
    return f"{prefix}R{number}"


def _split(name: str) -> tuple[str, str]:
    """Return ``ZZ`` and ``12`` of ``ZZ12``, ``Fs`` and ``2_2`` of ``Fs2_2``."""
    at = re.search(r"\d", name)
    cut = len(name) if at is None else at.start()
    return name[:cut], name[cut:]


def _coefficients(base: BaseParameterization, names: tuple[str, ...], k: int) -> dict[str, float]:
    lead = int(base.independent[k])
    others = [int(c) for c in np.flatnonzero(base.regrouping[k]) if c != lead]
    return {names[c]: float(base.regrouping[k, c]) for c in [lead, *others]}


def _role(base: BaseParameterization, column: int) -> Role:
    if column in base.independent:
        return "leads"
    return "regrouped" if base.regrouping[:, column].any() else "without effect"
