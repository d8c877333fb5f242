"""The dynamic model of a tree of joints, the one that also runs in the robot's controller.

Units are SI: positions [rad or m], velocities and accelerations per s and s^2, torques
[N*m, or N at a prismatic joint]. Everything a :class:`Mechanism` takes and returns is at the joint
side, in the order of its ``joints``.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, TypeVar

import numpy as np

from dynid import _core
from dynid.errors import MechanismError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    Array = NDArray[np.float64]

TERM_KINDS: tuple[str, ...] = tuple(_core.term_kinds())
"""Every kind of joint term; cpp/core/src/joint_terms.cpp has their formulas and units."""

_Result = TypeVar("_Result")
_NOTHING_LOCKED: Mapping[str, float] = MappingProxyType({})


@dataclass(frozen=True)
class JointTerm:
    """What a joint or motor adds to rigid-body dynamics: one parameter, one regressor column.

    With v the velocity of the joint or motor, and s(v) = sign(v), or tanh(v / smoothing):
    ``viscous`` v, ``viscous_positive`` max(v, 0), ``viscous_negative`` min(v, 0),
    ``viscous_cubic`` v^3, ``viscous_root`` sign(v) sqrt|v|, ``coulomb`` s(v),
    ``coulomb_positive`` max(s(v), 0), ``coulomb_negative`` min(s(v), 0),
    ``stribeck`` s(v) exp(-(v / scale)^2), ``offset`` and ``spring_preload`` 1,
    ``spring_stiffness`` the position, ``rotor_inertia`` the acceleration, ``coulomb_load``
    s(v) times the size of the torque that gravity asks of the joint (with the mechanism's own
    parameters), ``presliding`` the deflection of an elastic contact that slides when stretched by
    ``scale``, as a share of it, from -1 to 1 (stop operator of Prandtl and Ishlinskii).
    """

    kind: str
    """One of ``TERM_KINDS``."""
    joint: int
    """Index of the joint or motor, from 0."""
    side: Literal["joint", "motor"] = "joint"
    """Whose motion counts. A motor's torque reaches the joints through the coupling."""
    smoothing: float = 0.0
    """Velocity [rad/s or m/s] over which the sign is smoothed; 0 keeps it, with sign(0) = 0."""
    scale: float = 0.0
    """Stribeck velocity [rad/s or m/s], or presliding distance [rad or m]."""


