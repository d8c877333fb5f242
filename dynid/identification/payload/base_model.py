"""The model without payload, that a payload is told from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import ConfigurationError, ModelFileError
from dynid.identification.identify import Identification
from dynid.profile import RobotProfile, load_profile
from dynid.recording.model import Source, digest
from dynid.robot.acceptance import check_acceptance
from dynid.robot.model_reader import read_model


@dataclass(frozen=True, eq=False)
class BaseModel:
    """A model of the robot without payload.

    Attributes:
        profile: how recordings are read and preprocessed.
        mechanism: with the model's parameters.
        source: its file.
        deviations: standard deviations of its base parameters, by name.
        torque_error: RMS of its own torque errors (n,) [N m or N].
    """

    profile: RobotProfile
    mechanism: Mechanism
    source: Source
    deviations: dict[str, float]
    torque_error: Array


def base_model_of(identification: Identification) -> BaseModel:
    """An identification that was not written to a file."""
    known = [one for one in identification.base_parameters if one.determined]
    return BaseModel(
        profile=identification.profile,
        mechanism=identification.mechanism,
        source=Source(name=identification.profile.robot, sha256="", kind="model"),
        deviations={one.name: one.standard_deviation for one in known},
        torque_error=np.array([joint.rmse_torque for joint in identification.judgement.joints]),
    )


def load_base_model(
    path: Path, *, profile: str | None, urdf: Path | None, overrides: Iterable[str]
) -> BaseModel:
    """Read a model without payload.

    Args:
        path: of its model.yaml.
        profile: to preprocess by; None for the one that the model carries.
        urdf: in place of the profile's.
        overrides: of the profile's keys.

    Raises:
        ModelFileError: it cannot be read, is of another robot, or its identification failed.
        ConfigurationError: no such profile, or an entry is impossible.
    """
    stored = read_model(path)
    if stored.status == "failed":
        raise ModelFileError(
            f"{path}: its identification failed, so that what it leaves of torque is no payload's; "
            "identify the robot without payload again."
        )
    own = stored.profile
    if profile is not None:
        own, urdf_xml = load_profile(profile, urdf=urdf, overrides=overrides)
        check_acceptance(stored, own, urdf_xml, str(path))
    elif urdf is not None or list(overrides):
        raise ConfigurationError(
            "--set, --estimator and --urdf belong to a profile, but a payload is identified by the "
            "one that its base model carries; name one with --profile."
        )
    return BaseModel(
        profile=own,
        mechanism=stored.mechanism(),
        source=Source(name=path.name, sha256=digest(path), kind="model"),
        deviations=stored.base_deviations,
        torque_error=np.array(stored.entries.errors.rmse_torque),
    )
