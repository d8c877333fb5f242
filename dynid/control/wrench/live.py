"""External wrenches of a running robot, message by message."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dynid.arrays import Array
from dynid.control.build import control_model
from dynid.control.wrench.contacts import likely_links
from dynid.control.wrench.estimation import contact_estimator
from dynid.control.wrench.external_torque import SETTLING, torque_observer
from dynid.identification.online.sampler import MessageCounts, Sampler

if TYPE_CHECKING:
    from dynid.control.wrench.uncertainty import ExternalTorqueUncertainty
    from dynid.robot.model import Model


@dataclass(frozen=True, eq=False)
class WrenchNow:
    """What the environment exerts on a robot at one instant; NaN is not observable.

    Attributes:
        time: of the newest message [s].
        contact: whether there is contact.
        links: the fewest links that the contact is on with the confidence, most probable first;
            empty without contact.
        probabilities: of these.
        ratio: distance of the external torque from 0, over its threshold.
        force: at an unknown point of the most probable link, in its axes (3,) [N].
        force_deviation: standard deviations (3,) [N].
        wrench: force and moment about the frame's origin, in its axes (6,) [N, N m].
        wrench_deviation: (6,).
        frame_force: force at the frame's origin, if it acts there without moment (3,) [N].
        frame_force_deviation: (3,) [N].
        torque: external torque (n,) [N m or N].
    """

    time: float
    contact: bool
    links: tuple[str, ...]
    probabilities: tuple[float, ...]
    ratio: float
    force: Array
    force_deviation: Array
    wrench: Array
    wrench_deviation: Array
    frame_force: Array
    frame_force_deviation: Array
    torque: Array


class LiveWrench:
    """The momentum observer and the estimator of contacts on live joint states.

    Args:
        model: of the robot.
        uncertainty: of the external torque.
        frame: link at which the wrench is estimated; None for the tool.
        confidence: least probability of the links of a contact.
        sampling_rate: of the joint states [Hz].

    Attributes:
        frame: that link.
        joints: names, (n,).

    Raises:
        ConfigurationError: a setting does not match the robot, or there is no such link.
    """

    def __init__(
        self,
        model: Model,
        uncertainty: ExternalTorqueUncertainty,
        *,
        frame: str | None = None,
        confidence: float = 0.95,
        sampling_rate: float = 1000.0,
    ) -> None:
        robot = model.robot
        self.joints, self._confidence = robot.joints, confidence
        self.frame = robot.kinematics(tool=frame).tool
        self._factor = robot.drives.torque_factor(len(robot.joints))
        self._model = control_model(robot, model.mechanism)
        self._observer = torque_observer(
            uncertainty.core(robot), uncertainty.observer_gain, sampling_rate
        )
        self._links, self._estimator = contact_estimator(
            robot, model.mechanism.core_description, uncertainty, self.frame, confidence
        )
        self._threshold = uncertainty.threshold
        self._sampler = Sampler(sampling_rate)
        self._settling = round(SETTLING / uncertainty.observer_gain * sampling_rate)
        self._samples = 0  # since the observer started
        self._time = np.nan
        self._newest: tuple[Array, Array, Array] | None = None

    @property
    def messages(self) -> MessageCounts:
        """Counts of messages, and of faults in them."""
        return self._sampler.messages

    def take(self, time: float, position: Array, velocity: Array, effort: Array) -> None:
        """Process joint states, all (n,) in the order of ``joints`` and as recorded, at a time [s].

        Values that are not finite, and messages out of order, are skipped and counted; after a gap
        the observer restarts.
        """
        n = len(self.joints)
        values = np.concatenate([position, velocity, effort])
        samples, begins = self._sampler(time, values)
        if begins:
            self._observer.restart()
            self._samples = 0
        if len(samples) == 0:
            return
        q, dq, tau = samples[:, :n], samples[:, n : 2 * n], samples[:, 2 * n :]
        torque, covariance, position_then = self._observer.run(
            self._model, q, dq, tau * self._factor
        )
        self._samples += len(samples)
        self._time = time
        self._newest = (position_then[-1:], torque[-1:], covariance[-1:])

    def estimate(self) -> WrenchNow | None:
        """Return the estimate at the newest sample; None until the observer has settled."""
        if self._newest is None or self._samples <= self._settling:
            return None
        estimates = {name: rows[0] for name, rows in self._estimator.run(*self._newest).items()}
        if np.isnan(estimates["distance"]):
            return None
        contact = bool(estimates["contact"])
        likely = int(np.argmax(estimates["probability"]))
        links, shares = likely_links(estimates["probability"], self._links, self._confidence)
        force = estimates["force"][likely], estimates["force_covariance"][likely]
        return WrenchNow(
            time=self._time,
            contact=contact,
            links=links if contact else (),
            probabilities=shares if contact else (),
            ratio=float(estimates["distance"]) / max(self._threshold, np.finfo(float).tiny),
            force=force[0],
            force_deviation=np.sqrt(np.diag(force[1])),
            wrench=estimates["wrench"][0],
            wrench_deviation=np.sqrt(np.diag(estimates["wrench_covariance"][0])),
            frame_force=estimates["frame_force"][0],
            frame_force_deviation=np.sqrt(np.diag(estimates["frame_force_covariance"][0])),
            torque=self._newest[1][0],
        )
