"""From recordings without and with a known payload to the drives' torque constants."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from threadpoolctl import threadpool_limits

from dynid.arrays import Array
from dynid.configuration import per_joint
from dynid.dynamics.base_parameters import base_parameterization
from dynid.errors import EstimationError
from dynid.estimation.fitting import build_problem
from dynid.identification.drive_gains.consistent import consistent_gains
from dynid.identification.drive_gains.equations import GainProblem
from dynid.identification.drive_gains.fit import fit_gains
from dynid.identification.drive_gains.known_payload import KnownPayload
from dynid.identification.settings import IdentificationSettings
from dynid.recording.model import Recording, Source
from dynid.recording.settings import RecordingSettings
from dynid.robot.robot import Robot
from dynid.signals.preprocess import preprocess
from dynid.signals.signals import Signals

Progress = Callable[[str], None]

TOLD = 0.25
"""Relative standard deviation above which a gain is not told."""


@dataclass(frozen=True, eq=False)
class DriveGains:
    """Torque constants of a robot's drives.

    Attributes:
        robot: name of its profile.
        joints: (n,) in drive order.
        quantity: the profile's key, ``torque_constant`` [N m/A] or ``force_constant`` [N/A].
        profile: (n,) what the profile has.
        fitted: (n,) by least squares.
        deviations: (n,) standard deviations of these.
        consistent: (n,) those with which drives and bodies can exist; None: not asked for, or
            nothing is told.
        standard: (p,) parameters of the robot without payload, with ``consistent``, or ``fitted``.
        payload: what was known of it.
        sources: recordings, without payload first.
        notes: of the preprocessing.
    """

    robot: str
    joints: tuple[str, ...]
    quantity: str
    profile: Array
    fitted: Array
    deviations: Array
    consistent: Array | None
    standard: Array
    payload: KnownPayload
    sources: tuple[Source, ...]
    notes: tuple[str, ...]

    @property
    def told(self) -> tuple[bool, ...]:
        """Which of the constants the recordings tell, (n,)."""
        return tuple(bool(told) for told in self.deviations < TOLD * np.abs(self.fitted))

    @property
    def best(self) -> Array:
        """The constants to use (n,): those of the profile where none is told."""
        found = self.fitted if self.consistent is None else self.consistent
        return np.where(self.told, found, self.profile)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why constants are not told."""
        names = [name for name, told in zip(self.joints, self.told, strict=True) if not told]
        if not names:
            return ()
        if len(names) == len(self.joints):
            return (
                f"the payload of {self.payload.mass:g} kg does not show in what was recorded with "
                "it; is it heavy enough to be felt, and was it there?",
            )
        return (
            f"{', '.join(names)}: what was recorded says too little; move these joints faster and "
            "together with others, or use a heavier payload, farther from their axes.",
        )

    @property
    def success(self) -> bool:
        """Every constant is told."""
        return all(self.told)


def identify_drive_gains(
    robot: Robot,
    unloaded: Sequence[Recording],
    loaded: Sequence[Recording],
    payload: KnownPayload,
    *,
    progress: Progress = lambda _: None,
) -> DriveGains:
    """Find torque constants together with dynamic parameters.

    Args:
        robot: the drives' constants in it need only be other than 0.
        unloaded: recordings without payload.
        loaded: recordings with it.
        payload: what is known of it.
        progress: told the name of each step as it begins.

    Raises:
        DynidError: a recording, setting or mechanism does not allow it.
    """
    quantity = _quantity(robot)
    if not unloaded or not loaded:
        raise EstimationError(
            "drive gains need recordings without payload and with it: it is the difference that "
            "sets the scale of all torques."
        )
    # matrices here are some 80 wide: more threads only get in each other's way
    with threadpool_limits(1, user_api="blas"):
        progress("building the mechanism")
        mechanism = robot.mechanism()
        base = base_parameterization(mechanism)
        progress("preprocessing")
        signals = [[preprocess(one, robot) for one in some] for some in (unloaded, loaded)]
        _check_motion(signals)
        progress("estimating")
        settings = robot.settings(IdentificationSettings)
        own, with_it = (build_problem(mechanism, base, some, settings) for some in signals)
        fit = fit_gains(GainProblem(own, with_it, payload))
        told = fit.deviations < TOLD
        _check_signs([robot.joints[joint] for joint in np.flatnonzero(told & (fit.gains < 0))])
        progress("making consistent")
        gains, standard = fit.gains, fit.problem.standard(fit.unknowns)[0]
        consistent = None
        if settings.physical.enabled and told.any():
            consistent, standard = consistent_gains(fit, settings.physical)
    before = per_joint(getattr(robot.drives, quantity), len(gains), quantity)
    return DriveGains(
        robot=robot.name,
        joints=robot.joints,
        quantity=quantity,
        profile=before,
        fitted=before * gains,
        deviations=np.abs(before * gains) * fit.deviations,
        consistent=None if consistent is None else before * consistent,
        standard=standard,
        payload=payload,
        sources=tuple(source for one in (*unloaded, *loaded) for source in one.sources),
        notes=tuple(note for some in signals for one in some for note in one.notes),
    )


def _quantity(robot: Robot) -> str:
    """The key of the profile that is looked for.

    Raises:
        EstimationError: what was recorded is no current of one drive.
    """
    if robot.drives.effort == "torque":
        raise EstimationError(
            f"the efforts in recordings of '{robot.name}' are torque, which has no gain; set "
            "drives.effort to current or rated_current_permille, and a torque_constant of 1 where "
            "it is not known."
        )
    if robot.settings(RecordingSettings).side == "motor" and robot.coupling is not None:
        raise EstimationError(
            f"the motors of '{robot.name}' act on several joints through its coupling, so that "
            "their currents cannot be told apart at the joints; a robot without coupling would do."
        )
    return "force_constant" if robot.drives.force_constant is not None else "torque_constant"


def _check_signs(names: Sequence[str]) -> None:
    if names:
        raise EstimationError(
            f"the current of joint '{names[0]}' acts against its torque: give its gear_ratio or "
            "torque_constant the other sign, unless recordings with and without payload were "
            "mixed up."
        )


def _check_motion(signals: Sequence[Sequence[Signals]]) -> None:
    for name, some in zip(("without", "with"), signals, strict=True):
        if not any(one.moving.any() for one in some):
            raise EstimationError(
                f"no joint moves in what was recorded {name} payload; drive gains need motion."
            )
