"""A payload, its provenance, and masses that a robot cannot carry."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy

from dynid.arrays import Array
from dynid.dynamics.base_parameters import base_parameterization
from dynid.dynamics.rigid_body import QUANTITIES, UNITS, Body
from dynid.files import write_text
from dynid.identification.payload.fit import payload_columns
from dynid.identification.provenance import versions
from dynid.recording.model import Recording, Source
from dynid.robot.model import Model
from dynid.robot.parameter_file import Value, parameter_file
from dynid.text import iso_time

TOO_LITTLE = "the recordings excite it too little"
"""Reason for a parameter that is identifiable from other recordings."""

_RANK = 1e-8  # relative size of rounding errors
_TIMES = 10.0  # the mass of the robot, and more than its drives can hold anywhere
_TIMES_WITHOUT_DRIVES = 100.0  # the mass of a robot whose torque limits are not known
_SHORT_LEVER = 0.1  # of the reach: so near to an axis the weight needs little torque
_DEVIATIONS_BELOW_ZERO = 5.0  # standard deviations below 0
_G = 9.81  # [m/s^2]


class PayloadRow(NamedTuple):
    """A value of a payload; its standard deviation is None if it is not identifiable."""

    name: str
    value: float
    unit: str
    standard_deviation: float | None


@dataclass(frozen=True, eq=False)
class Payload:
    """A payload.

    Attributes:
        robot: name of its profile.
        joint: the joint in whose frame the body is given.
        body: mass, centre and inertia.
        parameters: names of the body's ten parameters in the mechanism.
        not_identifiable: reasons by the names of parameters that are not identifiable.
        base: the model without payload.
        sources: recordings with payload.
        created: date and time in UTC.
        versions: of dynid and the libraries that results depend on.
    """

    robot: str
    joint: str
    body: Body
    parameters: tuple[str, ...]
    not_identifiable: dict[str, str]
    base: Source
    sources: tuple[Source, ...]
    created: datetime
    versions: dict[str, str]

    @property
    def quantities(self) -> tuple[PayloadRow, ...]:
        """Mass, centre of mass and inertia about it."""
        body = self.body
        return _rows(QUANTITIES, body.quantities, body.deviations, body.identifiable)

    @property
    def about_joint(self) -> tuple[PayloadRow, ...]:
        """The ten parameters, about the origin of the joint's frame."""
        names = zip(self.parameters, UNITS, strict=True)
        deviations = np.sqrt(np.diag(self.body.covariance))
        known = [name not in self.not_identifiable for name in self.parameters]
        return _rows(names, self.body.parameters, deviations, known)

    @property
    def rows(self) -> tuple[PayloadRow, ...]:
        """The quantities, and identifiable parameters of quantities that are not identifiable."""
        pairs = zip(self.quantities, self.about_joint, strict=True)
        alone = [
            row
            for quantity, row in pairs
            if quantity.standard_deviation is None is not row.standard_deviation
        ]
        return (*self.quantities, *alone)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Sentences on parameters that are not identifiable, one for each reason."""
        names: dict[str, list[str]] = {}
        for name, reason in self.not_identifiable.items():
            names.setdefault(reason, []).append(name)
        return tuple(f"{', '.join(group)}: {reason}." for reason, group in names.items())


def _rows(
    names: Iterable[tuple[str, str]], values: Array, deviations: Array, known: Iterable[bool]
) -> tuple[PayloadRow, ...]:
    """Return rows of values with names and units, and a standard deviation where it is known."""
    figures = zip(names, values.tolist(), deviations.tolist(), known, strict=True)
    return tuple(
        PayloadRow(name, value, unit, deviation if is_known else None)
        for (name, unit), value, deviation, is_known in figures
    )


def own_torque_errors(base: Model) -> Array:
    """Return the RMS torque errors of a model (n,) [N m or N]; 0 if it was not identified."""
    if base.errors is None:
        return np.zeros(len(base.mechanism.joints))
    return np.array(base.errors.rmse_torque)


def impossible_mass(base: Model, mass: float, standard_deviation: float = math.inf) -> str:
    """Return a sentence if a robot cannot carry such a mass, or an empty text if it can.

    Small servos carry many times their own mass, and an arm's structure may carry what its drives
    do not, so both have to be exceeded.

    Args:
        base: the model without payload.
        mass: of the payload [kg].
        standard_deviation: of the mass [kg]; infinite: a negative one is possible.
    """
    if mass < -_DEVIATIONS_BELOW_ZERO * standard_deviation:
        return (
            f"{mass:.3g} kg, standard deviation {standard_deviation:.2g} kg, is negative; check "
            "whether the model was identified with the payload, and the recording made without it."
        )
    robot_mass = _own_mass(base)
    held = _held_mass(base)
    times = _TIMES_WITHOUT_DRIVES if math.isnan(held) else _TIMES
    allowed = max(times * robot_mass, 0.0 if math.isnan(held) else held)
    if allowed == 0 or not mass > allowed:
        return ""
    drives = "" if math.isnan(held) else f", and its drives hold at most about {held:.2g} kg"
    return (
        f"no payload of {mass:.4g} kg is possible: the robot itself has a mass of "
        f"{robot_mass:.3g} kg{drives}; check the units of position (rad or m) and effort, and "
        "that the model is of this robot."
    )


def _own_mass(base: Model) -> float:
    """Return the mass of the moving bodies [kg], by the model or the URDF, whichever is larger."""
    mechanism = base.mechanism
    bodies = slice(0, mechanism.first_term, 10)
    return float(max(mechanism.parameters[bodies].sum(), mechanism.urdf_parameters[bodies].sum()))


def _held_mass(base: Model) -> float:
    """Return the mass that the strongest drive holds near to its axis [kg]; NaN: not known."""
    robot, mechanism = base.robot, base.mechanism
    if robot.limits.torque_max is None or robot.coupling is not None:
        return math.nan
    torque = robot.limits.of_joints(len(robot.joints)).torque
    lever = _SHORT_LEVER * robot.kinematics().reach
    with np.errstate(divide="ignore"):
        masses = torque / (_G * np.where(mechanism.prismatic, 1.0, lever))
    return float(masses.max())


def describe(base: Model, body: Body, recordings: Sequence[Recording]) -> Payload:
    """Return a body with its provenance, and the parameters that are not identifiable."""
    model = base.mechanism
    columns = payload_columns(model)
    names = tuple(model.parameter_names[column] for column in columns)
    # columns that depend on each other in the base parameters do so in every motion
    shown = base_parameterization(model).regrouping[:, columns]
    in_sums = np.sum(scipy.linalg.null_space(shown, rcond=_RANK) ** 2, axis=1) > _RANK
    return Payload(
        robot=base.robot.name,
        joint=model.body_joints[model.payload_body],
        body=body,
        parameters=names,
        not_identifiable={
            name: "it has no effect on the torque"
            if not shown[:, i].any()
            else "it is identifiable only in sums with other parameters"
            if in_sums[i]
            else TOO_LITTLE
            for i, name in enumerate(names)
            if not body.determined[i]
        },
        base=base.source or Source(base.robot.name, sha256="", kind="model"),
        sources=tuple(source for recording in recordings for source in recording.sources),
        created=datetime.now(timezone.utc),
        versions=versions(),
    )


def write_payload(payload: Payload, evidence: Sequence[str], path: Path) -> None:
    """Write ``payload.yaml``, whole or not at all; ``evidence`` are lines for its header.

    Raises:
        WriteError: the file cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, payload_text(payload, evidence))


