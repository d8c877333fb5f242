"""False alarms and pushes of a real UR10e, by thresholds tuned on five and on all free recordings.

The model is identified from four recordings, thresholds are tuned on those and on one of static
poses, and again on all 13 without contact. Everything else is only printed.
``python benchmarks/bench_collisions_ur10e.py``
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from dynid.control.collisions import ThresholdReplay, replay_thresholds
from dynid.control.residual import CommandedResidual, recorded_residual, with_collision
from dynid.control.tuning import Tuning, tune
from dynid.dynamics.rigid_body import RigidBody
from dynid.identification.identify import identify
from dynid.identification.payload.identification import identify_payload
from dynid.profile import load_robot
from dynid.recording.model import Recording
from dynid.robot.model import Model
from dynid.robot.recordings import load_recording
from dynid.robot.robot import Robot

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "ur10e"
IDENTIFIED = (
    "ur-20_02_12-50sec_12harm",
    "ur-20_02_19_14harm50sec",
    "ur-20_02_10-30sec_12harm",
    "ur-20_01_31-unload",
)
TUNED = (*IDENTIFIED, "ur-20_01_17-p1")
LEFT_OUT = (
    "ur-20_01_17-p2",
    "ur-20_01_17-ptp_10_points",
    "ur-20_01_22-joint_2",
    "ur-20_01_22-joint_5",
    "ur-20_02_06-20sec_10harm",
    "ur-19_09_27-11_32_02",
    "ur-19_10_01-14_04_41",
    "ur-19_12_23_free",
)
DAMAGED = {"ur-19_09_27-11_32_02": 0.3}  # [s] at whose start there are numbers like 1e280
LOADED = ("ur-20_02_19_14harm50secLoad", "ur-20_01_31-load")
PUSHED = "ur-20_01_22-push_pose_1"
ONSETS = (1.81, 4.58, 8.29, 11.83)  # [s]
RATES = (1000.0, 100.0, 10.0, 1.0, 0.1)  # [1/h]


def read(robot: Robot, name: str) -> Recording:
    """Return a recording without what is damaged."""
    return load_recording(DATA / f"{name}.csv", robot, start=DAMAGED.get(name))


def closest(found: ThresholdReplay) -> str:
    """Return how close free motion came to an alarm."""
    margin = max(found.margins, key=lambda one: one.share)
    return (
        f"{found.recording:30} {3600 * found.hours:6.1f} s {len(found.alarms):3d} alarms   "
        f"closest: {margin.joint} at {margin.time:.2f} s, {margin.value:+.3g} of "
        f"{margin.threshold:.3g} N m ({100 * margin.share:.0f} %)"
    )


def print_pushes(found: ThresholdReplay) -> None:
    """Print when each push was found, and which joint noticed it first."""
    ends = (*ONSETS[1:], np.inf)
    delays = []
    for onset, end in zip(ONSETS, ends, strict=True):
        inside = [one for one in found.alarms if onset <= one.time < end]
        if inside:
            delays.append(1000 * (inside[0].time - onset))
            print(
                f"  push at {onset:5.2f} s: {delays[-1]:3.0f} ms, {inside[0].joint}, "
                f"{inside[0].value:+.3g} of {inside[0].threshold:.3g} N m"
            )
        else:
            print(f"  push at {onset:5.2f} s: not found")
    early = sum(one.time < ONSETS[0] for one in found.alarms)
    print(
        f"  {len(delays)} of {len(ONSETS)} found, median {np.median(delays):.0f} ms after the "
        f"onset of the ramp; {early} alarms before the first"
    )


def print_loaded(robot: Robot, model: Model) -> None:
    """Print alarms of loaded motion, its payload identified from the other loaded recording."""
    for name, other in zip(LOADED, reversed(LOADED), strict=True):
        body = identify_payload(model, [read(robot, other)]).payload.body
        carried = RigidBody.from_numbers(body.mass, body.centre, body.inertia)
        residual = recorded_residual(robot, model.mechanism, read(robot, name), carried=carried)
        print(f"  {closest(replay_thresholds(robot, residual, recording=name))}")
        print(f"    with the payload of {other}: {body.mass:.3f} kg")


def alarms_of(robot: Robot, tuning: Tuning, residual: CommandedResidual) -> int:
    """Return how many alarms a tuning gives in free motion, those within half a second as one."""
    return len(replay_thresholds(with_collision(robot, **tuning.settings()), residual).alarms)


def print_rates(
    robot: Robot, tuned: list[CommandedResidual], left_out: list[CommandedResidual]
) -> None:
    """Print requested rates of false alarms beside those on recordings not used for tuning."""
    hours = sum(one.hours for one in left_out)
    within = sum(one.hours for one in tuned)
    print(
        f"requested [1/h] | left-out files, {60 * hours:.2f} min: alarms, expected | "
        f"leave one out of the tuned ones, {60 * within:.2f} min: alarms, expected"
    )
    for rate in RATES:
        tuning = tune(robot, tuned, false_alarms_per_hour=rate)
        alarms = sum(alarms_of(robot, tuning, one) for one in left_out)
        without = 0
        for k, one in enumerate(tuned):
            others = tune(robot, [*tuned[:k], *tuned[k + 1 :]], false_alarms_per_hour=rate)
            without += alarms_of(robot, others, one)
        print(f"{rate:10g} | {alarms:3d} {rate * hours:9.3g} | {without:3d} {rate * within:9.3g}")


def print_thresholds(tuning: Tuning) -> None:
    """Print the thresholds in motion and at rest, and what they rest on."""
    print(f"thresholds for {tuning.false_alarms_per_hour:g} alarms per hour from")
    print(f"{60 * tuning.hours:.2f} min; left out one by one: {tuning.held_out_alarms} alarms")
    for one, step in zip(tuning.joints, tuning.acceleration_step, strict=True):
        print(
            f"  {one.joint:20} {one.torque_error_max:6.2f} + {one.velocity_factor:.2f} |v| + "
            f"{one.acceleration_factor:.2f} |a|, at rest {one.reversal_boost:6.2f} more (dry "
            f"friction {one.friction:.2f} N m); abrupt from {step:.2f} rad/s^2"
        )


def print_forces(tuning: Tuning) -> None:
    """Print the smallest forces at the tool that are found."""
    for name, found in (("at rest", tuning.force_at_rest), ("in motion", tuning.force_in_motion)):
        if found is not None:
            joints = ", ".join(f"{one:.3g}" for one in found.of_joint)
            print(
                f"smallest force at the tool {name} [N]: by joint {joints}; best direction "
                f"{found.easiest:.3g}, worst {found.hardest:.3g}"
            )


def print_causes(tuning: Tuning) -> None:
    """Print which recording determines each threshold."""
    for joint, cause in zip(tuning.joints, tuning.causes, strict=True):
        print(
            f"  {joint.joint:20} {'at rest' if cause.resting else 'in motion':9} "
            f"{cause.threshold:6.2f} by {cause.recording} at {cause.time:.1f} s, without that "
            f"{cause.without:.2f} N m"
        )


def print_all(
    robot: Robot, model: Model, every: list[CommandedResidual], pushed: CommandedResidual
) -> None:
    """Print the result of all free recordings together: more data must not lose a push."""
    tuning = tune(robot, every, false_alarms_per_hour=0.1)
    print_thresholds(tuning)
    print_causes(tuning)
    print_forces(tuning)
    robot = with_collision(robot, **tuning.settings())
    for name, one in zip((*TUNED, *LEFT_OUT), every, strict=True):
        print(f"  {closest(replay_thresholds(robot, one, recording=name))}")
    print_loaded(robot, model)
    print_pushes(replay_thresholds(robot, pushed, recording=PUSHED))


def main() -> None:
    """Identify, tune, play, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", action="append", default=[], dest="settings")
    parser.add_argument("--no-rates", action="store_true", help="leave the table of rates out")
    arguments = parser.parse_args()
    robot = load_robot("ur10e", overrides=arguments.settings)
    model = identify(robot, [read(robot, name) for name in IDENTIFIED]).model

    def residual(name: str) -> CommandedResidual:
        return recorded_residual(robot, model.mechanism, read(robot, name))

    tuned = [residual(name) for name in TUNED]
    tuning = tune(robot, tuned, false_alarms_per_hour=0.1)
    print_thresholds(tuning)
    print_causes(tuning)
    print_forces(tuning)
    given, robot = robot, with_collision(robot, **tuning.settings())
    left_out = [residual(name) for name in LEFT_OUT]
    print("tuned on:")
    for name, one in zip(TUNED, tuned, strict=True):
        print(f"  {closest(replay_thresholds(robot, one, recording=name))}")
    print("left out:")
    for name, one in zip(LEFT_OUT, left_out, strict=True):
        print(f"  {closest(replay_thresholds(robot, one, recording=name))}")
    print("with a payload:")
    print_loaded(robot, model)
    print(f"{PUSHED}:")
    pushed = residual(PUSHED)
    print_pushes(replay_thresholds(robot, pushed, recording=PUSHED))
    print("tuned on all recordings without contact:")
    print_all(given, model, [*tuned, *left_out], pushed)
    if not arguments.no_rates:
        print_rates(given, tuned, left_out)


if __name__ == "__main__":
    main()
