"""The search for the joint terms of a robot by its recordings.

Joint by joint, friction models are compared by the error on blocks that were not fitted: few of
them for ``terms: auto``, all for ``dynid identify friction``. Then the model of the whole robot
with the chosen terms is compared with that of the given terms in the same way, and a joint that is
not better keeps those that were given.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from dynid.arrays import Array
from dynid.dynamics.joint_terms import TermSettings
from dynid.errors import EstimationError
from dynid.estimation.work import Share, Work
from dynid.evaluation.at_rest import without_noise_at_rest
from dynid.identification.dead_bands import finest_step, position_steps
from dynid.identification.filter_choice import filtered_pieces
from dynid.identification.friction.joint_trials import FittedRobot, JointTrials, try_joint
from dynid.identification.friction.reduced import held_out_blocks
from dynid.identification.friction.robot_terms import (
    motors_of_several_joints,
    with_motor_terms,
    with_springs,
)
from dynid.identification.friction.selection import ChosenTerms, FrictionSelection, TriedTerms
from dynid.identification.friction.whole_model import WholeModel, given_model, with_terms
from dynid.identification.settings import IdentificationSettings
from dynid.recording.averaging import bounded
from dynid.recording.model import Recording, given_recordings
from dynid.robot.robot import Robot
from dynid.signals.preprocess import preprocess
from dynid.signals.signals import Signals
from dynid.text import listed, significant, unit

_WINDOW = 1.0  # [s]
_STATIONARY = 1.5  # a window's range of positions over that of its halves; 2 in steady motion
_FEWEST_SAMPLES_OF_A_FOLD = 30

Progress = Callable[[str], None]


def select_friction(
    robot: Robot,
    recordings: Recording | Sequence[Recording],
    *,
    progress: Progress = lambda _: None,
    share: Share | None = None,
) -> FrictionSelection:
    """Try all friction models at every joint and choose those with the least held-out error.

    ``dynid.select_friction`` takes files as well, and describes the arguments.

    Raises:
        DynidError: a recording, setting or mechanism is not suitable.
    """
    given = given_recordings("select_friction()", recordings)
    given = bounded(given, robot.settings(IdentificationSettings).lowest_rate)
    # more threads are slower for matrices of about 80 columns
    with threadpool_limits(1, user_api="blas"):
        robot, pieces, _ = filtered_pieces(robot, given, progress=progress)
        robot = robot.with_explicit_terms()
        signals = [without_noise_at_rest(preprocess(piece, robot)) for piece in pieces]
        _check_information(signals)
        found = choose_terms(
            robot, pieces, signals, every=True, progress=progress, work=Work(share)
        )
    if found.too_short:
        raise EstimationError(
            "the recordings are too short to choose friction models by: a part that is held out "
            f"has fewer than {_FEWEST_SAMPLES_OF_A_FOLD} samples; record a longer motion."
        )
    sources = tuple(source for piece in pieces for source in piece.sources)
    return replace(found, sources=sources)


def _check_information(signals: Sequence[Signals]) -> None:
    if not any(piece.moving.any() for piece in signals):
        raise EstimationError("no joint moves in the recordings; friction shows in motion only.")
    same = np.all([np.ptp(piece.raw_torque, axis=0) == 0 for piece in signals], axis=0)
    constant = [name for name, is_so in zip(signals[0].joint_names, same, strict=True) if is_so]
    if constant:
        raise EstimationError(
            f"the effort of {listed(constant)} is constant in the recordings; check that the "
            "drives' torque or current was recorded."
        )


def choose_terms(
    robot: Robot,
    recordings: Sequence[Recording],
    signals: Sequence[Signals],
    *,
    every: bool = False,
    progress: Progress = lambda _: None,
    work: Work | None = None,
    within: bool = False,
) -> FrictionSelection:
    """Choose the joint terms of a robot by the error on blocks held out.

    Args:
        robot: its terms are compared with others; those of ``auto`` are the plain ones.
        recordings: of the robot's joints.
        signals: of each recording.
        every: whether all models are tried, and kept for a page, or few of them.
        progress: called with the name of each step.
        work: takes the share that is done.
        within: whether a part of every recording is held out, instead of a whole one.

    Raises:
        DynidError: a recording, setting or mechanism is not suitable.
    """
    given, work = robot.with_explicit_terms(), work or Work()
    within = within or sum(not piece.piece for piece in signals) == 1
    blocks, settings = held_out_blocks(signals, _simplest(given), within=within)
    if blocks.samples_of_a_fold() < _FEWEST_SAMPLES_OF_A_FOLD:
        return FrictionSelection(given, (), blocks.left_out, too_short=True)
    robot = with_motor_terms(given, recordings, blocks, settings)
    motors = () if robot is given else motors_of_several_joints(robot)
    compared, squares = given_model(robot, blocks, settings)
    robot, springs = (robot, ()) if every else with_springs(compared, squares)
    if springs:
        compared, squares = given_model(robot, blocks, settings)
    if not within and np.any(squares.relative >= 1):
        # without one of them, the other recordings do not determine the robot
        return choose_terms(
            given, recordings, signals, every=every, progress=progress, work=work, within=True
        )
    whole = _fitted_robot(compared, recordings, signals)
    tried = []
    for number, name in enumerate(robot.joints):
        progress(f"choosing the friction model of {name}")
        work.done(number / len(robot.joints))
        tried.append(try_joint(whole, blocks, number, every=every))
    progress("comparing the chosen model with the given one")
    found = replace(_selection(compared, squares.relative, tried), motors=motors, springs=springs)
    return replace(found, trials=tuple(tried)) if every else found


def _fitted_robot(
    compared: WholeModel, recordings: Sequence[Recording], signals: Sequence[Signals]
) -> FittedRobot:
    step, shortest = position_steps(compared.robot, recordings)
    position, velocity = motion_noise(compared.robot, recordings, signals)
    position = np.maximum(position, shortest / 2)
    return FittedRobot(compared.fitted, compared.robot.limits, position, velocity, step / 2)


def _simplest(robot: Robot) -> IdentificationSettings:
    """Return the robot's settings for weighted least squares alone."""
    settings = robot.settings(IdentificationSettings)
    physical = settings.physical.model_copy(update={"enabled": False})
    changes = {"estimator": "wls", "essential": False, "physical": physical}
    return settings.model_copy(update=changes)


