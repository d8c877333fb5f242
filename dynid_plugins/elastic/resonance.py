"""Elastic joints from the motors' encoders alone: locked- and free-joint frequency.

With the motor's torque u as input and its velocity v as output, two masses J and M with stiffness K
and damping D have an antiresonance at √(K/M), the frequency of the joint with a locked motor, and a
resonance at √(K/M + K/J), that of the free joint.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy
from numpy.typing import ArrayLike

from dynid.arrays import Array
from dynid.errors import RecordingError
from dynid.recording.model import Recording
from dynid.robot.elastic import elastic_settings
from dynid.robot.robot import Robot
from dynid_plugins.elastic.frequency_response import FrequencyResponse, frequency_response
from dynid_plugins.elastic.result import Estimated

_FEWEST_FREQUENCIES = 12  # coherent frequencies
_NAMES = ("rotor", "viscous", "link", "stiffness", "damping")
_LEAST_DEVIATION = 0.02  # of a response: windows leak, whatever the coherence
_REACH = 7.0  # of the logarithms of parameters from their first guesses: a factor of 1100
_CERTAIN = 0.25  # relative standard deviation: beyond, a frequency is not seen

Separable = Literal["all", "locked", "none"]


@dataclass(frozen=True, eq=False)
class JointResonance:
    """Resonances of a joint.

    Attributes:
        name: of the joint.
        response: of its motor.
        logarithms: (5,) of rotor inertia, viscous friction, link inertia, stiffness, damping.
        covariance: (5, 5) of these.
        rotor: inertia behind the gear that is known [kg*m^2 or kg]; None if it is not.
    """

    name: str
    response: FrequencyResponse
    logarithms: Array
    covariance: Array
    rotor: float | None

    def _power(self, weights: ArrayLike) -> Estimated:
        """Return a product of powers of the five parameters."""
        weight = np.asarray(weights, dtype=np.float64)
        value = float(np.exp(weight @ self.logarithms))
        return Estimated(value, value * float(np.sqrt(weight @ self.covariance @ weight)))

    @property
    def locked(self) -> Estimated:
        """Frequency of the joint with its motor locked [Hz]."""
        value, deviation = self._power((0, 0, -0.5, 0.5, 0))
        return Estimated(value / (2 * np.pi), deviation / (2 * np.pi))

    @property
    def free(self) -> Estimated:
        """Frequency of the joint with its motor free [Hz]."""
        rotor, _, link, stiffness, _ = np.exp(self.logarithms)
        value = float(np.sqrt(stiffness / link + stiffness / rotor))
        share = link / (link + rotor)  # of the square that the rotor's term has
        weight = np.array([-0.5 * share, 0, -0.5 * (1 - share), 0.5, 0])
        deviation = value * float(np.sqrt(weight @ self.covariance @ weight))
        return Estimated(value / (2 * np.pi), deviation / (2 * np.pi))

    @property
    def separable(self) -> Separable:
        """Whether both frequencies, the locked one alone, or neither are in the coherent band."""
        band = self.response.frequency[self.response.coherent]
        seen = [
            band.min() < one.value < band.max() and one.deviation < _CERTAIN * one.value
            for one in (self.locked, self.free)
        ]
        return "all" if all(seen) else "locked" if seen[0] else "none"

    def quantity(self, name: str) -> Estimated | None:
        """Return a parameter by its name; None where it cannot be separated.

        With a known rotor, the others are scaled by it: the torque's scale does not matter then.
        """
        if self.separable != "all":
            return None
        weight = np.zeros(len(_NAMES))
        weight[_NAMES.index(name)] = 1.0
        if self.rotor is None:
            return self._power(weight)
        weight[0] -= 1.0
        ratio = self._power(weight)
        return Estimated(ratio.value * self.rotor, ratio.deviation * self.rotor)


@dataclass(frozen=True, eq=False)
class Resonances:
    """Resonances of a robot's joints.

    Attributes:
        robot: its name.
        joints: whose torque moves their motors coherently.
        silent: joints without a coherent response.
    """

    robot: str
    joints: tuple[JointResonance, ...]
    silent: tuple[str, ...]

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each joint, in SI units."""
        return [_row(joint) for joint in self.joints]

    def to_dict(self) -> dict[str, Any]:
        """Return the content of ``--json``."""
        return {"robot": self.robot, "joints": self.rows(), "silent": list(self.silent)}


