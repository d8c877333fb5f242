"""The dynamic model of a robot's joints and bodies, which its controller also runs.

Units are SI: positions [rad or m], velocities and accelerations per s and s^2, torques
[N*m, or N at a prismatic joint]. Everything a :class:`Mechanism` takes and returns is at its
actuated joints, in the order of ``joints``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dynid import _core
from dynid.arrays import Array
from dynid.dynamics.closed_chain import ClosedChain, core_closure
from dynid.dynamics.joint_terms import JointTerm, core_term
from dynid.dynamics.mimic import check_mimic
from dynid.dynamics.sample_arrays import check_output, numbers, sample_arrays, vector
from dynid.dynamics.urdf_text import check_urdf
from dynid.errors import MechanismError

__all__ = ["JointTerm", "Mechanism"]

_Result = TypeVar("_Result")
_NOTHING_LOCKED: Mapping[str, float] = MappingProxyType({})
_TREE = ClosedChain()


class Mechanism:
    """Revolute, continuous and prismatic joints in a tree or in closed chains, with parameters.

    τ = W(q, dq, ddq) π, and τ = M(q) ddq + C(q, dq) dq + g(q) + joint terms. Immutable: any number
    of threads can share one.

    π holds ten standard parameters for each body, in the order of ``body_joints``: mass, first
    moments x, y, z, moments of inertia XX, XY, YY, XZ, YZ, ZZ, both about the origin of the joint's
    frame (pinocchio's order); then one parameter for each joint term.

    In a closed chain the passive joints follow the actuated ones: dq_passive = G dq. All arguments
    and results are at the actuated joints, τ = τ_actuated + Gᵀ τ_passive. Where loops cannot be
    closed, or a passive joint is free, functions raise MechanismError with the pose.

    Args:
        urdf_xml: the URDF's text.
        joints: names of the actuated joints, in drive order.
        locked: positions [rad or m] of other movable joints; 0 for those in neither.
        gravity: acceleration [m/s^2] in the frame of the URDF's root link.
        coupling: T in q_joint = T q_motor and τ_motor = Tᵀ τ_joint, (n, n); None for the identity.
            Motor positions are behind the gear, so that T has no unit.
        terms: joint terms, in the order of their parameters; the chain's passive joints are
            numbered after the actuated ones.
        chain: passive joints and loop closures; none for a tree.
        payload_joint: joint of the body that carries a payload; None: the last of ``joints``.
        semi_static: bodies have weight but no inertia: a model of gravity and friction only.

    Raises:
        MechanismError: these do not describe a mechanism.
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
        chain: ClosedChain = _TREE,
        payload_joint: str | None = None,
        semi_static: bool = False,
    ) -> None:
        self._under = partial(
            Mechanism,
            urdf_xml,
            joints,
            locked=dict(locked),
            coupling=coupling,
            terms=terms,
            chain=chain,
            payload_joint=payload_joint,
            semi_static=semi_static,
        )
        self._urdf_xml, self._locked = urdf_xml, MappingProxyType(dict(locked))
        self._chain, self._semi_static = chain, semi_static
        self._joints = tuple(joints)
        self._terms = tuple(terms)
        self._gravity = _read_only(vector("gravity", gravity, 3))
        matrix = np.zeros((0, 0)) if coupling is None else numbers("coupling", coupling)
        if matrix.ndim != 2:
            message = f"The coupling matrix has {matrix.ndim} dimensions, but must have 2."
            raise MechanismError(message)
        check_urdf(urdf_xml)
        check_mimic(urdf_xml, self._joints, locked, chain.passive)
        try:
            self._description = _core.MechanismDescription(
                urdf_xml,
                self._joints,
                dict(locked),
                self._gravity,
                matrix,
                [core_term(term) for term in self._terms],
                passive=list(chain.passive),
                start=dict(chain.passive),
                assembled_at=list(chain.assembled_at),
                closures=[core_closure(closure) for closure in chain.closures],
                payload_joint=payload_joint or "",
                semi_static=semi_static,
            )
            self._core = _core.Mechanism(self._description)
        except ValueError as error:
            raise MechanismError(str(error)) from None
        for joint, mass in zip(self.body_joints, self.urdf_parameters[::10], strict=False):
            if mass < 0:
                message = f"The URDF gives the body of joint '{joint}' a mass of {mass:g} kg."
                raise MechanismError(f"{message} A mass must not be negative.")

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the description, so that the mechanism can be sent to a process."""
        return _rebuilt, (self._under, np.array(self._gravity), np.array(self.parameters))

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the actuated joints, in drive order."""
        return self._joints

    @property
    def urdf_xml(self) -> str:
        """Text of the URDF."""
        return self._urdf_xml

    @property
    def locked(self) -> Mapping[str, float]:
        """Positions [rad or m] of locked joints by name, as given."""
        return self._locked

    @property
    def body_joints(self) -> tuple[str, ...]:
        """Names of the joints that carry the bodies: body k has parameters 10 k … 10 k + 9."""
        return tuple(self._core.body_joints)

    @property
    def first_term(self) -> int:
        """Index of the first joint term's parameter, behind those of all bodies."""
        return 10 * len(self._core.body_joints)

    @property
    def moving_joints(self) -> tuple[str, ...]:
        """Names of the actuated joints and, behind them, of the passive ones."""
        return tuple(self._core.moving_joints)

    @property
    def chain(self) -> ClosedChain:
        """Passive joints and loop closures; empty for a tree."""
        return self._chain

    @property
    def semi_static(self) -> bool:
        """Whether bodies have weight but no inertia."""
        return self._semi_static

    @property
    def core_description(self) -> _core.MechanismDescription:
        """The core's description of this mechanism, without its parameters."""
        return self._description

    @property
    def payload_body(self) -> int:
        """Index of the body that carries a payload, which is given in its joint's frame."""
        return self._core.payload_body

    @property
    def joint_types(self) -> tuple[Literal["revolute", "prismatic"], ...]:
        """Type of each joint; continuous ones are revolute."""
        return tuple("prismatic" if slides else "revolute" for slides in self.prismatic)

    @property
    def prismatic(self) -> tuple[bool, ...]:
        """Whether each joint is prismatic."""
        return tuple(self._core.prismatic)

    @property
    def axes(self) -> Array:
        """Unit vector of each body's joint axis in the joint's frame, (bodies, 3), read-only."""
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
        """Parameters from the URDF, locked bodies merged, terms zero; (p,), read-only."""
        return _read_only(self._core.urdf_parameters)

    @property
    def parameters(self) -> Array:
        """The current parameters, initially those of the URDF; (p,), read-only."""
        return _read_only(self._core.parameters)

    def with_gravity(self, gravity: ArrayLike) -> Mechanism:
        """Return the same mechanism with another gravity (3,) [m/s^2] and the URDF's parameters."""
        return self._under(gravity=gravity)

    def without_terms(self) -> Mechanism:
        """Return the same bodies without joint terms, with the URDF's parameters."""
        return self.with_terms(())

    def with_terms(self, terms: Sequence[JointTerm]) -> Mechanism:
        """Return the same bodies with other joint terms, with the URDF's parameters.

        Raises:
            MechanismError: a term does not fit the joints.
        """
        return self._under(gravity=self._gravity, terms=terms)

    def with_parameters(self, parameters: ArrayLike) -> Mechanism:
        """Return the same mechanism with other parameters (p,).

        Raises:
            MechanismError: their number is wrong, or one is not finite.
        """
        values = self._parameter_vector(parameters)
        changed = object.__new__(Mechanism)
        changed.__dict__.update(self.__dict__)
        changed._core = _sentence(lambda: self._core.with_parameters(values))
        return changed

    def physical_problem(self, parameters: ArrayLike | None = None) -> str:
        """Return why parameters are not physically consistent; empty where they are.

        Every body's pseudo-inertia has to be positive definite (Wensing, Kim, Slotine, RA-L 2018),
        and friction, rotor inertia and stiffness not below 0.

        Args:
            parameters: (p,); None for those of the mechanism.
        """
        values = self.parameters if parameters is None else self._parameter_vector(parameters)
        return self._core.physical_problem(values)

    def moving_positions(self, q: ArrayLike) -> Array:
        """Return positions of all ``moving_joints`` at q (n,) or (N, n): (moving,), (N, moving)."""
        return self._at_samples(self._core.moving_positions, q=q)

    def reachable(self, q: ArrayLike) -> NDArray[np.bool_]:
        """Return at which positions (N, n) the loops can be closed: (N,); for a tree, all."""
        (positions,), _ = self._samples(q=q)
        return np.asarray(self._core.reachable(positions), dtype=bool)

    def regressor(
        self,
        q: ArrayLike,
        dq: ArrayLike,
        ddq: ArrayLike,
        out: Array | None = None,
        past: Array | None = None,
    ) -> Array:
        """Return W in τ = W π: (N, n, p) for arrays (N, n), and (n, p) for a sample (n,).

        Other threads run meanwhile.

        Args:
            q: positions [rad or m].
            dq: velocities, of the same shape.
            ddq: accelerations, of the same shape.
            out: C-ordered float64 array of the result's shape to fill; None for a new one.
            past: state of the terms with memory, see :meth:`new_past`; None: relaxed contacts.

        Raises:
            MechanismError: shapes do not match, or loops cannot be closed.
        """
        batch, single = self._samples(q=q, dq=dq, ddq=ddq)
        shape = (len(batch[0]), len(self._joints), len(self._core.parameter_names))
        if out is None:
            out = np.empty(shape[1:] if single else shape)
        check_output(out, shape[1:] if single else shape)
        position, velocity, acceleration = batch
        _sentence(
            lambda: self._core.regressor_into(
                position, velocity, acceleration, out.reshape(shape), past
            )
        )
        return out

    def new_past(self, first_play: Array | None = None) -> Array:
        """Return the state of the terms with memory before the first motion; (terms, 3).

        Functions that take ``past`` start from it and update it in place, so that a motion can be
        given in pieces.

        Args:
            first_play: (n,) [rad or m] by which an actuated joint at rest can appear to move until
                it first moves; None: by the terms' dead bands.
        """
        past = np.zeros((self._core.memory_count, 3))
        past[:, 0] = np.nan
        if first_play is not None:
            past[:, 2] = [
                self._at_term(term, first_play) for term in self._terms if term.traits.has_memory
            ]
        return past

    def _at_term(self, term: JointTerm, width: Array) -> float:
        """Return a width (n,) of positions of the joints, at the joint or motor of a term."""
        if term.side == "motor":
            return float((np.abs(np.linalg.inv(self.coupling)) @ width)[term.joint])
        return float(width[term.joint]) if term.joint < len(width) else 0.0  # passive joints

    def advance(self, q: ArrayLike, dq: ArrayLike, past: Array) -> None:
        """Update the terms with memory along q and dq (N, n); ``past`` is changed in place."""
        (positions, velocities), _ = self._samples(q=q, dq=dq)
        _sentence(lambda: self._core.advance(positions, velocities, past))

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

        The sum of these matrices over pieces of a recording gives its normal equations, without
        storing the regressor.

        Args:
            q: positions, (N, n).
            dq: velocities, (N, n).
            ddq: accelerations, (N, n).
            tau: torques, (N, n).
            columns: the k columns of the regressor to use, in this order; None for all p.
            weights: (N, n) weight of each sample for each joint; None for ones.
            past: state of the terms with memory, see :meth:`new_past`; None: relaxed contacts.

        Raises:
            MechanismError: shapes do not match, or loops cannot be closed.
        """
        batch, _ = self._samples(q=q, dq=dq, ddq=ddq, tau=tau)
        chosen = range(len(self.parameter_names)) if columns is None else columns
        weight = None if weights is None else numbers("weights", weights)
        if weight is not None and weight.shape != batch[0].shape:
            message = f"weights has shape {weight.shape}, but must have {batch[0].shape}."
            raise MechanismError(message)
        indices = [int(column) for column in chosen]
        position, velocity, acceleration, torque = batch
        return _sentence(
            lambda: self._core.gram(position, velocity, acceleration, torque, indices, weight, past)
        )

    def products(
        self,
        q: ArrayLike,
        dq: ArrayLike,
        ddq: ArrayLike,
        vectors: ArrayLike,
        past: Array | None = None,
    ) -> Array:
        """Return Wᵀe for several vectors e, summed over samples and joints, (c, p).

        The regressor W is not stored.

        Args:
            q: positions, (N, n).
            dq: velocities, (N, n).
            ddq: accelerations, (N, n).
            vectors: (c, N, n), such as errors of the torque.
            past: state of the terms with memory, see :meth:`new_past`; None: relaxed contacts.

        Raises:
            MechanismError: shapes do not match, or loops cannot be closed.
        """
        (position, velocity, acceleration), _ = self._samples(q=q, dq=dq, ddq=ddq)
        several = numbers("vectors", vectors)
        if several.ndim != 3 or several.shape[1:] != position.shape:
            shape = ("c", *position.shape)
            raise MechanismError(
                f"vectors has shape {several.shape}, but must have ({', '.join(map(str, shape))})."
            )
        flat = several.reshape(len(several), -1)
        return _sentence(lambda: self._core.products(position, velocity, acceleration, flat, past))

    def torque(
        self,
        q: ArrayLike,
        dq: ArrayLike,
        ddq: ArrayLike,
        parameters: ArrayLike,
        past: Array | None = None,
    ) -> Array:
        """Return W π for any parameters (p,), also base parameters: (N, n), or (n,)."""
        values = self._parameter_vector(parameters)

        def torque(position: Array, velocity: Array, acceleration: Array) -> Array:
            return self._core.torque(position, velocity, acceleration, values, past)

        return self._at_samples(torque, q=q, dq=dq, ddq=ddq)

    def inverse_dynamics(self, q: ArrayLike, dq: ArrayLike, ddq: ArrayLike) -> Array:
        """Return torques by recursive Newton-Euler with the current parameters: (N, n), or (n,).

        Raises:
            MechanismError: a body has first moments but no mass.
        """
        return self._at_samples(self._core.inverse_dynamics, q=q, dq=dq, ddq=ddq)

    def term_torque(self, q: ArrayLike, dq: ArrayLike, ddq: ArrayLike) -> Array:
        """Return the torque of the joint terms alone: (N, n), or (n,)."""
        return self._at_samples(self._core.term_torque, q=q, dq=dq, ddq=ddq)

    def gravity_torque(self, q: ArrayLike) -> Array:
        """Return the torque that compensates gravity, without springs: (N, n), or (n,)."""
        return self._at_samples(self._core.gravity_torque, q=q)

    def mass_matrix(self, q: ArrayLike) -> Array:
        """Return M(q), with rotor inertias: (N, n, n), or (n, n)."""
        return self._at_samples(self._core.mass_matrix, q=q)

    def coriolis_matrix(self, q: ArrayLike, dq: ArrayLike) -> Array:
        """Return C(q, dq) such that dM/dt - 2 C is skew-symmetric: (N, n, n), or (n, n)."""
        return self._at_samples(self._core.coriolis_matrix, q=q, dq=dq)

    def forward_dynamics(self, q: ArrayLike, dq: ArrayLike, tau: ArrayLike) -> Array:
        """Return the accelerations that torques cause: (N, n), or (n,).

        Raises:
            MechanismError: the mass matrix is not positive definite.
        """
        return self._at_samples(self._core.forward_dynamics, q=q, dq=dq, tau=tau)

    def _at_samples(self, function: Callable[..., Array], **arrays: ArrayLike) -> Array:
        """Return what a function of the core computes at samples (N, n), or at one (n,)."""
        batch, single = self._samples(**arrays)
        result = _sentence(lambda: function(*batch))
        return result[0] if single else result

    def _samples(self, **arrays: ArrayLike) -> tuple[list[Array], bool]:
        return sample_arrays(len(self._joints), arrays)

    def _parameter_vector(self, parameters: ArrayLike) -> Array:
        return vector("parameters", parameters, len(self._core.parameter_names))


def _rebuilt(under: partial[Mechanism], gravity: Array, parameters: Array) -> Mechanism:
    return under(gravity=gravity).with_parameters(parameters)


def _sentence(function: Callable[[], _Result]) -> _Result:
    """Call a function of the core, and convert its ValueError to a MechanismError."""
    try:
        return function()
    except ValueError as error:
        raise MechanismError(str(error)) from None


def _read_only(array: Array) -> Array:
    array = array.view()
    array.flags.writeable = False
    return array
