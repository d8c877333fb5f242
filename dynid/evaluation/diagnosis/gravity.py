"""A wrong direction of gravity in the profile, that is, another mounting of the robot."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from dynid.arrays import Array
from dynid.evaluation.diagnosis.case import Case, own_terms
from dynid.evaluation.diagnosis.finding import Finding, Plot, Trace
from dynid.evaluation.diagnosis.projection import without
from dynid.evaluation.diagnosis.sampled_fit import free_residual
from dynid.evaluation.diagnosis.sign import any_friction_drives

_EARTH = 9.81  # [m/s^2]
_TILT = np.radians(12)  # smaller angles may result from centres of mass in the URDF
# largest ratio of residuals, gravity found over gravity of the profile
_LARGEST_RESIDUAL_RATIO = 0.9
_LARGEST_FREE_RESIDUAL_RATIO = 1.05  # largest ratio of residuals with free parameters
_HAS_WEIGHT = 0.02  # share of gravity in a joint's torque
_HEAVIER = 2.0  # largest ratio of the weights of robot and URDF, either way
_CLEARLY = 0.6  # ratio of a joint's residuals, gravity of the profile over another
_ABSENT = 0.1  # of the profile's gravity torque: less is errors of the URDF's masses
_NO_GRAVITY = 1e-3  # share of gravity in the torque
_FEWEST_SAMPLES = 200  # samples: fewer do not determine three numbers
_ROUNDING = 1e-9
# of a joint's torque, least scale if its own motion explains nearly all of it
_SMALLEST_SCALE = 0.1


@dataclass(frozen=True)
class _Bodies:
    """Torque of the URDF's bodies, each (N, n), and for gravity [m/s^2] (N, n, 3)."""

    inertia: Array
    weight: Array

    def torque(self, gravity: Array) -> Array:
        return np.asarray(self.inertia + self.weight @ gravity)


def wrong_gravity(case: Case) -> Iterator[Finding]:
    """Fit the direction of gravity with the URDF's masses, and compare it with the profile's."""
    if len(case.decimated.torque) < _FEWEST_SAMPLES or not case.decimated.moves.any():
        return  # at rest, brakes or static friction may hold the robot
    bodies = _bodies(case)
    present = np.asarray(case.mechanism.gravity)
    equations = _equations(case, bodies)
    if np.linalg.norm(equations.weight) * _EARTH < _NO_GRAVITY * len(case.joints):
        return
    best = _best(equations, present)
    if np.linalg.norm(best) < _EARTH / _HEAVIER:  # then along an axis that no pose changes
        best = _best(_equations(case, bodies, constants=True), present)
    if _is_absent(case, equations, best, present):
        yield _absent(best)
        return
    pull = equations.weight @ present
    scale = float(pull @ equations.torque) / max(float(pull @ pull), 1e-300)
    scale = min(max(scale, 1 / _HEAVIER), _HEAVIER)
    tilt = _angle(best, present)
    share = equations.residual(best) / max(equations.residual(scale * present), 1e-300)
    if tilt < _TILT or share > _LARGEST_RESIDUAL_RATIO or _contradicted(equations, present, best):
        return
    gravity = best * (float(np.linalg.norm(present)) or _EARTH) / float(np.linalg.norm(best))
    if any_friction_drives(case) or not _explains_as_much(case, gravity):
        return
    yield _finding(case, present, gravity, tilt, share, bodies)


def _bodies(case: Case) -> _Bodies:
    mechanism, position = case.mechanism, case.decimated.position
    pulls = [mechanism.with_gravity(axis).gravity_torque(position) for axis in np.eye(3)]
    weight = np.stack(pulls, axis=2)
    return _Bodies(case.urdf_torque - weight @ np.asarray(mechanism.gravity), weight)


@dataclass(frozen=True)
class _Equations:
    """Equations ``weight @ gravity = torque`` for gravity (3,), every joint scaled equally.

    ``joint`` numbers the joint of each. Friction, rotors and offsets are projected out. The offset
    of a joint with gravity torque is penalised, so that a gravity torque that is the same in all
    poses is not taken for an offset.
    """

    weight: Array
    torque: Array
    joint: NDArray[np.intp]

    def residual(self, gravity: Array) -> float:
        """Return the norm of the scaled torque that gravity (3,) does not explain."""
        return float(np.linalg.norm(self.torque - self.weight @ gravity))

    def residuals(self, gravity: Array) -> Array:
        """Return the same for each joint with equations."""
        left = np.bincount(self.joint, (self.torque - self.weight @ gravity) ** 2)
        return np.asarray(np.sqrt(left[np.unique(self.joint)]))


def _best(equations: _Equations, present: Array) -> Array:
    """Return the gravity (3,) that fits best; that of the profile in directions without effect."""
    left = equations.torque - equations.weight @ present
    return present + np.asarray(np.linalg.lstsq(equations.weight, left, rcond=_NO_GRAVITY)[0])


