"""model.yaml read back, and everything about it checked that a mistake could be in."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import ConfigDict, Field, StrictBool, StrictFloat, StrictInt, StrictStr

from dynid.configuration import Settings, parse, read_text, yaml_mapping
from dynid.dynamics.closed_chain import chain_lists
from dynid.dynamics.joint_term import weakening_lists
from dynid.errors import ConfigurationError, MechanismError, ModelFileError
from dynid.profile import RobotProfile, parse_profile

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from dynid.dynamics.mechanism import Mechanism

FORMAT = 1
"""The number that changes when older readers would misread the file."""

Texts = tuple[StrictStr, ...]
Doubles = tuple[StrictFloat, ...]
Counts = tuple[StrictInt, ...]


_OFTEN_EMPTY = ("held_out_relative_error", "static_ratio", "stribeck_velocity")


class TermEntries(Settings):
    """Joint terms as parallel lists, in the order of their parameters."""

    kinds: Texts
    joints: Texts
    sides: Texts
    smoothing: Doubles
    scale: Doubles
    dead_band: Doubles
    static_ratio: Doubles = ()  # empty where no term takes them
    stribeck_velocity: Doubles = ()


class ErrorEntries(Settings):
    """Errors as parallel lists, one value per joint; NaN where one has no meaning."""

    model_config = ConfigDict(allow_inf_nan=True)

    max_relative_torque_error: Doubles
    mean_relative_torque_error: Doubles
    rmse: Doubles
    rmse_torque: Doubles
    nrmse: Doubles
    relative_error: Doubles
    r_squared: Doubles
    velocity_threshold: Doubles
    held_out_relative_error: Doubles = ()
    unit: Texts
    moving_samples: Counts


class BaseParameterEntries(Settings):
    """Base parameters as parallel lists."""

    names: Texts
    regroupings: Texts
    values: Doubles
    consistent_values: Doubles
    standard_deviations: Doubles


class ModelEntries(Settings):
    """Everything below ``model`` in the file; docs/model-file.md explains each entry."""

    format: StrictInt
    robot: StrictStr
    status: Literal["success", "failed"]
    reasons: Texts = ()
    warnings: Texts = ()
    created: StrictStr
    recordings: Texts = ()
    recordings_sha256: Texts = ()
    versions: dict[StrictStr, StrictStr] = {}  # noqa: RUF012  pydantic copies it
    estimator: StrictStr
    physically_consistent: StrictBool
    cutoff_hz: StrictFloat | None = None
    raw_samples: StrictInt
    samples: StrictInt
    condition_number: Annotated[float, Field(strict=True, allow_inf_nan=True)]
    base_parameter_count: StrictInt
    joints: Texts
    gravity: Doubles
    coupling: Doubles
    locked_joints: Texts = ()
    locked_positions: Doubles = ()
    passive_joints: Texts = ()
    passive_positions: Doubles = ()
    assembled_at: Doubles = ()
    closure_kinds: Texts = ()
    closure_links: Texts = ()
    closure_points: Doubles = ()
    closure_axes: Doubles = ()
    closure_lengths: Doubles = ()
    payload_joint: StrictStr | None = None
    semi_static: StrictBool = False
    terms: TermEntries | None = None
    parameter_names: Texts
    parameters: Doubles
    errors: ErrorEntries
    base_parameters: BaseParameterEntries | None = None
    urdf_sha256: StrictStr
    urdf: StrictStr
    profile: StrictStr


@dataclass(frozen=True)
class StoredModel:
    """A model as read from its file.

    Attributes:
        profile, urdf_xml: What the mechanism is built from; the URDF holds no more than that needs.
        parameter_names, parameters: (p,) standard parameters and those of the joint terms; the
            array is read-only.
        status: ``"failed"`` where the identification failed its criterion; such a model must not
            run.
        created: When, in UTC.
        entries: All that the file says, for what is not listed here.
    """

    profile: RobotProfile
    urdf_xml: str
    parameter_names: tuple[str, ...]
    parameters: NDArray[np.float64]
    status: Literal["success", "failed"]
    created: datetime
    entries: ModelEntries

    @property
    def condition_number(self) -> float:
        """Condition number of the identification."""
        return self.entries.condition_number

    @property
    def base_parameter_count(self) -> int:
        """Number of base parameters, those included that the data did not determine."""
        return self.entries.base_parameter_count

    @property
    def base_deviations(self) -> dict[str, float]:
        """Standard deviations of the base parameters that the recordings determine, by name."""
        base = self.entries.base_parameters
        return {} if base is None else dict(zip(base.names, base.standard_deviations, strict=True))

    def mechanism(self) -> Mechanism:
        """Return the mechanism with these parameters."""
        return self.profile.mechanism(self.urdf_xml).with_parameters(self.parameters)


def read_model(path: Path) -> StoredModel:
    """Read ``model.yaml``.

    Raises:
        ModelFileError: The file is missing, incomplete, altered or contradicts itself, in a
            sentence.
    """
    try:
        text = read_text(path)
    except ConfigurationError as error:
        raise ModelFileError(str(error)) from None
    return parse_model(text, str(path))


def parse_model(text: str, where: str) -> StoredModel:
    """The model in the text of a ``model.yaml``; ``where`` names the text in error messages.

    Raises:
        ModelFileError: The text is incomplete, altered or contradicts itself, in a sentence.
    """
    try:
        content = yaml_mapping(text, where)
        entries = _entries(content, where)
        _check_lengths(entries, where)
        _check_urdf(entries, where)
        profile = parse_profile(entries.profile, f"{where}: its profile")
    except ConfigurationError as error:
        raise ModelFileError(str(error)) from None
    except (ValueError, RecursionError):
        # what PyYAML meets with other errors than its own: dates that are none, endless nesting
        message = f"{where}: is not valid YAML."
        raise ModelFileError(message) from None
    parameters = np.array(entries.parameters)
    parameters.setflags(write=False)
    model = StoredModel(
        profile=profile,
        urdf_xml=entries.urdf,
        parameter_names=entries.parameter_names,
        parameters=parameters,
        status=entries.status,
        created=_time(entries.created, where),
        entries=entries,
    )
    _check_mechanism(model, where)
    return model


def _entries(content: Mapping[str, Any], where: str) -> ModelEntries:
    found: object = content
    for key in ("/**", "ros__parameters", "model"):
        found = found.get(key) if isinstance(found, Mapping) else None
    if not isinstance(found, Mapping):
        message = f"{where}: is not a dynid model; it has no entry '/**: ros__parameters: model:'."
        raise ModelFileError(message)
    if found.get("format") != FORMAT:
        message = (
            f"{where}: has model.format {found.get('format')!r}, but this dynid reads {FORMAT}; "
            "identify again, or use the dynid that wrote it."
        )
        raise ModelFileError(message)
    return parse(ModelEntries, found, f"{where}, model")


def _check_lengths(entries: ModelEntries, where: str) -> None:
    joints = len(entries.joints)
    groups: list[tuple[str, int, Mapping[str, object]]] = [
        ("parameter_names", len(entries.parameter_names), {"parameters": entries.parameters}),
        ("joints", joints, dict(entries.errors)),
        ("recordings", len(entries.recordings), {"recordings_sha256": entries.recordings_sha256}),
        (
            "locked_joints",
            len(entries.locked_joints),
            {"locked_positions": entries.locked_positions},
        ),
        ("the square of joints", joints**2, {"coupling": entries.coupling}),
        ("x, y, z", 3, {"gravity": entries.gravity}),
    ]
    if entries.terms is not None:
        groups.append(("terms.kinds", len(entries.terms.kinds), dict(entries.terms)))
    if entries.base_parameters is not None:
        base = entries.base_parameters
        groups.append(("base_parameters.names", len(base.names), dict(base)))
    for reference, expected, lists in groups:
        for name, values in lists.items():
            optional = name in _OFTEN_EMPTY and not values
            if isinstance(values, tuple) and len(values) != expected and not optional:
                message = (
                    f"{where}: model.{name} has {len(values)} values, "
                    f"expected {expected} as in {reference}."
                )
                raise ModelFileError(message)


def _check_urdf(entries: ModelEntries, where: str) -> None:
    found = hashlib.sha256(entries.urdf.encode("utf-8", "surrogatepass")).hexdigest()
    if found != entries.urdf_sha256:
        message = (
            f"{where}: model.urdf was altered (its SHA-256 is {found[:12]}…, "
            f"model.urdf_sha256 says {entries.urdf_sha256[:12]}…); identify again."
        )
        raise ModelFileError(message)


def _check_mechanism(model: StoredModel, where: str) -> None:
    """Check that the lists, which a controller reads, tell the same as profile and URDF."""
    try:
        mechanism = model.profile.mechanism(model.urdf_xml)
    except MechanismError as error:
        message = f"{where}: {error}"
        raise ModelFileError(message) from None
    entries = model.entries
    terms = mechanism.terms
    listed = entries.terms
    pairs: list[tuple[str, object, object]] = [
        ("robot", entries.robot, model.profile.robot),
        ("joints", entries.joints, mechanism.joints),
        ("gravity", entries.gravity, tuple(mechanism.gravity)),
        ("coupling", entries.coupling, tuple(mechanism.coupling.ravel())),
        ("locked_joints", entries.locked_joints, tuple(model.profile.locked)),
        ("locked_positions", entries.locked_positions, tuple(model.profile.locked.values())),
        ("terms.kinds", listed.kinds if listed else (), tuple(t.kind for t in terms)),
        (
            "terms.joints",
            listed.joints if listed else (),
            tuple(mechanism.moving_joints[t.joint] for t in terms),
        ),
        ("terms.sides", listed.sides if listed else (), tuple(t.side for t in terms)),
        ("terms.smoothing", listed.smoothing if listed else (), tuple(t.smoothing for t in terms)),
        ("terms.scale", listed.scale if listed else (), tuple(t.scale for t in terms)),
        (
            "terms.dead_band",
            listed.dead_band if listed else (),
            tuple(t.dead_band for t in terms),
        ),
        *(
            (f"terms.{name}", getattr(listed, name) if listed else (), values)
            for name, values in weakening_lists(terms).items()
        ),
        ("parameter_names", entries.parameter_names, mechanism.parameter_names),
        *((n, getattr(entries, n), tuple(v)) for n, v in chain_lists(mechanism.chain).items()),
        ("semi_static", entries.semi_static, mechanism.semi_static),
    ]
    for name, found, expected in pairs:
        if found != expected:
            message = (
                f"{where}: model.{name} does not match what model.profile and model.urdf describe; "
                "the file was altered: identify again."
            )
            raise ModelFileError(message)


def _time(text: str, where: str) -> datetime:
    try:
        moment = datetime.fromisoformat(text.replace("Z", "+00:00"))
        return moment.replace(tzinfo=timezone.utc) if moment.tzinfo is None else moment
    except ValueError:
        message = (
            f"{where}: model.created is '{text}', expected a time such as 2026-01-31T12:00:00Z."
        )
        raise ModelFileError(message) from None
