"""A payload of simulated robots against the truth, in percent and in standard deviations.

    python benchmarks/payload_trials.py [PROFILE …] [KEY=VALUE …] [--seeds N]
        [--workers 2 | --scheduler ADDRESS]

The model is identified from the profile's excitation without payload; the payload from the same
motion, from another one, and from rest in ten poses. KEY=VALUE overrides a key of every profile. A
seed is that of the sensors' noise; with several, the errors over all of them follow.
"""

from __future__ import annotations

import argparse

import numpy as np
from seeds import add_options, trials

from dynid.dynamics.rigid_body import QUANTITIES, steiner
from dynid.excitation.build import build_excitation
from dynid.excitation.settings import FourierSettings, find_excitation
from dynid.identification.identify import identify
from dynid.identification.payload.fit import payload_columns
from dynid.identification.payload.identification import identify_payload
from dynid.identification.payload.payload import PayloadRow
from dynid.identification.payload.static import payload_at_rest
from dynid.playback.motions import point_to_point
from dynid.playback.plan import second_seed
from dynid.profile import load_robot
from dynid.recording.model import Recording
from dynid.robot.model import Model
from dynid.robot.robot import Robot
from dynid.simulation.robot import SimulatedRobot
from dynid.simulation.simulate import simulate
from dynid.simulation.true_parameters import carrying

_MASS, _CENTRE = 2.0, np.array([0.03, -0.05, 0.08])
_INERTIA = np.array([8e-3, 1e-3, 6e-3, -5e-4, 7e-4, 5e-3])
_TRUTH = [_MASS, *_CENTRE, *_INERTIA]
_PARAMETERS = [_MASS, *(_MASS * _CENTRE), *(_INERTIA + steiner(_MASS, _CENTRE))]
_POSES, _RATE = 10, 1000.0


def excited(robot: Robot, excitation: FourierSettings, seed: int) -> Recording:
    """The simulated robot on an excitation."""
    motion = build_excitation(excitation, robot.limits, robot.joints)
    return simulate(robot, motion, seed=seed)


def posed(robot: Robot) -> Recording:
    """The simulated robot, a second at rest in each of some poses."""
    simulated = SimulatedRobot(robot, control_rate=_RATE, seed=2)
    lower, upper, *_ = robot.limits.of_joints(len(robot.joints))
    middle = np.where(np.isfinite(lower + upper), (lower + upper) / 2, 0.0)
    reach = np.where(np.isfinite(upper - lower), 0.3 * (upper - lower), 1.0)
    shares = np.random.default_rng(1).uniform(-1, 1, (_POSES, len(middle)))
    here, targets = simulated.home, []
    for pose in middle + reach * shares:
        motion = point_to_point(here, pose, robot.limits, 0.2)
        cycles = np.arange(round((motion.duration + 1.0) * _RATE))
        targets.append(motion.evaluate(cycles / _RATE).position)
        here = pose
    state = simulated.run(np.concatenate(targets))
    return Recording(
        time=np.arange(len(state.position)) / _RATE,
        position=state.position,
        velocity=state.velocity,
        effort=state.effort,
        joint_names=robot.joints,
        sampling_rate=_RATE,
    )


def truths(model: Model) -> dict[str, float]:
    """True values of a payload's parameters, by name."""
    names = [name for name, _ in QUANTITIES]
    names += [model.parameter_names[c] for c in payload_columns(model.mechanism)]
    return dict(zip(names, [*_TRUTH, *_PARAMETERS], strict=True))


def line(row: PayloadRow, true: float) -> str:
    """One value beside the true one."""
    if row.standard_deviation is None:
        return f"    {row.name:<11} not identifiable"
    return (
        f"    {row.name:<11} {row.value: .5f} +- {row.standard_deviation:.5f} {row.unit}, "
        f"{(row.value - true) / row.standard_deviation:+5.1f} standard deviations, "
        f"{100 * (row.value / true - 1):+6.2f} %"
    )


def compare(name: str, overrides: list[str], seed: int) -> tuple[str, dict[str, list[float]]]:
    """Return one robot's payload, found in three ways, as text.

    Returns:
        the text, and the errors in standard deviations by motion.
    """
    robot = load_robot(name, overrides=overrides)
    first = find_excitation(robot)
    if not isinstance(first, FourierSettings):
        return f"{name}: has no excitation of type fourier", {}
    loaded = carrying(robot, _MASS, _CENTRE, _INERTIA)
    base = identify(robot, excited(robot, first, seed=2 * seed)).model
    truth = truths(base)
    other = first.model_copy(update={"seed": second_seed(robot)})
    text, errors = [f"{name}, seed {seed}: {_MASS:g} kg"], {}
    for motion, excitation in (("same motion", first), ("another motion", other)):
        recording = excited(loaded, excitation, seed=2 * seed + 1)
        found = identify_payload(base, [recording])
        before, after = found.without.mean_relative_error, found.verdict.mean_relative_error
        text.append(
            f"  {motion}: torque error {100 * before:.1f} % without, {100 * after:.2f} % with it"
        )
        text += [line(row, truth[row.name]) for row in found.payload.rows]
        errors[motion] = [
            (row.value - truth[row.name]) / row.standard_deviation
            for row in found.payload.rows
            if row.standard_deviation is not None
        ]
    weighed = payload_at_rest(base, [posed(loaded)])
    return "\n".join([*text, f"  at rest: {weighed.outcome}"]), errors


def main() -> None:
    """Print each robot and seed, and all of them together."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("words", nargs="*", help="profiles, and KEY=VALUE")
    parser.add_argument("--seeds", type=int, default=1)
    add_options(parser)
    options = parser.parse_args()
    names = [word for word in options.words if "=" not in word] or ["puma560", "scara", "ur10"]
    overrides = [word for word in options.words if "=" in word]
    work = [(name, overrides, seed) for name in names for seed in range(options.seeds)]
    found = trials(options, compare, work)
    for text, _ in found:
        print(text)
    for motion in dict.fromkeys(motion for _, errors in found for motion in errors):
        sizes = np.abs([size for _, errors in found for size in errors.get(motion, [])])
        print(
            f"{motion}: {len(sizes)} values, {np.mean(sizes < 2):.1%} within two standard "
            f"deviations, rms {np.sqrt(np.mean(sizes**2)):.2f}"
        )


if __name__ == "__main__":
    main()
