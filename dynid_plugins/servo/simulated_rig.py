"""A simulated rig for one servo, and roll-outs of each run by a model from the other runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dynid.playback.plan import make_plan
from dynid.robot.model import nominal_model
from dynid.robot.robot import Robot
from dynid.simulation.settings import SimulationSettings
from dynid_plugins.servo.rig import RigIdentification, identify_rig
from dynid_plugins.servo.rig_runs import RigRun, RunSettings, rig_body, rig_robot, rig_run
from dynid_plugins.servo.roll_out import roll_outs
from dynid_plugins.servo.simulated_servo import record_servos


@dataclass(frozen=True)
class HeldOutRun:
    """Errors of encoder positions in roll-outs of a run, root mean squares [rad].

    Attributes:
        name: of the run.
        profile: of the profile's motor with the known body, without friction and rotor.
        identified: of the servo identified from the other runs.
        motion: change of position since the start of each roll-out, for comparison.
    """

    name: str
    profile: float
    identified: float
    motion: float


def held_out_roll_outs(
    runs: Sequence[RigRun],
    *,
    identify: Callable[[Sequence[RigRun]], RigIdentification] = identify_rig,
) -> list[HeldOutRun]:
    """Roll each run out with the servo that was identified from the others; [] for a single run.

    Raises:
        EstimationError: the other runs do not determine the parameters.
        SimulationError: a run is too short, or the simulation diverges.
    """
    if len(runs) < 2:
        return []
    held_out = []
    for run in runs:
        others = [other for other in runs if other is not run]
        model = identify(others).model_of(run)
        bare = nominal_model(run.robot, run.mechanism.parameters)
        rolled = [roll_outs(candidate, run.recording) for candidate in (bare, model)]
        before, after = (float(errors.rms[0]) for errors in rolled)
        held_out.append(HeldOutRun(run.name, before, after, float(rolled[0].motion[0])))
    return held_out


def simulated_run(
    robot: Robot, settings: RunSettings, *, seed: int, sampling_rate: float = 50.0
) -> RigRun:
    """Record a simulated rig along a random excitation.

    Args:
        robot: of the rig; ``simulation.parameters`` has its true friction and rotor inertia.
        settings: load, gain and voltage; ``recording`` is a name only.
        seed: of the excitation and the sensors' noise.
        sampling_rate: of commands and positions [Hz].

    Raises:
        ConfigurationError: the robot is not a rig.
        ExcitationError: no motion was found within the robot's limits.
    """
    rig = rig_robot(robot, settings)
    motion = make_plan(rig, seed=seed).excitation
    simulation = rig.settings(SimulationSettings)
    names, body = rig.mechanism().parameter_names, rig_body(robot, settings.load)
    bodies = dict(zip(names, body.tolist(), strict=False))  # those of the terms are behind
    true = simulation.model_copy(update={"parameters": {**bodies, **simulation.parameters}})
    recording = record_servos(
        rig.with_settings(true), motion, sampling_rate=sampling_rate, seed=seed
    )
    return rig_run(settings.recording, robot, recording, settings)
