"""The dead band of contacts with memory: as wide as a step of the position that they follow."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dynid.arrays import Array
from dynid.dynamics.joint_terms import TermSettings
from dynid.errors import ConfigurationError
from dynid.recording.model import Recording
from dynid.robot.drives import encoder_step
from dynid.robot.robot import Robot
from dynid.signals.preprocess import recorded_steps

_EQUAL_STEP_TOLERANCE = 1e-3  # relative: steps are found in decimal numbers


def position_steps(robot: Robot, recordings: Sequence[Recording]) -> tuple[Array, Array]:
    """Return the steps of the joints' positions, 0 where there are none; (n,) each [rad or m].

    Returns:
        The step of the encoder (see :func:`with_dead_bands`), and the coarsest that was recorded,
        below which no contact is.
    """
    recorded = finest_step([recorded_steps(recording, robot) for recording in recordings])
    encoder_steps = _joint_side(robot, encoder_step(robot.drives, len(robot.joints)))
    return np.where(encoder_steps > 0, encoder_steps, recorded), np.maximum(encoder_steps, recorded)


def with_dead_bands(robot: Robot, recordings: Sequence[Recording]) -> Robot:
    """Return the robot with a dead band of one position step where its terms leave it open.

    It is half a step to either side, so a position that alternates between two steps does not move
    a contact. The step is that of ``drives.encoder_counts``; without it, the finest one of the
    recordings, because a coarser one is the rounding of a file and not that of the encoder. Where
    positions have no steps, the dead band is 0.

    Raises:
        ConfigurationError: a contact is shorter than the step.
    """
    if not any(term.traits.has_memory for term in robot.explicit_terms):
        return robot
    steps, shortest = position_steps(robot, recordings)
    terms: list[TermSettings] = []
    for term in robot.explicit_terms:
        if not term.traits.has_memory:
            terms.append(term)
            continue
        at = _at_term(robot, term, steps)
        _check_scale(term, _at_term(robot, term, shortest))
        terms += [term] if term.dead_band is not None else _with_steps(term, at)
    return robot.with_terms(terms)


def finest_step(steps: Sequence[Array]) -> Array:
    """Return the smallest step above 0 of each joint over the recordings; 0 where there is none."""
    finest = np.array([np.where(step > 0, step, np.inf) for step in steps]).min(
        axis=0, initial=np.inf
    )
    return np.asarray(np.where(np.isfinite(finest), finest, 0.0))


def _joint_side(robot: Robot, steps: Array) -> Array:
    """Return steps of the motors behind their gears (n,) at the joints."""
    if robot.coupling is None:
        return steps
    return np.asarray(np.abs(np.array(robot.coupling)) @ steps)


def _at_term(robot: Robot, term: TermSettings, steps: Array) -> dict[str, float]:
    """Return the step at each joint of a term, or at its motor; 0 at a passive joint."""
    if term.side == "motor" and robot.coupling is not None:
        steps = np.abs(np.linalg.inv(np.array(robot.coupling))) @ steps
    known = dict(zip(robot.joints, steps.tolist(), strict=True))
    names = robot.joints if term.joints == "all" else term.joints
    return {name: known.get(name, 0.0) for name in names}


def _check_scale(term: TermSettings, steps: dict[str, float]) -> None:
    for joint, step in steps.items():
        if term.scale < step * (1 - _EQUAL_STEP_TOLERANCE):
            raise ConfigurationError(
                f"terms: {term.kind} of {joint} has a scale of {term.scale:.3g} [rad or m], below "
                f"the steps of its position of {step:.3g}, so a single step would make the contact "
                "slide; use a scale of at least one step, or record finer positions."
            )


def _with_steps(term: TermSettings, steps: dict[str, float]) -> list[TermSettings]:
    """Return the term with a dead band, as one term for all joints with the same step."""
    joints: dict[float, list[str]] = {}
    for joint, step in steps.items():
        joints.setdefault(step / 2, []).append(joint)
    if len(joints) == 1:
        return [term.model_copy(update={"dead_band": next(iter(joints))})]
    return [
        term.model_copy(update={"dead_band": half, "joints": tuple(names)})
        for half, names in joints.items()
    ]
