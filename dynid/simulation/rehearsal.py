"""A robot made ready to be simulated, whatever its profile leaves out."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dynid.excitation.default_motion import default_excitation
from dynid.excitation.settings import find_excitation
from dynid.playback.plan import make_plan
from dynid.simulation.derived import derived_simulation, deviating_bodies
from dynid.simulation.settings import SimulationSettings

if TYPE_CHECKING:
    from dynid.robot.robot import Robot


class Rehearsal(NamedTuple):
    """A robot that can be simulated.

    Attributes:
        robot: with an excitation and a simulated robot.
        assumed: a sentence on each of the two that its profile does not have.
    """

    robot: Robot
    assumed: tuple[str, ...]


def rehearsal(robot: Robot) -> Rehearsal:
    """Return the robot with a default excitation and derived drives, where its profile has none.

    Raises:
        ExcitationError: no motion was found that keeps its limits.
        ConfigurationError: its drives cannot be derived.
        MechanismError: robot and URDF do not match.
    """
    assumed = []
    if find_excitation(robot) is None:
        motion = default_excitation(robot)
        robot = robot.with_settings(motion)
        assumed.append(
            f"The profile has no excitation: a default motion. {make_plan(robot).verdict}"
        )
    if robot.find(SimulationSettings) is None:
        derived = derived_simulation(robot)
        true = {
            "parameters": {**deviating_bodies(robot), **derived.parameters},
            "home": tuple(make_plan(robot).start.tolist()),
        }
        robot = robot.with_settings(derived.model_copy(update=true))
        assumed.append(
            "The profile has no simulation: rotor inertia, friction, noise and drives are derived "
            "from the URDF's bodies and the limits, not measured. As of a real robot, each mass "
            "differs from the URDF's, here by 5 to 15 %."
        )
    return Rehearsal(robot, tuple(assumed))
