"""model.yaml written: the model as ROS 2 parameters, in the format of docs/model-file.md."""

from __future__ import annotations

import hashlib
from datetime import timezone
from typing import TYPE_CHECKING, Any

import numpy as np
import yaml

from dynid.dynamics.closed_chain import chain_lists
from dynid.dynamics.joint_term import weakening_lists
from dynid.files import write_text
from dynid.robot.model_reader import FORMAT, StoredModel, read_model
from dynid.robot.parameter_file import Block, Listed, Value, parameter_file
from dynid.robot.urdf_export import kinematic_urdf

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from pathlib import Path

    from dynid.identification.identify import Identification
    from dynid.identification.quantities import Quantity

_NOT_OF_THE_MODEL = {"excitation", "feedforward", "collision", "simulation", "tracking"}

__all__ = ["StoredModel", "model_text", "read_model", "write_model"]


def write_model(identification: Identification, path: Path) -> None:
    """Write ``model.yaml``, whole or not at all.

    Raises:
        OutputError: The file cannot be written.
    """
    write_text(path, model_text(identification))


def model_text(identification: Identification) -> str:
    """Return the text of ``model.yaml``."""
    urdf = kinematic_urdf(identification.urdf_xml)
    # how the robot is moved, simulated or controlled is no part of a model, and may be said
    # otherwise one day
    profile = yaml.safe_dump(
        identification.profile.model_dump(mode="json", exclude=_NOT_OF_THE_MODEL),
        sort_keys=False,
        width=100,
    )
    model: dict[str, Value] = {
        "format": FORMAT,
        **_provenance(identification),
        **_mechanics(identification),
        "errors": _errors(identification),
        "base_parameters": _base_parameters(identification),
        "urdf_sha256": hashlib.sha256(urdf.encode()).hexdigest(),
        "urdf": Block(urdf),
        "profile": Block(profile),
    }
    return parameter_file({"model": model}, _header(identification))


def iso_time(moment: datetime) -> str:
    """Return a time in UTC as in ``2026-01-31T12:00:00Z``."""
    return moment.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def _provenance(identification: Identification) -> dict[str, Value]:
    settings = identification.profile.identification
    judgement, cutoff = identification.judgement, settings.motion_cutoff_hz
    return {
        "robot": identification.profile.robot,
        "status": "success" if judgement.success else "failed",
        "reasons": judgement.reasons,
        "warnings": judgement.warnings,
        "created": iso_time(identification.created),
        "recordings": [source.name for source in identification.sources],
        "recordings_sha256": [source.sha256 for source in identification.sources],
        "versions": dict(identification.versions),
        "estimator": identification.estimator,
        "physically_consistent": bool(identification.physically_consistent),
        "cutoff_hz": None if cutoff is None else float(cutoff),
        "raw_samples": int(identification.raw_samples),
        "samples": int(identification.samples),
        "condition_number": float(identification.condition_number),
        "base_parameter_count": len(identification.base_parameters),
    }


def _mechanics(identification: Identification) -> dict[str, Value]:
    mechanism = identification.mechanism
    locked = identification.profile.locked
    rows = zip(
        mechanism.parameter_names, mechanism.parameter_units, _origins(identification), strict=True
    )
    return {
        "joints": mechanism.joints,
        "gravity": _floats(mechanism.gravity),
        "coupling": _floats(np.ravel(mechanism.coupling)),
        "locked_joints": list(locked),
        "locked_positions": _floats(locked.values()),
        **chain_lists(mechanism.chain),
        "payload_joint": mechanism.body_joints[mechanism.payload_body],
        "semi_static": mechanism.semi_static,
        "terms": {
            "kinds": [term.kind for term in mechanism.terms],
            "joints": [mechanism.moving_joints[term.joint] for term in mechanism.terms],
            "sides": [term.side for term in mechanism.terms],
            "smoothing": _floats(term.smoothing for term in mechanism.terms),
            "scale": _floats(term.scale for term in mechanism.terms),
            "dead_band": _floats(term.dead_band for term in mechanism.terms),
            **weakening_lists(mechanism.terms),
        },
        "parameter_names": mechanism.parameter_names,
        "parameters": Listed(
            _floats(mechanism.parameters),
            [f"{name} [{unit}]{origin}" for name, unit, origin in rows],
        ),
    }


