"""The recordings and models that a command is given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from dynid import profile as profiles
from dynid.cli.start.folder import robots_in
from dynid.errors import ConfigurationError, DynidError
from dynid.profile import load_model
from dynid.recording.averaging import Bound
from dynid.recording.model import Recording
from dynid.robot.acceptance import check_acceptance
from dynid.robot.description import is_description
from dynid.robot.model import Model
from dynid.robot.recordings import load_recording
from dynid.robot.robot import Robot
from dynid.robot.torque_settings import CollisionSettings
from dynid.robot.urdf_profile import assumptions
from dynid.signals.settings import SignalSettings

_IDENTIFIED = "_identified.urdf"  # end of the URDFs that identifications write


def load_robot(profile: str, *, urdf: Path | None = None, overrides: Sequence[str] = ()) -> Robot:
    """Load a robot; where only its URDF is given, note on standard error what is assumed.

    Raises:
        ConfigurationError: profile or URDF not found, or an entry is unknown or invalid.
    """
    from dynid.report.terminal.console import print_message

    robot = profiles.load_robot(profile, urdf=urdf, overrides=overrides)
    if is_description(Path(profile)):
        assumed = "; ".join(assumptions(robot))
        print_message(
            f"{profile} is no profile, so assumed are {assumed}. A profile to edit: dynid new "
            f"{profile} -o {robot.name}.yaml",
            kind="note",
        )
    return robot


def load_recordings(
    paths: Sequence[Path],
    robot: Robot,
    start: float | None,
    stop: float | None,
    step: Callable[[str], None],
    run: int | None = None,
    *,
    averaged: bool = False,
) -> list[Recording]:
    """Read recordings with the robot's settings, from ``start`` to ``stop`` [s] of a run.

    Long ones may be ``averaged``, where a task needs no samples in their place.
    """
    bound = Bound(robot.settings(SignalSettings).lowest_rate, len(paths)) if averaged else None
    loaded = []
    for path in paths:
        step(f"reading {path.name}")
        loaded.append(load_recording(path, robot, start=start, stop=stop, run=run, bound=bound))
    return loaded


def robot_of_model(model: Model, path: Path) -> str:
    """Return the shipped robot, or the file here or beside the model, that a model is of; or ""."""
    near = [*robots_in(Path()), *robots_in(path.parent)]
    urdfs = [file for file in near if file.endswith(".urdf") and _IDENTIFIED not in file]
    own = [*(file for file in near if file.endswith(".yaml")), *urdfs]
    return next((name for name in (model.robot.name, *own) if _is_of(model, name)), "")


def _is_of(model: Model, name: str) -> bool:
    try:
        check_acceptance(model, profiles.load_robot(name), name, force=True)
    except DynidError:
        return False
    return True


def load_model_for(
    path: Path,
    profile: str | None,
    *,
    urdf: Path | None = None,
    overrides: Sequence[str] = (),
    force: bool = False,
) -> Model:
    """Read a model, with the settings of a profile of its robot where one is named.

    Args:
        path: of the model.yaml.
        profile: name or file; None for the settings in the model.
        urdf: in place of the profile's.
        overrides: of the profile's keys.
        force: whether to accept a model whose identification failed.

    Raises:
        ModelFileError: the model cannot be read, or is of another robot than the profile.
        ConfigurationError: no such profile, or options that need one.
    """
    model = load_model(path)
    if profile is not None:
        robot = load_robot(profile, urdf=urdf, overrides=overrides)
        check_acceptance(model, robot, str(path), force=force)
        return model.with_robot(robot)
    for option, given in (("--set", bool(overrides)), ("--urdf", urdf is not None)):
        if given:
            raise ConfigurationError(
                f"{option} changes a profile; name it with --profile, besides the model."
            )
    return model


def collision_origin(model: Model, path: Path, profile: str | None) -> str:
    """Return where a model's settings of collision detection are from, as a phrase.

    Args:
        model: as :func:`load_model_for` returns it.
        path: of the model.yaml.
        profile: name or file; None for the settings in the model.
    """
    if profile is not None:
        return f"of the profile {profile}"
    if model.thresholds:
        return f"tuned with the model, in {path}"
    if model.robot.settings(CollisionSettings).model_fields_set:
        return f"of the profile in {path}"
    return f"defaults, because {path} has none; name a profile with --profile"
