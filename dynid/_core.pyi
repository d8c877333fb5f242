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

class FaultReason:
    none: FaultReason
    following_error: FaultReason
    injected: FaultReason
    not_finite: FaultReason

class Fault:
    @property
    def reason(self) -> FaultReason: ...
    @property
    def drive(self) -> int: ...
    @property
    def time(self) -> float: ...

class PlantTruth:
    @property
    def position(self) -> _Array: ...
    @property
    def velocity(self) -> _Array: ...
    @property
    def acceleration(self) -> _Array: ...
    @property
    def torque(self) -> _Array: ...

class DrivePlantSettings:
    control_rate: float
    integration_rate: float
    command_delay: int
    feedback_delay: int
    motor_side: bool
    bandwidth_hz: _Array
    damping_ratio: _Array
    integral_time: _Array
    torque_max: _Array
    stop_deceleration: _Array
    following_error: _Array
    position_resolution: _Array
    rated_torque: _Array
    torque_noise: _Array
    seed: int
    stribeck_torque: _Array
    stribeck_velocity: _Array
    lower: _Array
    upper: _Array

class DrivePlant:
    def __init__(
        self,
        urdf_xml: str,
        joints: Sequence[str],
        locked: Mapping[str, float],
        gravity: _Array,
        coupling: _Array,
        terms: Sequence[JointTerm],
        parameters: _Array,
        settings: DrivePlantSettings,
    ) -> None: ...
    def reset(self, position: _Array, /) -> None: ...
    def step(self, target: _Array, torque_offset: _Array, /) -> None: ...
    def run(self, targets: _Array, /) -> _Array: ...
    @property
    def position(self) -> _Array: ...
    @property
    def velocity(self) -> _Array: ...
    @property
    def torque(self) -> _Array: ...
    @property
    def rejected_inputs(self) -> int: ...
    @property
    def fault(self) -> Fault: ...
    def trip(self) -> None: ...
    def clear_fault(self) -> None: ...
    @property
    def truth(self) -> PlantTruth: ...
