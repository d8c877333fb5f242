"""A robot made ready to be simulated, whatever its profile leaves out."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dynid.dynamics.base_parameters import INERTIAL
from dynid.errors import ExcitationError
from dynid.excitation.default_motion import default_excitation, motion_range
from dynid.excitation.plausible_limits import limit_doubts
from dynid.excitation.settings import find_excitation
from dynid.playback.plan import make_plan
from dynid.robot.limits import Limits
from dynid.robot.robot import Robot
from dynid.robot.urdf_profile import names
from dynid.simulation.derived import DENSITY, derived_simulation, deviating_bodies
from dynid.simulation.settings import SimulationSettings


class Rehearsal(NamedTuple):
    """A robot that can be simulated.

    Attributes:
        robot: with an excitation and a simulated robot, and limits that its profile states.
        assumed: a sentence on each of these that its profile does not have.
    """

    robot: Robot
    assumed: tuple[str, ...]


def rehearsal(robot: Robot) -> Rehearsal:
    """Return the robot with a default excitation and derived drives, where its profile has none.

    Limits of the URDF that are doubtful are used, as a simulated robot comes to no harm.

    Raises:
        ExcitationError: no motion was found that keeps its limits.
        ConfigurationError: its drives cannot be derived.
        MechanismError: robot and URDF do not match.
    """
    doubts = [doubt for doubt in limit_doubts(robot) if doubt.limits]
    assumed = [doubt.sentence for doubt in doubts]
    if doubts:
        robot = _with_stated_limits(robot)
    plan = None
    if find_excitation(robot) is None:
        robot = _excited(robot, weak=any(not doubt.dangerous for doubt in doubts))
        plan = make_plan(robot)
        assumed.append(f"The profile has no excitation: a default motion. {plan.verdict}")
    if doubts:
        dangerous = any(doubt.dangerous for doubt in doubts)
        assumed.insert(len(doubts), _used(robot.limits, dangerous=dangerous))
    if robot.find(SimulationSettings) is None:
        derived, plan = derived_simulation(robot), plan or make_plan(robot)
        bodies = deviating_bodies(robot)
        true = {"parameters": {**bodies, **derived.parameters}, "home": tuple(plan.start.tolist())}
        assumed += _without_inertia(robot, derived)
        robot = robot.with_settings(derived.model_copy(update=true))
        assumed.append(
            "The profile has no simulation: rotor inertia, friction, noise and drives are derived "
            "from bodies and limits, not measured."
            + (
                " As of a real robot, each mass differs from the URDF's, here by 5 to 15 %."
                if bodies
                else ""
            )
        )
        assumed += [doubt.sentence for doubt in plan.doubts if not doubt.limits]
    return Rehearsal(robot, tuple(assumed))


def _excited(robot: Robot, *, weak: bool) -> Robot:
    """Return the robot with a default motion, without limits of torque if they permit none.

    Args:
        robot: without an excitation.
        weak: whether its limits of torque are not believable, because they cannot hold it.
    """
    try:
        return robot.with_settings(default_excitation(robot))
    except ExcitationError:
        if not weak:
            raise
    limits = robot.limits.model_copy(update={"torque_max": None})
    robot = robot.model_copy(update={"limits": limits})
    return robot.with_settings(default_excitation(robot))


def _with_stated_limits(robot: Robot) -> Robot:
    """Return the robot with limits as if its profile stated them, those of a default motion too."""
    motion = motion_range(robot, robot.with_terms(()).mechanism())
    limits = dict(robot.limits)
    limits["position"] = limits["position"] or tuple(
        zip(motion.low.tolist(), motion.high.tolist(), strict=True)
    )
    limits["velocity"] = limits["velocity"] or tuple(motion.speed.tolist())
    stated = Limits.model_construct(set(limits), **limits)
    return robot.model_copy(update={"limits": stated})


def _without_inertia(robot: Robot, derived: SimulationSettings) -> list[str]:
    """Return the sentence on bodies whose inertia is that of their shapes, if there are any."""
    mechanism = robot.with_terms(()).mechanism()
    masses = mechanism.parameter_names[: mechanism.first_term : len(INERTIAL)]
    kilograms = {
        joint: derived.parameters[mass]
        for joint, mass in zip(mechanism.body_joints, masses, strict=True)
        if mass in derived.parameters
    }
    if not kilograms:
        return []
    return [
        f"The URDF has no complete <inertial> for what {names(tuple(kilograms))} carry: the "
        f"simulated robot has that of their shapes with {DENSITY:g} kg/m^3, or less where its "
        f"torque limits would not move them, {sum(kilograms.values()):.3g} kg together."
    ]


def _used(limits: Limits, *, dangerous: bool) -> str:
    """Return the sentence on the limits of the simulated robot."""
    low, high = np.array(limits.position).T
    torque = limits.torque_max
    torques = "no limit of torque" if torque is None else f"torques up to {_list(torque)}"
    return (
        f"The simulated robot goes on with positions from {_list(low)} to {_list(high)}, "
        f"velocities up to {_list(limits.velocity)}, and "
        f"{torques} [SI units]"
        f"{'; a real robot is not moved before its profile states them' if dangerous else ''}."
    )


def _list(values: object) -> str:
    return f"[{', '.join(f'{value:.4g}' for value in np.atleast_1d(np.asarray(values)))}]"
