"""Writing of model.yaml: the model as ROS 2 parameters, in the format of docs/model-file.md."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import yaml

from dynid.arrays import Array
from dynid.dynamics.closed_chain import chain_lists
from dynid.dynamics.joint_terms import term_lists
from dynid.dynamics.mechanism import Mechanism
from dynid.robot.model import Model
from dynid.robot.model_entries import FORMAT, seal
from dynid.robot.parameter_file import Listed, LiteralBlock, Value, parameter_file
from dynid.robot.provenance import BaseEstimate, ModelErrors, Provenance, StoredQuantities
from dynid.robot.robot import Robot
from dynid.robot.tuned_thresholds import COLLISION
from dynid.robot.urdf_export import kinematic_urdf
from dynid.text import iso_time


def model_text(model: Model) -> str:
    """Return the text of a ``model.yaml``.

    Raises:
        ValueError: the model was not identified.
    """
    robot, mechanism, errors = model.robot, model.mechanism, model.errors
    provenance = model.identified_provenance
    if errors is None:
        raise ValueError(f"the model of {robot.name} has no errors of an identification")
    urdf = kinematic_urdf(robot.urdf_xml)
    # settings for motion or simulation are not part of a model
    profile = yaml.safe_dump(robot.yaml_content(with_model_only=True), sort_keys=False, width=100)
    made, mechanics = _provenance(provenance), _mechanics(robot, mechanism)
    hashes: dict[str, Value] = {"urdf_sha256": hashlib.sha256(urdf.encode()).hexdigest()}
    entries: dict[str, Value] = {
        "format": FORMAT,
        "sha256": seal({"format": FORMAT, **made, **mechanics, **hashes}),
        "robot": robot.name,
        **made,
        **mechanics,
        "parameters": Listed(_floats(mechanism.parameters), _remarks(mechanism, model.determined)),
        "parameters_determined": model.determined,
        "urdf_terms": model.urdf_terms,
        "errors": {name: list(values) for name, values in vars(errors).items()},
        "base_parameters": _base_parameters(model.base),
        "quantities": {name: list(values) for name, values in vars(model.quantities).items()},
        **hashes,
        "urdf": LiteralBlock(urdf),
        "profile": LiteralBlock(profile),
    }
    groups = {"model": entries, COLLISION: model.thresholds}
    return parameter_file(groups, _header(model, provenance, errors))


def covariance_factor(covariance: Array) -> Array:
    """Return the lower triangular L (b, b) with L Lᵀ the covariance, also if that is singular.

    Cholesky's factor, by a QR decomposition of the square root of the correlations, which does not
    require positive definiteness and is equally accurate for small and large parameters.
    """
    deviations = np.sqrt(np.maximum(np.diag(covariance), 0.0))
    scale = np.where(deviations > 0, deviations, 1.0)
    eigenvalues, vectors = np.linalg.eigh((covariance + covariance.T) / 2 / scale / scale[:, None])
    root = np.sqrt(np.maximum(eigenvalues, 0.0))[:, None] * vectors.T
    upper = np.linalg.qr(root, mode="r")
    signs = np.where(np.diag(upper) < 0, -1.0, 1.0)
    return np.asarray(scale[:, None] * (signs[:, None] * upper).T)


def _provenance(made: Provenance) -> dict[str, Value]:
    return {
        "status": made.status,
        "reasons": made.reasons,
        "warnings": made.warnings,
        "created": iso_time(made.created),
        "edited_at": None if made.edited_at is None else iso_time(made.edited_at),
        "recordings": [source.name for source in made.sources],
        "recordings_sha256": [source.sha256 for source in made.sources],
        "recordings_start_time": _known([source.start_time for source in made.sources], -1),
        "recordings_temperature": _known([source.temperature for source in made.sources], math.nan),
        "versions": dict(made.versions),
        "estimator": made.estimator,
        "physically_consistent": bool(made.physically_consistent),
        "cutoff_hz": None if made.cutoff_hz is None else float(made.cutoff_hz),
        "raw_samples": int(made.raw_samples),
        "samples": int(made.samples),
        "condition_number": float(made.condition_number),
        "base_parameter_count": int(made.base_parameter_count),
        "criterion": made.criterion,
        "allowed_error": made.allowed_error,
    }


def _known(values: Sequence[float | None], unknown: float) -> list[float]:
    """Return a list with a number for what is not known; empty if nothing is."""
    if all(value is None for value in values):
        return []
    return [unknown if value is None else value for value in values]


def _mechanics(robot: Robot, mechanism: Mechanism) -> dict[str, Value]:
    """Return the entries that the controller uses and the seal covers."""
    locked = robot.locked
    return {
        "joints": mechanism.joints,
        "gravity": _floats(mechanism.gravity),
        "coupling": _floats(np.ravel(mechanism.coupling)),
        "locked_joints": list(locked),
        "locked_positions": _floats(locked.values()),
        **chain_lists(mechanism.chain),
        "payload_joint": mechanism.body_joints[mechanism.payload_body],
        "semi_static": mechanism.semi_static,
        "terms": dict(term_lists(mechanism.terms, mechanism.moving_joints)),
        "parameter_names": mechanism.parameter_names,
        "parameters": _floats(mechanism.parameters),
    }


def _remarks(mechanism: Mechanism, determined: Sequence[bool]) -> list[str]:
    """Return each parameter's name and unit, with a remark if only sums of it are identifiable."""
    names, units = mechanism.parameter_names, mechanism.parameter_units
    determined = determined or (True,) * len(names)
    return [
        f"{name} [{unit}]{'' if alone else ' only in sums'}"
        for name, unit, alone in zip(names, units, determined, strict=True)
    ]


