"""Which faults a case has, and how large they are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .faults import InjectedFault
from .kinds import KINDS, LISTED, FaultKind

_SHARE_OF_CLEAN, _SHARE_OF_PAIRS = 1 / 3, 0.15
_FROM_A_MOMENT = (  # of one recording on
    "phase_loss",
    "sign_flips_half_way",
    "payload_half_way",
    "brake_drags",
    "encoder_slips",
)
_NEED_ROTATION = (  # cannot be at a prismatic joint
    "wrapped_position",
    "degrees_of_one_joint",
    "eccentric_encoder",
)


def draw_kinds(random: np.random.Generator, names: tuple[str, ...] = LISTED) -> list[str]:
    """Return the kinds of the faults of a case: none, one or two."""
    clean, pair = random.random(2)
    if clean < _SHARE_OF_CLEAN:
        return []
    first = str(random.choice(names))
    if pair >= _SHARE_OF_PAIRS / (1 - _SHARE_OF_CLEAN):
        return [first]
    others = [name for name in names if KINDS[name].group != KINDS[first].group]
    return [first, str(random.choice(others))]


def draw_faults(
    kinds: list[str], sliding: tuple[bool, ...], recordings: int, random: np.random.Generator
) -> tuple[InjectedFault, ...]:
    """Return a fault of each kind, at different joints where there are enough.

    Args:
        kinds: of the faults.
        sliding: which of the n joints are prismatic.
        recordings: how many there are.
        random: where they are drawn from.
    """
    faults: list[InjectedFault] = []
    for kind in kinds:
        taken = [joint for fault in faults for joint in fault.joints]
        joints = _draw_joints(KINDS[kind], sliding, taken, random)
        slides = sliding[joints[0]]
        vector = random.normal(size=3)
        x, y, z = vector / np.linalg.norm(vector)
        of_one = kind.endswith("of_one_recording") or kind in _FROM_A_MOMENT
        number = int(random.integers(recordings))
        faults.append(
            InjectedFault(
                kind=kind,
                joints=joints,
                size=_draw_size(kind, slides, random),
                recording=number if of_one else None,
                place=float(random.random()),
                direction=(float(x), float(y), float(z)),
            )
        )
    return tuple(faults)


def _draw_joints(
    kind: FaultKind, sliding: tuple[bool, ...], taken: list[int], random: np.random.Generator
) -> tuple[int, ...]:
    every = tuple(range(len(sliding)))
    if kind.joints == 0:
        return every
    able = [j for j in every if not (kind.name in _NEED_ROTATION and sliding[j])]
    free = [j for j in able if j not in taken]
    pool = free if len(free) >= kind.joints else able
    count = min(kind.joints, len(pool))
    return tuple(int(j) for j in random.choice(pool, size=count, replace=False))


def _draw_size(kind: str, slides: bool, random: np.random.Generator) -> float:
    """Return the size in the unit that the injection of a kind takes; see ``_SIZES``."""
    if kind in {"encoder_zero", "zero_of_one_recording"}:
        span = (0.1, 0.3) if slides else (0.3, 1.2)
        return float(random.choice([-1, 1]) * random.uniform(*span))
    if kind == "encoder_slips":
        return float(random.choice([-1, 1]) * (0.03 if slides else random.uniform(0.1, 0.6)))
    if kind == "backlash":
        return float(random.uniform(0.003, 0.015) if slides else random.uniform(0.02, 0.08))
    draw = _SIZES.get(kind)
    return draw(random) if draw is not None else 0.0


def _factor(random: np.random.Generator) -> float:
    """Return a factor that no data sheet's error explains."""
    if random.random() < 0.2:
        return float(random.choice([1000.0, 0.001]))
    return _moderate_factor(random)


def _moderate_factor(random: np.random.Generator) -> float:
    spans = ((0.3, 0.7), (1.4, 3.0))
    low, high = spans[int(random.integers(2))]
    return float(np.exp(random.uniform(np.log(low), np.log(high))))


def _uniform(low: float, high: float) -> Callable[[np.random.Generator], float]:
    return lambda random: float(random.uniform(low, high))


_SIZES: dict[str, Callable[[np.random.Generator], float]] = {
    "velocity_sign": lambda _: -1.0,
    "velocity_factor": lambda random: float(random.choice([180 / np.pi, 60 / (2 * np.pi)])),
    "time_scale": _moderate_factor,  # of the stamps
    "lost_samples": lambda random: float(random.integers(3, 16)),  # bursts
    "torque_dead_zone": _uniform(0.2, 0.6),  # of the rms
    "torque_factor": _factor,
    "position_factor": _moderate_factor,
    "gear_ratio": _moderate_factor,
    "torque_factor_of_one_recording": _moderate_factor,
    "wrong_gravity": _uniform(np.radians(25), np.pi),  # [rad]
    "torque_delay": _uniform(0.005, 0.06),  # [s]
    "torque_delay_of_one_joint": _uniform(0.005, 0.06),  # [s]
    "coupling": _uniform(0.2, 0.6),  # of the other drive's friction and rotor
    "contact": _uniform(0.4, 1.5),  # of the rms
    "payload_of_one_recording": _uniform(0.1, 0.4),  # of the mass of all moving bodies
    "saturation": _uniform(0.35, 0.7),  # of the peak
    "torque_low_pass": _uniform(1.0, 5.0),  # [Hz]
    "torque_low_pass_of_second_order": _uniform(1.5, 8.0),  # [Hz]
    "torque_hysteresis": _uniform(0.1, 0.5),  # of the rms
    "eccentric_friction": _uniform(0.5, 1.0),  # of Coulomb friction
    "clock_of_one_recording": lambda random: float(
        1 + random.choice([-1, 1]) * random.uniform(0.02, 0.1)
    ),
    "phase_loss": _uniform(0.4, 0.75),
    "payload_half_way": _uniform(0.1, 0.4),  # of the mass of all moving bodies
    "robot_of_one_recording": _uniform(0.4, 1.0),  # of the logarithm of masses
    "cable_drags": _uniform(0.15, 0.6),  # of the rms
    "hose_pulls": _uniform(0.3, 1.2),  # of the rms
    "brake_drags": _uniform(0.15, 0.6),  # of the rms
    "torque_drifts": _uniform(0.3, 1.0),  # of the rms
    "position_sticks": lambda random: float(random.integers(1, 5)),  # times
    "torque_sticks": lambda random: float(random.integers(1, 6)),  # times
    "torque_drops_out": lambda random: float(random.integers(1, 8)),  # times
    "eccentric_encoder": _uniform(0.05, 0.2),  # [rad]
    "degrees": lambda _: 180 / np.pi,
    "degrees_of_one_joint": lambda _: 180 / np.pi,
    "speed_unit_of_one_joint": lambda random: float(random.choice([180 / np.pi, 30 / np.pi])),
    "milliamperes": lambda _: 1000.0,
    "warped_time": _uniform(0.05, 0.25),  # of the rate
    "wrong_rate": _moderate_factor,
    "direction_gain": _uniform(0.3, 0.75),
    "late_velocity": _uniform(0.01, 0.06),  # [s]
    "link_length": _uniform(0.05, 0.25),  # [m]
    "axis_turned": _uniform(0.2, 1.2),  # [rad]
    "clean_link_mass": _uniform(1.5, 3.0),
    "clean_variant": _uniform(0.6, 1.6),
}
