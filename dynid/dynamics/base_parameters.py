"""Base parameters: which combinations of standard parameters the torque depends on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy
from numpy.typing import NDArray

from dynid.arrays import Array, pieces
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import EstimationError

INERTIAL = ("M", "MX", "MY", "MZ", "XX", "XY", "YY", "XZ", "YZ", "ZZ")
"""A body's parameters in the order of ``mechanism.parameters``."""
# kept before dropped, for a joint axis along z; other axes follow by cyclic exchange (Khalil)
_KEPT_FIRST = ("ZZ", "XX", "XY", "XZ", "YZ", "MX", "MY", "YY", "MZ", "M")
_TOLERANCE = 1e-8
_ZERO = 1e-12
_ONE = 1e-5  # of a factor: what is nearer to 1 is written without it
_SAMPLED_RANGE = (0.1, 0.5)  # [m] or [rad] around the position of assembly


@dataclass(frozen=True)
class BaseParameterization:
    """The linear map from standard to base parameters, ``beta = regrouping @ standard``.

    Attributes:
        independent: (k,) indices of the standard parameters that lead a base parameter.
        regrouping: (k, p); its columns ``independent`` are the identity.
        names: ``ZZ2R`` where parameters are regrouped, else the standard name.
        expressions: relations such as ``ZZ2R = ZZ2 + YY3 + 0.0961 M3``.
    """

    independent: NDArray[np.intp]
    regrouping: Array
    names: tuple[str, ...]
    expressions: tuple[str, ...]
    units: tuple[str, ...]

    def coefficients(self, names: Sequence[str], number: int) -> dict[str, float]:
        """Return what a base parameter consists of by name (p,), the leading one first."""
        return _coefficients(names, int(self.independent[number]), self.regrouping[number])

    def project(self, standard: Array) -> Array:
        """Return the base parameters (k,) of a standard parameter vector (p,)."""
        return np.asarray(self.regrouping @ standard)

    def lift(self, base: Array, near: Array) -> Array:
        """Return a standard vector (p,) with these base parameters, otherwise as ``near`` (p,)."""
        standard = np.array(near)
        standard[self.independent] += base - self.project(near)
        return standard


def base_parameterization(mechanism: Mechanism) -> BaseParameterization:
    """Find the base parameters by QR of the regressor at random motion (Gautier 1991).

    Columns are taken in the order that keeps the conventional parameters (Khalil and Kleinfinger
    1987): a column that depends on those before it is regrouped into them.

    Raises:
        EstimationError: the numerical rank is unclear.
    """
    triangle = _random_triangle(mechanism)
    independent, dependent = _independent(triangle, mechanism)
    regrouping = np.zeros((len(independent), triangle.shape[1]))
    regrouping[np.arange(len(independent)), independent] = 1.0
    if len(dependent):
        q, r = np.linalg.qr(triangle[:, independent])
        coefficients = scipy.linalg.solve_triangular(r, q.T @ triangle[:, dependent])
        coefficients[np.abs(coefficients) < 1e-9 * np.abs(coefficients).max()] = 0.0
        regrouping[:, dependent] = coefficients
    names, expressions = [], []
    for lead, row in zip(independent, regrouping, strict=True):
        coefficients = _coefficients(mechanism.parameter_names, int(lead), row)
        regrouped = len(coefficients) > 1
        name = base_parameter_name(mechanism.parameter_names[lead], regrouped=regrouped)
        text = relation(coefficients)
        names.append(name)
        expressions.append(f"{name} = {text}" if regrouped else text)
    units = tuple(mechanism.parameter_units[i] for i in independent)
    return BaseParameterization(independent, regrouping, tuple(names), tuple(expressions), units)


def base_parameter_counts(mechanism: Mechanism) -> tuple[int, int]:
    """Count the base parameters, and those among them that a body's parameter leads.

    Raises:
        EstimationError: the numerical rank is unclear.
    """
    independent, _ = _independent(_random_triangle(mechanism), mechanism)
    return len(independent), int((independent < mechanism.first_term).sum())