def _selection(
    compared: WholeModel, before: Array, tried: Sequence[JointTrials]
) -> FrictionSelection:
    """Compare whole models; joints at which the chosen terms are not better keep those given."""

    def parts(given: NDArray[np.bool_]) -> list[list[tuple[TermSettings, ...]]]:
        """Terms of every joint, fitted to all blocks and without each fold."""
        return [
            [
                joint.terms(part, given=bool(is_given))
                for joint, is_given in zip(tried, given, strict=True)
            ]
            for part in range(len(tried[0].fits[0]))
        ]

    def held_out(given: NDArray[np.bool_]) -> Array:
        """Return the larger error: with the shapes of each fold, or of the model delivered.

        A part of a recording may decide alone on a shape or, with a given shape, on its factor.
        """
        models = parts(given)
        delivered = [models[0]] * len(models)
        return np.maximum(compared.relative_errors(models), compared.relative_errors(delivered))

    given = np.array([joint.choice == 0 for joint in tried])
    while True:
        after = before if given.all() else held_out(given)
        worse = ~given & (after >= before)
        if not worse.any():
            break
        given |= worse
    if np.mean(after) > np.mean(before):
        given, after = np.ones(len(tried), dtype=bool), before
    terms = parts(given)[0]
    signals = compared.blocks.signals[0]
    return FrictionSelection(
        robot=compared.robot if given.all() else with_terms(compared.robot, terms),
        joints=tuple(
            _chosen(joint, signals, number, (before[number], after[number]), is_given=given[number])
            for number, joint in enumerate(tried)
        ),
        left_out=compared.blocks.left_out,
    )


