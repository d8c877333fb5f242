"""From recordings with a payload, and the model without, to the payload."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from threadpoolctl import threadpool_limits

from dynid.arguments import check_type
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import EstimationError
from dynid.estimation.fitting import HeldOut, cross_validate
from dynid.evaluation.errors import compare
from dynid.evaluation.verdict import Verdict, evaluate
from dynid.identification.payload.fit import PayloadFit, fit_payload
from dynid.identification.payload.payload import Payload, describe, own_torque_errors
from dynid.identification.settings import IdentificationSettings
from dynid.recording.model import Recording, given_recordings
from dynid.robot.model import Model
from dynid.signals.preprocess import preprocess
from dynid.signals.signals import Signals

Progress = Callable[[str], None]

_WORSE = 1.05  # torque error with the payload over that without that deserves a look
_FAR = 3.0  # torque error with the payload over the base model's own that does
_SEEN = 3.0  # standard deviations from 0 of something that is there


@dataclass(frozen=True, eq=False)
class PayloadIdentification:
    """A payload, and how much of the torque it explains.

    Attributes:
        payload: what was found.
        mechanism: the model with it.
        without, verdict: torque errors of the model without and with it.
        held_out: with it, on blocks of the recordings that the fit had not seen; relative to the
            measured torque.
        samples: that were looked at.
        cutoff_hz: of the low-pass on positions; None: there was none.
    """

    payload: Payload
    mechanism: Mechanism
    without: Verdict
    verdict: Verdict
    held_out: HeldOut
    samples: int
    cutoff_hz: float | None
    notes: tuple[str, ...]

    def __repr__(self) -> str:
        """The payload's mass, centre and inertia, and whether its verdict is good."""
        outcome = "succeeded" if self.verdict.success else "FAILED"
        rows = [
            f"{row.name}: {row.value:.4g} {row.unit}"
            + ("" if row.deviation is None else f" ± {row.deviation:.2g}")
            for row in self.payload.quantities
        ]
        first = f"Payload of {self.payload.robot} at {self.payload.joint}: {outcome}"
        return "\n".join([first, *rows, *self.verdict.warnings])


def identify_payload(
    base: Model,
    recordings: Recording | Sequence[Recording],
    *,
    progress: Progress = lambda _: None,
) -> PayloadIdentification:
    """Identify what a robot carries, with the model of the robot without it held fixed.

    Args:
        base: that model; its profile has every step's settings.
        recordings: with payload.
        progress: told the name of each step as it begins.

    Raises:
        DynidError: a recording or setting does not allow it.
    """
    check_type("identify_payload(): base", base, Model, "dynid.load_model(path)")
    recordings = given_recordings("identify_payload()", recordings)
    model, settings = base.mechanism, base.robot.settings(IdentificationSettings)
    # matrices here are small: more threads only get in each other's way
    with threadpool_limits(1, user_api="blas"):
        progress("preprocessing")
        signals = tuple(preprocess(recording, base.robot) for recording in recordings)
        if not any(one.moving.any() for one in signals):
            raise EstimationError(
                "no joint moves anywhere in what was recorded; a robot at rest tells the payload's "
                "mass alone: dynid payload-mass."
            )
        progress("estimating")
        found = fit_payload(model, signals, settings, base.base.by_name)
        progress("evaluating")
        loaded = model.with_parameters(found.fitted.standard)
        without = compare(model, signals, settings)
        allowed = settings.max_relative_torque_error
        before = evaluate(without, allowed=allowed)
        after = evaluate(compare(loaded, signals, settings), allowed=allowed)
        return PayloadIdentification(
            payload=describe(base, found.body, recordings),
            mechanism=loaded,
            without=before,
            verdict=replace(after, warnings=_warnings(base, found, before, after)),
            held_out=_held_out(found, signals),
            samples=sum(len(one.time) for one in signals),
            cutoff_hz=settings.motion_cutoff_hz,
            notes=tuple(note for one in signals for note in one.notes),
        )


def _warnings(base: Model, found: PayloadFit, before: Verdict, after: Verdict) -> tuple[str, ...]:
    mass, deviation = found.belief.mean[0], np.sqrt(found.belief.covariance[0, 0])
    worse = [
        new.joint
        for old, new in zip(before.joints, after.joints, strict=True)
        if new.rmse_torque > _WORSE * old.rmse_torque
    ]
    warnings = []
    if mass < -2 * deviation:
        warnings.append(
            f"torque asks for a mass of {mass:.3g} kg, which no payload has: was the model "
            "identified with the payload, and is the recording without?"
        )
    elif not _is_seen(found):
        warnings.append(
            f"the payload cannot be told from none: {mass:.2g} kg, standard deviation "
            f"{deviation:.2g} kg; does the recording have one?"
        )
    if worse:
        warnings.append(
            f"the torque error of {', '.join(worse)} is larger with the payload than without: is "
            "the model that of this very robot?"
        )
    far = [
        f"{joint.joint} ({joint.rmse_torque / own:.0f} times)"
        for joint, own in zip(after.joints, own_torque_errors(base), strict=True)
        if joint.rmse_torque > _FAR * own > 0
    ]
    if far and not worse:
        warnings.append(
            f"with the payload the torque error of {', '.join(far)} is still far above the base "
            "model's own: is it the model of this very robot?"
        )
    return tuple(warnings)


def _is_seen(found: PayloadFit) -> bool:
    """Whether any parameter that is told is told apart from 0."""
    sizes = np.sqrt(np.diag(found.belief.covariance))
    apart = np.abs(found.belief.mean) > _SEEN * sizes
    return bool((apart & found.body.determined).any())


def _held_out(found: PayloadFit, signals: Sequence[Signals]) -> HeldOut:
    """The regression is of what the model leaves; its errors are told as shares of all torque."""
    held_out = cross_validate(found.fitted)
    torque = np.concatenate([one.torque for one in signals])
    size = np.sqrt(np.mean(torque**2, axis=0))
    relative = np.asarray(held_out.rmse_torque) / np.where(size > 0, size, np.inf)
    return replace(held_out, relative_error=tuple(float(error) for error in relative))
