"""Stiffness of an arm's gears from multisines: which joints bend is decided on waves left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid_plugins.elastic.arm_response import Arm, Complex, Gears, response
from dynid_plugins.elastic.m_estimate import deviations_of, robust_loss

_STARTS = 5  # frequencies of a joint with a locked motor, from the slowest wave on
_BEYOND = 2.0  # times the fastest wave, up to which these are tried
_DAMPED = 0.1  # damping at the start, over the root of stiffness times inertia
_FOLDS = 4
_CERTAIN = 7.0  # gain of loss of waves left out: half the square of 3.7 standard deviations
_RIGID = 1e3  # stiffness of a joint that does not bend, over that which resonates at the end
_LOOSE = 1.5  # times the slowest wave: a locked frequency below is not believed
_LEAST_SHARE = 0.5  # of its links' inertia, a rotor's at the start
_LEAST_DAMPING = 0.01  # of a rotor at the slowest wave, by viscous friction, at the start
_OF_MOTOR = 3  # parameters: inertia, viscous and dry friction
_DELAY = 1e-3  # [s] unit of the delay
_REACH = 5.0  # of a parameter from its start: a factor of 150, or 5 ms
_FIRST_STEPS = 30  # from each start
_MOST_STEPS = 100


class ArmFit(NamedTuple):
    """Parameters of an arm that fit.

    Attributes:
        elastic: numbers of the joints that bend.
        gears: their values.
        rotor_deviation: relative standard deviations of the rotors (n,), NaN where these are known
            or were not excited.
        stiffness_deviation, damping_deviation: relative, of the elastic joints (k,).
        delay_deviation: [s].
        torque: (F,) modelled at all harmonics, of each recording.
    """

    elastic: tuple[int, ...]
    gears: Gears
    rotor_deviation: Array
    stiffness_deviation: Array
    damping_deviation: Array
    delay_deviation: float
    torque: tuple[Complex, ...]


def fit_arm(
    arms: Sequence[Arm], rotors: Array, progress: Callable[[str], None] = lambda _: None
) -> ArmFit:
    """Fit an arm to recordings, with the fewest joints that bend.

    A joint bends where that predicts waves left out better than chance explains, the joint that
    predicts best first. Chance is known, by harmonics that are not excited.

    Args:
        arms: each with one excited joint.
        rotors: known inertia behind the gears (n,), 0 where it is not known.
        progress: called with the name of each step.
    """
    progress("fitting a rigid arm")
    data = _ArmData(arms, rotors, [arm.harmonics.deviation(arm.harmonics.torque) for arm in arms])
    data, best = data.weighed(data.solve((), data.rigid()))
    while (more := data.with_another(best)) is not None:
        data, best = data.weighed(more)
        progress(f"fitting gears: {len(best.elastic)} bend")
    return data.result(best)


class _ArmSolution(NamedTuple):
    """Parameters (p,) with elastic joints, in their order, and cost."""

    elastic: tuple[int, ...]
    values: Array
    cost: float


class _ArmData:
    """Torques of the excited joints, and their parameters.

    Logarithms of rotors and viscous friction, dry friction over the largest torque; logarithms of
    stiffness and damping of elastic joints; the delay.
    """

    def __init__(self, arms: Sequence[Arm], rotors: Array, deviations: Sequence[Array]) -> None:
        self._arms, self._rotors = arms, rotors
        self.joints = sorted({arm.harmonics.joint for arm in arms})
        self._deviation = [
            one[arm.harmonics.excited] for arm, one in zip(arms, deviations, strict=True)
        ]
        self._motors = _OF_MOTOR * len(self.joints)
        self._sizes = np.array(  # of dry friction
            [np.abs(self._arm(joint).harmonics.torque).max() for joint in self.joints]
        )
        self._fold = [np.arange(len(one)) % _FOLDS for one in self._deviation]

    def weighed(self, solution: _ArmSolution) -> tuple[_ArmData, _ArmSolution]:
        """Return data and solution with deviations by what a solution leaves unexplained."""
        gears = self._gears(solution.elastic, solution.values)
        deviations = [
            arm.harmonics.deviation(
                response(arm, solution.elastic, gears).torque - arm.harmonics.torque
            )
            for arm in self._arms
        ]
        data = _ArmData(self._arms, self._rotors, deviations)
        return data, data.solve(solution.elastic, solution.values)

    def rigid(self) -> Array:
        """Return a start without elastic joints, by linear least squares."""
        excited = len(self.joints)
        values = np.zeros(self._motors + 1)
        for arm, deviation in zip(self._arms, self._deviation, strict=True):
            still, none = np.zeros(len(arm.mass)), np.zeros(0)
            linear = response(arm, (), Gears(still, still, still, none, none, 0.0))
            waves = arm.harmonics.excited
            parts = linear.by_rotor, linear.by_viscous, linear.by_coulomb
            columns = np.stack(parts, axis=1)[waves]
            left = (arm.harmonics.torque - linear.torque)[waves]
            weighted = columns / deviation[:, np.newaxis]
            found = np.linalg.lstsq(_stacked(weighted), _stacked(left / deviation), rcond=None)[0]
            joint = arm.harmonics.joint
            number = self.joints.index(joint)
            rotor = self._rotors[joint] or max(found[0], self._least_rotors()[number])
            slow = 2 * np.pi * arm.harmonics.frequency[0]
            values[number] = np.log(rotor)
            values[excited + number] = np.log(max(found[1], _LEAST_DAMPING * slow * rotor))
            values[2 * excited + number] = found[2] / self._sizes[number]
        return values

    def _least_rotors(self) -> Array:
        """Return the rotors of the excited joints (E,) from which a search starts at least."""
        return np.array([_LEAST_SHARE * self._arm(one).mass[one, one] for one in self.joints])

    def _arm(self, joint: int) -> Arm:
        """Return the first arm in which a joint is excited."""
        return next(arm for arm in self._arms if arm.harmonics.joint == joint)

    def with_another(self, present: _ArmSolution) -> _ArmSolution | None:
        """Return the best solution in which a joint more bends; None where none is worth it."""
        left = [joint for joint in self.joints if joint not in present.elastic]
        tried = [one for joint in left if not self._is_loose(one := self.bent(present, joint))]
        if not tried:
            return None
        losses = [self.loss_left_out(one) for one in tried]
        best = int(np.argmin(losses))
        gain = self.loss_left_out(present) - losses[best]
        return tried[best] if gain > _CERTAIN else None

    def _inertia(self, joint: int) -> float:
        """Return the inertia of a joint's links, which leave other joints free."""
        return 1 / float(np.linalg.inv(self._arm(joint).mass)[joint, joint])

    def _is_loose(self, solution: _ArmSolution) -> bool:
        """Return whether the link of the last elastic joint hardly follows even the slowest wave.

        Such a gear stands for something else: no drive could position its link.
        """
        joint = solution.elastic[-1]
        stiffness = np.exp(solution.values[self._motors + len(solution.elastic) - 1])
        slow = 2 * np.pi * self._arm(joint).harmonics.frequency[0]
        return bool(stiffness < (_LOOSE * slow) ** 2 * self._inertia(joint))

    def bent(self, present: _ArmSolution, joint: int) -> _ArmSolution:
        """Return the best solution in which one more joint bends."""
        inertia = self._inertia(joint)
        slow, fast = self._arm(joint).harmonics.frequency[[0, -1]]
        count = self._motors + len(present.elastic)
        known = self._rotors[self.joints] > 0
        rotors = np.where(known, -np.inf, np.log(self._least_rotors()))
        raised = present.values.copy()  # a stiff joint leaves too little for its rotor
        raised[: len(known)] = np.maximum(raised[: len(known)], rotors)
        tried = []
        for rate in (2 * np.pi * np.geomspace(slow, _BEYOND * fast, _STARTS)).tolist():
            first = np.log([inertia * rate**2, _DAMPED * inertia * rate])
            start = np.insert(raised, [count, len(raised) - 1], first)
            tried.append(self.solve((*present.elastic, joint), start, steps=_FIRST_STEPS))
        best = min(tried, key=lambda one: one.cost)
        return self.solve(best.elastic, best.values)

    def solve(
        self,
        elastic: tuple[int, ...],
        start: Array,
        left_out: int | None = None,
        steps: int = _MOST_STEPS,
    ) -> _ArmSolution:
        """Return the fit to the torques of all folds, or of all but one."""
        free = self._free(elastic)
        computed: tuple[Array, tuple[Array, Array]] | None = None

        def both(values: Array) -> tuple[Array, Array]:
            nonlocal computed  # the search asks for errors and slopes at the same values
            if computed is None or not np.array_equal(computed[0], values):
                whole = self._whole(start, free, values)
                computed = values.copy(), self._errors(elastic, whole, left_out)
            return computed[1]

        found = scipy.optimize.least_squares(
            lambda values: both(values)[0],
            start[free],
            lambda values: both(values)[1][:, free],
            bounds=(start[free] - _REACH, start[free] + _REACH),
            loss="soft_l1",
            x_scale="jac",
            max_nfev=steps,
        )
        return _ArmSolution(elastic, self._whole(start, free, found.x), float(found.cost))

    def loss_left_out(self, solution: _ArmSolution) -> float:
        """Return the loss of waves, each by a fit to the others."""
        folds = np.concatenate(self._fold)
        total = 0.0
        for fold in range(_FOLDS):
            fitted = self.solve(solution.elastic, solution.values, left_out=fold)
            errors = self._errors(solution.elastic, fitted.values)[0]
            total += float(robust_loss(errors)[folds == fold].sum())
        return total

    def result(self, solution: _ArmSolution) -> ArmFit:
        """Return values and deviations of a solution."""
        elastic, bent = solution.elastic, len(solution.elastic)
        of_motors, stiffness, damping, delay = self._deviations(solution)
        rotors = np.full(len(self._rotors), np.nan)
        rotors[self.joints] = of_motors[: len(self.joints)]
        gears = self._gears(elastic, solution.values)
        return ArmFit(
            elastic,
            gears,
            rotors,
            stiffness[:bent],
            damping[:bent],
            float(delay[0]) * _DELAY,
            tuple(response(arm, elastic, gears).torque for arm in self._arms),
        )

    def _deviations(self, solution: _ArmSolution) -> list[Array]:
        """Return standard deviations of motors (3 E,), stiffness, damping (E,), and delay (1,).

        NaN where a parameter is known. Joints that do not bend might a little: of parallel axes,
        for instance, only the sum of compliances is seen.
        """
        excited, bent = len(self.joints), len(solution.elastic)
        others = [joint for joint in self.joints if joint not in solution.elastic]
        fastest = 2 * np.pi * max(float(arm.harmonics.frequency[-1]) for arm in self._arms)
        stiff = [np.log(_RIGID * fastest**2 * self._inertia(joint)) for joint in others]
        ends = np.cumsum([self._motors, bent, bent])
        motors, stiffness, damping, delay = np.split(solution.values, ends)
        undamped = np.full(len(others), -np.inf)
        values = np.concatenate([motors, stiffness, stiff, damping, undamped, delay])
        slopes = self._errors((*solution.elastic, *others), values)[1]
        errors = self._errors(solution.elastic, solution.values)[0]
        known = np.all(slopes == 0, axis=0)
        known[:excited] |= self._rotors[self.joints] > 0
        found = np.full(len(values), np.nan)
        half = [  # of each recording's waves
            2 * number + (2 * np.arange(len(one)) >= len(one))
            for number, one in enumerate(self._deviation)
        ]
        group = np.tile(np.concatenate(half), 2)  # real and imaginary parts
        found[~known] = deviations_of(slopes[:, ~known], errors, group)
        return np.split(found, np.cumsum([self._motors, excited, excited]))

    def _free(self, elastic: Sequence[int]) -> NDArray[np.bool_]:
        """Return which parameters are not known."""
        free = np.ones(self._motors + 2 * len(elastic) + 1, dtype=bool)
        free[: len(self.joints)] = self._rotors[self.joints] == 0
        return free

    @staticmethod
    def _whole(start: Array, free: NDArray[np.bool_], values: Array) -> Array:
        whole: Array = start.copy()
        whole[free] = values
        return whole

    def _gears(self, elastic: Sequence[int], values: Array) -> Gears:
        excited, bent = len(self.joints), len(elastic)
        rotor, viscous, coulomb = np.zeros((_OF_MOTOR, len(self._rotors)))
        rotor[self.joints] = np.exp(values[:excited])
        viscous[self.joints] = np.exp(values[excited : 2 * excited])
        coulomb[self.joints] = values[2 * excited : self._motors] * self._sizes
        stiffness, damping = np.exp(values[self._motors : -1]).reshape(2, bent)
        return Gears(rotor, viscous, coulomb, stiffness, damping, float(values[-1]) * _DELAY)

    def _errors(
        self, elastic: Sequence[int], values: Array, left_out: int | None = None
    ) -> tuple[Array, Array]:
        """Return errors (2 F,) in standard deviations, real parts first, and derivatives."""
        excited, bent = len(self.joints), len(elastic)
        gears = self._gears(elastic, values)
        all_errors, all_slopes = [], []
        for number, arm in enumerate(self._arms):
            found = response(arm, elastic, gears)
            slopes = np.zeros((len(found.torque), len(values)), dtype=np.complex128)
            joint = arm.harmonics.joint
            motor = self.joints.index(joint)
            slopes[:, motor] = found.by_rotor * gears.rotor[joint]
            slopes[:, excited + motor] = found.by_viscous * gears.viscous[joint]
            slopes[:, 2 * excited + motor] = found.by_coulomb * self._sizes[motor]
            slopes[:, self._motors : self._motors + bent] = found.by_stiffness * gears.stiffness
            slopes[:, self._motors + bent : -1] = found.by_damping * gears.damping
            slopes[:, -1] = found.by_delay * _DELAY
            used = np.flatnonzero(self._fold[number] != left_out)
            waves = np.flatnonzero(arm.harmonics.excited)[used]
            deviation = self._deviation[number][used]
            all_errors.append((found.torque - arm.harmonics.torque)[waves] / deviation)
            all_slopes.append(slopes[waves] / deviation[:, np.newaxis])
        errors, slopes = np.concatenate(all_errors), np.concatenate(all_slopes)
        return _stacked(errors), _stacked(slopes)


def _stacked(values: Complex) -> Array:
    """Return real parts (F, …), then imaginary ones."""
    return np.asarray(np.concatenate([values.real, values.imag]), dtype=np.float64)
