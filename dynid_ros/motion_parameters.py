"""Parameters of the player: the motion, and its supervision."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dynid.errors import ConfigurationError
from dynid.excitation.settings import find_excitation
from dynid.playback.options import Options
from dynid.playback.plan import Plan, make_plan
from dynid.profile import load_model

if TYPE_CHECKING:
    from dynid.robot.robot import Robot
    from dynid_ros.node import Described, DynidNode

PLANNED_BY = ("seed", "excitation", "model", "rate")
"""Parameters that a plan depends on."""

# parameters of the playback, by the names of its options
_PLAYING: dict[str, Described] = {
    "rate": ("Points of a trajectory [Hz].", (10.0, 1000.0)),
    "move_fraction": (
        "Share of velocity and acceleration limits for the motion to the start.",
        (0.01, 1.0),
    ),
    "max_age": (
        "Time without joint states, newer stamps or effort that stops a motion, pauses of the "
        "player not counted [s].",
        (0.02, 10.0),
    ),
    "tracking_error": (
        "Distance of a joint from its reference that stops a motion [rad or m].",
        (1e-4, 10.0),
    ),
    "settle_time": ("Time to come to rest after a motion [s].", (0.0, 60.0)),
    "horizon": (
        "Time from a command to the start of its braking; it is renewed five times in that "
        "time [s].",
        (0.2, 10.0),
    ),
    "supervise_torque": (
        "Whether efforts are required, and stop a motion where they are too large.",
        None,
    ),
    "doubtful_limits": (
        "Whether motions are played within limits of a URDF that are doubtful, as of a simulated "
        "robot, which comes to no harm.",
        None,
    ),
    "max_clock_offset": (
        "Largest offset between stamps of joint states and this computer's time [s].",
        (0.001, 1e6),
    ),
}


def declare_motion(node: DynidNode) -> None:
    """Declare the parameters; changes apply to the next motion."""
    node.parameter("seed", -1, "Seed of random excitations; -1: profile.", between=(-1, 2**31))
    node.parameter(
        "excitation",
        "",
        "Excitation file, CSV or JointTrajectory instead of the profile's; empty: none.",
    )
    node.parameter(
        "model", "", "model.yaml to predict and supervise torque; empty: the URDF's bodies."
    )
    node.declare_settings(Options(), _PLAYING)


def check_motion_is_given(robot: Robot, profile: str, excitation: str) -> None:
    """Raise a ConfigurationError where a player would have to search for a motion itself.

    A robot may be real, and plays only a motion that its user could look at before.

    Args:
        robot: to move.
        profile: its name or file, as the user gave it.
        excitation: file of the motion; empty: none.
    """
    if excitation or find_excitation(robot) is not None:
        return
    raise ConfigurationError(
        f"profile '{robot.name}' has no 'excitation', and a robot plays no motion that nobody has "
        f"seen: write a checked one by `dynid excite -p {profile} -o excitation.yaml`, and set "
        "`excitation` to that file."
    )


def make_the_plan(node: DynidNode, robot: Robot) -> Plan:
    """Return the plan of the motion that the parameters describe now.

    Raises:
        DynidError: there is no such motion within the robot's limits.
    """
    seed = node.current("seed", int)
    excitation, path = node.current("excitation", str), node.current("model", str)
    check_motion_is_given(robot, node.current("profile", str), excitation)
    with node.logging_warnings():
        model = load_model(path) if path else None
    return make_plan(
        robot,
        seed=None if seed < 0 else seed,
        excitation=Path(excitation) if excitation else None,
        model=model,
        rate=node.current("rate", float),
    )


def playing_options(node: DynidNode) -> Options:
    """Return the playback options of the present parameters."""
    return Options(**{name: node.get_parameter(name).value for name in _PLAYING})
