"""Identification of the drives' torque constants from recordings without and with a payload."""

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
from dynid.identification.filter_choice import filtered_pieces
from dynid.identification.settings import IdentificationSettings
from dynid.recording.model import Recording, Source
from dynid.recording.settings import RecordingSettings
from dynid.robot.robot import Robot
from dynid.signals.pieces import usable_pieces
from dynid.signals.preprocess import preprocess
from dynid.signals.signals import Signals

Progress = Callable[[str], None]

LARGEST_STANDARD_DEVIATION = 0.25
"""Relative standard deviation above which a constant is not identifiable."""

_COMPARABLE = 100.0  # times the currents without payload: more is another unit, not a payload


@dataclass(frozen=True, eq=False)
class DriveGains:
    """Torque constants of a robot's drives.

    Attributes:
        robot: name of its profile.
        joints: (n,) in drive order.
        quantity: the profile's key, ``torque_constant`` [N m/A] or ``force_constant`` [N/A].
        profile: (n,) constants of the profile.
        fitted: (n,) by least squares.
        standard_deviations: (n,) of ``fitted``.
        consistent: (n,) physically consistent constants; None: disabled, or nothing is
            identifiable.
        standard: (p,) parameters of the robot without payload, with ``consistent`` or ``fitted``.
        payload: the known payload.
        sources: recordings, without payload first.
        notes: of the preprocessing.
    """

    robot: str
    joints: tuple[str, ...]
    quantity: str
    profile: Array
    fitted: Array
    standard_deviations: Array
    consistent: Array | None
    standard: Array
    payload: KnownPayload
    sources: tuple[Source, ...]
    notes: tuple[str, ...]

    @property
    def identifiable(self) -> tuple[bool, ...]:
        """Which constants are identifiable from the recordings, (n,)."""
        return tuple(
            bool(certain)
            for certain in self.standard_deviations
            < LARGEST_STANDARD_DEVIATION * np.abs(self.fitted)
        )

    @property
    def best(self) -> Array:
        """The constants to use (n,); those of the profile if not identifiable."""
        gains = self.fitted if self.consistent is None else self.consistent
        return np.where(self.identifiable, gains, self.profile)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Sentences on constants that are not identifiable."""
        names = [
            name
            for name, identifiable in zip(self.joints, self.identifiable, strict=True)
            if not identifiable
        ]
        if not names:
            return ()
        if len(names) == len(self.joints):
            return (
                f"the payload of {self.payload.mass:g} kg has no measurable effect on the torque; "
                "check that it was mounted, or use a heavier one.",
            )
        return (
            f"{', '.join(names)}: not identifiable from these recordings; move these joints faster "
            "and together with others, or use a heavier payload farther from their axes.",
        )

    @property
    def success(self) -> bool:
        """Whether every constant is identifiable."""
        return all(self.identifiable)


def identify_drive_gains(
    robot: Robot,
    unloaded: Sequence[Recording],
    loaded: Sequence[Recording],
    payload: KnownPayload,
    *,
    progress: Progress = lambda _: None,
) -> DriveGains:
    """Identify torque constants together with dynamic parameters.

    Raises:
        DynidError: a recording, setting or mechanism is not suitable.
    """
    quantity = _quantity(robot)
    if not unloaded or not loaded:
        raise EstimationError(
            "drive gains need recordings without and with the payload, because their difference "
            "gives the scale of the torque."
        )
    # more threads are slower for matrices of about 80 columns
    with threadpool_limits(1, user_api="blas"):
        progress("building the mechanism")
        mechanism = robot.mechanism()
        base = base_parameterization(mechanism)
        robot, unloaded_pieces, _ = filtered_pieces(robot, unloaded, progress=progress)
        progress("preprocessing")
        pieces = [unloaded_pieces, usable_pieces(loaded, robot)]
        signals = [[preprocess(piece, robot) for piece in group] for group in pieces]
        _check_motion(signals)
        _check_currents(robot.joints, signals)
        progress("estimating")
        settings = robot.settings(IdentificationSettings)
        unloaded_problem, with_it = (
            build_problem(mechanism, base, group, settings) for group in signals
        )
        fit = fit_gains(GainProblem(unloaded_problem, with_it, payload))
        identifiable = fit.relative_standard_deviations < LARGEST_STANDARD_DEVIATION
        negative = np.flatnonzero(identifiable & (fit.gains < 0))
        _check_signs([robot.joints[joint] for joint in negative])
        progress("making consistent")
        gains, standard = fit.gains, fit.problem.standard(fit.unknowns)[0]
        consistent = None
        if settings.physical.enabled and identifiable.any():
            consistent, standard = consistent_gains(fit, settings.physical)
    before = per_joint(getattr(robot.drives, quantity), len(gains), quantity)
    return DriveGains(
        robot=robot.name,
        joints=robot.joints,
        quantity=quantity,
        profile=before,
        fitted=before * gains,
        standard_deviations=np.abs(before * gains) * fit.relative_standard_deviations,
        consistent=None if consistent is None else before * consistent,
        standard=standard,
        payload=payload,
        sources=tuple(source for recording in (*unloaded, *loaded) for source in recording.sources),
        notes=tuple(note for group in signals for piece in group for note in piece.notes),
    )


def _quantity(robot: Robot) -> str:
    """Return the profile's key of the constants.

    Raises:
        EstimationError: recorded efforts are not currents of single drives.
    """
    if robot.drives.effort in {"torque", "rated_torque_permille"}:
        raise EstimationError(
            f"the efforts in recordings of '{robot.name}' are torques, which have no gain; set "
            "drives.effort to current or rated_current_permille, and torque_constant to 1 if it is "
            "unknown."
        )
    if robot.settings(RecordingSettings).side == "motor" and robot.coupling is not None:
        raise EstimationError(
            f"the motors of '{robot.name}' act on several joints through its coupling, so their "
            "gains cannot be separated; drive gains need a robot without coupling."
        )
    return "force_constant" if robot.drives.force_constant is not None else "torque_constant"


def _check_signs(names: Sequence[str]) -> None:
    if names:
        raise EstimationError(
            f"the current of joint '{names[0]}' has the opposite sign of its torque; change the "
            "sign of its gear_ratio or torque_constant, or check whether recordings with and "
            "without payload were exchanged."
        )


def _check_motion(signals: Sequence[Sequence[Signals]]) -> None:
    for name, group in zip(("without", "with"), signals, strict=True):
        if not any(piece.moving.any() for piece in group):
            raise EstimationError(
                f"no joint moves in the recordings {name} payload; drive gains need motion."
            )


def _check_currents(joints: Sequence[str], signals: Sequence[Sequence[Signals]]) -> None:
    """Raise if a current is not measured, or those of both kinds of recordings cannot compare."""
    sizes = []
    for name, group in zip(("without", "with"), signals, strict=True):
        torque = np.concatenate([piece.raw_torque for piece in group])
        moving = np.concatenate([piece.moving for piece in group]).any(axis=0)
        constant = np.flatnonzero(moving & (np.ptp(torque, axis=0) == 0) & (torque[0] != 0))
        if len(constant):
            raise EstimationError(
                f"the current of joint '{joints[constant[0]]}' never changes in the recordings "
                f"{name} payload, although it moves; the source must measure it."
            )
        sizes.append(np.sqrt(np.mean(torque**2, axis=0)))
    ratios = sizes[1] / np.maximum(sizes[0], 1e-300)
    nearest = float(ratios.min() if ratios.min() > 1 else ratios.max())
    if not 1 / _COMPARABLE < nearest < _COMPARABLE:
        bound = "least" if nearest > 1 else "most"
        raise EstimationError(
            f"the currents of every joint with payload are at {bound} {nearest:.3g} times those "
            "without; record both in the same unit."
        )
