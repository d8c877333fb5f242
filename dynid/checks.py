"""Residual checks that name a likely cause: a sign, a unit, gravity, a time shift, friction."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dynid.judgement import Comparison
from dynid.mechanism import Mechanism
from dynid.signals import Array

_POOR = 0.35  # relative error from which on a cause is looked for
_MUCH_BETTER = 0.6  # a cause is named where it lowers the error to this share
_LONGEST_SHIFT = 20  # samples
_UNIT_FACTORS = {
    1000.0: "N mm or mA",
    np.pi / 180: "degrees somewhere",
    180 / np.pi: "degrees somewhere",
}




def check_against_urdf(mechanism: Mechanism, comparisons: Sequence[Comparison]) -> list[str]:
    """Compare measured torque with what the URDF's masses alone would need.

    A joint whose torque is the URDF's with the opposite sign, or off by a constant large factor,
    or that follows gravity of another direction, is reported in a sentence.
    """
    rigid = mechanism.urdf_parameters
    warnings: list[str] = []
    motion = _stacked_motion(comparisons)
    measured = np.concatenate([c.signals.raw_torque for c in comparisons])
    expected = mechanism.torque(*motion, rigid)
    for number, name in enumerate(mechanism.joints):
        warnings += _sign_and_scale(name, expected[:, number], measured[:, number])
    return warnings


def check_residuals(mechanism: Mechanism, comparisons: Sequence[Comparison]) -> list[str]:
    """Look for structure left in the errors of the finished model, joint by joint."""
    warnings: list[str] = []
    for number, name in enumerate(mechanism.joints):
        measured = np.concatenate([c.measured[:, number] for c in comparisons])
        error = np.concatenate([c.model[:, number] for c in comparisons]) - measured
        velocity = np.concatenate([c.signals.velocity[:, number] for c in comparisons])
        relative = np.linalg.norm(error) / max(float(np.linalg.norm(measured)), 1e-300)
        if relative < _POOR / 3:
            continue
        warnings += _time_shift(name, comparisons, number)
        share = _explained_by_velocity(error, velocity)
        if share > 0.3:
            warnings.append(
                f"{name}: {share:.0%} of the squared error depends on velocity alone; friction is "
                "not described by the chosen terms (try smoothing, stribeck, viscous_root or "
                "presliding)."
            )
    return warnings


def check_gravity(
    mechanism: Mechanism, comparisons: Sequence[Comparison], relative_error: Array
) -> list[str]:
    """Where the fit is poor, see whether the URDF's weights fit better with gravity turned."""
    if np.median(relative_error) < _POOR:
        return []
    motion = _stacked_motion(comparisons)
    measured = np.concatenate([c.signals.raw_torque for c in comparisons])
    strength = float(np.linalg.norm(mechanism.gravity)) or 9.81
    errors = {}
    for axis in range(3):
        for sign in (-1.0, 1.0):
            gravity = np.zeros(3)
            gravity[axis] = sign * strength
            turned = mechanism.with_gravity(gravity)
            torque = turned.torque(*motion, mechanism.urdf_parameters)
            errors[tuple(gravity)] = float(np.linalg.norm(measured - torque))
    present = tuple(float(g) for g in mechanism.gravity)
    best = min(errors, key=lambda key: errors[key])
    if best == present or errors[best] > _MUCH_BETTER * errors.get(present, np.inf):
        return []
    return [
        f"the torque fits gravity {_vector(best)} m/s^2 much better than the profile's "
        f"{_vector(present)}; check 'gravity' and how the robot is mounted."
    ]


def _sign_and_scale(name: str, expected: Array, measured: Array) -> list[str]:
    expected, measured = expected - expected.mean(), measured - measured.mean()
    sizes = float(np.linalg.norm(expected)), float(np.linalg.norm(measured))
    if min(sizes) == 0:
        return []
    agreement = float(expected @ measured) / (sizes[0] * sizes[1])
    if agreement < -0.7:
        return [
            f"{name}: torque runs against what the URDF's masses need (correlation "
            f"{agreement:.2f}); its sign or the sign of the position is probably flipped."
        ]
    ratio = sizes[1] / sizes[0]
    if agreement > 0.7 and not 0.1 < ratio < 10:
        near = min(_UNIT_FACTORS, key=lambda f: abs(np.log(ratio / f)))
        hint = f" (as {_UNIT_FACTORS[near]} would)" if abs(np.log(ratio / near)) < 0.7 else ""
        return [
            f"{name}: torque is {ratio:.3g} times what the URDF's masses need{hint}; check the "
            "torque factor and the unit of effort."
        ]
    return []


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
    shift = abs(best) / longest.signals.sampling_rate
    later = "later" if best > 0 else "earlier"
    return [
        f"{name}: torque comes {abs(best)} samples ({shift * 1e3:.3g} ms) {later} than the motion "
        "that needs it; align them, or expect an additive torque delay of that size."
    ]


def _explained_by_velocity(error: Array, velocity: Array) -> float:
    """Share of the error's variance that its mean over velocity bins explains."""
    edges = np.quantile(velocity, np.linspace(0, 1, 21))
    bins = np.clip(np.searchsorted(edges, velocity) - 1, 0, 19)
    counts = np.maximum(np.bincount(bins, minlength=20), 1)
    means = np.bincount(bins, weights=error, minlength=20) / counts
    total = float(error @ error)
    return float((means[bins] ** 2).sum()) / total if total > 0 else 0.0


def _stacked_motion(comparisons: Sequence[Comparison]) -> tuple[Array, Array, Array]:
    signals = [c.signals for c in comparisons]
    return (
        np.concatenate([s.position for s in signals]),
        np.concatenate([s.velocity for s in signals]),
        np.concatenate([s.acceleration for s in signals]),
    )


def _vector(values: tuple[float, ...]) -> str:
    return "(" + ", ".join(f"{v:g}" for v in values) + ")"
