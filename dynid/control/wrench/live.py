"""External wrenches of a running robot, message by message."""

from __future__ import annotations

import numpy as np

from dynid.arrays import Array
from dynid.control.build import control_model
from dynid.control.wrench.estimation import ExternalWrench, WrenchEstimator
from dynid.control.wrench.external_torque import SETTLING, torque_observer
from dynid.control.wrench.uncertainty import ExternalTorqueUncertainty
from dynid.identification.online.sampler import MessageCounts, Sampler
from dynid.robot.model import Model


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
        self.joints = robot.joints
        self._factor = robot.drives.torque_factor(len(robot.joints))
        self._model = control_model(robot, model.mechanism)
        self._observer = torque_observer(
            uncertainty.core(robot), uncertainty.observer_gain, sampling_rate
        )
        self._estimator = WrenchEstimator(model, uncertainty, frame=frame, confidence=confidence)
        self.frame = self._estimator.frame
        self._sampler = Sampler(sampling_rate)
        self._settling = round(SETTLING / uncertainty.observer_gain * sampling_rate)
        self._samples = 0  # since the observer started
        self._newest: tuple[Array, Array, Array, Array] | None = None

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
        self._newest = np.array([time]), position_then[-1:], torque[-1:], covariance[-1:]

    def estimate(self) -> ExternalWrench | None:
        """Return the estimate at the newest sample, one row; None until the observer has settled.

        Its time is that of the newest message.
        """
        if self._newest is None or self._samples <= self._settling:
            return None
        found = self._estimator(*self._newest)
        return None if np.isnan(found.distance[0]) else found
