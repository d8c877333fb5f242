"""Use of a model in control: thresholds of collision detection, and external wrenches."""

from __future__ import annotations

from collections.abc import Sequence

from dynid.api.inputs import (
    ModelLike,
    RecordingLike,
    RecordingsLike,
    as_model,
    as_recordings,
    as_recordings_or_none,
)
from dynid.arguments import check_number, checked_call
from dynid.control.residual import recorded_residual, without_spans
from dynid.control.tuning import Tuning, tune
from dynid.control.wrench.estimation import (
    ExternalWrench,
    free_motion_uncertainty,
    wrench_of_recording,
)


@checked_call
def tune_collision(
    model: ModelLike,
    recordings: RecordingsLike,
    *,
    false_alarms_per_hour: float = 0.1,
    without: Sequence[str] = (),
) -> Tuning:
    """Set collision thresholds as low as a rate of false alarms allows.

    Args:
        model: for the controller; its robot has the detector's other settings.
        recordings: of motion similar to the robot's work, without contact.
        false_alarms_per_hour: acceptable rate, of all joints together.
        without: contacts to leave out, ``16.1..17.0`` [s], of the second recording
            ``2:16.1..17.0``.

    Raises:
        DynidError: a recording or setting is not suitable.
    """
    model = as_model("tune_collision(): model", model)
    check_number("tune_collision(): false_alarms_per_hour", false_alarms_per_hour, above=0)
    several = as_recordings("tune_collision()", recordings, model.robot, supervised=True)
    residuals = [
        recorded_residual(model.robot, model.mechanism, recording) for recording in several
    ]
    names = [residual.name or f"recording {k}" for k, residual in enumerate(residuals, 1)]
    residuals = without_spans(residuals, names, without)
    return tune(model.robot, residuals, false_alarms_per_hour=false_alarms_per_hour)


@checked_call
def estimate_wrench(
    model: ModelLike,
    recording: RecordingLike,
    *,
    free: RecordingsLike = (),
    frame: str | None = None,
    false_alarms_per_hour: float = 0.1,
    confidence: float = 0.95,
    zero_phase: bool = False,
) -> ExternalWrench:
    """Estimate external wrenches and the link in contact, without a force sensor.

    The momentum observer, with the gain ``collision.observer_gain``, finds the external torque.

    Args:
        model: of the robot without payload.
        recording: of the robot, or its file.
        free: recordings of free motion similar to it, not used in the identification, which
            determine the uncertainty; none: that of the identification.
        frame: link at which the wrench is estimated; None for the tool, the last link.
        false_alarms_per_hour: acceptable rate of contacts that are none [1/h].
        confidence: least probability of a link to be the one in contact.
        zero_phase: filter motion by the profile's zero-phase filters, which no controller can;
            without it, measured positions and velocities are used as they are.

    Raises:
        DynidError: a recording or setting is not suitable.
    """
    where = "estimate_wrench()"
    model = as_model(f"{where}: model", model)
    (loaded,) = as_recordings(f"{where}: recording", [recording], model.robot)
    check_number(f"{where}: false_alarms_per_hour", false_alarms_per_hour, above=0)
    check_number(f"{where}: confidence", confidence, least=0.5)
    several = as_recordings_or_none(f"{where}: free", free, model.robot)
    uncertainty = free_motion_uncertainty(
        model, several, false_alarms_per_hour=false_alarms_per_hour, zero_phase=zero_phase
    )
    return wrench_of_recording(
        model, loaded, uncertainty, frame=frame, confidence=confidence, zero_phase=zero_phase
    )