class Mechanism:
    """A tree of revolute, continuous and prismatic joints with its joint terms and parameters.

    τ = W(q, dq, ddq) π, and τ = M(q) ddq + C(q, dq) dq + g(q) + joint terms. Immutable: any number
    of threads can share one.

    π holds ten standard parameters for each body, in the order of ``joints``: mass, first moments
    x, y, z, moments of inertia XX, XY, YY, XZ, YZ, ZZ, both about the origin of the joint's frame
    (pinocchio's order); then one parameter for each joint term.

    Parameters
    ----------
    urdf_xml
        The URDF's text.
    joints
        Names of the actuated joints, in drive order.
    locked
        Positions [rad or m] of other movable joints; 0 for those in neither.
    gravity
        Acceleration [m/s^2] in the frame of the URDF's root link.
    coupling
        T in q_joint = T q_motor and τ_motor = Tᵀ τ_joint, (n, n); None for the identity. Motor
        positions are behind the gear, so that T has no unit.
    terms
        Joint terms, in the order of their parameters.

    Raises
    ------
    MechanismError
        Where these do not make a mechanism, in a sentence.
    """

    def __init__(
        self,
        urdf_xml: str,
        joints: Sequence[str],
        *,
        locked: Mapping[str, float] = _NOTHING_LOCKED,
        gravity: ArrayLike = (0.0, 0.0, -9.81),
        coupling: ArrayLike | None = None,
        terms: Sequence[JointTerm] = (),
    ) -> None:
        self._arguments = (urdf_xml, joints, locked, coupling, terms)
        self._joints = tuple(joints)
        self._terms = tuple(terms)
        self._gravity = _read_only(_vector("gravity", gravity, 3))
        matrix = np.zeros((0, 0)) if coupling is None else _numbers("coupling", coupling)
        if matrix.ndim != 2:
            message = f"The coupling matrix has {matrix.ndim} dimensions, but must have 2."
            raise MechanismError(message)
        try:
            core_terms = [_core_term(term) for term in self._terms]
            self._core = _core.Mechanism(
                urdf_xml, self._joints, dict(locked), self._gravity, matrix, core_terms
            )
        except ValueError as error:
            raise MechanismError(str(error)) from None

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the actuated joints, in drive order."""
        return self._joints

    @property
    def joint_types(self) -> tuple[Literal["revolute", "prismatic"], ...]:
        """Whether each joint turns (with or without limits) or slides."""
        return tuple("prismatic" if slides else "revolute" for slides in self._core.prismatic)

    @property
    def axes(self) -> Array:
        """Unit vector of each joint's axis in the joint's frame, (n, 3), read-only."""
        return _read_only(self._core.axes)

    @property
    def terms(self) -> tuple[JointTerm, ...]:
        """The joint terms, in the order of their parameters."""
        return self._terms

    @property
    def coupling(self) -> Array:
        """T in q_joint = T q_motor, (n, n), read-only."""
        return _read_only(self._core.coupling)

    @property
    def gravity(self) -> Array:
        """Acceleration in the root frame [m/s^2], (3,), read-only."""
        return self._gravity

    @property
    def parameter_names(self) -> tuple[str, ...]:
        """``M1 MX1 … ZZ1 M2 …``, then ``Fv1`` and the like, ``Fvm1`` at the motor; (p,)."""
        return tuple(self._core.parameter_names)

    @property
    def parameter_units(self) -> tuple[str, ...]:
        """Unit of each parameter, such as ``kg*m^2``; (p,)."""
        return tuple(self._core.parameter_units)

    @property
    def urdf_parameters(self) -> Array:
        """Parameters that the URDF gives, locked bodies folded in, terms zero; (p,), read-only."""
        return _read_only(self._core.urdf_parameters)

    @property
    def parameters(self) -> Array:
        """The current parameters, at first those of the URDF; (p,), read-only."""
        return _read_only(self._core.parameters)

    def with_gravity(self, gravity: ArrayLike) -> Mechanism:
        """Return the same mechanism under another gravity (3,), with the URDF's parameters."""
        urdf_xml, joints, locked, coupling, terms = self._arguments
        return Mechanism(
            urdf_xml, joints, locked=locked, gravity=gravity, coupling=coupling, terms=terms
        )

    def with_parameters(self, parameters: ArrayLike) -> Mechanism:
        """Return the same mechanism with other parameters (p,).

        Raises MechanismError on a wrong count or a value that is not finite.
        """
        values = self._parameter_vector(parameters)
        changed = object.__new__(Mechanism)
        changed.__dict__.update(self.__dict__)
        changed._core = _sentence(lambda: self._core.with_parameters(values))
        return changed

    def regressor(
        self,
        q: ArrayLike,
        dq: ArrayLike,
        ddq: ArrayLike,
        out: Array | None = None,
        past: Array | None = None,
    ) -> Array:
        """Return W in τ = W π: (N, n, p) for arrays (N, n), and (n, p) for a sample (n,).

        ``out``, C-ordered float64 of that shape, is filled instead of a new array where it is
        given. Other threads run meanwhile.
        """
        batch, single = self._samples(q=q, dq=dq, ddq=ddq)
        shape = (len(batch[0]), len(self._joints), len(self._core.parameter_names))
        if out is None:
            out = np.empty(shape[1:] if single else shape)
        _check_output(out, shape[1:] if single else shape)
        self._core.regressor_into(*batch, out.reshape(shape), past)
        return out

    def new_past(self) -> Array:
        """The past of the terms with memory before anything moved, for arrays given in pieces.

        Functions that take ``past`` begin there and leave it where the array ends; (terms, 2).
        """
        past = np.zeros((self._core.memory_count, 2))
        past[:, 0] = np.nan
        return past

    def advance(self, q: ArrayLike, past: Array) -> None:
        """Move the terms with memory along the positions q (N, n); ``past`` is changed in place."""
        (positions,), _ = self._samples(q=q)
        self._core.advance(positions, past)

    def gram(
        self,
        q: ArrayLike,
        dq: ArrayLike,
        ddq: ArrayLike,
        tau: ArrayLike,
        columns: Sequence[int] | NDArray[np.intp] | None = None,
        weights: ArrayLike | None = None,
        past: Array | None = None,
    ) -> Array:
        """Return AᵀA for each joint, A = [W_j, τ_j] over the samples; (n, k + 1, k + 1).

        Sums of such matrices over pieces of a recording give its normal equations, without the
        regressor ever being stored.

        Parameters
        ----------
        q, dq, ddq, tau
            Samples, (N, n).
        columns
            The k columns of the regressor to use, in this order; None for all p.
        weights
            (N, n), how much a sample counts for a joint, 0 for not at all; None for ones.
        past
            Of the terms with memory, see :meth:`new_past`; None begins afresh.
        """
        batch, _ = self._samples(q=q, dq=dq, ddq=ddq, tau=tau)
        chosen = range(len(self.parameter_names)) if columns is None else columns
        weight = None if weights is None else _numbers("weights", weights)
        if weight is not None and weight.shape != batch[0].shape:
            message = f"weights has shape {weight.shape}, but must have {batch[0].shape}."
            raise MechanismError(message)
        numbers = [int(column) for column in chosen]
        return _sentence(lambda: self._core.gram(*batch, numbers, weight, past))

    def torque(
        self,
        q: ArrayLike,
        dq: ArrayLike,
        ddq: ArrayLike,
        parameters: ArrayLike,
        past: Array | None = None,
    ) -> Array:
        """Return W π for any parameters (p,), also base parameters: (N, n), or (n,)."""
        batch, single = self._samples(q=q, dq=dq, ddq=ddq)
        values = self._parameter_vector(parameters)
        return _first(self._core.torque(*batch, values, past), single)

    def inverse_dynamics(self, q: ArrayLike, dq: ArrayLike, ddq: ArrayLike) -> Array:
        """Return torques by recursive Newton-Euler with the current parameters: (N, n), or (n,).

        Raises MechanismError where a body has first moments but no mass.
        """
        batch, single = self._samples(q=q, dq=dq, ddq=ddq)
        return _first(_sentence(lambda: self._core.inverse_dynamics(*batch)), single)

    def term_torque(self, q: ArrayLike, dq: ArrayLike, ddq: ArrayLike) -> Array:
        """Return the torque of the joint terms alone: (N, n), or (n,)."""
        batch, single = self._samples(q=q, dq=dq, ddq=ddq)
        return _first(self._core.term_torque(*batch), single)

    def gravity_torque(self, q: ArrayLike) -> Array:
        """Return the torque that holds the mechanism against gravity, springs apart: (N, n)."""
        batch, single = self._samples(q=q)
        return _first(_sentence(lambda: self._core.gravity_torque(*batch)), single)

    def mass_matrix(self, q: ArrayLike) -> Array:
        """Return M(q), with rotor inertias: (N, n, n), or (n, n)."""
        batch, single = self._samples(q=q)
        return _first(_sentence(lambda: self._core.mass_matrix(*batch)), single)

    def coriolis_matrix(self, q: ArrayLike, dq: ArrayLike) -> Array:
        """Return C(q, dq) such that dM/dt - 2 C is skew-symmetric: (N, n, n), or (n, n)."""
        batch, single = self._samples(q=q, dq=dq)
        return _first(_sentence(lambda: self._core.coriolis_matrix(*batch)), single)

    def forward_dynamics(self, q: ArrayLike, dq: ArrayLike, tau: ArrayLike) -> Array:
        """Return the accelerations that torques cause: (N, n), or (n,).

        Raises MechanismError where the mass matrix is not positive definite.
        """
        batch, single = self._samples(q=q, dq=dq, tau=tau)
        return _first(_sentence(lambda: self._core.forward_dynamics(*batch)), single)

    def _samples(self, **arrays: ArrayLike) -> tuple[list[Array], bool]:
        """Check that the arrays are samples of one length; return them (N, n), and if N was absent.

        Raises MechanismError.
        """
        count = len(self._joints)
        read = {name: _numbers(name, array) for name, array in arrays.items()}
        first = next(iter(read.values()))
        single = first.ndim == 1
        expected = (count,) if single else (len(first) if first.ndim == 2 else "N", count)
        for name, array in read.items():
            if array.shape != expected:
                message = (
                    f"{name} has shape {array.shape}, but must have "
                    f"({', '.join(map(str, expected))}{',' if single else ''}), "
                    f"one column for each of the {count} joints."
                )
                raise MechanismError(message)
        return [array.reshape(-1, count) for array in read.values()], single

    def _parameter_vector(self, parameters: ArrayLike) -> Array:
        return _vector("parameters", parameters, len(self._core.parameter_names))


