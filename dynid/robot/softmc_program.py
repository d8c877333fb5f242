"""The program IDNT.PRG that gives a model of a single axis to softMC.

Parameters, their order and units are those of softMC's manual (*Inverse Dynamic Model*, "The
Dynamic Models Parameters"). It shows the parameters of SCARA, DELTA and PUMA, and of a vertical
axis with a spring, only as pictures or not at all; models of those are refused.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dynid.errors import ModelFileError
from dynid.robot.model import Model
from dynid.text import iso_time, percent, printable

GRAVITY = 9.80665
"""[m/s^2] as softMC's manual gives it."""

_FRICTION = {"viscous": "ViscousFriction", "coulomb": "CoulombFriction"}
_RIGID = ("rotor_inertia",)  # part of the total inertia or mass
_CONSTANT = ("offset", "spring_preload")  # part of the constant force of a linear axis
_LONGEST_ARM = 1000.0  # [m]
_ROUNDING = 1e-9  # of a torque, below which a difference is rounding


AxisParameters = list[tuple[str, float]]
"""``DynamicParameter[1]`` and following: meaning, as in the manual, and value."""


def _axis_model(model: Model, arm_length: float) -> tuple[int, AxisParameters]:
    """Return softMC's model of the same axis: ``DynamicModel`` and its parameters.

    Raises:
        ModelFileError: softMC has no model of it, or none whose parameters the manual lists; or the
            arm is too long.
    """
    mechanism = model.mechanism
    name = model.robot.name
    if not 0 <= arm_length <= _LONGEST_ARM:
        raise ModelFileError(
            f"{name}: an arm of {arm_length:g} m; expected its length from 0 to {_LONGEST_ARM:g} m."
        )
    if len(mechanism.joints) != 1:
        raise ModelFileError(
            f"{name}: has {len(mechanism.joints)} joints, but IDNT.PRG is written for single axes "
            "only: of SCARA, DELTA and PUMA softMC's manual gives the number of parameters (8, 14, "
            "23 or 4), but neither their formulas nor their order."
        )
    linear = mechanism.prismatic[0]
    known = (*_FRICTION, *_RIGID, *(_CONSTANT if linear else ()))
    unknown = [t.kind for t in mechanism.terms if t.kind not in known or t.side == "motor"]
    if unknown:
        kinds = ", ".join(dict.fromkeys(unknown))
        omit = " ".join(f"--without {kind}" for kind in dict.fromkeys(unknown))
        raise ModelFileError(
            f"{name}: softMC's model of {'a linear' if linear else 'a rotary'} axis has no "
            f"parameter for the joint terms {kinds}; identify without them, or omit them ({omit})."
        )
    inertia = _torque(model, 0.0, acceleration=1.0) - _torque(model, 0.0)
    return _linear(model, inertia) if linear else _rotary(model, inertia, arm_length)


def _linear(model: Model, mass: float) -> tuple[int, AxisParameters]:
    force = _torque(model, 0.0)
    moved = ("total mass of the moved part [kg]", mass)
    if force == 0.0 and not any(t.kind in _CONSTANT for t in model.mechanism.terms):
        return 1, [moved]
    constant = ("constant force due to gravity [N]", force)
    return 2, [moved, constant, ("gravity coefficient for the payload's mass [m/s^2]", GRAVITY)]


def _rotary(model: Model, inertia: float, arm_length: float) -> tuple[int, AxisParameters]:
    # gravity torque is a cosine of the position
    largest = float(np.hypot(_torque(model, 0.0), _torque(model, np.pi / 2)))
    parameters = [
        ("total moment of inertia about the axis [kg*m^2]", inertia),
        ("square of the crank arm's length, axis to payload [m^2]", arm_length**2),
        ("mass * gravity * distance to the centre of mass [N*m]", largest),
        ("gravity * distance to the payload [m^2/s^2]", GRAVITY * arm_length),
    ]
    if largest > _ROUNDING * max(1.0, abs(inertia)):
        return 3, parameters
    return (2, parameters[:2]) if arm_length else (1, parameters[:1])


def _torque(model: Model, position: float, acceleration: float = 0.0) -> float:
    """Return the model's torque at standstill, without friction."""
    at = np.array([position]), np.zeros(1), np.array([acceleration])
    return float(model.inverse_dynamics(*at)[0])


def _parameter(model: Model, kind: str) -> float:
    """Return the sum of the parameters of one kind of joint term."""
    values = model.parameters[model.mechanism.first_term :]
    terms = model.mechanism.terms
    return float(sum(v for v, term in zip(values, terms, strict=True) if term.kind == kind))


def softmc_program(
    model: Model, axis: str = "A1", *, arm_length: float = 0.0, notes: Sequence[str] = ()
) -> str:
    """Return the text of IDNT.PRG for a model of one axis.

    Friction is negative, as in the manual's example.

    Args:
        model: of one joint.
        axis: its name in softMC.
        arm_length: from a rotary axis to its payload [m].
        notes: further lines of its comment.

    Raises:
        ModelFileError: softMC has no such model; the axis' name is not one.
    """
    if not (axis.isascii() and axis.isidentifier()):
        raise ModelFileError(
            f"the axis '{printable(axis)}' is no name of softMC: use letters, digits and "
            "underscores, such as A1."
        )
    number, parameters = _axis_model(model, arm_length)
    lines = [
        *(f"'{line}" for line in [*_comment(model, axis), *_meanings(number, parameters), *notes]),
        "PROGRAM CONTINUE",
        f"ATTACH {axis}",
        *(
            f"{axis}.DynamicParameter[{place}] = {value:.9e}"
            for place, (_, value) in enumerate(parameters, 1)
        ),
        *(f"{axis}.{name} = {-_parameter(model, kind):.9e}" for kind, name in _FRICTION.items()),
        f"{axis}.DynamicModel = {number}",
        f"DETACH {axis}",
        "TERMINATE PROGRAM",
    ]
    return "\n".join(lines) + "\n"


def _comment(model: Model, axis: str) -> list[str]:
    """Return what softMC writes first: outcome, time, errors, filter, samples."""
    name = printable(model.robot.name)
    made, errors = model.provenance, model.errors
    if made is None:
        return [f"Dynamic parameters of {name} for {axis}, which were not identified (dynid)"]
    outcome = "failed!" if made.failed else "succeeded!"
    lines = [
        f"Dynamic parameter identification for {name} {outcome} (dynid)",
        f"Identification date and time: {iso_time(made.created)}",
    ]
    if errors is not None:
        lines += [
            f"Max relative torque error: {axis} = {percent(errors.max_relative_torque_error[0])}",
            f"Mean relative torque error: {axis} = {percent(errors.mean_relative_torque_error[0])}",
        ]
    if made.cutoff_hz is not None:
        lines.append(f"Signal filter cutoff frequency = {made.cutoff_hz:.3f} Hz")
    return [
        *lines,
        f"Signal data length = {made.samples} samples (raw record length = {made.raw_samples} "
        "samples)",
    ]


def _meanings(number: int, parameters: AxisParameters) -> list[str]:
    lines = [f"DynamicParameter[{n}]: {text}" for n, (text, _) in enumerate(parameters, 1)]
    lines.append("Units are SI; friction is negative, as softMC's own.")
    if number == 3:
        lines.append(
            "The manual's text does not say at which position the torque of gravity is 0: check "
            "the axis' zero before use."
        )
    return lines
