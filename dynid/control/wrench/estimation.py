"""External wrenches and the link in contact, along a recording."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dynid import _core
from dynid.arrays import Array
from dynid.control.link_torque import by_motors
from dynid.control.residual import check_explained, recorded_residual
from dynid.control.wrench.contacts import Contact, contact_regions, find_contacts
from dynid.control.wrench.external_torque import ObservedTorque, observe
from dynid.control.wrench.learning import identified_uncertainty, learned_uncertainty
from dynid.control.wrench.uncertainty import ExternalTorqueUncertainty
from dynid.dynamics.rigid_body import RigidBody
from dynid.errors import ConfigurationError
from dynid.recording.model import Recording
from dynid.robot.model import Model
from dynid.robot.robot import Robot
from dynid.robot.torque_settings import CollisionSettings

_SHORT_LEVER = 0.1  # share of the reach: a short lever


@dataclass(frozen=True, eq=False)
class ExternalWrench:
    """What the environment exerts on a robot, along a motion.

    Components that the external torque does not determine are NaN, with infinite variance.

    Attributes:
        joints: names, (n,).
        links: that contacts can be on, (k,).
        frame: the link of ``wrench`` and ``frame_force``.
        time: since the recording's start (N,) [s].
        torque: external torque on the side on which the drives are commanded (N, n) [N m or N].
        torque_covariance: (N, n, n).
        distance: squared Mahalanobis distance of that torque from 0 (N,).
        threshold: of the distance, above which there is contact.
        contact: whether there is contact (N,).
        probability: of each link to be the one in contact, if one is (N, k).
        link: number of the link in contact (N,); -1 without contact, or where links cannot be
            distinguished.
        force: at an unknown point of the most probable link, in its axes (N, 3) [N].
        force_covariance: (N, 3, 3) [N^2].
        wrench: force and moment about the frame's origin, in its axes, if nothing else is touched
            (N, 6) [N, N m].
        wrench_covariance: (N, 6, 6).
        frame_force: force at the frame's origin, if it acts there without moment (N, 3) [N].
        frame_force_covariance: (N, 3, 3) [N^2].
        contacts: by time.
    """

    joints: tuple[str, ...]
    links: tuple[str, ...]
    frame: str
    time: Array
    torque: Array
    torque_covariance: Array
    distance: Array
    threshold: float
    contact: NDArray[np.bool_]
    probability: Array
    link: NDArray[np.intp]
    force: Array
    force_covariance: Array
    wrench: Array
    wrench_covariance: Array
    frame_force: Array
    frame_force_covariance: Array
    contacts: tuple[Contact, ...]

    @property
    def ratio(self) -> Array:
        """Distance of the external torque from 0, over its threshold (N,)."""
        return self.distance / max(self.threshold, np.finfo(float).tiny)

    def __repr__(self) -> str:
        """Return the duration and the contacts."""
        count, seconds = len(self.contacts), float(self.time[-1] - self.time[0])
        contacts = "1 contact" if count == 1 else f"{count} contacts"
        first = f"External wrench at {self.frame}: {contacts} in {seconds:.3g} s"
        return "\n".join([first, *map(str, self.contacts)])


def free_motion_uncertainty(
    model: Model,
    recordings: Sequence[Recording],
    *,
    false_alarms_per_hour: float = 0.1,
    carried: RigidBody | None = None,
    zero_phase: bool = False,
) -> ExternalTorqueUncertainty:
    """Return the uncertainty of the external torque without contact.

    Args:
        model: of the robot.
        recordings: of free motion similar to its work, not used in the identification; none: the
            errors that the identification states are used.
        false_alarms_per_hour: acceptable rate of contacts that are none [1/h].
        carried: payload of the robot in them.
        zero_phase: filter their motion by the profile's zero-phase filters.

    Raises:
        DynidError: a recording or setting is not suitable.
    """
    gain = model.robot.settings(CollisionSettings).observer_gain
    if not recordings:
        return identified_uncertainty(
            model, observer_gain=gain, false_alarms_per_hour=false_alarms_per_hour
        )
    observed = [
        observe(model, recording, gain=gain, carried=carried, zero_phase=zero_phase)
        for recording in recordings
    ]
    robot = by_motors(model.robot)  # as those who observe it
    residuals = [
        recorded_residual(robot, model.mechanism, recording, carried=carried)
        for recording in recordings
    ]
    check_explained(model.robot.joints, residuals)
    return learned_uncertainty(model.robot, observed, false_alarms_per_hour=false_alarms_per_hour)


def wrench_of_recording(
    model: Model,
    recording: Recording,
    uncertainty: ExternalTorqueUncertainty,
    *,
    frame: str | None = None,
    confidence: float = 0.95,
    carried: RigidBody | None = None,
    zero_phase: bool = False,
    start: float = 0.0,
) -> ExternalWrench:
    """Estimate the external wrench along a recording.

    Args:
        model: of the robot without payload.
        recording: of the robot.
        uncertainty: of the external torque.
        frame: link at which the wrench is estimated; None for the tool, the last link.
        confidence: least probability of a link to be the one in contact.
        carried: payload of the robot in it.
        zero_phase: filter its motion by the profile's zero-phase filters; no control cycle can.
        start: time of its first sample since the recording's start [s].

    Raises:
        DynidError: a recording or setting is not suitable.
    """
    observed = observe(
        model, recording, gain=uncertainty.observer_gain, carried=carried, zero_phase=zero_phase
    )
    observed = replace(observed, time=observed.time + start)
    return estimate(model, observed, uncertainty, frame=frame, confidence=confidence)


def estimate(
    model: Model,
    observed: ObservedTorque,
    uncertainty: ExternalTorqueUncertainty,
    *,
    frame: str | None = None,
    confidence: float = 0.95,
) -> ExternalWrench:
    """Estimate the external wrench from the external torque; see :func:`wrench_of_recording`."""
    if uncertainty.joints != model.robot.joints:
        raise ConfigurationError(
            f"the uncertainty is of joints {', '.join(uncertainty.joints)}, but the robot's are "
            f"{', '.join(model.robot.joints)}; determine it with this robot's model."
        )
    estimator = WrenchEstimator(model, uncertainty, frame=frame, confidence=confidence)
    covariance = observed.covariance(uncertainty)
    return estimator(observed.time, observed.position, observed.torque, covariance)


class WrenchEstimator:
    """Estimates external wrenches from external torques of a robot.

    Args:
        model: of the robot.
        uncertainty: of the external torque.
        frame: link at which the wrench is estimated; None for the tool, the last link.
        confidence: least probability of the links of a contact.

    Attributes:
        frame: that link.

    Raises:
        ConfigurationError: a value is invalid, or the frame is fixed to the base.
    """

    def __init__(
        self,
        model: Model,
        uncertainty: ExternalTorqueUncertainty,
        *,
        frame: str | None,
        confidence: float,
    ) -> None:
        robot = model.robot
        self.frame = robot.kinematics(tool=frame).tool
        kinematics = robot.kinematics()
        regions = contact_regions(kinematics)
        settings = _core.ContactSettings()
        settings.threshold, settings.confidence = uncertainty.threshold, confidence
        settings.largest_deviation = _largest_force(robot, kinematics.reach)
        self._joints, self._links = robot.joints, tuple(region.link for region in regions)
        self._confidence, self._threshold = confidence, uncertainty.threshold
        self._apart = 2 / uncertainty.observer_gain  # [s] between two contacts
        try:
            self._estimator = _core.ContactEstimator(
                model.mechanism.core_description,
                robot.at_motors,
                [region.core() for region in regions],
                [self.frame],
                settings,
            )
        except ValueError as error:
            raise ConfigurationError(f"external wrench: {error}") from None

    def __call__(
        self, time: Array, position: Array, torque: Array, covariance: Array
    ) -> ExternalWrench:
        """Estimate the wrench that causes external torques.

        Args:
            time: (N,) [s].
            position: at the commanded side (N, n) [rad or m].
            torque: external torque there (N, n) [N m or N].
            covariance: of it (N, n, n).
        """
        found = self._estimator.run(position, torque, covariance)
        likely = np.argmax(np.nan_to_num(found["probability"]), axis=1)
        sample = np.arange(len(likely))
        return ExternalWrench(
            joints=self._joints,
            links=self._links,
            frame=self.frame,
            time=time,
            torque=torque,
            torque_covariance=covariance,
            distance=found["distance"],
            threshold=self._threshold,
            contact=found["contact"],
            probability=found["probability"],
            link=np.where(found["contact"], found["region"], -1),
            force=found["force"][sample, likely],
            force_covariance=found["force_covariance"][sample, likely],
            wrench=found["wrench"][:, 0],
            wrench_covariance=found["wrench_covariance"][:, 0],
            frame_force=found["frame_force"][:, 0],
            frame_force_covariance=found["frame_force_covariance"][:, 0],
            contacts=find_contacts(
                time, found["distance"], found["contact"], found["probability"], self._links,
                confidence=self._confidence, apart=self._apart,
            ),
        )  # fmt: skip


def deviations(covariance: Array) -> Array:
    """Return the standard deviations (N, k) of covariances (N, k, k)."""
    return np.asarray(np.sqrt(np.diagonal(covariance, axis1=1, axis2=2)))


def _largest_force(robot: Robot, reach: float) -> float:
    """Return the force that the drives can exert on a short lever [N]; infinite without limits.

    Larger contact forces do not occur, so an estimate that uncertain says nothing.
    """
    largest = robot.limits.of_joints(len(robot.joints)).torque
    lever = np.where(robot.mechanism().prismatic, 1.0, _SHORT_LEVER * reach)
    return float(np.max(largest / lever))
