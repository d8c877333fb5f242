"""The entries of a model.yaml, and all checks of them.

The seal is the SHA-256 over the canonical text of what the controller uses. The controller checks
the same seal over the parameters that it receives, with the same functions of the core;
cpp/core/include/dynid/seal.hpp describes the canonical text.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field, StrictBool, StrictFloat, StrictInt, StrictStr

from dynid import _core
from dynid.arrays import Array
from dynid.configuration import Settings, parse
from dynid.dynamics.closed_chain import chain_lists
from dynid.dynamics.joint_terms import TERM_SHAPES, term_lists
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import MechanismError, ModelFileError
from dynid.robot.provenance import Doubles, ModelErrors, StoredQuantities, Texts
from dynid.robot.robot import Robot

SEALED = tuple(_core.sealed_entries())
"""Entries that the seal covers, in this order; dots for nesting."""


def seal(entries: Mapping[str, object]) -> str:
    """Return the SHA-256 of a model's entries, in hexadecimal.

    Args:
        entries: below ``model`` in the file, nested; those not in ``SEALED`` are ignored.

    Raises:
        TypeError: the type of an entry does not occur in a model.yaml.
    """
    return _core.seal(_sealed(entries))


def canonical_text(entries: Mapping[str, object]) -> str:
    """Return the text that the seal covers; raises TypeError as :func:`seal` does."""
    return _core.canonical_text(_sealed(entries)).decode("utf-8", "surrogatepass")


def _sealed(entries: Mapping[str, object]) -> dict[str, list[bool | float | bytes]]:
    return {name: _values(_entry(entries, name)) for name in SEALED}


def _entry(entries: Mapping[str, object], name: str) -> object:
    entry: object = entries
    for key in name.split("."):
        entry = entry.get(key) if isinstance(entry, Mapping) else None
    return entry


def _values(value: object) -> list[bool | float | bytes]:
    values = value if isinstance(value, list | tuple) else [] if value is None else [value]
    return [_value(item) for item in values]


def _value(value: object) -> bool | float | bytes:
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float):  # some YAML writers print 0.0 as 0
        return float(value)
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    raise TypeError(value)


FORMAT = 2
"""Format number; it changes when older versions would misread the file."""
UNSEALED_FORMAT = 1
"""Without seal and covariance; still read."""

Numbers = tuple[StrictFloat, ...]
Stamps = tuple[Annotated[StrictInt, Field(lt=2**63)], ...]
_OFTEN_EMPTY = (
    "covariance_factor",
    "held_out_relative_error",
    "moving_interval",
    "parameters_determined",
    "recordings_start_time",
    "recordings_temperature",
    "resting_interval",
    "urdf_terms",
    *(shape.name for shape in TERM_SHAPES if shape.rare),
)


class TermEntries(Settings):
    """Joint terms as parallel lists, in the order of their parameters."""

    kinds: Texts
    joints: Texts
    sides: Texts
    smoothing: Numbers
    scale: Numbers
    dead_band: Numbers
    static_ratio: Numbers = ()  # empty if no term has one
    stribeck_velocity: Numbers = ()


class BaseParameterEntries(Settings):
    """Base parameters as parallel lists."""

    names: Texts
    regroupings: Texts
    values: Numbers
    consistent_values: Numbers
    standard_deviations: Numbers
    covariance_factor: Numbers = ()  # lower triangle, row by row
    friction_repeatability: StrictFloat = 0.0
    friction_repeatability_origin: StrictStr = ""

    def covariance(self) -> Array | None:
        """Return the covariance (b, b) of the values; None if the file has none."""
        if not self.covariance_factor:
            return None
        factor = np.zeros((len(self.names), len(self.names)))
        factor[np.tril_indices(len(self.names))] = self.covariance_factor
        return np.asarray(factor @ factor.T)


class ModelEntries(Settings):
    """All entries below ``model`` in the file; docs/model-file.md explains each."""

    format: StrictInt
    sha256: StrictStr = ""
    edited_at: StrictStr | None = None
    robot: StrictStr
    status: Literal["success", "failed"]
    reasons: Texts = ()
    warnings: Texts = ()
    created: StrictStr
    recordings: Texts = ()
    recordings_sha256: Texts = ()
    recordings_start_time: Stamps = ()
    recordings_temperature: Doubles = ()
    versions: dict[StrictStr, StrictStr] = {}  # noqa: RUF012  pydantic copies it
    estimator: StrictStr
    physically_consistent: StrictBool
    cutoff_hz: StrictFloat | None = None
    raw_samples: StrictInt
    samples: StrictInt
    condition_number: Annotated[float, Field(strict=True, allow_inf_nan=True)]
    base_parameter_count: StrictInt
    criterion: Literal["held_out", "max_error"] = "max_error"
    allowed_error: StrictFloat | None = None
    joints: Texts
    gravity: Numbers
    coupling: Numbers
    locked_joints: Texts = ()
    locked_positions: Numbers = ()
    passive_joints: Texts = ()
    passive_positions: Numbers = ()
    assembled_at: Numbers = ()
    closure_kinds: Texts = ()
    closure_links: Texts = ()
    closure_points: Numbers = ()
    closure_axes: Numbers = ()
    closure_lengths: Numbers = ()
    payload_joint: StrictStr | None = None
    semi_static: StrictBool = False
    terms: TermEntries | None = None
    parameter_names: Texts
    parameters: Numbers
    parameters_determined: tuple[StrictBool, ...] = ()
    urdf_terms: Numbers = ()
    errors: ModelErrors
    base_parameters: BaseParameterEntries | None = None
    quantities: StoredQuantities = StoredQuantities()
    urdf_sha256: StrictStr
    urdf: StrictStr
    profile: StrictStr


def parse_entries(content: Mapping[str, Any], where: str) -> ModelEntries:
    """Return the entries of a model.yaml, each checked by itself.

    Raises:
        ConfigurationError: an entry is unknown, missing or of another type.
        ModelFileError: the file is no model, has another format, was altered, or its lists do not
            match each other.
    """
    tree: object = content
    for key in ("/**", "ros__parameters", "model"):
        tree = tree.get(key) if isinstance(tree, Mapping) else None
    if not isinstance(tree, Mapping):
        message = f"{where}: is not a dynid model; it has no entry '/**: ros__parameters: model:'."
        raise ModelFileError(message)
    if tree.get("format") not in (UNSEALED_FORMAT, FORMAT):
        raise ModelFileError(
            f"{where}: has model.format {tree.get('format')!r}, but this dynid reads "
            f"{UNSEALED_FORMAT} and {FORMAT}; identify again, or use the dynid that wrote it."
        )
    entries = parse(ModelEntries, tree, f"{where}, model")
    _check_lengths(entries, where)
    _check_urdf(entries, where)
    return entries


def check_seal(content: Mapping[str, Any], where: str) -> None:
    """Check the seal of a model.yaml that has one.

    Raises:
        ModelFileError: entries that the controller uses were altered after they were written.
    """
    stored = content["/**"]["ros__parameters"]["model"]
    if stored["format"] == UNSEALED_FORMAT and "sha256" not in stored:
        return
    expected = seal(stored)
    if "sha256" not in stored:
        raise ModelFileError(f"{where}: has no seal (model.sha256); identify again.")
    if stored["sha256"] != expected:
        raise ModelFileError(
            f"{where}: status, parameters, terms or chains were altered after they were written "
            f"(their SHA-256 is {expected[:12]}…, model.sha256 is {str(stored['sha256'])[:12]}…); "
            "identify again, or confirm an intended edit with 'dynid model seal'."
        )


def _check_lengths(entries: ModelEntries, where: str) -> None:
    def lists_of(*names: str) -> dict[str, object]:
        return {name: getattr(entries, name) for name in names}

    joints, quantities = len(entries.joints), entries.quantities
    recordings = [name for name in ModelEntries.model_fields if name.startswith("recordings_")]
    parameters = lists_of("parameters", "parameters_determined")
    groups: list[tuple[str, int, Mapping[str, object]]] = [
        ("parameter_names", len(entries.parameter_names), parameters),
        ("joints", joints, vars(entries.errors)),
        ("recordings", len(entries.recordings), lists_of(*recordings)),
        ("locked_joints", len(entries.locked_joints), lists_of("locked_positions")),
        ("the square of joints", joints**2, lists_of("coupling")),
        ("x, y, z", 3, lists_of("gravity")),
        ("quantities.names", len(quantities.names), vars(quantities)),
    ]
    if entries.terms is not None:
        terms = {**dict(entries.terms), **lists_of("urdf_terms")}
        groups.append(("terms.kinds", len(entries.terms.kinds), terms))
    if entries.base_parameters is not None:
        estimates = dict(entries.base_parameters)
        count, triangle = len(entries.base_parameters.names), estimates.pop("covariance_factor")
        groups.append(("base_parameters.names", count, estimates))
        reference = "the triangle of base_parameters.names"
        groups.append((reference, count * (count + 1) // 2, {"covariance_factor": triangle}))
    for reference, expected, lists in groups:
        for name, values in lists.items():
            optional = name in _OFTEN_EMPTY and not values
            if isinstance(values, tuple) and len(values) != expected and not optional:
                raise ModelFileError(
                    f"{where}: model.{name} has {len(values)} values, "
                    f"expected {expected} as in {reference}."
                )


def _check_urdf(entries: ModelEntries, where: str) -> None:
    digest = hashlib.sha256(entries.urdf.encode("utf-8", "surrogatepass")).hexdigest()
    if digest != entries.urdf_sha256:
        raise ModelFileError(
            f"{where}: model.urdf was altered (its SHA-256 is {digest[:12]}…, "
            f"model.urdf_sha256 is {entries.urdf_sha256[:12]}…); identify again."
        )


def check_mechanism(entries: ModelEntries, robot: Robot, where: str) -> Mechanism:
    """Check that the lists, which a controller reads, match profile and URDF.

    Returns:
        The mechanism, with the parameters of the URDF.

    Raises:
        ModelFileError: they do not match.
    """
    try:
        mechanism = robot.mechanism()
    except MechanismError as error:
        raise ModelFileError(f"{where}: {error}") from None
    listed = entries.terms
    pairs: list[tuple[str, object, object]] = [
        ("robot", entries.robot, robot.name),
        ("joints", entries.joints, mechanism.joints),
        ("gravity", entries.gravity, tuple(mechanism.gravity)),
        ("coupling", entries.coupling, tuple(mechanism.coupling.ravel())),
        ("locked_joints", entries.locked_joints, tuple(robot.locked)),
        ("locked_positions", entries.locked_positions, tuple(robot.locked.values())),
        *(
            (f"terms.{name}", getattr(listed, name) if listed else (), values)
            for name, values in term_lists(mechanism.terms, mechanism.moving_joints).items()
        ),
        ("parameter_names", entries.parameter_names, mechanism.parameter_names),
        *((n, getattr(entries, n), tuple(v)) for n, v in chain_lists(mechanism.chain).items()),
        ("semi_static", entries.semi_static, mechanism.semi_static),
    ]
    for name, actual, expected in pairs:
        if actual != expected:
            raise ModelFileError(
                f"{where}: model.{name} does not match model.profile and model.urdf; "
                "the file was altered: identify again."
            )
    return mechanism
