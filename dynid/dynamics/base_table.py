"""Base parameters with their values and regrouping relations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from dynid.dynamics.base_parameters import BaseParameterization, relation
from dynid.dynamics.mechanism import Mechanism

Role = Literal["leads", "regrouped", "without effect"]


@dataclass(frozen=True)
class BaseRow:
    """One base parameter.

    Attributes:
        name: such as ``ZZ2R``; ``ZZ2`` where nothing is regrouped.
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
        origin: source of the values.
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
    """Return the base parameters of a mechanism, with the values of its own parameters."""
    deviations = standard_deviations or {}
    names = mechanism.parameter_names
    values = base.project(mechanism.parameters)
    rows = tuple(
        BaseRow(
            name=name,
            unit=base.units[k],
            value=float(values[k]),
            standard_deviation=deviations.get(name),
            coefficients=base.coefficients(names, k),
        )
        for k, name in enumerate(base.names)
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


def _role(base: BaseParameterization, column: int) -> Role:
    if column in base.independent:
        return "leads"
    return "regrouped" if base.regrouping[:, column].any() else "without effect"
