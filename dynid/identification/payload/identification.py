"""Identification of a payload from recordings with it and a model without it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from threadpoolctl import threadpool_limits

from dynid.dynamics.mechanism import Mechanism
from dynid.dynamics.rigid_body import RADIUS, REACH
from dynid.errors import EstimationError
from dynid.estimation.cross_validation import HeldOut, cross_validate
from dynid.evaluation.errors import compare
from dynid.evaluation.verdict import ErrorReference, Verdict, evaluate, noise_floor
from dynid.identification.payload.fit import PayloadFit, fit_payload
from dynid.identification.payload.payload import (
    Payload,
    PayloadRow,
    describe,
    impossible_mass,
    own_torque_errors,
)
from dynid.identification.settings import IdentificationSettings
from dynid.notebook import Shown, data_frame
from dynid.recording.model import Recording, given_recordings
from dynid.robot.model import Model
from dynid.signals.pieces import usable_pieces
from dynid.signals.preprocess import preprocess
from dynid.signals.signals import Signals

if TYPE_CHECKING:
    from pandas import DataFrame

Progress = Callable[[str], None]

_WORSE = 1.05  # torque error with the payload over that without, for a warning
# torque error with the payload over that of the base model, for a warning
_LARGEST_ERROR_RATIO = 3.0
_SIGNIFICANT = 3.0  # standard deviations from 0
_BOUND = 2.0  # standard deviations above the estimate, of a payload that was not found
_LONGEST_ARMS = np.array([*3 * [REACH], *6 * [RADIUS**2]])  # [m], [m²] of a payload's mass


@dataclass(frozen=True, eq=False)
class PayloadIdentification(Shown):
    """A payload and the torque errors with it.

    Attributes:
        payload: the identified payload.
        mechanism: the model with the payload.
        without, verdict: torque errors of the model without and with the payload.
        held_out: errors with the payload on held-out blocks, relative to the measured torque.
        samples: number of samples.
        cutoff_hz: of the low-pass on positions [Hz]; None: no low-pass.
    """

    payload: Payload
    mechanism: Mechanism
    without: Verdict
    verdict: Verdict
    held_out: HeldOut
    samples: int
    cutoff_hz: float | None
    notes: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether the payload is good: ``verdict.success``."""
        return self.verdict.success

    def to_frame(self) -> DataFrame:
        """Return mass, centre and inertia as a pandas DataFrame, with standard deviations.

        Raises:
            ConfigurationError: pandas is not installed.
        """
        rows = self.payload.quantities
        return data_frame(
            {name: [getattr(row, name) for row in rows] for name in PayloadRow._fields}
        )

    def __repr__(self) -> str:
        """Return the payload's mass, centre and inertia, and whether its verdict is good."""
        outcome = "succeeded" if self.verdict.success else "FAILED"
        rows = [
            f"{row.name}: {row.value:.4g} {row.unit}"
            + ("" if row.standard_deviation is None else f" ± {row.standard_deviation:.2g}")
            for row in self.payload.quantities
        ]
        first = f"Payload of {self.payload.robot} at {self.payload.joint}: {outcome}"
        return "\n".join([first, *rows, *self.verdict.warnings])


def identify_payload(
    base: Model, recordings: Recording | Sequence[Recording], *, progress: Progress = lambda _: None
) -> PayloadIdentification:
    """Identify a payload, with fixed parameters of the robot without it.

    ``dynid.identify_payload`` takes files as well, and describes the arguments.

    Raises:
        DynidError: a recording, setting or mechanism is not suitable.
    """
    recordings = given_recordings("identify_payload()", recordings)
    rate = min(recording.sampling_rate for recording in recordings)
    settings = base.robot.settings(IdentificationSettings).for_rate(rate)
    base = replace(base, robot=base.robot.with_settings(settings))
    recordings, model = usable_pieces(recordings, base.robot), base.mechanism
    # more threads are slower for small matrices
    with threadpool_limits(1, user_api="blas"):
        progress("preprocessing")
        signals = tuple(preprocess(recording, base.robot) for recording in recordings)
        if not any(piece.moving.any() for piece in signals):
            raise EstimationError(
                "no joint moves in the recordings; only the payload's mass can be identified from "
                "a robot at rest: dynid payload measure."
            )
        progress("estimating")
        own = own_torque_errors(base)
        expected = np.where(own > 0, np.hypot(own, noise_floor(signals, settings)), 0.0)
        fit = fit_payload(model, signals, settings, base.base, expected)
        progress("evaluating")
        loaded = model.with_parameters(fit.fitted.standard)
        without = compare(model, signals, settings)
        held_out, limits = _held_out(fit, signals), ErrorReference.of(base.robot)
        before = evaluate(without, settings, reference=limits)
        rated = ErrorReference.of(base.robot, held_out.relative_error)
        mean, size = fit.posterior.mean[0], np.sqrt(fit.posterior.covariance[0, 0] / fit.excess)
        mass = float(mean) if abs(mean) > _SIGNIFICANT * size else 0.0
        reasons = [
            reason for reason in (impossible_mass(base, mass), _not_found(base, fit)) if reason
        ]
        after = evaluate(
            compare(loaded, signals, settings), settings, reference=rated, reasons=reasons
        )
        return PayloadIdentification(
            payload=describe(base, fit.body, recordings),
            mechanism=loaded,
            without=before,
            verdict=replace(after, warnings=_warnings(base, fit, before, after)),
            held_out=held_out,
            samples=sum(len(piece.time) for piece in signals),
            cutoff_hz=settings.motion_cutoff_hz,
            notes=tuple(note for piece in signals for note in piece.notes),
        )


