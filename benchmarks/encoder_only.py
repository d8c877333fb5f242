"""Identify simulated servos from commands and encoders: are the standard deviations right?

    python benchmarks/encoder_only.py [ROBOT] [--seeds 50] [--rate 50] [--set KEY=VALUE ...]
    python benchmarks/encoder_only.py servo_rig --seeds 20

A seed is a random motion. Errors of the base parameters are in units of their reported standard
deviations; friction is the same in every recording, so friction_repeatability is 0. The last table
has errors of encoder positions in roll-outs of 1 s along another motion (held out): with the
URDF's bodies without friction and a rotor inertia of 0.005 kg m^2 (the URDF has none, and servos
cannot be simulated without one), with the identified parameters, and with the true ones.

With servo_rig, a seed is a recording of each of three loads and gains; the last table has errors of
roll-outs of each run with the servo identified from the other two.
"""

from __future__ import annotations

import argparse

import numpy as np

import dynid
from dynid.arrays import Array
from dynid.errors import ExcitationError
from dynid.excitation.motion import Excitation
from dynid.identification.result import Identification
from dynid.playback.plan import make_plan
from dynid.profile import load_robot
from dynid.robot.model import nominal_model
from dynid.robot.robot import Robot
from dynid.simulation.settings import SimulationSettings
from dynid.simulation.true_parameters import simulated_model, standardised_errors
from dynid_plugins.servo.rig import identify_rig
from dynid_plugins.servo.rig_runs import LoadSettings, RunSettings
from dynid_plugins.servo.roll_out import roll_outs
from dynid_plugins.servo.simulated_rig import held_out_roll_outs, simulated_run
from dynid_plugins.servo.simulated_servo import record_servos

_SETTINGS = ("identification.friction_repeatability=0",)
_BARE_ROTOR = 0.005  # [kg m^2]


