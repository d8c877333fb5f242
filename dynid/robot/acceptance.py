"""Whether a stored model is the one of this robot, and good enough to run."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from dynid.errors import ModelFileError
from dynid.robot.urdf_difference import urdf_difference
from dynid.robot.urdf_export import kinematic_urdf

if TYPE_CHECKING:
    from dynid.profile import RobotProfile
    from dynid.robot.model_reader import StoredModel


def check_acceptance(
    model: StoredModel,
    profile: RobotProfile,
    urdf_xml: str,
    where: str,
    *,
    force: bool = False,
) -> None:
    """Refuse a model of another robot, and one whose identification failed.

    What a model was identified with has to be what this robot is: its name, its joints in their
    order, how it is mounted, its closed chain, and its URDF. The URDF's SHA-256 decides; where it
    differs, so must something that torque depends on (see :func:`urdf_difference`).

    Args:
        model: As stored.
        profile: Of this robot.
        urdf_xml: The URDF of this robot.
        where: Names the model in error messages.
        force: Whether a failed model will do. One of another robot never does.

    Raises:
        ModelFileError: The model must not run here, in a sentence.
    """
    own = model.profile
    if own.robot != profile.robot:
        raise _foreign(where, f"is of robot '{own.robot}', this is '{profile.robot}'")
    pairs: list[tuple[str, object, object]] = [
        ("joints", ", ".join(own.joints), ", ".join(profile.joints)),
        ("gravity", own.gravity, profile.gravity),
        ("coupling", own.coupling, profile.coupling),
        ("locked joints", own.locked, profile.locked),
        (
            "payload joint",
            own.payload_joint or own.joints[-1],
            profile.payload_joint or profile.joints[-1],
        ),
    ]
    for name, stored, expected in pairs:
        if stored != expected:
            raise _foreign(where, f"was identified with {name} {stored}, this has {expected}")
    if own.closed_chain != profile.closed_chain:
        raise _foreign(where, "was identified with other passive joints or closures")
    found = kinematic_urdf(urdf_xml)
    digest = hashlib.sha256(found.encode()).hexdigest()
    if digest != model.entries.urdf_sha256:
        difference = urdf_difference(model.urdf_xml, found)
        if difference:
            hashes = f"SHA-256 {model.entries.urdf_sha256[:12]}… there, {digest[:12]}… here"
            raise _foreign(where, f"was identified with another URDF ({hashes}): {difference}")
    if model.status == "failed" and not force:
        reasons = " ".join(model.entries.reasons)
        message = (
            f"{where}: its identification failed ({reasons.rstrip('.')}), so it must not run; "
            "identify again, or set 'force' to load it all the same."
        )
        raise ModelFileError(message)


def _foreign(where: str, reason: str) -> ModelFileError:
    return ModelFileError(
        f"{where}: {reason}; load this robot's model, or name the profile and URDF it belongs to."
    )