def _warnings(base: Model, fit: PayloadFit, before: Verdict, after: Verdict) -> tuple[str, ...]:
    mass = fit.posterior.mean[0]
    standard_deviation = np.sqrt(fit.posterior.covariance[0, 0])
    worse = [
        new.joint
        for old, new in zip(before.joints, after.joints, strict=True)
        if new.rmse_torque > _WORSE * old.rmse_torque
    ]
    warnings = []
    if mass < -2 * standard_deviation:
        warnings.append(
            f"the estimated mass of {mass:.3g} kg is negative; check whether the model was "
            "identified with the payload, and the recording made without it."
        )
    if worse:
        warnings.append(
            f"the torque error of {', '.join(worse)} is larger with the payload than without; "
            "check that the model is that of this robot."
        )
    far = [
        f"{joint.joint} ({joint.rmse_torque / own_error:.0f} times)"
        for joint, own_error in zip(after.joints, own_torque_errors(base), strict=True)
        if joint.rmse_torque > _LARGEST_ERROR_RATIO * own_error > 0
    ]
    if far and not worse:
        warnings.append(
            f"the torque error of {', '.join(far)} with the payload is much larger than that of "
            "the base model; check that the model is that of this robot."
        )
    return tuple(warnings)


def _not_found(base: Model, fit: PayloadFit) -> str:
    """Return a sentence if there is no payload, or an empty text.

    First moments and inertia alone show one only where the mass is known less well than they tell
    of it: beside a mass that is nearly 0, they are errors of the model.
    """
    mean, sizes = fit.posterior.mean, np.sqrt(np.diag(fit.posterior.covariance))
    shown = (np.abs(mean) > _SIGNIFICANT * sizes) & fit.body.determined
    least = float(np.max(np.abs(mean[1:]) / _LONGEST_ARMS, where=shown[1:], initial=0.0))
    if (shown[0] and mean[0] > 0) or 0.0 < least < _SIGNIFICANT * sizes[0]:
        return ""
    carrier = base.mechanism.body_joints[base.mechanism.payload_body]
    most = max(float(mean[0]), 0.0) + _BOUND * float(sizes[0])
    return (
        f"no payload can be told from none: {mean[0]:.2g} kg, standard deviation {sizes[0]:.2g} "
        f"kg, so less than {most:.2g} kg on the body of {carrier}; check that the recording was "
        "made with it, that its motion is fast or wide enough, and that this body carries it "
        "(payload_joint)."
    )


def _held_out(fit: PayloadFit, signals: Sequence[Signals]) -> HeldOut:
    """Cross-validate, with errors relative to the measured torque instead of the residual."""
    fitted = fit.fitted
    # the problem is that of the payload alone, the standard parameters are those of all
    changed = fitted.problem.base.project(fitted.standard - fitted.unconstrained)
    held_out = cross_validate(fitted, fitted.estimate.base + changed)
    torque = np.concatenate([rows.torque for rows in signals])
    size = np.sqrt(np.mean(torque**2, axis=0))
    relative = np.asarray(held_out.rmse_torque) / np.where(size > 0, size, np.inf)
    before = np.asarray(held_out.relative_error)
    times = np.divide(
        relative, before, out=np.ones_like(before), where=np.isfinite(before) & (before > 0)
    )
    return held_out.scaled(times, relative)