def _equations(case: Case, bodies: _Bodies, *, constants: bool = False) -> _Equations:
    left, joints = [], []
    present = bodies.weight @ np.asarray(case.mechanism.gravity)
    for joint in range(len(case.joints)):
        measured, joint_terms = case.decimated.torque[:, joint], own_terms(case.decimated, joint)
        whole = float(np.linalg.norm(measured))
        size = max(float(np.linalg.norm(without(measured, joint_terms))), _SMALLEST_SCALE * whole)
        if size == 0:
            continue
        values = np.column_stack([bodies.weight[:, joint], measured - bodies.inertia[:, joint]])
        penalty = np.zeros((1, joint_terms.shape[1]))
        if constants or np.linalg.norm(present[:, joint]) > _HAS_WEIGHT * whole:
            penalty[0, 0] = np.sqrt(len(joint_terms)) / whole
        joint_terms = np.vstack([joint_terms / size, penalty])
        left.append(without(np.vstack([values / size, np.zeros((1, 4))]), joint_terms))
        joints.append(joint)
    together = np.concatenate(left) if left else np.zeros((1, 4))
    numbers = np.repeat(joints or [0], len(together) // max(1, len(joints)))
    return _Equations(together[:, :3], together[:, 3], numbers.astype(np.intp))


def _contradicted(equations: _Equations, present: Array, other: Array) -> bool:
    """Whether a joint has the weight that the profile's gravity gives it, and not the other's.

    Gravity is the same for all joints: then others differ for reasons of their own, such as a
    spring, a unit, or a drive without effort.
    """
    of_profile, of_other = equations.residuals(present), equations.residuals(other)
    return bool(np.any(of_profile < _CLEARLY * of_other))


def _explains_as_much(case: Case, gravity: Array) -> bool:
    """Whether free parameters explain the torque with that gravity equally well."""
    turned = replace(case, mechanism=case.mechanism.with_gravity(gravity), model=None)
    present = free_residual(replace(case, model=None))
    return free_residual(turned) <= _LARGEST_FREE_RESIDUAL_RATIO * present + _ROUNDING


def _is_absent(case: Case, equations: _Equations, best: Array, present: Array) -> bool:
    """Whether the torque contains no gravity, although the profile does."""
    none = np.zeros(3)
    if _contradicted(equations, present, none):
        return False
    return (
        bool(np.linalg.norm(equations.weight @ best) < _ABSENT * _pull(equations, present))
        and equations.residual(none)
        < _LARGEST_RESIDUAL_RATIO * equations.residual(present / _HEAVIER)
        and not any_friction_drives(case)
        and _explains_as_much(case, none)
    )


def _pull(equations: _Equations, gravity: Array) -> float:
    return float(np.linalg.norm(equations.weight @ gravity))


def _absent(best: Array) -> Finding:
    size = float(np.linalg.norm(best))
    return Finding(
        cause="wrong_gravity",
        joint=None,
        severity="problem",
        sentence=(
            f"the torque contains no gravity: {size:.2g} m/s^2 fit best, with the masses of the "
            "URDF. Probably the robot's controller compensates it, and reports the rest."
        ),
        remedy="Set 'gravity: by_robot' in the profile.",
        evidence={"gravity [m/s^2]": size},
    )


def _finding(
    case: Case, present: Array, gravity: Array, tilt: float, share: float, bodies: _Bodies
) -> Finding:
    joint = int(np.argmax((bodies.weight @ (gravity - present)).std(axis=0)))
    name = case.joints[joint]
    return Finding(
        cause="wrong_gravity",
        joint=None,
        severity="problem",
        sentence=(
            f"the torque fits gravity {_vector(gravity)} m/s^2 much better than {_vector(present)} "
            f"m/s^2 of the profile; the angle between them is {np.degrees(tilt):.0f} deg."
        ),
        remedy=(
            "Set 'gravity' in the profile to its direction in the frame of the URDF's root link."
        ),
        evidence={
            "tilt [rad]": tilt,
            **{f"gravity {axis} [m/s^2]": float(g) for axis, g in zip("xyz", gravity, strict=True)},
            "residual over that of the profile": share,
        },
        plot=Plot(
            x_label="time [s]",
            y_label=f"torque of {name} beyond its friction [N m]",
            traces=tuple(
                Trace(case.time, without(values[:, joint], own_terms(case.decimated, joint)), label)
                for values, label in (
                    (case.decimated.torque, "measured"),
                    (bodies.torque(present), "URDF, gravity of the profile"),
                    (bodies.torque(gravity), "URDF, gravity found"),
                )
            ),
        ),
    )


def _angle(first: Array, other: Array) -> float:
    size = float(np.linalg.norm(first) * np.linalg.norm(other))
    return float(np.arccos(np.clip(first @ other / size, -1, 1))) if size > 0 else np.pi / 2


def _vector(values: Array) -> str:
    rounded = np.round(values, 2) + 0.0  # + 0.0: no minus before a zero
    return "(" + ", ".join(f"{v:g}" for v in rounded) + ")"
