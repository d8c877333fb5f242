"""Whether gravity comes from where the profile says: how the robot is mounted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from dynid.arrays import Array
from dynid.evaluation.diagnosis.case import Case, own_terms, without
from dynid.evaluation.diagnosis.finding import Finding, Plot, Trace
from dynid.evaluation.diagnosis.sampled_fit import free_misfit
from dynid.evaluation.diagnosis.sign import any_friction_drives

_EARTH = 9.81  # [m/s^2]
_TILT = np.radians(12)  # less may come from what a URDF says of centres of mass
_BETTER = 0.9  # of the misfit with gravity as the profile has it; wrists have votes, but no weight
_NO_WORSE = 1.05  # times as large an error of free parameters under the gravity found
_HAS_WEIGHT = 0.02  # of a joint's torque
_HEAVIER = 2.0  # times what the URDF says: a robot's weight at most, and half of it at least
_FEELS_NOTHING = 1e-3  # of the torque
_FEWEST = 200  # samples: three numbers fit the noise of fewer
_ROUNDING = 1e-9
_LEAST = 0.1  # of a joint's torque that its vote is about, where its own motion explains nearly all


@dataclass(frozen=True)
class _Bodies:
    """Torque of the URDF's bodies, each (N, n), and for gravity [m/s^2] (N, n, 3)."""

    inertia: Array
    weight: Array

    def torque(self, gravity: Array) -> Array:
        return np.asarray(self.inertia + self.weight @ gravity)


def wrong_gravity(case: Case) -> Iterator[Finding]:
    """Fit the direction of gravity with the URDF's masses, and compare it with the profile's."""
    if len(case.thinned.torque) < _FEWEST or not case.thinned.moves.any():
        return  # at rest, what holds a robot need not be its drives
    bodies = _bodies(case)
    present = np.asarray(case.mechanism.gravity)
    votes = _votes(case, bodies)
    if np.linalg.norm(votes.weight) * _EARTH < _FEELS_NOTHING * len(case.joints):
        return
    best = _best(votes, present)
    if np.linalg.norm(best) < _EARTH / _HEAVIER:  # along an axis that no pose changes, then
        best = _best(_votes(case, bodies, constants=True), present)
    pull = votes.weight @ present
    scale = float(pull @ votes.torque) / max(float(pull @ pull), 1e-300)
    scale = min(max(scale, 1 / _HEAVIER), _HEAVIER)
    tilt = _angle(best, present)
    share = votes.misfit(best) / max(votes.misfit(scale * present), 1e-300)
    if tilt < _TILT or share > _BETTER:
        return
    found = best * (float(np.linalg.norm(present)) or _EARTH) / float(np.linalg.norm(best))
    if any_friction_drives(case) or not _explains_as_much(case, found):
        return
    yield _finding(case, present, found, tilt, share, bodies)


def _bodies(case: Case) -> _Bodies:
    motion, parameters = case.thinned.motion, case.mechanism.urdf_parameters
    floating = case.mechanism.with_gravity(np.zeros(3))
    inertia = floating.torque(*motion, parameters)
    pulls = [case.mechanism.with_gravity(axis).torque(*motion, parameters) for axis in np.eye(3)]
    return _Bodies(inertia, np.stack([pull - inertia for pull in pulls], axis=2))


@dataclass(frozen=True)
class _Votes:
    """What gravity (3,) should explain: ``weight @ gravity = torque``, every joint with one vote.

    Friction, rotors and offsets are taken out; an offset at a price where the profile says that the
    joint has weight, so that a weight that does not change with the pose is not taken for one.
    """

    weight: Array
    torque: Array

    def misfit(self, gravity: Array) -> float:
        """Norm of what gravity leaves unexplained, in votes."""
        return float(np.linalg.norm(self.torque - self.weight @ gravity))


def _best(votes: _Votes, present: Array) -> Array:
    """Gravity that fits best (3,); where no joint feels any, the profile is believed."""
    left = votes.torque - votes.weight @ present
    return present + np.asarray(np.linalg.lstsq(votes.weight, left, rcond=_FEELS_NOTHING)[0])


def _votes(case: Case, bodies: _Bodies, *, constants: bool = False) -> _Votes:
    left = []
    present = bodies.weight @ np.asarray(case.mechanism.gravity)
    for joint in range(len(case.joints)):
        measured, own = case.thinned.torque[:, joint], own_terms(case.thinned, joint)
        whole = float(np.linalg.norm(measured))
        size = max(float(np.linalg.norm(without(measured, own))), _LEAST * whole)
        if size == 0:
            continue
        values = np.column_stack([bodies.weight[:, joint], measured - bodies.inertia[:, joint]])
        price = np.zeros((1, own.shape[1]))
        if constants or np.linalg.norm(present[:, joint]) > _HAS_WEIGHT * whole:
            price[0, 0] = np.sqrt(len(own)) / whole
        own = np.vstack([own / size, price])
        left.append(without(np.vstack([values / size, np.zeros((1, 4))]), own))
    together = np.concatenate(left) if left else np.zeros((1, 4))
    return _Votes(together[:, :3], together[:, 3])


def _explains_as_much(case: Case, gravity: Array) -> bool:
    """Whether parameters that are free explain the torque under that gravity, too."""
    turned = replace(case, mechanism=case.mechanism.with_gravity(gravity), model=None)
    return free_misfit(turned) <= _NO_WORSE * free_misfit(replace(case, model=None)) + _ROUNDING


def _finding(
    case: Case, present: Array, found: Array, tilt: float, share: float, bodies: _Bodies
) -> Finding:
    joint = int(np.argmax((bodies.weight @ (found - present)).std(axis=0)))
    name = case.joints[joint]
    samples = np.arange(len(case.thinned.torque), dtype=np.float64)
    return Finding(
        cause="wrong_gravity",
        joint=None,
        severity="problem",
        sentence=(
            f"the torque fits gravity {_vector(found)} m/s^2 much better than the profile's "
            f"{_vector(present)}: it is turned by {np.degrees(tilt):.0f} deg."
        ),
        remedy=(
            "Set 'gravity' in the profile to how the robot is mounted, as seen from the URDF's "
            "root link."
        ),
        evidence={
            "tilt [rad]": tilt,
            **{f"gravity {axis} [m/s^2]": float(g) for axis, g in zip("xyz", found, strict=True)},
            "misfit over that of the profile": share,
        },
        plot=Plot(
            x_label="sample",
            y_label=f"torque of {name} beyond its friction [N m]",
            traces=tuple(
                Trace(samples, without(values[:, joint], own_terms(case.thinned, joint)), label)
                for values, label in (
                    (case.thinned.torque, "measured"),
                    (bodies.torque(present), "URDF, gravity of the profile"),
                    (bodies.torque(found), "URDF, gravity found"),
                )
            ),
        ),
    )


def _angle(one: Array, other: Array) -> float:
    size = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(np.arccos(np.clip(one @ other / size, -1, 1))) if size > 0 else np.pi / 2


def _vector(values: Array) -> str:
    rounded = np.round(values, 2) + 0.0  # + 0.0: no minus before a zero
    return "(" + ", ".join(f"{v:g}" for v in rounded) + ")"
