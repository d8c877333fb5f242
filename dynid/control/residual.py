"""Torque errors of a recording, as the collision detector computes them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dynid import _core
from dynid.arrays import Array
from dynid.control.build import collision_settings, control_model
from dynid.control.link_torque import at_links
from dynid.dynamics.mechanism import Mechanism
from dynid.dynamics.rigid_body import RigidBody
from dynid.errors import ConfigurationError
from dynid.identification.settings import IdentificationSettings
from dynid.recording.model import Recording, source_names
from dynid.robot.robot import Robot
from dynid.robot.torque_settings import CollisionSettings
from dynid.signals.preprocess import preprocess
from dynid.signals.signals import Signals

_BLOCK = 0.1  # [s]
_UNEXPLAINED = 0.8  # share of a joint's torque: the model is hardly better than none


@dataclass(frozen=True, eq=False)
class CommandedResidual:
    """Torque errors along a motion, on the side on which the drives are commanded.

    Attributes:
        error: model minus measured torque, unfiltered (N, n) [N m or N].
        torque: measured (N, n) [N m or N].
        velocity: (N, n) [rad/s or m/s].
        acceleration: (N, n) [rad/s^2 or m/s^2].
        friction: largest dry friction of the model (N, n) [N m or N].
        viscous: size of the model's friction that grows with speed (N, n) [N m or N].
        rate: samples per second [Hz].
        name: of the recording's files; empty if it has none.
        position: (N, n) [rad or m]; None where it is not known.
        left_out: spans that count for nothing, such as contacts, from and to [s] since its start.
    """

    error: Array
    torque: Array
    velocity: Array
    acceleration: Array
    friction: Array
    viscous: Array
    rate: float
    name: str = ""
    position: Array | None = None
    left_out: tuple[tuple[float, float], ...] = ()

    @property
    def hours(self) -> float:
        """Duration of what counts [h]."""
        return np.count_nonzero(self.counts()) / self.rate / 3600

    def counts(self) -> NDArray[np.bool_]:
        """Return which samples count (N,)."""
        time = np.arange(len(self.error)) / self.rate
        counted = np.ones(len(time), dtype=np.bool_)
        for start, stop in self.left_out:
            counted &= (time < start) | (time > stop)
        return counted

    def without(self, spans: Iterable[tuple[float, float]]) -> CommandedResidual:
        """Return it without spans, each from a start to a stop [s]."""
        return replace(self, left_out=(*self.left_out, *spans))

    def unexplained(self) -> Array:
        """Return the shares of the joints' torque that the model does not explain (n,).

        1 or more where the model is no better than none. Noise within a tenth of a second, and what
        dry friction may be at rest, do not count. 0 where nothing counts.
        """
        length = min(max(round(_BLOCK * self.rate), 1), len(self.error))
        count = len(self.error) // length

        def blocks(values: Array) -> Array:
            means: Array = values[: count * length].reshape(count, length, -1).mean(axis=1)
            return means

        used = blocks(self.counts()[:, np.newaxis].astype(np.float64))[:, 0] == 1.0
        if not used.any():
            return np.zeros(self.error.shape[1])
        beyond = np.maximum(np.abs(blocks(self.error)) - blocks(self.friction), 0.0)[used]
        size = np.sqrt(np.mean(blocks(self.torque)[used] ** 2, axis=0))
        share: Array = np.sqrt(np.mean(beyond**2, axis=0)) / np.maximum(size, 1e-12)
        return share

    def run_detector(self, robot: Robot) -> tuple[Array, Array, list[_core.Collision]]:
        """Run a profile's detector: return filtered errors, thresholds and collisions.

        The detector's cycles are the samples; all its settings are times.

        Args:
            robot: with the detector's settings.

        Raises:
            ConfigurationError: the settings do not match the robot.
        """
        settings = collision_settings(robot, control_rate=self.rate)
        try:
            detector = _core.CollisionDetector(len(robot.joints), settings)
        except ValueError as error:
            raise ConfigurationError(f"collision: {error}") from None
        return detector.run(
            self.error, self.torque, self.velocity, self.acceleration, self.friction
        )


def check_explained(joints: Sequence[str], residuals: Sequence[CommandedResidual]) -> None:
    """Raise unless the model describes all recordings of free motion.

    Otherwise errors are as large as the torque, and what is derived from them detects nothing.

    Raises:
        ConfigurationError: a joint's torque is mostly unexplained.
    """
    for number, residual in enumerate(residuals, start=1):
        shares = residual.unexplained()
        worst = int(np.argmax(shares))
        if shares[worst] > _UNEXPLAINED:
            percent = min(100 * shares[worst], 1e6)
            where = residual.name or f"recording {number} of free motion"
            raise ConfigurationError(
                f"{where}: the model leaves {percent:.3g} % of the "
                f"torque of joint '{joints[worst]}' unexplained, so nothing could be detected; "
                "check that model and recording are of the same robot, in rad and N m, with the "
                "same signs."
            )


def recorded_residual(
    robot: Robot, mechanism: Mechanism, recording: Recording, *, carried: RigidBody | None = None
) -> CommandedResidual:
    """Return the torque errors of a recording.

    The measured motion, after the profile's zero-phase filters, replaces the commanded one. The
    measured torque is not filtered, because a control cycle only has the detector's own filter.
    Where ``elastic.link_torque`` says so, both are those of the links
    (:func:`~dynid.control.link_torque.at_links`).

    Args:
        robot: with the settings of its recordings.
        mechanism: the model without payload.
        recording: of the robot.
        carried: payload of the robot in it, as the controller's parameters ``payload``.

    Raises:
        PreprocessingError: the profile's filters do not match the recording.
        ConfigurationError: profile and model do not match.
    """
    mechanism, recording = at_links(robot, mechanism, recording)
    signals, motion, torque = commanded_signals(robot, recording, unsettled=True)
    model = control_model(robot, mechanism)
    if carried is not None:
        model.set_payload(carried.mass, carried.centre, carried.inertia)
    expected, friction = model.torque_and_friction(*motion)
    viscous = viscous_friction(mechanism, motion[1], motor_side=robot.at_motors)
    return CommandedResidual(
        expected - torque,
        torque,
        motion[1],
        motion[2],
        friction,
        viscous,
        signals.sampling_rate,
        source_names(recording.sources),
        position=motion[0],
    )


def commanded_signals(
    robot: Robot, recording: Recording, *, unsettled: bool
) -> tuple[Signals, tuple[Array, Array, Array], Array]:
    """Return a recording's signals, and its motion and torque on the commanded side.

    Motion is position, velocity and acceleration behind the profile's zero-phase filters; torque
    is unfiltered; all (N, n). Rest before and after the motion is kept, and the delay of the torque
    is not removed, as in a control cycle.

    Args:
        robot: with the settings of its recordings.
        recording: of the robot.
        unsettled: keep the ends of a recording cut in motion, where filters have not settled.

    Raises:
        PreprocessingError: the profile's filters do not match the recording.
    """
    settings = robot.settings(IdentificationSettings).model_copy(
        update={"border": 0.0, "trim_rest": False, "torque_delay": 0.0}
    )
    robot = robot.with_settings(settings)
    signals = preprocess(recording, robot, unsettled=unsettled)
    motion = signals.motion
    torque = signals.raw_torque
    if (coupling := robot.motor_coupling) is not None:
        position, velocity, acceleration = (part @ np.linalg.inv(coupling).T for part in motion)
        motion, torque = (position, velocity, acceleration), torque @ coupling
    return signals, motion, torque


def with_collision(robot: Robot, **settings: tuple[float, ...]) -> Robot:
    """Return a robot with other ``collision`` settings, and supervised torque errors only."""
    collision = robot.settings(CollisionSettings).model_copy(update=settings)
    limits = robot.limits.model_copy(update={"torque_threshold": None})
    return robot.with_settings(collision).model_copy(update={"limits": limits})


def viscous_friction(mechanism: Mechanism, velocity: Array, *, motor_side: bool) -> Array:
    """Return the size of friction that grows with speed, (N, n) [N m or N].

    Of terms that act in one direction only, the larger one is used for both. Friction of passive
    joints is not included.

    Args:
        mechanism: with the identified parameters.
        velocity: on the commanded side (N, n) [rad/s or m/s].
        motor_side: whether that is the motors' side of the coupling.
    """
    coupling = mechanism.coupling
    to_motor = np.linalg.inv(coupling)
    joint = velocity @ coupling.T if motor_side else velocity
    motor = velocity if motor_side else velocity @ to_motor.T
    at_joints = np.zeros_like(velocity)
    at_motors = np.zeros_like(velocity)
    one_way: dict[tuple[str, int], float] = {}
    parameters = mechanism.parameters[mechanism.first_term :]
    for term, parameter in zip(mechanism.terms, np.abs(parameters), strict=True):
        kind = term.traits
        if kind.dry or not kind.dissipative or term.joint >= velocity.shape[1]:
            continue
        added = float(parameter)
        if kind.mirror:
            before = one_way.get((term.side, term.joint), 0.0)
            one_way[term.side, term.joint] = max(before, added)
            added = max(0.0, added - before)
        moved, torque = (motor, at_motors) if term.side == "motor" else (joint, at_joints)
        speed = np.abs(moved[:, term.joint])
        forward, backward = term.column(velocity=speed), term.column(velocity=-speed)
        torque[:, term.joint] += added * np.maximum(np.abs(forward), np.abs(backward))
    if motor_side:
        return np.asarray(at_motors + at_joints @ np.abs(coupling))
    return np.asarray(at_joints + at_motors @ np.abs(to_motor))


_SPAN = re.compile(r"(?:(?P<recording>.+):)?(?P<start>[^:]+?)\.\.(?P<stop>[^:]+)")


def without_spans(
    residuals: Sequence[CommandedResidual], names: Sequence[str], spans: Sequence[str]
) -> list[CommandedResidual]:
    """Return residuals in which some spans count for nothing.

    Args:
        residuals: one for each recording.
        names: of the recordings, such as their files'.
        spans: each ``START..STOP`` in seconds since the recording's start; with several recordings
            after the number from 1, or the name, of one of them and a colon.

    Raises:
        ConfigurationError: a span is not in that form, is not within its recording, or leaves
            nothing of it.
    """
    shortened = list(residuals)
    for span in spans:
        number, start, stop = _parsed(span, names)
        seconds = len(shortened[number].error) / shortened[number].rate
        if not 0.0 <= start < stop <= seconds:
            raise ConfigurationError(
                f"--without {span}: must be from an earlier to a later time within the "
                f"{seconds:.6g} s of {names[number]}."
            )
        shortened[number] = shortened[number].without([(start, stop)])
        if not shortened[number].counts().any():
            raise ConfigurationError(
                f"--without {span}: leaves nothing of {names[number]}; do not name the recording."
            )
    return shortened


def _parsed(span: str, names: Sequence[str]) -> tuple[int, float, float]:
    """Return the recording's index, and start and stop [s]."""
    parts = _SPAN.fullmatch(span)
    try:
        if parts is None:
            raise ValueError(span)
        start, stop = float(parts["start"]), float(parts["stop"])
    except ValueError:
        raise ConfigurationError(
            f"--without {span}: must be START..STOP in seconds, such as 16.1..17.0, or "
            "2:16.1..17.0 in the second recording."
        ) from None
    return _recording(span, parts["recording"], names), start, stop


def _recording(span: str, given: str | None, names: Sequence[str]) -> int:
    """Return the index of the recording that a span names."""
    if given is None and len(names) == 1:
        return 0
    meant = [number for number, name in enumerate(names) if name == given]
    if not meant and given is not None and given.isdecimal() and 0 < int(given) <= len(names):
        meant = [int(given) - 1]
    if len(meant) == 1:
        return meant[0]
    what = "names no recording" if given is None else f"'{given}' is not one recording's name"
    raise ConfigurationError(
        f"--without {span}: {what}; write 1:START..STOP to {len(names)}:START..STOP, in the order "
        f"of the recordings {', '.join(names)}."
    )
