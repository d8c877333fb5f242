"""Torque constants of simulated robots against the truth: error and standard deviation in percent.

    python benchmarks/drive_gain_trials.py [PROFILE …] [KEY=VALUE …]

Every drive's constant is 2 N m/A, and 1 in the profile that looks for it. One recording is without
payload, one of another motion with it. KEY=VALUE overrides a key of every profile.
"""

from __future__ import annotations

import sys

from dynid.identification.drive_gains.identification import DriveGains, identify_drive_gains
from dynid.identification.drive_gains.known_payload import KnownPayload
from dynid.playback.plan import make_plan, second_seed
from dynid.profile import load_robot
from dynid.simulation.simulate import simulate
from dynid.simulation.true_parameters import carrying

_CONSTANT, _MASS = 2.0, 2.0
_CENTRE = (0.03, -0.05, 0.08)
_INERTIA = (8e-3, 1e-3, 6e-3, -5e-4, 7e-4, 5e-3)
_KNOWN = {
    "mass": KnownPayload(_MASS),
    "mass, centre": KnownPayload(_MASS, _CENTRE),
    "mass, centre, inertia": KnownPayload(_MASS, _CENTRE, _INERTIA),
}


def compare(name: str, overrides: list[str]) -> None:
    """Print one robot's constants for a payload with more or fewer known parameters."""
    true, unknown = (
        load_robot(
            name, overrides=[*overrides, f"drives={{effort: current, torque_constant: {constant}}}"]
        )
        for constant in (_CONSTANT, 1.0)
    )
    heavy = carrying(true, _MASS, _CENTRE, _INERTIA)
    without, with_it = (
        simulate(robot, make_plan(true, seed=seed).excitation, seed=noise)
        for noise, (robot, seed) in enumerate([(true, None), (heavy, second_seed(true))])
    )
    print(f"{name}: {without.time[-1]:.1f} s without payload, {with_it.time[-1]:.1f} s with it")
    for what, payload in _KNOWN.items():
        found = identify_drive_gains(unknown, [without], [with_it], payload)
        print(f"  {what:24s}{line(found)}")


def line(found: DriveGains) -> str:
    """Each joint's error and standard deviation."""
    return "  ".join(
        f"{100 * (value / _CONSTANT - 1):6.2f} ± {100 * deviation / _CONSTANT:4.2f}"
        for value, deviation in zip(found.fitted, found.standard_deviations, strict=True)
    )


if __name__ == "__main__":
    names = [word for word in sys.argv[1:] if "=" not in word]
    for name in names or ["puma560", "scara", "delta_3"]:
        compare(name, [word for word in sys.argv[1:] if "=" in word])
