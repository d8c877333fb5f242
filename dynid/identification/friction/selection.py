"""Selection of friction models for all joints of a robot, and the profile with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from dynid.arrays import Array
from dynid.dynamics.base_parameters import base_parameterization
from dynid.dynamics.joint_terms import TermSettings
from dynid.errors import EstimationError
from dynid.estimation.cross_validation import cross_validate
from dynid.estimation.fitting import Fit, build_problem, fit
from dynid.estimation.regression import Problem, recording_numbers
from dynid.identification.dead_bands import finest_step, position_steps
from dynid.identification.filter_choice import filtered_pieces
from dynid.identification.friction.candidates import MotionScales, candidates
from dynid.identification.friction.choose import FEWEST_ROWS, CandidateTrial, choose, try_candidates
from dynid.identification.friction.joint_problem import JointProblem, joint_problem, with_folds
from dynid.identification.settings import IdentificationSettings
from dynid.recording.model import Recording, Source, given_recordings
from dynid.robot.robot import Robot
from dynid.signals.preprocess import preprocess
from dynid.signals.signals import Signals
from dynid.text import listed

_LOADED = 0.02  # least share of gravity in a joint's torque for load-dependent friction
_DIGITS = 3


@dataclass(frozen=True)
class JointChoice:
    """The candidates tried at one joint, simplest first, and the chosen one."""

    joint: str
    unit: str  # of the effort recorded
    torque_per_effort: float
    problem: JointProblem
    trials: tuple[CandidateTrial, ...]
    chosen: CandidateTrial


@dataclass(frozen=True)
class FittedRobot:
    """A robot fitted with given terms, its noise at rest (see noise_at_rest), and dead bands.

    The dead bands (n,) of contacts are half a step of the joints' positions [rad or m].
    """

    fit: Fit
    position_noise: Array
    velocity_noise: Array
    dead_band: Array


@dataclass(frozen=True)
class FrictionSelection:
    """The choice for every joint, and the robot with the chosen terms.

    ``left_out`` describes a held-out fold: a recording, or a part of a single recording.
    """

    robot: Robot
    joints: tuple[JointChoice, ...]
    left_out: str
    sources: tuple[Source, ...]
    notes: tuple[str, ...]

    def __repr__(self) -> str:
        """Return the friction model chosen for each joint."""
        rows = [f"{joint.joint}: {joint.chosen.name}" for joint in self.joints]
        first = f"Friction of {self.robot.name}, chosen by the error on each {self.left_out}"
        return "\n".join([first, *rows, *self.notes])


def select_friction(
    robot: Robot,
    recordings: Recording | Sequence[Recording],
    *,
    progress: Callable[[str], None] = lambda _: None,
    share: Callable[[float], None] = lambda _: None,
) -> FrictionSelection:
    """Try all candidates at every joint and choose those with the least held-out error.

    ``dynid.select_friction`` takes files as well, and describes the arguments.

    Raises:
        DynidError: a recording, setting or mechanism is not suitable.
    """
    given = given_recordings("select_friction()", recordings)
    # more threads are slower for matrices of about 80 columns
    with threadpool_limits(1, user_api="blas"):
        robot, pieces, _ = filtered_pieces(robot, given, progress=progress)
        robot, recordings = robot.with_explicit_terms(), pieces
        progress("fitting the profile's own terms")
        fitted = fit_robot(robot, recordings)
        joints = []
        for number, name in enumerate(robot.joints):
            progress(f"trying friction models at {name}")
            share(number / len(robot.joints))
            problem, motion = joint_and_motion(fitted, number)
            trials = try_candidates(problem, candidates(motion), name=name)
            joints.append(_choice(fitted.fit, problem, trials))
    return FrictionSelection(
        robot=with_terms(robot, [joint.chosen.fit.terms for joint in joints]),
        joints=tuple(joints),
        left_out=_left_out(fitted.fit.problem),
        sources=tuple(source for recording in recordings for source in recording.sources),
        notes=_notes(fitted.position_noise),
    )


def fit_robot(robot: Robot, recordings: Sequence[Recording]) -> FittedRobot:
    """Fit the profile's terms, with the folds for comparing friction models.

    Raises:
        DynidError: a recording, setting or mechanism is not suitable.
    """
    mechanism = robot.mechanism()
    signals = [preprocess(recording, robot) for recording in recordings]
    _check_motion(signals, robot)
    problem = build_problem(
        mechanism,
        base_parameterization(mechanism),
        signals,
        robot.settings(IdentificationSettings),
    )
    # the profile's settings may remove rest
    settings = robot.settings(IdentificationSettings).model_copy(
        update={"trim_rest": False, "period": None}
    )
    whole = robot.with_settings(settings)
    width, speed = noise_at_rest([preprocess(recording, whole) for recording in recordings])
    step, shortest = position_steps(robot, recordings)
    return FittedRobot(
        _fit_with_folds(problem, robot.settings(IdentificationSettings)),
        np.maximum(width, shortest / 2),
        speed,
        step / 2,
    )


def _fit_with_folds(problem: Problem, settings: IdentificationSettings) -> Fit:
    """Fit with a fold for every recording, or several if the others do not determine the robot."""
    fitted = fit(with_folds(problem), settings)
    shortest = min(len(rows.torque) for rows in problem.rows)
    parts = min(problem.folds, shortest // (2 * FEWEST_ROWS))
    single = recording_numbers(problem.rows)[-1] == 0
    if single or parts < 2 or max(cross_validate(fitted).of_blocks) < 1:
        return fitted
    return fit(with_folds(problem, parts), settings)


def _left_out(problem: Problem) -> str:
    """Describe a fold of :func:`with_folds`."""
    recordings = int(recording_numbers(problem.rows)[-1]) + 1
    if recordings == 1:
        return f"{problem.folds}th of the recording"
    parts = problem.folds // recordings
    name = {2: "half", 3: "third", 4: "quarter"}.get(parts, f"{parts}th")
    return "recording" if parts == 1 else f"{name} of each recording"


def joint_and_motion(fitted: FittedRobot, joint: int) -> tuple[JointProblem, MotionScales]:
    """Return the problem of one joint, and the scales of its motion."""
    problem, chain = joint_problem(fitted.fit, joint), fitted.fit.problem.mechanism.chain.passive
    position = np.concatenate([track.position for track in problem.tracks])
    velocity = np.concatenate([track.velocity for track in problem.tracks])
    load = np.concatenate([track.load for track in problem.tracks])
    motion = MotionScales(
        speed=float(np.abs(velocity).max()),
        travel=float(np.ptp(position)),
        # in closed chains the load is that of the cut tree, not the gravity torque here
        loaded=not chain and bool(np.std(load) > _LOADED * np.std(problem.torque)),
        position_noise=float(fitted.position_noise[joint]),
        velocity_noise=float(fitted.velocity_noise[joint]),
        dead_band=float(fitted.dead_band[joint]),
    )
    return problem, motion


def with_terms(robot: Robot, chosen: Sequence[tuple[TermSettings, ...]]) -> Robot:
    """Return the robot with these terms as its joints' friction, one tuple for each joint.

    Springs, offsets, rotors, and terms of motors and passive joints stay.
    """
    passive = robot.closed_chain.passive
    joints_of_term: dict[TermSettings, list[str]] = {}
    for name, terms_of_one in zip(robot.joints, chosen, strict=True):
        for term in terms_of_one:
            joints_of_term.setdefault(_rounded(term), []).append(name)
    terms = [_at(term, names, robot.joints) for term, names in joints_of_term.items()]
    for term in robot.explicit_terms:
        if term.side == "motor" or not term.traits.dissipative:
            terms.append(term)
        elif term.joints != "all" and (kept := tuple(j for j in passive if j in term.joints)):
            terms.append(term.model_copy(update={"joints": kept}))
    return robot.model_copy(update={"terms": tuple(terms)})


def _rounded(term: TermSettings) -> TermSettings:
    shapes = {name: value for name, value in term if isinstance(value, float)}
    return term.model_copy(
        update={name: float(f"{value:.{_DIGITS}g}") for name, value in shapes.items()}
    )


def _at(term: TermSettings, names: Iterable[str], joints: tuple[str, ...]) -> TermSettings:
    at = tuple(names)
    return term.model_copy(update={"joints": "all" if at == joints else at})


def _check_motion(signals: Sequence[Signals], robot: Robot) -> None:
    moving = np.any([piece.moving.any(axis=0) for piece in signals], axis=0)
    still = [name for name, moves in zip(robot.joints, moving, strict=True) if not moves]
    if still:
        raise EstimationError(
            f"{listed(still)} {'does' if len(still) == 1 else 'do'} not move in the recordings; "
            "friction selection needs motion of all joints, so add a recording in which they move."
        )
    same = np.all([np.ptp(piece.raw_torque, axis=0) == 0 for piece in signals], axis=0)
    constant = [name for name, is_so in zip(robot.joints, same, strict=True) if is_so]
    if constant:
        raise EstimationError(
            f"the effort of {listed(constant)} is constant in the recordings; check that the "
            "drives' torque or current was recorded."
        )


def _notes(position_noise: Array) -> tuple[str, ...]:
    if position_noise.any():
        return ()
    return (
        "No recording contains a second of rest with position noise, so encoder noise may be "
        "modelled as friction.",
    )


def _choice(fitted: Fit, problem: JointProblem, trials: tuple[CandidateTrial, ...]) -> JointChoice:
    signals = fitted.problem.rows[0].signals
    return JointChoice(
        joint=signals.joint_names[problem.joint],
        unit=signals.effort_unit,
        torque_per_effort=abs(float(signals.torque_per_effort[problem.joint])),
        problem=problem,
        trials=trials,
        chosen=choose(trials),
    )


_WINDOW = 1.0  # [s]
_STATIONARY = 1.5  # a window's range of positions over that of its halves; 2 in steady motion


def noise_at_rest(signals: Sequence[Signals]) -> tuple[Array, Array]:
    """Estimate half the range of positions at rest, and the velocity's root mean square.

    The range is at least a step of the positions.

    Windows in which a joint creeps are left out: there the range of the positions is twice that of
    each half of the window.

    Args:
        signals: one per recording, including rest.

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