def _core_term(term: JointTerm) -> _core.JointTerm:
    if term.side not in ("joint", "motor"):
        message = f"A joint term's side is '{term.side}', but must be 'joint' or 'motor'."
        raise MechanismError(message)
    at_motor = term.side == "motor"
    return _core.JointTerm(term.kind, term.joint, at_motor, term.smoothing, term.scale)


def _sentence(function: Callable[[], _Result]) -> _Result:
    """Call a function of the core, and give its complaint as one of the user's mistakes."""
    try:
        return function()
    except ValueError as error:
        raise MechanismError(str(error)) from None


def _numbers(name: str, array: ArrayLike) -> Array:
    try:
        return np.ascontiguousarray(array, dtype=np.float64)
    except (TypeError, ValueError):
        message = f"{name} must be an array of numbers."
        raise MechanismError(message) from None


def _vector(name: str, array: ArrayLike, size: int) -> Array:
    vector = _numbers(name, array)
    if vector.shape != (size,):
        message = f"{name} has shape {vector.shape}, but must have ({size},)."
        raise MechanismError(message)
    return vector


def _check_output(out: Array, shape: tuple[int, ...]) -> None:
    usable = out.dtype == np.float64 and out.flags.c_contiguous and out.flags.writeable
    if out.shape != shape or not usable:
        message = f"out must be a writeable C-ordered float64 array of shape {shape}."
        raise MechanismError(message)


def _first(result: Array, single: bool) -> Array:
    """Return the one sample of a result, or all of them."""
    return result[0] if single else result


def _read_only(array: Array) -> Array:
    array = array.view()
    array.flags.writeable = False
    return array
