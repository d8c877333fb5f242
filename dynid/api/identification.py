"""Identification and evaluation of models."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypedDict, cast

from typing_extensions import Unpack

from dynid.api.inputs import (
    ModelLike,
    RecordingsLike,
    RobotLike,
    as_model,
    as_recordings,
    as_recordings_or_none,
    as_robot,
)
from dynid.arguments import checked_call
from dynid.dynamics.joint_terms import TermSettings
from dynid.estimation.cross_validation import HeldOut
from dynid.estimation.estimate import Estimator
from dynid.estimation.settings import PhysicalSettings
from dynid.estimation.work import Share
from dynid.evaluation import model_comparison
from dynid.evaluation.model_comparison import ModelComparison
from dynid.identification import identify as identification
from dynid.identification import validate as validation
from dynid.identification.diagnose import Diagnosis, diagnose_recordings
from dynid.identification.friction import search
from dynid.identification.friction.selection import FrictionSelection
from dynid.identification.payload import identification as payload
from dynid.identification.payload.identification import PayloadIdentification
from dynid.identification.result import Identification
from dynid.identification.validate import Validation
from dynid.robot.robot import Robot
from dynid.robot_files import names_model
from dynid.signals.settings import MedianSettings, ParallelFilterSettings, VelocityThreshold

TermLike = TermSettings | Mapping[str, Any] | str
"""A joint term, its entry in a profile, or its kind alone."""
Progress = Callable[[str], None]


@checked_call
def identify(
    robot: RobotLike,
    recordings: RecordingsLike,
    *,
    progress: Progress = lambda _: None,
    share: Share | None = None,
    **settings: Unpack[IdentificationKeywords],
) -> Identification:
    """Identify a robot's dynamic model from one or more recordings.

    Args:
        robot: gives the kinematics, and masses where parameters are not identifiable; or its file
            or name, as ``dynid.load_robot`` takes it.
        recordings: of the robot, or their files.
        progress: called with the name of each step.
        share: called with the share of the work that is done, where it is known: while terms are
            chosen, and while an estimator simulates or filters the motion.
        settings: replace the robot's own, by the names of the profile's ``identification``:
            ``cutoff_hz=20``, ``estimator="irls"``; and ``terms=["viscous", "coulomb"]``, or
            ``"auto"``, or a list as in a profile.

    Raises:
        DynidError: a recording, setting or mechanism is not suitable.
    """
    used = as_robot("identify(): robot", robot)
    several = as_recordings("identify()", recordings, used, averaged=True)
    return identification.identify(used, several, progress=progress, share=share, **settings)


@checked_call
def cross_validate(
    robot: RobotLike, recordings: RecordingsLike, **settings: Unpack[IdentificationKeywords]
) -> HeldOut:
    """Return the errors of an identification on data that it did not use: its ``held_out``.

    Args:
        robot: as for :func:`identify`.
        recordings: several, of which each is left out once, or a single one, whose blocks are.
        settings: as for :func:`identify`; ``folds`` is the number of blocks.

    Raises:
        DynidError: a recording, setting or mechanism is not suitable.
    """
    return identify(robot, recordings, **settings).held_out


@checked_call
def validate(model: ModelLike, recordings: RecordingsLike) -> Validation:
    """Evaluate a model on recordings, with the filters of its robot's settings.

    Args:
        model: identified on other recordings; a failed identification is a warning. Or its
            identification, or its file.
        recordings: one or several, or their files.

    Raises:
        DynidError: a recording or setting is not suitable.
    """
    used = as_model("validate(): model", model)
    return validation.validate(
        used, as_recordings("validate()", recordings, used.robot, averaged=True)
    )


@checked_call
def compare_models(
    first: ModelLike,
    second: ModelLike,
    recordings: RecordingsLike = (),
    *,
    states: int = 2000,
    seed: int = 0,
) -> ModelComparison:
    """Compare the parameters and torques of two models.

    The variance of a model is for another recording, whose friction deviates by itself, too; here
    such deviations count once for each model.

    Args:
        first: a model, its identification or its file.
        second: of the same robot, or of another one of its type.
        recordings: of the robot, on which both are evaluated as well.
        states: number of random states within the limits of the first model's profile.
        seed: of these.

    Raises:
        ConfigurationError: the models have other joints.
        MechanismError: a closed chain can be closed at too few positions within the limits.
        PreprocessingError: the filters of the first model do not fit a recording.
    """
    reference = as_model("compare_models(): first", first)
    other = as_model("compare_models(): second", second)
    several = as_recordings_or_none("compare_models()", recordings, reference.robot)
    return model_comparison.compare_models(reference, other, several, states=states, seed=seed)


@checked_call
def diagnose(model_or_robot: ModelLike | RobotLike, recordings: RecordingsLike) -> Diagnosis:
    """Search for causes why a model does not explain recordings well.

    Args:
        model_or_robot: the model, its identification or its file; or a robot, of which a model is
            fitted to the recordings.
        recordings: of the robot.

    Raises:
        DynidError: a recording or setting is not suitable.
    """
    named = isinstance(model_or_robot, str | Path) and not names_model(str(model_or_robot))
    if named or isinstance(model_or_robot, Robot):
        robot = as_robot("diagnose(): the robot", cast("RobotLike", model_or_robot))
        return diagnose_recordings(
            robot, as_recordings("diagnose()", recordings, robot, averaged=True)
        )
    model = as_model("diagnose(): the model", model_or_robot)
    several = as_recordings("diagnose()", recordings, model.robot, averaged=True)
    return diagnose_recordings(model.robot, several, model=model)


@checked_call
def select_friction(
    robot: RobotLike,
    recordings: RecordingsLike,
    *,
    progress: Progress = lambda _: None,
    share: Callable[[float], None] = lambda _: None,
) -> FrictionSelection:
    """Try all candidates at every joint and choose those with the least held-out error.

    Of several recordings each is held out once; of a single one, or where the others do not
    determine the robot without one of them, parts in time.

    Args:
        robot: its terms are tried as well, and kept at joints where no others are better.
        recordings: of the robot.
        progress: called with the name of each step.
        share: called with the share of the joints that are done.

    Raises:
        DynidError: a recording, setting or mechanism is not suitable.
    """
    used = as_robot("select_friction(): robot", robot)
    several = as_recordings("select_friction()", recordings, used, averaged=True)
    return search.select_friction(used, several, progress=progress, share=share)


@checked_call
def identify_payload(
    base: ModelLike, recordings: RecordingsLike, *, progress: Progress = lambda _: None
) -> PayloadIdentification:
    """Identify a payload, with fixed parameters of the robot without it.

    Args:
        base: model of the robot without payload, with the settings of every step.
        recordings: with payload.
        progress: called with the name of each step.

    Raises:
        DynidError: a recording or setting is not suitable.
    """
    used = as_model("identify_payload(): base", base)
    several = as_recordings("identify_payload()", recordings, used.robot)
    return payload.identify_payload(used, several, progress=progress)


class IdentificationKeywords(TypedDict, total=False):
    """Settings of an identification, by the names of the profile's ``identification``.

    For type checkers and editors; defaults and meaning are those of IdentificationSettings.
    """

    terms: Sequence[TermLike] | TermLike
    trim_rest: bool
    period: float | None
    border: float
    median: MedianSettings | Mapping[str, Any] | None
    cutoff_hz: float | Literal["auto"] | None
    filter_order: int
    excitation_hz: float | None
    filter_torque: bool
    derivatives: Literal["differences", "kalman"]
    difference_order: Literal["auto", 2, 6]
    velocity: Literal["differentiated", "measured"]
    parallel_filter: ParallelFilterSettings | Mapping[str, Any] | Literal["auto"] | None
    torque_delay: float | Literal["auto"]
    velocity_threshold: VelocityThreshold | Mapping[str, Any]
    estimator: str | Estimator | type[Estimator]
    essential: bool
    physical: PhysicalSettings | Mapping[str, Any]
    friction_repeatability: float | None
    torque_repeatability: float
    bootstrap: int
    folds: int
    criterion: Literal["held_out", "max_error"]
    max_held_out_error: float
    max_feedforward_error: float
    max_relative_torque_error: float | None
    unsigned_torque: bool
