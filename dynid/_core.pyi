"""Types of the compiled core, whose documented interface is ``dynid.dynamics``."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

_Array = NDArray[np.float64]

version: str
pinocchio_version: str

def term_kinds() -> list[TermKind]: ...
def term_kind(name: str) -> TermKind: ...
def term_shapes() -> list[TermShape]: ...
def register_term_kind(capsule: object) -> None: ...
def sha256(data: bytes, /) -> str: ...
def sealed_entries() -> list[str]: ...
def canonical_text(entries: Mapping[str, Sequence[bool | float | bytes]]) -> bytes: ...
def seal(entries: Mapping[str, Sequence[bool | float | bytes]]) -> str: ...

_Parameter = bool | int | float | str | list[bool] | list[int] | list[float] | list[str]

class StoredModel:
    def __init__(
        self, entries: Mapping[str, _Parameter], joints: Sequence[str], force: bool
    ) -> None: ...
    @property
    def parameters(self) -> _Array: ...
    def inverse_dynamics(self, q: _Array, dq: _Array, ddq: _Array, /) -> _Array: ...
    @property
    def sealed(self) -> bool: ...
    @property
    def created(self) -> str: ...
    @property
    def edited_at(self) -> str: ...

class TermKind:
    @property
    def name(self) -> str: ...
    @property
    def prefix(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def rotary_unit(self) -> str: ...
    @property
    def linear_unit(self) -> str: ...
    @property
    def formula(self) -> str: ...
    @property
    def mirror(self) -> str: ...
    @property
    def design(self) -> str: ...
    @property
    def candidate(self) -> str: ...
    @property
    def missing(self) -> str: ...
    @property
    def alternative(self) -> str: ...
    @property
    def urdf(self) -> str: ...
    @property
    def symoro_prefix(self) -> str: ...
    @property
    def smoothed(self) -> bool: ...
    @property
    def scaled(self) -> bool: ...
    @property
    def loaded(self) -> bool: ...
    @property
    def has_static_friction(self) -> bool: ...
    @property
    def never_negative(self) -> bool: ...
    @property
    def plain(self) -> bool: ...
    @property
    def regrouped(self) -> bool: ...
    @property
    def has_memory(self) -> bool: ...
    @property
    def inertial(self) -> bool: ...
    @property
    def dry(self) -> bool: ...
    @property
    def dissipative(self) -> bool: ...
    @property
    def elastic(self) -> bool: ...
    @property
    def shapes(self) -> list[str]: ...

class TermShape:
    @property
    def name(self) -> str: ...
    @property
    def plural(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def rare(self) -> bool: ...
    def taken(self, kind: TermKind, /) -> bool: ...
    def unit(self, kind: TermKind, linear: bool) -> str: ...

class JointTerm:
    def __init__(
        self, kind: str, joint: int, at_motor: bool, shapes: Mapping[str, float]
    ) -> None: ...
    def column(self, q: _Array, dq: _Array, ddq: _Array, load: _Array) -> _Array: ...

class LoopClosure:
    def __init__(
        self,
        kind: str,
        link_a: str,
        link_b: str,
        point_a: _Array,
        point_b: _Array,
        axis_a: _Array,
        axis_b: _Array,
        length: float,
    ) -> None: ...

class MechanismDescription:
    def __init__(
        self,
        urdf_xml: str,
        joints: Sequence[str],
        locked: Mapping[str, float],
        gravity: _Array,
        coupling: _Array,
        terms: Sequence[JointTerm],
        passive: Sequence[str],
        start: Mapping[str, float],
        assembled_at: Sequence[float],
        closures: Sequence[LoopClosure],
        payload_joint: str,
        semi_static: bool,
    ) -> None: ...

class Mechanism:
    def __init__(self, description: MechanismDescription) -> None: ...
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
    def body_joints(self) -> list[str]: ...
    @property
    def payload_body(self) -> int: ...
    @property
    def moving_joints(self) -> list[str]: ...
    @property
    def memory_count(self) -> int: ...
    def with_parameters(self, parameters: _Array, /) -> Mechanism: ...
    def physical_problem(self, parameters: _Array) -> str: ...
    def regressor_into(
        self, q: _Array, dq: _Array, ddq: _Array, out: _Array, past: _Array | None
    ) -> None: ...
    def advance(self, q: _Array, dq: _Array, past: _Array) -> None: ...
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
    def products(
        self, q: _Array, dq: _Array, ddq: _Array, vectors: _Array, past: _Array | None
    ) -> _Array: ...
    def torque(
        self, q: _Array, dq: _Array, ddq: _Array, parameters: _Array, past: _Array | None
    ) -> _Array: ...
    def inverse_dynamics(self, q: _Array, dq: _Array, ddq: _Array, /) -> _Array: ...
    def term_torque(self, q: _Array, dq: _Array, ddq: _Array, /) -> _Array: ...
    def forward_dynamics(self, q: _Array, dq: _Array, tau: _Array, /) -> _Array: ...
    def gravity_torque(self, q: _Array, /) -> _Array: ...
    def moving_positions(self, q: _Array, /) -> _Array: ...
    def reachable(self, q: _Array, /) -> list[bool]: ...
    def mass_matrix(self, q: _Array, /) -> _Array: ...
    def coriolis_matrix(self, q: _Array, dq: _Array, /) -> _Array: ...

class FaultReason:
    none: FaultReason
    following_error: FaultReason
    injected: FaultReason
    no_command: FaultReason
    not_finite: FaultReason

class DriveMode:
    position: DriveMode
    torque: DriveMode
    torque_and_gravity: DriveMode

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
    @property
    def external_torque(self) -> _Array: ...

def describe_fault(fault: Fault, joints: Sequence[str]) -> str: ...

class DrivePlantSettings:
    control_rate: float
    integration_rate: float
    command_delay: int
    feedback_delay: int
    mode: DriveMode
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

class TargetLine:
    longest_period: ClassVar[float]
    def __init__(self, joints: int) -> None: ...
    def rest_at(self, position: _Array, /) -> None: ...
    def pass_time(self, cycles: float, even: bool) -> int: ...
    def give(self, target: _Array, /) -> None: ...
    @property
    def overdue(self) -> bool: ...
    @property
    def due(self) -> bool: ...
    def next(self) -> _Array: ...

class DrivePlant:
    def __init__(
        self,
        description: MechanismDescription,
        parameters: _Array,
        settings: DrivePlantSettings,
    ) -> None: ...
    def reset(self, position: _Array, /) -> None: ...
    def step(self, target: _Array, torque_offset: _Array, /) -> None: ...
    def run(self, targets: _Array, torque_offsets: _Array | None = None) -> _Array: ...
    def run_truth(self, targets: _Array, torque_offsets: _Array | None = None) -> _Array: ...
    @property
    def position(self) -> _Array: ...
    @property
    def velocity(self) -> _Array: ...
    @property
    def torque(self) -> _Array: ...
    @property
    def rejected_inputs(self) -> int: ...
    @property
    def lost_frames(self) -> int: ...
    @property
    def fault(self) -> Fault: ...
    def trip(self) -> None: ...
    def clear_fault(self) -> None: ...
    def failed(self, drive: int, /) -> bool: ...
    def fail_drive(self, drive: int, /) -> None: ...
    def clear_drive(self, drive: int, /) -> None: ...
    def lose_frames(self, cycles: int, /) -> None: ...
    def lose_frames_randomly(self, probability: float, /) -> None: ...
    def saturate(self, factors: _Array, /) -> None: ...
    def push(
        self,
        link: str,
        force: _Array,
        moment: _Array,
        point: _Array,
        rise: float,
        duration: float,
    ) -> None: ...
    def release(self) -> None: ...
    @property
    def truth(self) -> PlantTruth: ...

class FeedforwardMode:
    __members__: ClassVar[Mapping[str, FeedforwardMode]]
    full: FeedforwardMode
    semi_static: FeedforwardMode

class InactiveReason:
    __members__: ClassVar[Mapping[str, InactiveReason]]
    none: InactiveReason
    no_model: InactiveReason
    not_finite: InactiveReason
    unreachable: InactiveReason
    command_jump: InactiveReason
    acceleration: InactiveReason
    reference_away: InactiveReason
    position_limit: InactiveReason
    too_fast: InactiveReason
    uneven: InactiveReason
    latched: InactiveReason
    model_wrong: InactiveReason

class CollisionLevel:
    __members__: ClassVar[Mapping[str, CollisionLevel]]
    none: CollisionLevel
    warn: CollisionLevel
    stop: CollisionLevel

class CollisionCause:
    __members__: ClassVar[Mapping[str, CollisionCause]]
    @property
    def name(self) -> str: ...
    none: CollisionCause
    torque_error: CollisionCause
    torque_threshold: CollisionCause
    no_position: CollisionCause
    no_velocity: CollisionCause
    no_torque: CollisionCause
    frozen: CollisionCause
    position_error: CollisionCause
    speed: CollisionCause
    no_model: CollisionCause
    blind: CollisionCause
    velocity_mismatch: CollisionCause
    no_response: CollisionCause
    speed_grew: CollisionCause

class CollisionReaction:
    __members__: ClassVar[Mapping[str, CollisionReaction]]
    hold: CollisionReaction
    decelerate: CollisionReaction

class DetectionMethod:
    __members__: ClassVar[Mapping[str, DetectionMethod]]
    torque_error: DetectionMethod
    momentum: DetectionMethod

class ResetAnswer:
    __members__: ClassVar[Mapping[str, ResetAnswer]]
    done: ResetAnswer
    nothing_latched: ResetAnswer
    moving: ResetAnswer
    reference_away: ResetAnswer

class FeedforwardSettings:
    control_rate: float
    additive_torque_delay: int
    ramp_time: float
    torque_max: _Array
    position_jump: _Array
    acceleration_jump: _Array

class CollisionSettings:
    control_rate: float
    torque_error_enable: _Array
    torque_error_time_constant: _Array
    torque_error_max: _Array
    velocity_factor: _Array
    acceleration_factor: _Array
    reversal_boost: _Array
    low_speed: _Array
    acceleration_step: _Array
    boost_time: float
    warn_fraction: float
    debounce_time: float
    torque_threshold: _Array

class CommandLimits:
    position_min: _Array
    position_max: _Array
    velocity_max: _Array
    acceleration_max: _Array

class ControlLawSettings:
    feedforward: FeedforwardSettings
    collision: CollisionSettings
    torque_error_delay: int
    method: DetectionMethod
    observer_gain: float
    reaction: CollisionReaction
    deceleration: _Array
    reference_tolerance: _Array
    limits: CommandLimits
    max_age: float
    supervision: SupervisionSettings
    model_check: ModelMonitorSettings
    extrapolation_time: float

class ModelMonitorSettings:
    enabled: bool

class SupervisionSettings:
    longest_blind: float
    longest_blind_stop: float

class LawState:
    __members__: ClassVar[Mapping[str, LawState]]
    following: LawState
    waiting: LawState
    stopping: LawState
    stopped: LawState

class BlindReason:
    __members__: ClassVar[Mapping[str, BlindReason]]
    none: BlindReason
    off: BlindReason
    no_model: BlindReason
    model_torque: BlindReason
    bad_sample: BlindReason
    suspended: BlindReason
    settling: BlindReason
    constant_torque: BlindReason

class ControlModel:
    def __init__(
        self,
        description: MechanismDescription,
        parameters: _Array,
        smoothing: _Array,
        motor_side: bool,
    ) -> None: ...
    def torque(self, q: _Array, dq: _Array, ddq: _Array, /) -> _Array: ...
    def torque_and_friction(
        self, q: _Array, dq: _Array, ddq: _Array, /
    ) -> tuple[_Array, _Array]: ...
    def set_error(self, rmse: _Array) -> None: ...
    def set_payload(self, mass: float, centre: _Array, inertia: _Array) -> None: ...
    def observe(
        self, q: _Array, dq: _Array, tau: _Array, gain: float, control_rate: float, /
    ) -> _Array: ...

class Feedforward:
    def __init__(self, drives: int, settings: FeedforwardSettings) -> None: ...
    def use(self, model: ControlModel | None) -> None: ...
    def set_gain(self, gain: float, /) -> None: ...
    def set_mode(self, mode: FeedforwardMode, /) -> None: ...
    def run(self, q: _Array, dq: _Array, ddq: _Array, /) -> _Array: ...
    @property
    def inactive_reason(self) -> InactiveReason: ...

class Collision:
    @property
    def cause(self) -> CollisionCause: ...
    @property
    def drive(self) -> int: ...
    @property
    def value(self) -> float: ...
    @property
    def threshold(self) -> float: ...
    @property
    def cycle(self) -> int: ...

class CollisionDetector:
    def __init__(self, drives: int, settings: CollisionSettings) -> None: ...
    def run(
        self,
        error: _Array,
        torque: _Array,
        velocity: _Array,
        acceleration: _Array,
        friction: _Array,
        /,
    ) -> tuple[_Array, _Array, list[Collision]]: ...
    @property
    def level(self) -> CollisionLevel: ...
    @property
    def collision(self) -> Collision: ...
    @property
    def warning(self) -> Collision: ...
    @property
    def filtered_error(self) -> _Array: ...
    @property
    def threshold(self) -> _Array: ...

class Reference:
    position: _Array
    velocity: _Array
    acceleration: _Array
    def __init__(self, position: _Array, velocity: _Array, acceleration: _Array) -> None: ...

class Feedback:
    position: _Array
    velocity: _Array
    torque: _Array
    def __init__(self, position: _Array, velocity: _Array, torque: _Array) -> None: ...

class ResetReport:
    @property
    def answer(self) -> ResetAnswer: ...
    @property
    def drive(self) -> int: ...
    @property
    def distance(self) -> float: ...

def describe_collision(
    collision: Collision,
    joints: Sequence[str],
    sliding: Sequence[bool],
    until: str = "~/reset",
) -> str: ...
def describe_warning(warning: Collision, joints: Sequence[str]) -> str: ...
def describe_reset(report: ResetReport, joints: Sequence[str], sliding: Sequence[bool]) -> str: ...
def describe_supervision(supervised: _Array, joints: Sequence[str]) -> str: ...
def describe_inactive_reason(
    reason: InactiveReason, limited_drive: int = -1, joints: Sequence[str] = ()
) -> str: ...

class ControlLaw:
    def __init__(self, drives: int, settings: ControlLawSettings) -> None: ...
    def start(self, position: _Array, /) -> None: ...
    def use(self, model: ControlModel | None) -> None: ...
    def set_payload(self, mass: float, centre: _Array, inertia: _Array) -> None: ...
    def set_collision(self, settings: CollisionSettings) -> None: ...
    def set_gain(self, gain: float, /) -> None: ...
    def set_mode(self, mode: FeedforwardMode, /) -> None: ...
    def update(
        self,
        reference: Reference,
        feedback: Feedback,
        cycles: float = 1.0,
        drive_cycles: int | None = None,
    ) -> None: ...
    def reset(self) -> ResetReport: ...
    @property
    def position_command(self) -> _Array: ...
    @property
    def torque_offset(self) -> _Array: ...
    @property
    def torque_error(self) -> _Array: ...
    @property
    def detector(self) -> CollisionDetector: ...
    @property
    def inactive_reason(self) -> InactiveReason: ...
    @property
    def gain(self) -> float: ...
    @property
    def state(self) -> LawState: ...
    @property
    def latched(self) -> bool: ...
    @property
    def blind_time(self) -> _Array: ...
    def describe_blindness(self, joints: Sequence[str]) -> str: ...
    @property
    def limited_drive(self) -> int: ...
    @property
    def supervised(self) -> _Array: ...

class PlausibleChange:
    payload: float
    friction: float
    def __init__(self) -> None: ...

class WorkspaceLimits:
    position_min: _Array
    position_max: _Array
    velocity: _Array
    acceleration: _Array
    def __init__(self) -> None: ...

class ModelUpdateLimits:
    deviations: float
    change: PlausibleChange
    torque_difference: _Array
    workspace: WorkspaceLimits
    def __init__(self) -> None: ...

class ModelUpdateCheck:
    def __init__(
        self,
        description: MechanismDescription,
        parameters: _Array,
        smoothing: _Array,
        motor_side: bool,
        limits: ModelUpdateLimits,
    ) -> None: ...
    def checked(self, parameters: _Array, covariance: _Array) -> ControlModel: ...

def plausible_deviations(
    description: MechanismDescription, parameters: _Array, change: PlausibleChange
) -> _Array: ...

class FallbackCause:
    __members__: ClassVar[Mapping[str, FallbackCause]]
    @property
    def name(self) -> str: ...
    none: FallbackCause
    alarm: FallbackCause
    residual: FallbackCause
    torque_difference: FallbackCause
    lost_input: FallbackCause
    payload: FallbackCause

class ModelUpdatesSettings:
    control_rate: float
    ramp_time: float
    timeout: float
    hold_time: float
    residual_time: float
    residual_ratio: float
    torque_error_delay: int
    torque_difference: _Array
    low_speed: _Array
    def __init__(self) -> None: ...

class ModelUpdatesReport:
    @property
    def updated(self) -> bool: ...
    @property
    def cause(self) -> FallbackCause: ...
    @property
    def drive(self) -> int: ...
    @property
    def value(self) -> float: ...
    @property
    def limit(self) -> float: ...
    @property
    def taken(self) -> int: ...
    @property
    def fallbacks(self) -> int: ...

class ModelUpdates:
    def __init__(self, drives: int, settings: ModelUpdatesSettings) -> None: ...
    def accept(self, model: ControlModel | None) -> None: ...
    @property
    def ready(self) -> bool: ...
    def heard(self) -> None: ...
    def take(self, model: ControlModel) -> None: ...
    def update(self, law: ControlLaw, torque: _Array, cycles: float = 1.0) -> None: ...
    @property
    def chosen(self) -> ControlModel | None: ...
    @property
    def report(self) -> ModelUpdatesReport: ...

def describe_model_updates(report: ModelUpdatesReport, joints: Sequence[str]) -> str: ...

class TorqueUncertainty:
    constant: _Array
    per_speed: _Array
    low_speed: _Array
    correlation: _Array
    def __init__(self) -> None: ...

class ExternalTorqueObserver:
    def __init__(
        self, drives: int, uncertainty: TorqueUncertainty, gain: float, control_rate: float
    ) -> None: ...
    def restart(self) -> None: ...
    def run(
        self, model: ControlModel, q: _Array, dq: _Array, tau: _Array, /
    ) -> tuple[_Array, _Array, _Array]: ...

class ContactKind:
    def __init__(self, weight: float, wrench: _Array) -> None: ...

class ContactRegion:
    def __init__(
        self, link: str, centre: _Array, covariance: _Array, kinds: Sequence[ContactKind]
    ) -> None: ...

class ContactSettings:
    threshold: float
    confidence: float
    largest_deviation: float
    def __init__(self) -> None: ...

class ContactEstimator:
    def __init__(
        self,
        description: MechanismDescription,
        motor_side: bool,
        regions: Sequence[ContactRegion],
        frames: Sequence[str],
        settings: ContactSettings,
    ) -> None: ...
    def run(self, q: _Array, torque: _Array, covariance: _Array, /) -> dict[str, NDArray[Any]]: ...

class GravityBy:
    __members__: ClassVar[Mapping[str, GravityBy]]
    controller: GravityBy
    robot: GravityBy

class Compensation:
    __members__: ClassVar[Mapping[str, Compensation]]
    gravity: Compensation
    rigid_body: Compensation
    full: Compensation

class TorquePhase:
    inactive: TorquePhase
    following: TorquePhase
    stopping: TorquePhase
    stopped: TorquePhase

class TorqueStartAnswer:
    __members__: ClassVar[Mapping[str, TorqueStartAnswer]]
    done: TorqueStartAnswer
    no_position: TorqueStartAnswer
    no_model: TorqueStartAnswer
    torque: TorqueStartAnswer

class TorqueStart:
    answer: TorqueStartAnswer
    drive: int
    holding_torque: float
    torque_max: float
    def __bool__(self) -> bool: ...

TORQUE_RESERVE: float

def describe_torque_start(
    start: TorqueStart, joints: Sequence[str], sliding: Sequence[bool]
) -> str: ...

class TorqueLawSettings:
    law: ControlLawSettings
    gravity: GravityBy
    compensation: Compensation
    feedback_delay: int
    stiffness: _Array
    damping: _Array
    integral_gain: _Array
    integral_max: _Array
    torque_rate_max: _Array
    position_error_max: _Array
    speed_max: _Array
    stop_damping: _Array
    stop_speed: _Array
    stop_time: float

class TorqueLaw:
    def __init__(self, drives: int, settings: TorqueLawSettings) -> None: ...
    def start(self, position: _Array, /) -> TorqueStart: ...
    def use(self, model: ControlModel | None) -> None: ...
    def update(self, reference: Reference, feedback: Feedback, cycles: float = 1.0) -> None: ...
    def stop(self) -> None: ...
    @property
    def stop_failed(self) -> bool: ...
    @property
    def holding_torque(self) -> _Array: ...
    @property
    def torque_command(self) -> _Array: ...
    @property
    def phase(self) -> TorquePhase: ...
    @property
    def law(self) -> ControlLaw: ...
