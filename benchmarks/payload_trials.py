"""A payload of simulated robots against the truth, in percent and in standard deviations.

    python benchmarks/payload_trials.py [PROFILE …] [KEY=VALUE …]

The model is identified from the profile's excitation without payload; the payload from the same
motion, from another one, and from rest in ten poses. KEY=VALUE overrides a key of every profile.
"""

from __future__ import annotations

import sys

import numpy as np

from dynid.dynamics.body import QUANTITIES, steiner
from dynid.excitation.build import build_excitation
from dynid.excitation.settings import FourierSettings, find_excitation
from dynid.identification.identify import identify
from dynid.identification.payload.fit import payload_columns
from dynid.identification.payload.identification import identify_payload
from dynid.identification.payload.payload import Row
from dynid.identification.payload.static import payload_at_rest
from dynid.playback.motions import point_to_point
from dynid.playback.plan import second_seed
from dynid.profile import load_robot
from dynid.recording.model import Recording
from dynid.robot.model import Model
from dynid.robot.robot import Robot
from dynid.simulation.build import position_limits
from dynid.simulation.payload import carrying
from dynid.simulation.robot import SimulatedRobot
from dynid.simulation.simulate import simulate

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
    lower, upper = position_limits(robot)
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


def line(row: Row, true: float) -> str:
    """One value beside the true one."""
    if row.standard_deviation is None:
        return f"    {row.name:<11} not identifiable"
    return (
        f"    {row.name:<11} {row.value: .5f} +- {row.standard_deviation:.5f} {row.unit}, "
        f"{(row.value - true) / row.standard_deviation:+5.1f} standard deviations, "
        f"{100 * (row.value / true - 1):+6.2f} %"
    )


def compare(name: str, overrides: list[str]) -> None:
    """Print one robot's payload, found in three ways."""
    robot = load_robot(name, overrides=overrides)
    first = find_excitation(robot)
    if not isinstance(first, FourierSettings):
        print(f"{name}: has no excitation of type fourier")
        return
    loaded = carrying(robot, _MASS, _CENTRE, _INERTIA)
    base = identify(robot, excited(robot, first, seed=0)).model
    truth = truths(base)
    other = first.model_copy(update={"seed": second_seed(robot)})
    print(f"{name}: {_MASS:g} kg")
    for motion, excitation in (("same motion", first), ("another motion", other)):
        recording = excited(loaded, excitation, seed=1)
        found = identify_payload(base, [recording])
        before, after = found.without.mean_relative_error, found.verdict.mean_relative_error
        print(f"  {motion}: torque error {100 * before:.1f} % without, {100 * after:.2f} % with it")
        for row in found.payload.rows:
            print(line(row, truth[row.name]))
    weighed = payload_at_rest(base, [posed(loaded)])
    print(f"  at rest: {weighed.outcome}")


if __name__ == "__main__":
    names = [word for word in sys.argv[1:] if "=" not in word]
    for name in names or ["puma560", "scara", "ur10"]:
        compare(name, [word for word in sys.argv[1:] if "=" in word])