def payload_text(payload: Payload, evidence: Sequence[str]) -> str:
    """Return the text of ``payload.yaml``, with only parameters that the controller declares."""
    body = payload.body
    values: dict[str, Value] = {
        "mass": float(body.mass),
        "centre": [float(value) for value in body.centre],
        "inertia": [float(value) for value in body.inertia],
    }
    return parameter_file({"payload": values}, [*_header(payload), *evidence])


def _header(payload: Payload) -> list[str]:
    base = payload.base
    width = max(len(row.name) for row in payload.rows)
    rows = [
        f"  {name:<{width}} not identifiable, set to {value:.6g} {unit}"
        if standard_deviation is None
        else f"  {name:<{width}} {value:.6g} +- {standard_deviation:.2g} {unit}"
        for name, value, unit, standard_deviation in payload.rows
    ]
    versions = ", ".join(f"{name} {version}" for name, version in payload.versions.items())
    return [
        f"Payload of {payload.robot} in the frame of joint '{payload.joint}', its inertia about "
        "its centre of mass:",
        *rows,
        *(f"  {sentence}" for sentence in payload.reasons),
        "Load it with: ros2 param load /feedforward_controller payload.yaml",
        f"Date and time: {iso_time(payload.created)}",
        f"Model without payload: {base.name}, SHA-256 {base.sha256}",
        *(f"Recording: {source.name}, SHA-256 {source.sha256}" for source in payload.sources),
        f"Written by: {versions}",
    ]
