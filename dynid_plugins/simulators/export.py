"""Export of a model to the file of a simulator, and its check by the simulator itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from dynid.api.inputs import ModelLike, RecordingLike, as_model, as_recordings
from dynid.arguments import check_choice, check_path
from dynid.errors import ConfigurationError, WriteError
from dynid.excitation.motion import Motion
from dynid.files import write_text
from dynid.input_file import inputs_kept
from dynid.robot.model import Model
from dynid_plugins.simulators.exported_model import ExportedModel, exported_model, motion_of
from dynid_plugins.simulators.formats import FORMATS, Check
from dynid_plugins.simulators.frame_alignment import FrameAlignment
from dynid_plugins.simulators.moving_joints import moving_motion
from dynid_plugins.simulators.mujoco_model import MujocoModel
from dynid_plugins.simulators.placed_bodies import joint_names
from dynid_plugins.simulators.trainer_files import TRAINER_TERMS, TRAINERS

_CHECKED = 200  # instants of the motion


@dataclass(frozen=True, eq=False)
class Export:
    """A written model.

    Attributes:
        text: of the file.
        exported: what the format has of the model.
        notes: sentences on frames, gravity and the check.
        difference: largest difference of the simulator's inverse dynamics from the exported model,
            without dry friction, relative to the largest torque; None if it was not checked.
        beside: a user's file that the written one refers to, so that it has to be in its folder.
        inputs: files that the model was made from, which are never replaced.
    """

    text: str
    exported: ExportedModel
    notes: tuple[str, ...]
    difference: float | None
    beside: Path | None = None
    inputs: tuple[Path, ...] = ()

    def save(self, path: str | Path) -> None:
        """Write the file atomically; an existing one is replaced.

        Raises:
            WriteError: it cannot be written, the model was made from it, or it is in another
                folder than ``beside``.
        """
        check_path("save(): path", path)
        if self.beside is not None:
            folders = [one.absolute().parent.resolve() for one in (Path(path), self.beside)]
            if folders[0] != folders[1] or Path(path).name == self.beside.name:
                raise WriteError(
                    f"{path}: refers to {self.beside.name}, which stays as it is; write it into "
                    f"the same folder under another name, such as "
                    f"{self.beside.with_name(f'{self.beside.stem}_identified.usda')}."
                )
        with inputs_kept(self.inputs):
            write_text(Path(path), self.text)


def export_model(
    model: ModelLike,
    to: Literal["isaaclab", "mjcf", "mjlab", "mujoco-dcmotor", "sdf", "urdf", "usd"],
    *,
    recording: RecordingLike | None = None,
    into: str | Path | None = None,
    names: Mapping[str, str] | None = None,
) -> Export:
    """Return a model in the format of a simulator; ``save`` of the result writes it.

    Args:
        model: of a robot without closed chains, or its file.
        to: the format.
        recording: motion on which friction that the format does not have is replaced, and errors
            are computed; or its file; None for the robot's excitation.
        into: a file of the robot that gets the model, everything else unchanged; None: a new file.
            With ``usd`` the result is a layer over the file, to be saved in its folder.
        names: joints of that file for joints of the model, where names differ.

    Raises:
        ConfigurationError: the model or the file cannot be used, or a library is not installed.
        MechanismError: the model is not physically consistent.
        ExcitationError: without a recording, no motion was found within the robot's limits.
    """
    model = as_model("export_model(): model", model)
    check_choice("export_model(): to", to, (*FORMATS, *TRAINERS))
    file = None if into is None else Path(into)
    along = None
    if recording is not None:
        (along,) = as_recordings("export_model(): recording", [recording], model.robot)
    return export_along(
        model,
        to,
        motion_of(model, along),
        into=None if file is None else (read_users_file(to, file), file),
        names=names,
        header=[f"Dynamic model of {model.robot.name}, written by dynid."],
    )


def export_along(
    model: Model,
    to: str,
    motion: Motion,
    *,
    into: tuple[str, Path] | None = None,
    names: Mapping[str, str] | None = None,
    header: Sequence[str] = (),
) -> Export:
    """Return a model in the format of a simulator.

    Args:
        model: of the robot.
        to: the format, one of ``FORMATS`` or ``TRAINERS``.
        motion: of the joints (N, n), for terms that the format does not have, and for the check.
        into: text and path of a file that gets the model; None: a new file.
        names: joints of that file for joints of the model, where names differ.
        header: lines of a comment in a new file.

    Raises:
        ConfigurationError: the model or the file cannot be used, or a library is not installed.
        MechanismError: the model is not physically consistent.
    """
    if to in TRAINERS:
        exported = exported_model(model, TRAINER_TERMS, motion)
        text = TRAINERS[to](exported, header)
        return Export(text, exported, (), None, inputs=model.inputs)
    form = FORMATS[to]
    beside = into[1] if into is not None and form.beside else None
    exported = exported_model(model, form.terms, motion)
    joints, notes, alignment = exported.joints, [], None
    if into is None:
        text, where = form.new(exported, list(header)), Path(f"{model.robot.name}.{to}")
    else:
        before, where = into
        joints = joint_names(joints, form.joints(before, where), names or {}, str(where))
        text, alignment = form.update(before, where, exported, joints)
        notes = [_alignment_note(alignment, where)]
    try:
        check = form.check(text, where.with_suffix(f".{to}"))
    except ConfigurationError as error:
        return Export(text, exported, (*notes, f"Not checked: {error}"), None, beside, model.inputs)
    if alignment is not None:
        notes += _gravity_note(check, alignment, exported, where)
    difference, residual = _difference(check, exported, joints)
    if residual is not None:
        notes.append(f"{check.name} has the loops closed to {residual:.1e} m or rad.")
    notes.append(
        f"{check.name} computes the torques of the exported model to {difference:.1e} of the "
        "largest one, without dry friction."
    )
    return Export(text, exported, tuple(notes), difference, beside, model.inputs)


def read_users_file(to: str, path: Path) -> str:
    """Return the text of a file that gets a model.

    Raises:
        ConfigurationError: it cannot be read, or the format has no such files.
    """
    if to in TRAINERS:
        raise ConfigurationError(
            f"{path}: {to} has no files of robots that get a model, but a new Python module; leave "
            "--into out."
        )
    return FORMATS[to].read(path)


def _difference(
    check: Check, exported: ExportedModel, joints: tuple[str, ...]
) -> tuple[float, float | None]:
    """Return the difference of torques, and the error of constraints; None in a tree."""
    step = max(1, len(exported.motion.position) // _CHECKED)
    motion = Motion(*(part[::step] for part in exported.motion))
    wanted = exported.torque_along(motion, dry=False)
    moving, residual = moving_motion(exported.mechanism, motion), None
    found = check.inverse_dynamics(joints, moving.motion)
    n = len(exported.mechanism.joints)
    if len(joints) > n and isinstance(check, MujocoModel):
        following, residual = check.following(joints, moving.motion.position, n)
        moving = moving._replace(following=following)
    found = moving.at_actuated(found)
    return float(np.abs(found - wanted).max() / np.abs(wanted).max()), residual


def _alignment_note(alignment: FrameAlignment, where: Path) -> str:
    return (
        f"{where.name} has the joints where the model has them, to "
        f"{1e3 * alignment.distance:.2g} mm and {np.degrees(alignment.angle):.2g} deg."
    )


def _gravity_note(
    check: Check, alignment: FrameAlignment, exported: ExportedModel, where: Path
) -> list[str]:
    expected = alignment.root[:3, :3] @ exported.mechanism.gravity
    if np.allclose(check.gravity, expected, atol=1e-2):
        return []
    given, wanted = (" ".join(f"{one:.3g}" for one in value) for value in (check.gravity, expected))
    return [f"Gravity in {where.name} is {given} m/s^2, but the model has {wanted} m/s^2 there."]