def _independent(
    triangle: Array, mechanism: Mechanism
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the columns that lead a base parameter, and those that are regrouped into them."""
    independent, dependent = _split(triangle, _preferred_order(mechanism))
    pivoted = np.abs(np.diag(scipy.linalg.qr(_scaled(triangle), mode="r", pivoting=True)[0]))
    rank = int((pivoted > _TOLERANCE * pivoted[0]).sum())
    if rank != len(independent):
        raise EstimationError(
            f"the rank of the regressor is unclear ({len(independent)} or {rank} base parameters): "
            "inertias or lengths in the URDF may differ by too many orders of magnitude."
        )
    return independent, dependent


def _random_triangle(mechanism: Mechanism) -> Array:
    """Return R of the regressor's QR at random motion; (p, p), or fewer rows.

    R has the inner products of the regressor's columns, but far fewer rows. The regressor is
    computed in pieces, each of which is reduced together with the R of those before.
    """
    q, dq, ddq = _random_motion(mechanism)
    parameters = len(mechanism.parameter_names)
    triangle, past = np.empty((0, parameters)), mechanism.new_past()
    for piece in pieces(len(q), len(mechanism.joints) * parameters):
        regressor = mechanism.regressor(q[piece], dq[piece], ddq[piece], past=past)
        stacked = np.vstack([triangle, regressor.reshape(-1, parameters)])
        triangle = np.asarray(np.linalg.qr(stacked, mode="r"))
    return triangle


def _random_motion(mechanism: Mechanism) -> tuple[Array, Array, Array]:
    """Return positions, velocities and accelerations (N, n) that excite all base parameters."""
    n, samples = len(mechanism.joints), 40 * max(1, len(mechanism.parameter_names) // 10)
    random = np.random.default_rng(0)
    # steps over many orders of magnitude separate the columns of terms with memory
    steps = 10 ** random.uniform(-5, 0.5, (samples, n)) * random.choice([-1, 1], (samples, n))
    position = np.cumsum(steps, axis=0)
    if mechanism.chain.passive:
        position = _reachable_positions(mechanism, random, samples)
    velocity = random.uniform(-2, 2, (samples, n))
    acceleration = random.uniform(-5, 5, (samples, n))
    return position, velocity, acceleration


def _reachable_positions(mechanism: Mechanism, random: np.random.Generator, samples: int) -> Array:
    """Return positions (samples, n) around that of assembly at which loops can be closed.

    Raises:
        EstimationError: too few can be reached.
    """
    middle = np.array(mechanism.chain.assembled_at or [0.0] * len(mechanism.joints))
    reach = np.where(mechanism.prismatic, *_SAMPLED_RANGE)
    tried = middle + reach * random.uniform(-1, 1, (20 * samples, len(middle)))
    positions = np.empty((0, len(middle)))
    for part in np.array_split(tried, 20):
        if len(positions) < samples:
            positions = np.concatenate([positions, part[mechanism.reachable(part)]])
    if len(positions) < samples:
        raise EstimationError(
            f"the closed chain can be closed only at {len(positions)} of {len(tried)} positions "
            "around that of its assembly: choose another one for closed_chain.assembled_at."
        )
    return np.asarray(positions[:samples])


def _preferred_order(mechanism: Mechanism) -> list[int]:
    """Return column indices, those to keep first: friction, then inertial ones by convention."""
    bodies = range(len(mechanism.body_joints))
    terms = {mechanism.first_term + i: term.traits for i, term in enumerate(mechanism.terms)}
    # regrouped into columns that depend on them linearly: a first joint's inertia, an offset
    last = [column for column, kind in terms.items() if kind.regrouped]
    order = [column for column in terms if column not in last]
    for kept in _KEPT_FIRST:
        order += [10 * b + INERTIAL.index(_turned(kept, mechanism.axes[b])) for b in bodies]
    return order + last


def _turned(name: str, axis: Array) -> str:
    """Return the name of the same parameter for a joint whose axis is nearest to x or y."""
    shift = (int(np.argmax(np.abs(axis))) - 2) % 3
    if name == "M":
        return name
    letters = "".join("XYZ"["XYZ".index(c) + shift - 3] for c in name.replace("M", "", 1))
    if name.startswith("M"):
        return "M" + letters
    return "".join(sorted(letters))


def _scaled(triangle: Array) -> Array:
    """Return columns of unit norm; those that are zero but for rounding become zero."""
    norms = np.linalg.norm(triangle, axis=0)
    zero = norms <= _ZERO * norms.max()
    return np.where(zero, 0.0, triangle / np.where(zero, 1.0, norms))


def _split(triangle: Array, order: list[int]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Split the columns, in order: one in the span of those kept so far is dependent."""
    scaled = _scaled(triangle)
    basis = np.empty_like(scaled)
    kept: list[int] = []
    for column in order:
        rest = scaled[:, column]
        for _ in range(2):  # Gram–Schmidt twice is as good as Householder
            known = basis[:, : len(kept)]
            rest = rest - known @ (known.T @ rest)
        size = np.linalg.norm(rest)
        if size > _TOLERANCE:
            basis[:, len(kept)] = rest / size
            kept.append(column)
    dependent = sorted(set(order) - set(kept))
    return np.array(sorted(kept), dtype=np.intp), np.array(dependent, dtype=np.intp)


def _coefficients(names: Sequence[str], lead: int, row: Array) -> dict[str, float]:
    others = [int(column) for column in np.flatnonzero(row) if column != lead]
    return {names[column]: float(row[column]) for column in (lead, *others)}


def base_parameter_name(standard_name: str, *, regrouped: bool) -> str:
    """Return the name of a base parameter, as Khalil and Dombre write it: ``ZZ2R`` or ``ZZ2``."""
    return f"{standard_name}R" if regrouped else standard_name


def relation(coefficients: Mapping[str, float]) -> str:
    """Return a sum of parameters as text, such as ``ZZ2 + YY3 - 0.0961 M3``."""
    text = ""
    for name, factor in coefficients.items():
        size = "" if abs(abs(factor) - 1.0) <= _ONE else f"{abs(factor):.6g} "
        sign = ("-" if factor < 0 else "") if not text else f" {'-' if factor < 0 else '+'} "
        text += f"{sign}{size}{name}"
    return text


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
