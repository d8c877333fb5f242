"""Updates of the model of a running control law, in one process."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dynid import _core
from dynid.arrays import Array
from dynid.configuration import per_joint
from dynid.control.build import (
    commanded_limits,
    control_law_settings,
    control_model,
    friction_smoothing,
)
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import ConfigurationError
from dynid.robot.robot import Robot

_SHARE = 0.5  # of torque_max, where no torque difference is given


@dataclass(frozen=True)
class UpdateLimits:
    """Limits of model updates, as the controller's parameters ``model_updates``.

    Attributes:
        deviations: largest distance from the accepted model, in standard deviations.
        payload_mass: standard deviation of the mass carried [kg].
        friction_change: that of friction, springs and constant torques, as a share of their value.
        torque_difference_max: between the models [N m or N], per joint or one for all; empty: a
            half of the limit of the additive torque.
        timeout: without an update, after which the accepted model is used again [s].
        hold_time: without updates after an alarm or a rising residual [s].
        residual_time: of motion over which residuals are compared [s].
        residual_ratio: of their r.m.s., from which the accepted model is used again.
    """

    deviations: float = 3.0
    payload_mass: float = 2.0
    friction_change: float = 0.2
    torque_difference_max: tuple[float, ...] = ()
    timeout: float = 5.0
    hold_time: float = 10.0
    residual_time: float = 1.0
    residual_ratio: float = 1.5


def plausible_deviations(mechanism: Mechanism, limits: UpdateLimits) -> Array:
    """Return standard deviations (p,) by which parameters may change while a robot works."""
    return _core.plausible_deviations(
        mechanism.core_description, mechanism.parameters, _change(limits)
    )


class UpdatedModel:
    """An accepted model and its updates, under a control law; off unless it is made.

    Args:
        robot: with its limits and settings.
        law: that uses the model from now on.
        accepted: the mechanism with the accepted parameters.
        control_rate: cycles of the law per second [Hz].
        limits: of updates.

    Raises:
        ConfigurationError: the settings do not match the robot.
    """

    def __init__(
        self,
        robot: Robot,
        law: _core.ControlLaw,
        accepted: Mechanism,
        *,
        control_rate: float,
        limits: UpdateLimits,
    ) -> None:
        n = len(robot.joints)
        settings = control_law_settings(robot, control_rate=control_rate)
        self._law = law
        self._waiting: _core.ControlModel | None = None
        self._model = control_model(robot, accepted)
        try:
            difference = _SHARE * settings.feedforward.torque_max
            if limits.torque_difference_max:
                difference = per_joint(
                    limits.torque_difference_max, n, "model_updates.torque_difference_max"
                )
            self._check = _core.ModelUpdateCheck(
                accepted.core_description,
                accepted.parameters,
                friction_smoothing(robot),
                robot.at_motors,
                _check_limits(robot, limits, difference),
            )
            self._updates = _core.ModelUpdates(
                n, _cycle_settings(robot, settings, limits, difference)
            )
        except ValueError as error:
            raise ConfigurationError(f"model_updates: {error}") from None
        self._updates.accept(self._model)
        self._used = self._model
        law.use(self._model)

    @property
    def report(self) -> _core.ModelUpdatesReport:
        """Which model is in use, and why."""
        return self._updates.report

    def offer(self, parameters: Array, covariance: Array) -> str:
        """Check an update, and use it in the next cycle that can; return why it is refused, or "".

        Args:
            parameters: (p,).
            covariance: (p, p).
        """
        try:
            self._waiting = self._check.checked(parameters, covariance)
        except ValueError as error:
            return str(error)
        self._updates.heard()
        return ""

    def step(self, torque: Array, cycles: float = 1.0) -> None:
        """Choose the model for the next cycle, after one of the law with a measured torque (n,)."""
        self._updates.update(self._law, torque, cycles)
        if self._waiting is not None and self._updates.ready:
            self._updates.take(self._waiting)
            self._waiting = None
        chosen = self._updates.chosen
        if chosen is not self._used and chosen is not None:
            self._used = chosen
            self._law.use(chosen)


def _check_limits(robot: Robot, limits: UpdateLimits, difference: Array) -> _core.ModelUpdateLimits:
    given = commanded_limits(robot).finite()
    core_limits = _core.ModelUpdateLimits()
    core_limits.deviations = limits.deviations
    core_limits.torque_difference = difference
    box = _core.WorkspaceLimits()
    box.position_min, box.position_max = given.low, given.high
    box.velocity, box.acceleration = given.velocity, given.acceleration
    core_limits.change, core_limits.workspace = _change(limits), box
    return core_limits


def _cycle_settings(
    robot: Robot, law: _core.ControlLawSettings, limits: UpdateLimits, difference: Array
) -> _core.ModelUpdatesSettings:
    settings = _core.ModelUpdatesSettings()
    settings.control_rate = law.feedforward.control_rate
    settings.ramp_time = law.feedforward.ramp_time
    settings.timeout, settings.hold_time = limits.timeout, limits.hold_time
    settings.residual_time, settings.residual_ratio = limits.residual_time, limits.residual_ratio
    delay = law.torque_error_delay
    settings.torque_error_delay = law.feedforward.additive_torque_delay if delay < 0 else delay
    settings.torque_difference = difference
    settings.low_speed = np.maximum(law.collision.low_speed, 2 * friction_smoothing(robot))
    return settings


def _change(limits: UpdateLimits) -> _core.PlausibleChange:
    change = _core.PlausibleChange()
    change.payload, change.friction = limits.payload_mass, limits.friction_change
    return change