def _origins(identification: Identification) -> list[str]:
    """Of each parameter, a remark if it is not known from the data alone."""
    determined = {p.name: p.determined for p in identification.parameters}
    names = identification.mechanism.parameter_names
    return ["" if determined.get(name, True) else " only in sums" for name in names]


def _errors(identification: Identification) -> dict[str, Value]:
    joints = identification.judgement.joints
    measures = (
        "max_relative_torque_error",
        "mean_relative_torque_error",
        "rmse",
        "rmse_torque",
        "nrmse",
        "relative_error",
        "r_squared",
        "velocity_threshold",
    )
    errors: dict[str, Value] = {
        name: _floats(getattr(joint, name) for joint in joints) for name in measures
    }
    return {
        **errors,
        "held_out_relative_error": _floats(identification.held_out.relative_error),
        "unit": [joint.unit for joint in joints],
        "moving_samples": [int(joint.moving_samples) for joint in joints],
    }


def _base_parameters(identification: Identification) -> dict[str, Value]:
    """Those whose deviation is known."""
    known = [
        parameter
        for parameter in identification.base_parameters
        if parameter.determined and np.isfinite(parameter.standard_deviation)
    ]
    return {
        "names": [parameter.name for parameter in known],
        "regroupings": [parameter.regrouping for parameter in known],
        "values": _floats(parameter.value for parameter in known),
        "consistent_values": _floats(parameter.consistent_value for parameter in known),
        "standard_deviations": _floats(parameter.standard_deviation for parameter in known),
    }


def _floats(values: Iterable[Any]) -> list[float]:
    return [float(value) for value in values]


def _header(identification: Identification) -> list[str]:
    settings = identification.profile.identification
    judgement = identification.judgement
    cutoff = "none" if settings.motion_cutoff_hz is None else f"{settings.motion_cutoff_hz:g} Hz"
    versions = ", ".join(f"{name} {version}" for name, version in identification.versions.items())
    outcome = "SUCCEEDED" if judgement.success else "FAILED, do not run it"
    return [
        f"Identification of the dynamic parameters of {identification.profile.robot}: {outcome}",
        *(f"  because: {reason}" for reason in judgement.reasons if not judgement.success),
        *(f"  note: {warning}" for warning in judgement.warnings),
        f"Date and time: {iso_time(identification.created)}",
        *(f"Recording: {s.name}, SHA-256 {s.sha256}" for s in identification.sources),
        f"Written by: {versions}",
        f"Low-pass filter's cut-off frequency: {cutoff}",
        f"Samples: {identification.samples} used of {identification.raw_samples} recorded",
        "Torque error relative to the largest measured torque, on moving samples "
        f"(allowed: {100 * settings.max_relative_torque_error:g} %):",
        *_error_rows(identification),
        *_quantity_rows(identification),
    ]


def _quantity_rows(identification: Identification) -> list[str]:
    rows = [
        f"  {one.name}: {one.unknown or _with_deviation(one)}" for one in identification.quantities
    ]
    return ["Physical quantities, with their standard deviations:", *rows] if rows else []


def _with_deviation(one: Quantity) -> str:
    return f"{one.value:.5g} +- {one.standard_deviation:.2g} {one.unit}"


def _error_rows(identification: Identification) -> list[str]:
    joints = identification.judgement.joints
    width = max(len("joint"), *(len(joint.joint) for joint in joints))
    types = identification.mechanism.joint_types
    rows = [f"  {'joint':<{width}}      max     mean  moving samples"]
    for joint, kind in zip(joints, types, strict=True):
        unit = "m/s" if kind == "prismatic" else "rad/s"
        rows.append(
            f"  {joint.joint:<{width}}"
            f"  {100 * joint.max_relative_torque_error:5.2f} %"
            f"  {100 * joint.mean_relative_torque_error:5.2f} %"
            f"  {joint.moving_samples} (above {joint.velocity_threshold:.4g} {unit})"
        )
    return rows
