"""Files of simulators with elastic joints, MJCF or SDF by their root element."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from dynid.errors import ConfigurationError
from dynid.text import listed, significant, torque_unit
from dynid.xml_tree import xml_tree
from dynid_plugins.elastic.elastic_mjcf import elastic_mjcf
from dynid_plugins.elastic.elastic_sdf import elastic_sdf
from dynid_plugins.elastic.passive_joint import ElasticFile, PassiveJoint

_WRITERS = {"mujoco": elastic_mjcf, "sdf": elastic_sdf}


def elastic_file(text: str, where: Path, joints: Sequence[PassiveJoint]) -> ElasticFile:
    """Return an MJCF or SDF with a passive joint behind each elastic one.

    Args:
        text: of the file.
        where: its name, for messages and included files.
        joints: to split.

    Raises:
        ConfigurationError: the text is neither, lacks a joint, or has what cannot refer to two
            joints.
    """
    root = xml_tree(text, str(where), ConfigurationError).tag
    if root not in _WRITERS:
        raise ConfigurationError(
            f"{where}: has a root element <{root}>, expected an MJCF (<mujoco>) or an SDF (<sdf>)."
        )
    motors = [joint.motor for joint in joints]
    doubled = sorted({one for one in motors if motors.count(one) > 1})
    if doubled:
        raise ConfigurationError(
            f"{where}: several joints of the profile are '{doubled[0]}' there."
        )
    written = _WRITERS[root](text, where, joints)
    loose = [joint.motor for joint in joints if joint.backlash > 0]
    hard = [joint.motor for joint in joints if joint.hardening > 0]
    notes = written.notes
    if loose:
        notes = (
            *notes,
            f"Backlash of {listed(loose)} is not in the file: the gears there have none.",
        )
    if hard:
        notes = (
            *notes,
            f"Hardening of {listed(hard)} is not in the file: stiffness is linear there.",
        )
    return replace(written, notes=notes)


def joint_sentences(written: ElasticFile) -> list[str]:
    """Return a sentence on each joint that was split."""
    sentences = []
    for joint, rotor in zip(written.joints, written.rotors, strict=True):
        unit, inertia = (torque_unit(joint.prismatic), "kg" if joint.prismatic else "kg m²")
        way = "m" if joint.prismatic else "rad"
        sentences.append(
            f"{joint.motor}: motor with {significant(rotor)} {inertia}, then '{joint.name}' with "
            f"{significant(joint.stiffness)} {unit}/{way} and {significant(joint.damping)} "
            f"{unit} s/{way}."
        )
    return sentences
