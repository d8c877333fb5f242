"""Types of the compiled core. Its documented face is ``dynid.mechanism``."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

_Array = NDArray[np.float64]

version: str
pinocchio_version: str

def term_kinds() -> list[str]: ...

class JointTerm:
    def __init__(
        self,
        kind: str,
        joint: int,
        at_motor: bool,
        smoothing: float,
        scale: float,
        dead_band: float,
    ) -> None: ...

class Mechanism:
    def __init__(
        self,
        urdf_xml: str,
        joints: Sequence[str],
        locked: Mapping[str, float],
        gravity: _Array,
        coupling: _Array,
        terms: Sequence[JointTerm],
    ) -> None: ...
    @property
    def parameter_names(self) -> list[str]: ...
    @property
    def parameter_units(self) -> list[str]: ...
    @property
    def parameters(self) -> _Array: ...
    @property
    def urdf_parameters(self) -> _Array: ...
    @property
    def coupling(self) -> _Array: ...
    @property
    def prismatic(self) -> list[bool]: ...
    @property
    def axes(self) -> _Array: ...
    @property
    def memory_count(self) -> int: ...
    def with_parameters(self, parameters: _Array, /) -> Mechanism: ...
    def regressor_into(
        self, q: _Array, dq: _Array, ddq: _Array, out: _Array, past: _Array | None
    ) -> None: ...
    def advance(self, q: _Array, past: _Array) -> None: ...
    def gram(
        self,
        q: _Array,
        dq: _Array,
        ddq: _Array,
        tau: _Array,
        columns: Sequence[int],
        weights: _Array | None,
        past: _Array | None,
    ) -> _Array: ...
    def torque(
        self, q: _Array, dq: _Array, ddq: _Array, parameters: _Array, past: _Array | None
    ) -> _Array: ...
    def inverse_dynamics(self, q: _Array, dq: _Array, ddq: _Array, /) -> _Array: ...
    def term_torque(self, q: _Array, dq: _Array, ddq: _Array, /) -> _Array: ...
    def forward_dynamics(self, q: _Array, dq: _Array, tau: _Array, /) -> _Array: ...
    def gravity_torque(self, q: _Array, /) -> _Array: ...
    def mass_matrix(self, q: _Array, /) -> _Array: ...
    def coriolis_matrix(self, q: _Array, dq: _Array, /) -> _Array: ...