def identify_resonances(robot: Robot, recording: Recording) -> Resonances:
    """Identify the resonances of a robot's elastic joints from one recording of its motors.

    Args:
        robot: with the profile's ``elastic``; a known rotor inertia scales the others.
        recording: of positions and efforts of the motors, each joint excited by itself.

    Raises:
        RecordingError: the recording is too short, or no joint responds.
    """
    torque = recording.effort * robot.drives.torque_factor(len(robot.joints))
    rotors = elastic_settings(robot).known_rotors(robot)
    found, silent = [], []
    for joint in elastic_settings(robot).indices(robot):
        response = frequency_response(
            recording.position[:, joint], torque[:, joint], recording.sampling_rate
        )
        if int(response.coherent.sum()) < _FEWEST_FREQUENCIES:
            silent.append(robot.joints[joint])
            continue
        rotor = None if rotors is None else float(rotors[joint])
        found.append(JointResonance(robot.joints[joint], response, *_fit(response), rotor))
    if not found:
        raise RecordingError(
            "the velocity of no motor follows from its torque coherently; excite one joint after "
            "another with a broad band, such as a multisine, beyond its resonance."
        )
    return Resonances(robot.name, tuple(found), tuple(silent))


def modelled_response(frequency: Array, logarithms: Array) -> Array:
    """Return velocity over torque (F,) of two masses at frequencies [Hz]."""
    rotor, viscous, link, stiffness, damping = np.exp(logarithms)
    s = 2j * np.pi * frequency
    gear = damping * s + stiffness
    moved = link * s**2 + gear
    return np.asarray(moved / ((rotor * s + viscous) * moved + link * s * gear))


def _fit(response: FrequencyResponse) -> tuple[Array, Array]:
    """Return logarithms and covariance of the five parameters, from the coherent band."""
    used = response.coherent
    frequency, measured = response.frequency[used], response.response[used]
    deviation = np.maximum(response.deviation[used], _LEAST_DEVIATION)

    def errors(logarithms: Array) -> Array:
        error = np.log(modelled_response(frequency, logarithms) / measured) / deviation
        return np.concatenate([error.real, error.imag])

    fits = [
        scipy.optimize.least_squares(
            errors,
            start,
            bounds=(start - _REACH, start + _REACH),
            loss="soft_l1",
            x_scale="jac",
            max_nfev=200,
        )
        for start in _starts(frequency, measured)
    ]
    best = min(fits, key=lambda one: float(one.cost))
    freedom = max(2 * len(frequency) - len(_NAMES), 1)
    scale = max(1.0, 2 * float(best.cost) / freedom)
    return best.x, np.asarray(np.linalg.pinv(best.jac.T @ best.jac) * scale)


def _starts(frequency: Array, measured: Array) -> list[Array]:
    """Return first guesses: the deepest antiresonance, with several ratios of the masses."""
    size = np.abs(measured) * frequency  # constant for one mass
    smooth = scipy.ndimage.median_filter(size, 3, mode="nearest")
    low = scipy.signal.argrelextrema(smooth, np.less_equal, order=3)[0]
    inside = low[(low > 1) & (low < len(smooth) - 2)]  # at the ends excitation may be missing
    deepest = min(inside, key=lambda i: smooth[i], default=int(np.argmin(smooth)))
    locked = 2 * np.pi * float(frequency[deepest])
    total = 1 / (2 * np.pi * float(np.median(size[: max(3, len(size) // 10)])))
    guesses = []
    for share in (0.2, 0.5, 0.8):
        link = share * total
        stiffness = link * locked**2
        values = [total - link, 0.01 * total * locked, link, stiffness, 0.05 * stiffness / locked]
        guesses.append(np.log(values))
    return guesses


def _row(joint: JointResonance) -> dict[str, Any]:
    row: dict[str, Any] = {"joint": joint.name, "separable": joint.separable}
    seen = {"all": (joint.locked, joint.free), "locked": (joint.locked, None), "none": (None, None)}
    quantities = dict(zip(("locked_hz", "free_hz"), seen[joint.separable], strict=True))
    for name in ("rotor", "link", "stiffness"):
        quantities[name] = joint.quantity(name)
    for name, quantity in quantities.items():
        row[name] = None if quantity is None else quantity.value
        row[f"{name}_deviation"] = None if quantity is None else quantity.deviation
    return row
