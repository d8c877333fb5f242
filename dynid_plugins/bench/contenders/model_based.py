"""The plain script, dynid as it comes, and dynid with the profile that it ships for a robot."""

from __future__ import annotations

from collections.abc import Mapping

from dynid.arrays import Array
from dynid.errors import ConfigurationError
from dynid.estimation.regression import unfiltered_torque
from dynid.identification.identify import identify
from dynid.robot.robot import Robot
from dynid.signals.settings import SignalSettings
from dynid.signals.signals import Signals
from dynid.signals.torque_delay import with_torque_delay
from dynid_plugins.bench.contenders.interface import Contender, FittedModel, FittingTask
from dynid_plugins.bench.contenders.plain_script import PlainScript
from dynid_plugins.bench.registry import ROBOT_KEYS


def fit_plain(task: FittingTask) -> FittedModel:
    """Fit the plain script to the signals with which every model is evaluated."""
    task.refuse_loops()
    arm = PlainScript(task.robot.urdf_xml, task.robot.joints, task.gravity())
    arm.fit(*task.motion_and_torque())
    return FittedModel(lambda signals: arm.torque(*signals.motion), lambda _: 1.96 * arm.scatter)


def fit_dynid(task: FittingTask) -> FittedModel:
    """Fit URDF and data sheets; filters and terms are chosen by the recordings."""
    return _identified(task, task.robot, 0)


def fit_shipped(task: FittingTask) -> FittedModel:
    """Fit with the shipped profile."""
    if task.shipped is None:
        raise ConfigurationError("no profile was made for these recordings.")
    content = task.shipped.yaml_content(exclude_unset=True)
    keys = sum(_leaves(value) for key, value in content.items() if key not in ROBOT_KEYS)
    return _identified(task, task.shipped, keys)


def _identified(task: FittingTask, robot: Robot, keys: int) -> FittedModel:
    model = identify(robot, task.recordings).model
    mechanism = model.mechanism
    delay = model.robot.settings(SignalSettings).decided_torque_delay

    def torque(signals: Signals) -> Array:
        moved = with_torque_delay(signals, delay)
        return unfiltered_torque(mechanism, moved, mechanism.parameters)

    return FittedModel(torque, lambda signals: model.torque_interval(signals.velocity), keys)


def _leaves(value: object) -> int:
    """Return the number of single settings in a part of a profile."""
    if isinstance(value, Mapping):
        return sum(_leaves(one) for one in value.values())
    if isinstance(value, list | tuple) and any(isinstance(one, Mapping) for one in value):
        return sum(_leaves(one) for one in value)
    return 1


PLAIN = Contender(
    "plain script", fit_plain, ("numpy", "pin"), "plain_script.py, the same for all robots"
)
DYNID = Contender("dynid", fit_dynid, ("dynid",), "none: terms and filters are chosen by the data")
SHIPPED = Contender("dynid, shipped profile", fit_shipped, ("dynid",), "the shipped profile")
