"""Residual checks that name a likely cause: a sign, a unit, gravity, a time shift, friction."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dynid.judging.comparison import relative_errors
from dynid.judging.delay import shift_sentence
from dynid.judging.judgement import Comparison
from dynid.mechanism import Mechanism
from dynid.preprocessing.signals import Array

Motion = tuple[Array, Array, Array]

_GOOD = 0.05  # relative error up to which nothing can be wrong with gravity
_DOUBTFUL = 0.115  # relative error from which on a cause is looked for
_MUCH_BETTER = 0.6  # a cause is named where it lowers the error to this share
_LONGEST_SHIFT = 20  # samples
_ENOUGH = 5_000  # samples to look at where all recordings hold more
_FRICTION_KINDS = ("coulomb", "viscous", "stribeck", "viscous_root", "presliding")
_UNIT_FACTORS = {
    1000.0: "N mm or mA",
    np.pi / 180: "degrees somewhere",
    180 / np.pi: "degrees somewhere",
}


def check_against_urdf(mechanism: Mechanism, comparisons: Sequence[Comparison]) -> list[str]:
    """Compare measured torque with what the URDF's masses alone would need.

    Positions that are degrees, gravity of another direction, and a joint whose torque is the
    URDF's with the opposite sign or off by a constant large factor, are reported in a sentence.
    """
    motion, measured = _motion_and_torque(comparisons)
    expected = mechanism.torque(*motion, mechanism.urdf_parameters)
    if _are_degrees(mechanism, motion, measured, expected):
        return [
            "the torque fits positions in degrees much better than in radians; check the unit of "
            "position (a column map's 'factor' converts it)."
        ]
    gravity = check_gravity(mechanism, comparisons)
    if gravity:
        return gravity  # that is what to mend first: signs look wrong, too, under a wrong gravity
    warnings: list[str] = []
    for number, name in enumerate(mechanism.joints):
        own = _own_terms(motion, number)
        warnings += _sign_and_scale(name, expected[:, number], measured[:, number], own)
    return warnings


def check_residuals(mechanism: Mechanism, comparisons: Sequence[Comparison]) -> list[str]:
    """Look for structure left in the errors of the finished model, joint by joint."""
    warnings: list[str] = []
    for number, name in enumerate(mechanism.joints):
        measured = np.concatenate([c.measured[:, number] for c in comparisons])
        error = np.concatenate([c.model[:, number] for c in comparisons]) - measured
        velocity = np.concatenate([c.signals.velocity[:, number] for c in comparisons])
        relative = np.linalg.norm(error) / max(float(np.linalg.norm(measured)), 1e-300)
        if relative < _DOUBTFUL:
            continue
        warnings += _time_shift(name, comparisons, number)
        share = _explained_by_velocity(error, velocity)
        if share > 0.3:
            warnings.append(
                f"{name}: {share:.0%} of the squared error depends on velocity alone; friction is "
                f"not described by the chosen terms{_untried_terms(mechanism, number)}."
            )
    return warnings


def check_gravity(mechanism: Mechanism, comparisons: Sequence[Comparison]) -> list[str]:
    """Where the fit is not good, see whether the URDF's weights fit better with gravity turned."""
    if np.max(relative_errors(comparisons)) < _GOOD:
        return []
    motion, measured = _motion_and_torque(comparisons)
    strength = float(np.linalg.norm(mechanism.gravity)) or 9.81
    present = np.asarray(mechanism.gravity)

    def error(gravity: Array) -> Array:
        turned = mechanism.with_gravity(gravity)
        return np.asarray(measured - turned.torque(*motion, turned.urdf_parameters))

    # every joint has one vote: a flipped sign of the strongest is not to look like gravity
    sizes = np.maximum(_sizes_beyond_own_terms(measured, motion), 1e-300)

    def misfit(gravity: Array) -> float:
        return float(np.linalg.norm(_sizes_beyond_own_terms(error(gravity), motion) / sizes))

    directions = [sign * axis for axis in np.eye(3) for sign in (-1.0, 1.0)]
    best = min((strength * direction for direction in directions), key=misfit)
    # any smaller weight fits torque in far too small a unit: it shall be better than no weight
    if misfit(best) > min(_MUCH_BETTER * misfit(present), 0.9 * np.sqrt(len(sizes))):
        return []
    if _friction_power(error(best), motion) < 0:
        return []  # flipped signs of all torques look like opposite gravity, but drive friction
    return [
        f"the torque fits gravity {_vector(best)} m/s^2 much better than the profile's "
        f"{_vector(present)}; check 'gravity' and how the robot is mounted."
    ]


def _sign_and_scale(name: str, expected: Array, measured: Array, own: Array) -> list[str]:
    # friction, a large rotor and an offset are no fault: first look at what they cannot explain
    bodies, bodies_ratio = _likeness(expected, measured, own)
    whole, whole_ratio = _likeness(expected, measured, own[:, :1])
    agreement = min(bodies, whole)
    if agreement < -0.7:
        return [
            f"{name}: torque runs against what the URDF's masses need (correlation "
            f"{agreement:.2f}); its sign or the sign of the position is probably flipped."
        ]
    too_large = bodies > 0.7 and bodies_ratio > 10
    too_small = (bodies > 0.7 and bodies_ratio < 0.1) or (whole > 0.7 and whole_ratio < 0.1)
    if too_large or too_small:
        ratio = bodies_ratio if bodies > 0.7 else whole_ratio
        near = min(_UNIT_FACTORS, key=lambda f: abs(np.log(ratio / f)))
        hint = f" (as {_UNIT_FACTORS[near]} would)" if abs(np.log(ratio / near)) < 0.7 else ""
        return [
            f"{name}: torque is {ratio:.3g} times what the URDF's masses need{hint}; check the "
            "torque factor and the unit of effort."
        ]
    return []