def _chosen(
    joint: JointTrials,
    signals: Signals,
    number: int,
    errors: tuple[float, float],
    *,
    is_given: bool,
) -> ChosenTerms:
    """Return the choice at a joint, with relative errors of the given and the chosen terms."""
    scale = abs(float(signals.torque_per_effort[number]))
    effort_unit = signals.effort_unit
    if joint.problem.prismatic and effort_unit == "N*m":
        effort_unit = "N"
    tried = tuple(
        TriedTerms(
            trial.name,
            trial.parameters,
            trial.fit_error / scale,
            trial.held_out_error / scale,
            trial.fit.shapes,
        )
        for trial in joint.trials
    )
    chosen = tried[0 if is_given else joint.choice]
    if len(tried) == 1:
        reason = "the joint does not move"
    elif joint.choice == 0:
        reason = "no other model is surely better for motion within the limits"
    elif is_given:
        reason = f"in the model of the whole robot {tried[joint.choice].name} is not better"
    else:
        sizes = [significant(model.held_out_error, 3) for model in (chosen, tried[0])]
        reason = f"held-out error {' instead of '.join(sizes)} {unit(effort_unit)}"
    return ChosenTerms(
        joint=signals.joint_names[number],
        unit=effort_unit,
        tried=tried,
        chosen=chosen.name,
        given_error=float(errors[0]),
        chosen_error=float(errors[1]),
        reason=reason,
    )


def motion_noise(
    robot: Robot, recordings: Sequence[Recording], signals: Sequence[Signals]
) -> tuple[Array, Array]:
    """Return the noise of positions and velocities at rest, or else in motion; (n,) each."""
    # the robot's settings may remove rest
    settings = robot.settings(IdentificationSettings).model_copy(
        update={"trim_rest": False, "period": None}
    )
    whole = robot.with_settings(settings)
    position, velocity = noise_at_rest([preprocess(recording, whole) for recording in recordings])
    cutoff, rate = settings.motion_cutoff_hz, signals[0].sampling_rate
    if cutoff is None:
        return position, velocity
    # the low-pass removed the part of white noise above its cut-off
    removed = np.median([_spread(piece.raw_position - piece.position) for piece in signals], axis=0)
    share = cutoff / (0.5 * rate)
    passed = removed * np.sqrt(share / max(1.0 - share, share))
    speed = passed * 2 * np.pi * cutoff / np.sqrt(3)
    return (np.where(position > 0, position, 2 * passed), np.where(velocity > 0, velocity, speed))


def _spread(values: Array) -> Array:
    """Return a robust standard deviation of each column."""
    return np.asarray(1.4826 * np.median(np.abs(values - np.median(values, axis=0)), axis=0))


def noise_at_rest(signals: Sequence[Signals]) -> tuple[Array, Array]:
    """Estimate half the range of positions at rest, and the velocity's root mean square.

    The range is at least a step of the positions.

    Windows in which a joint creeps are left out: there the range of the positions is twice that of
    each half of the window.

    Returns:
        (n,) each [rad or m], [rad/s or m/s]; zeros if no recording contains a second of rest.
    """
    joints = len(signals[0].joint_names)
    widths, speeds = [np.zeros((0, joints))], [np.zeros((0, joints))]
    for piece in signals:
        half = max(1, round(0.5 * _WINDOW * piece.sampling_rate))
        count = len(piece.time) // (2 * half)
        shape = (count, 2, half, joints)
        rests = ~piece.moving[: count * 2 * half].reshape(shape).any(axis=(1, 2, 3))
        position = piece.position[: count * 2 * half].reshape(shape)[rests]
        velocity = piece.velocity[: count * 2 * half].reshape(shape)[rests]
        width, parts = np.ptp(position, axis=(1, 2)), np.ptp(position, axis=2).max(axis=1)
        still = width <= _STATIONARY * parts
        widths.append(np.where(still, 0.5 * width, np.nan))
        speeds.append(np.where(still, np.sqrt(np.mean(velocity**2, axis=(1, 2))), np.nan))
    width, speed = np.concatenate(widths), np.concatenate(speeds)
    steps = finest_step([s.position_step for s in signals if s.position_step is not None])
    return np.maximum(_median(width), steps / 2), _median(speed)


def _median(values: Array) -> Array:
    """Return the median of each column without NaN, 0 where there is none; (n,)."""
    known = [column[np.isfinite(column)] for column in values.T]
    return np.array([np.median(column) if len(column) else 0.0 for column in known])
