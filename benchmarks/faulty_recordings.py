"""Simulated recordings of robots with one fault each, of a known cause, and without any.

A fault is injected at its source: the motion, the robot, its drives, their feedback,
or the robot that the recording is taken to be of. ``FAULTS`` has every cause with its variants.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from drive_faults import (
    briefly_clipped,
    clipped,
    coarse_effort,
    coarse_position,
    crosstalk,
    few_samples,
    flipped_position,
    flipped_torque,
    flipped_torques,
    held,
    noisier,
    noisy,
    saturating_sensor,
    scaled,
    shifted,
    spiky,
    weak_drive,
)
from faulty_robots import ROBOTS, Fault, Subject, Trial, does_it_apply, make_subject
from model_faults import (
    alike_terms,
    asymmetric,
    gravity_turned,
    model_without,
    mounted_tilted,
    stribeck,
    transmission,
    urdf_off,
    warming,
    with_load,
)
from motion_faults import (
    clean_sine,
    in_step,
    nearly_at_rest,
    one_stroke,
    repeating,
    same_sine,
    short,
    slow,
    small_at_one,
    small_everywhere,
)
from signal_faults import (
    backlash,
    beyond_limits,
    copied_effort,
    dead_band,
    flipped_velocity,
    held_position,
    jittering,
    lost_behind_stamps,
    slipped_encoder,
    stretched_time,
    unsigned_effort,
    wrapped_position,
)
from tried_faults import (
    before_a_screw,
    disturbed,
    eccentric,
    geared,
    hysteresis,
    moved_zero,
    pushed,
    reversed_joint,
    slow_clock,
    stretched,
    swapped_channels,
    swapped_once,
    unlike_recordings,
)

__all__ = ["FAULTS", "ROBOTS", "does_it_apply", "make_subject"]


def clean(subject: Subject, seed: int) -> Trial:
    """Return the robot on a Fourier series."""
    return subject.trial(subject.recorded(seed))


FAULTS: Mapping[str, Mapping[str, Fault]] = MappingProxyType(
    {
        "none": {
            "Fourier series": clean,
            "sines": clean_sine,
            "URDF a quarter off": urdf_off,
            "noise times 3": noisier,
        },
        "wrapped_position": {"one joint": wrapped_position},
        "beyond_limits": {"zero of the first joint": beyond_limits},
        "unsigned_effort": {"magnitudes": unsigned_effort},
        "time": {"stretched by a fifth": stretched_time},
        "copied_channel": {"effort": copied_effort},
        "velocity": {"other sign": flipped_velocity},
        "backlash": {"of one joint": backlash},
        "position_jump": {"slip of one encoder": slipped_encoder},
        "sampling_jitter": {"every tenth sample": jittering},
        "lost_samples": {"at ten places": lost_behind_stamps},
        "effort": {"dead band": dead_band},
        "held_position": {"every third": held_position, "every eighth, effort too": held},
        "too_slow": {"a tenth of the speed": slow(0.1), "a seventh": slow(1 / 7)},
        "saturation": {
            "one effort clipped": clipped(everywhere=False),
            "all efforts clipped": clipped(everywhere=True),
            "weak drive": weak_drive,
            "one effort briefly": briefly_clipped(everywhere=False),
            "all efforts briefly": briefly_clipped(everywhere=True),
        },
        "spikes": {
            "one joint": spiky(everywhere=False),
            "all joints": spiky(everywhere=True),
            "all joints, clipped": spiky(everywhere=True, clipped_at=1.2),
        },
        "too_short": {"slowest joint": short(1), "two slowest joints": short(2)},
        "one_direction": {"longest stroke": one_stroke},
        "small_region": {"all joints": small_everywhere, "one joint": small_at_one},
        "overlapping_frequencies": {
            "same series": in_step,
            "same sine": same_sine,
            "repeating": repeating,
        },
        "torque_factor": {
            "all times 1000": scaled(1000.0),
            "all times 2.5": scaled(2.5),
            "all by 2.5": scaled(0.4),
            "one times 2.5": scaled(2.5, everywhere=False),
            "one by 2.5": scaled(0.4, everywhere=False),
        },
        "flipped_sign": {
            "torque": flipped_torque,
            "two torques": flipped_torques,
            "position": flipped_position,
        },
        "reversed_joint": {"heavy joint": reversed_joint},
        "swapped_channels": {"two efforts": swapped_channels, "in one recording": swapped_once},
        "encoder_zero": {"zero of the second joint": moved_zero},
        "position_factor": {"second joint": stretched, "gear of second joint": geared}
        | {"before a screw": before_a_screw},
        "recordings_differ": {"torque factor": unlike_recordings},
        "clock": {"of one recording": slow_clock},
        "contact": {"push": pushed},
        "unexplained": {"random torque": disturbed},
        "wrong_gravity": {
            "profile 30 deg off": gravity_turned(30.0),
            "profile 90 deg off": gravity_turned(90.0),
            "profile upside down": gravity_turned(180.0),
            "mounted 45 deg tilted": mounted_tilted(45.0),
        },
        "noise": {"one joint": noisy},
        "time_shift": {
            "5 ms late": shifted(5),
            "12 ms late": shifted(12),
            "30 ms late": shifted(30),
            "10 ms early": shifted(-10),
        },
        "quantised_feedback": {"position": coarse_position, "effort": coarse_effort},
        "unmodelled_coupling": {"transmission": transmission},
        "torque_crosstalk": {"half of another": crosstalk},
        "torque_hysteresis": {"of one sensor": hysteresis},
        "uneven_friction": {"once per turn": eccentric},
        "nonlinear_torque": {"of one sensor": saturating_sensor},
        "friction_terms": {
            "Stribeck": stribeck,
            "asymmetric": asymmetric,
            "load": with_load,
            "viscous only": model_without("coulomb"),
            "none": model_without("coulomb", "viscous"),
        },
        "warming_up": {"friction falls by a third": warming},
        "ill_conditioned": {"hardly moves": nearly_at_rest, "terms alike": alike_terms},
        "over_fit": {"few samples": few_samples},
    }
)
"""Causes, each with the faults that lead to it; ``none`` has recordings without a fault."""