def _are_degrees(mechanism: Mechanism, motion: Motion, measured: Array, expected: Array) -> bool:
    turns = np.array([kind == "revolute" for kind in mechanism.joint_types])
    q, dq, ddq = (values * np.where(turns, np.pi / 180, 1.0) for values in motion)
    converted = mechanism.torque(q, dq, ddq, mechanism.urdf_parameters)
    return bool(np.linalg.norm(measured - converted) < 0.1 * np.linalg.norm(measured - expected))


def _own_terms(motion: Motion, number: int) -> Array:
    """What offset, friction and rotor of one joint may depend on, (N, 4)."""
    velocity, acceleration = motion[1][:, number], motion[2][:, number]
    return np.column_stack([np.ones_like(velocity), velocity, np.sign(velocity), acceleration])


def _beyond(values: Array, own: Array) -> Array:
    """What is left of ``values`` (N,) without multiples of the columns of ``own`` (N, k)."""
    return values - own @ np.linalg.lstsq(own, values, rcond=None)[0]


def _sizes_beyond_own_terms(torque: Array, motion: Motion) -> Array:
    left = [_beyond(torque[:, i], _own_terms(motion, i)) for i in range(torque.shape[1])]
    return np.asarray(np.linalg.norm(left, axis=1))


def _friction_power(torque: Array, motion: Motion) -> float:
    """What the part of ``torque`` that looks like friction takes from the motion, summed up."""
    power = 0.0
    for number in range(torque.shape[1]):
        own = _own_terms(motion, number)
        _, viscous, coulomb, _ = np.linalg.lstsq(own, torque[:, number], rcond=None)[0]
        friction = viscous * own[:, 1] + coulomb * own[:, 2]
        power += float(friction @ own[:, 1])
    return power


def _likeness(expected: Array, measured: Array, own: Array) -> tuple[float, float]:
    """Correlation, and ratio of sizes, of what is left without multiples of ``own``."""
    left = _beyond(expected, own), _beyond(measured, own)
    sizes = [float(np.linalg.norm(v)) for v in left]
    if sizes[0] <= 1e-6 * np.linalg.norm(expected) or sizes[1] <= 1e-6 * np.linalg.norm(measured):
        return 0.0, 1.0  # only rounding is left
    return float(left[0] @ left[1]) / (sizes[0] * sizes[1]), sizes[1] / sizes[0]


def _time_shift(name: str, comparisons: Sequence[Comparison], number: int) -> list[str]:
    """Whether model and measurement agree much better when one is moved by a few samples."""
    longest = max(comparisons, key=lambda c: len(c.measured))
    model, measured = longest.model[:, number], longest.measured[:, number]
    reach = min(_LONGEST_SHIFT, len(model) // 4)
    inner = slice(reach, len(model) - reach)
    errors = {
        lag: float(np.linalg.norm(np.roll(model, lag)[inner] - measured[inner]))
        for lag in range(-reach, reach + 1)
    }
    best = min(errors, key=lambda lag: errors[lag])
    if best == 0 or abs(best) == reach or errors[best] > _MUCH_BETTER * errors[0]:
        return []
    return [f"{name}: {shift_sentence(best, longest.signals.sampling_rate)}"]


def _untried_terms(mechanism: Mechanism, number: int) -> str:
    used = {term.kind for term in mechanism.terms if term.joint == number}
    untried = [kind for kind in _FRICTION_KINDS if kind not in used]
    return f" (try {', '.join(untried)})" if untried else ""


def _explained_by_velocity(error: Array, velocity: Array) -> float:
    """Share of the squared error that its mean over velocity bins explains, offset apart."""
    edges = np.quantile(velocity, np.linspace(0, 1, 21))
    bins = np.clip(np.searchsorted(edges, velocity) - 1, 0, 19)
    counts = np.maximum(np.bincount(bins, minlength=20), 1)
    means = np.bincount(bins, weights=error, minlength=20) / counts
    total = float(error @ error)
    return float(((means[bins] - error.mean()) ** 2).sum()) / total if total > 0 else 0.0


def _motion_and_torque(comparisons: Sequence[Comparison]) -> tuple[Motion, Array]:
    """Motion and measured torque of all recordings, thinned out to what these checks need."""
    signals = [c.signals for c in comparisons]
    step = max(1, sum(len(s.time) for s in signals) // _ENOUGH)
    q = np.concatenate([s.position[::step] for s in signals])
    dq = np.concatenate([s.velocity[::step] for s in signals])
    ddq = np.concatenate([s.acceleration[::step] for s in signals])
    return (q, dq, ddq), np.concatenate([s.raw_torque[::step] for s in signals])


def _vector(values: Array) -> str:
    return "(" + ", ".join(f"{v + 0.0:g}" for v in values) + ")"  # + 0.0: no minus before a zero