def main() -> None:
    """Print the share of errors within two standard deviations."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("robot", nargs="?", default="so101")
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--first-seed", type=int, default=1000, help="developed with 0 to 99")
    parser.add_argument("--rate", type=float, default=50.0, help="samples and commands [Hz]")
    parser.add_argument("--set", action="append", default=[], dest="overrides")
    options = parser.parse_args()
    robot = load_robot(options.robot, overrides=[*_SETTINGS, *options.overrides])
    errors: dict[str, list[float]] = {}
    if options.robot == "servo_rig":
        print_rig(
            robot, range(options.first_seed, options.first_seed + options.seeds), options.rate
        )
        return
    for seed in range(options.first_seed, options.first_seed + options.seeds):
        motion = motion_of(robot, seed)
        if motion is None:
            continue
        found = identified(robot, motion, options.rate)
        for name, error in standardised_errors(found).items():
            errors.setdefault(name, []).append(error)
    print_coverage(robot, errors)
    print_roll_outs(robot, options.first_seed, options.rate)


def motion_of(robot: Robot, seed: int) -> Excitation | None:
    """Return the motion of a seed, or None where it does not keep the limits."""
    try:
        return make_plan(robot, seed=seed).excitation
    except ExcitationError:
        return None


def identified(robot: Robot, motion: Excitation, rate: float) -> Identification:
    """Simulate a recording along the motion and identify it."""
    return dynid.identify(robot, dynid.simulate(robot, motion, control_rate=rate))


_RUNS = (
    RunSettings(
        recording="0.30 kg", load=LoadSettings(mass=0.3, centre=(0.18, 0, 0)), position_gain=2.656
    ),
    RunSettings(
        recording="0.60 kg", load=LoadSettings(mass=0.6, centre=(0.14, 0, 0)), position_gain=5.312
    ),
    RunSettings(
        recording="0.15 kg", load=LoadSettings(mass=0.15, centre=(0.1, 0, 0)), position_gain=1.328
    ),
)


def print_rig(robot: Robot, seeds: range, rate: float) -> None:
    """Print errors of a servo on a rig in standard deviations, and roll-outs of the first seed."""
    true = true_servo(robot)
    errors: dict[str, list[float]] = {name: [] for name in true}
    deviations: dict[str, list[float]] = {name: [] for name in true}
    for seed in seeds:
        runs = [
            simulated_run(robot, one, seed=len(_RUNS) * seed + number, sampling_rate=rate)
            for number, one in enumerate(_RUNS)
        ]
        found = identify_rig(runs)
        figures = zip(found.names, found.values, found.standard_deviations, strict=True)
        for name, value, deviation in figures:
            errors[name].append((value - true[name]) / deviation)
            deviations[name].append(deviation)
        if seed == seeds[0]:
            for run in held_out_roll_outs(runs):
                print(
                    f"{run.name}: profile {1e3 * run.profile:.2f}, identified "
                    f"{1e3 * run.identified:.2f}, motion {1e3 * run.motion:.0f} mrad"
                )
    everything = [one for values in errors.values() for one in values]
    for name, values in {**errors, "all": everything}.items():
        size = np.array(values)
        typical = f"{np.median(deviations[name]):.2g}" if name in deviations else ""
        print(
            f"{name:16s} {len(size):5d} errors, {np.mean(np.abs(size) <= 2):6.1%} within 2, rms "
            f"{np.sqrt(np.mean(size**2)):.2f}, mean {size.mean():5.2f}, largest "
            f"{np.abs(size).max():.1f}; deviation {typical}"
        )


def true_servo(robot: Robot) -> dict[str, float]:
    """Return the true parameters of the simulated rig by the names of the identification."""
    simulation, servo = robot.settings(SimulationSettings), robot.servo
    resistance = 1.0 if servo is None or servo.resistance is None else servo.resistance[0]
    (constant,) = robot.drives.torque_constant or (1.0,)
    terms = simulation.parameters
    return {
        "torque_per_volt": constant / resistance,
        "damping": terms["Fv1"] + constant**2 / resistance,
        "Fc1": terms["Fc1"],
        "Ia1": terms["Ia1"],
        "bias": 0.0,
    }


def print_coverage(robot: Robot, errors: dict[str, list[float]]) -> None:
    """Print errors by groups of parameters, in standard deviations."""
    prefixes = tuple(term.traits.prefix for term in robot.joint_terms())
    terms = {name for name in errors if name.rstrip("0123456789R") in prefixes}
    groups = {
        "rigid": [name for name in errors if name not in terms],
        "friction and rotors": sorted(terms),
        "all": list(errors),
    }
    print(f"{'':22s} {'errors':>7s} {'within 2':>9s} {'rms':>6s} {'mean':>6s} {'largest':>8s}")
    for group, names in groups.items():
        values: Array = np.concatenate([errors[name] for name in names])
        print(
            f"{group:22s} {values.size:7d} {np.mean(np.abs(values) <= 2):9.1%} "
            f"{np.sqrt(np.mean(values**2)):6.2f} {values.mean():6.2f} {np.abs(values).max():8.1f}"
        )
    print("Per kind of term, and its worst parameter by rms:")
    for prefix in sorted(set(prefixes)):
        own = {name: np.array(errors[name]) for name in terms if name.startswith(prefix)}
        worst = max(own, key=lambda name: float(np.mean(own[name] ** 2)))
        values = np.concatenate(list(own.values()))
        print(
            f"  {prefix:4s} within 2: {np.mean(np.abs(values) <= 2):6.1%}; {worst}: rms "
            f"{np.sqrt(np.mean(own[worst] ** 2)):.2f}, mean {own[worst].mean():.2f}"
        )


def print_roll_outs(robot: Robot, seed: int, rate: float) -> None:
    """Print position errors of roll-outs along an unseen motion."""
    motion, other = motion_of(robot, seed), motion_of(robot, seed + 1)
    if motion is None or other is None:
        print("no roll-outs: a motion does not keep the limits")
        return
    commanded = record_servos(robot, other, sampling_rate=rate, seed=1)
    mechanism = robot.mechanism()
    bare = mechanism.urdf_parameters.copy()
    rotors = [name.startswith("Ia") for name in mechanism.parameter_names]
    bare[rotors] = _BARE_ROTOR
    models = {
        "URDF": nominal_model(robot, bare),
        "identified": identified(robot, motion, rate).model,
        "true": simulated_model(robot),
    }
    print(f"{'rms error over 1 s [mrad]':26s}" + "".join(f"{one:>15s}" for one in robot.joints))
    rolled = {name: roll_outs(model, commanded) for name, model in models.items()}
    rows = {name: found.rms for name, found in rolled.items()}
    for name, values in {**rows, "motion": rolled["true"].motion}.items():
        print(f"{name:26s}" + "".join(f"{1e3 * one:15.2f}" for one in values))


if __name__ == "__main__":
    main()