def _base_parameters(base: BaseEstimate) -> dict[str, Value]:
    known: dict[str, Value] = {
        "names": base.names,
        "regroupings": base.regroupings,
        "values": _floats(base.values),
        "consistent_values": _floats(base.consistent_values),
        "standard_deviations": _floats(base.standard_deviations),
    }
    if base.covariance is not None and len(base.names):
        factor = covariance_factor(base.covariance)
        known["covariance_factor"] = _floats(factor[np.tril_indices(len(factor))])
    if base.friction_repeatability_origin:
        known["friction_repeatability"] = float(base.friction_repeatability)
        known["friction_repeatability_origin"] = base.friction_repeatability_origin
    return known


def _floats(values: Iterable[Any]) -> list[float]:
    return [float(value) for value in values]


def _header(model: Model, made: Provenance, errors: ModelErrors) -> list[str]:
    """Return the lines of the comment: outcome, recordings, versions, errors, quantities."""
    cutoff = "none" if made.cutoff_hz is None else f"{made.cutoff_hz:g} Hz"
    versions = ", ".join(f"{name} {version}" for name, version in made.versions.items())
    outcome = "FAILED, do not use it" if made.failed else "SUCCEEDED"
    return [
        f"Identification of the dynamic parameters of {model.robot.name}: {outcome}",
        *(f"  because: {reason}" for reason in made.reasons if made.failed),
        *(f"  note: {warning}" for warning in made.warnings),
        f"Date and time: {iso_time(made.created)}",
        *(f"Recording: {s.name}, SHA-256 {s.sha256}" for s in made.sources),
        f"Written by: {versions}",
        f"Low-pass filter's cut-off frequency: {cutoff}",
        f"Samples: {made.samples} used of {made.raw_samples} recorded",
        f"Torque errors{_allowed(made)}: norm of the error over norm of the torque, the same",
        "held out (on data not used in the fit), max and mean of moving samples over the largest",
        "torque:",
        *_error_rows(model.mechanism, errors),
        *_quantity_rows(model.quantities),
    ]


def _allowed(made: Provenance) -> str:
    if made.allowed_error is None:
        return ""
    what = "held out" if made.criterion == "held_out" else "max"
    return f" (allowed: {what} {100 * made.allowed_error:.3g} %)"


def _error_rows(mechanism: Mechanism, errors: ModelErrors) -> list[str]:
    joints, types = mechanism.joints, mechanism.joint_types
    width = max(len("joint"), *map(len, joints))
    held_out = errors.held_out_relative_error or (float("nan"),) * len(joints)
    rows = [f"  {'joint':<{width}}  relative   held out        max       mean  moving samples"]
    for number, (joint, kind) in enumerate(zip(joints, types, strict=True)):
        unit = "m/s" if kind == "prismatic" else "rad/s"
        rows.append(
            f"  {joint:<{width}}"
            f"  {100 * errors.relative_error[number]:6.2f} %"
            f"   {100 * held_out[number]:6.2f} %"
            f"   {100 * errors.max_relative_torque_error[number]:6.2f} %"
            f"   {100 * errors.mean_relative_torque_error[number]:6.2f} %"
            f"  {errors.moving_samples[number]}"
            f" (above {errors.velocity_threshold[number]:.4g} {unit})"
        )
    return rows


def _quantity_rows(stored: StoredQuantities) -> list[str]:
    rows = []
    for number, name in enumerate(stored.names):
        value, deviation = stored.values[number], stored.standard_deviations[number]
        known = f"{value:.5g} +- {deviation:.2g} {stored.units[number]}"
        rows.append(f"  {name}: {stored.unknown[number] or known}")
    return ["Physical quantities, with their standard deviations:", *rows] if rows else []
