"""Wrong models of the simulated PUMA 560 under control: which are noticed, and after how long.

    python benchmarks/wrong_models.py --hours 1

The additive torque is that of a wrong model, without thresholds; motion is that of
collision_trials.py. A right model, also with friction that changed by a tenth, must not be called
wrong in the given hours.
"""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from collision_trials import Work

from dynid import _core
from dynid.control.tracking.trial import identified
from dynid.profile import load_robot

if TYPE_CHECKING:
    from collections.abc import Callable

    from dynid.dynamics.mechanism import Mechanism

OFFSETS = (20.0, 20.0, 10.0, 3.0, 3.0, 3.0)  # [N m]
LONGEST = 120.0  # [s] until a wrong model counts as missed
PAUSE = 300  # [ms] between motions
LOOK = 100  # [ms] between looks at the law
_DISSIPATIVE = ("Fv", "Fc")
_TERMS = (*_DISSIPATIVE, "Off", "Ia")


def scaled(model: Mechanism, factor: float, which: Callable[[str], bool]) -> Mechanism:
    """Return the model with some of its parameters, by name, times a factor."""
    values = model.parameters.copy()
    for i, name in enumerate(model.parameter_names):
        values[i] *= factor if which(name) else 1.0
    return model.with_parameters(values)


def with_offsets(model: Mechanism) -> Mechanism:
    """Return the model with constant torque added to each joint."""
    values = model.parameters.copy()
    for i, name in enumerate(model.parameter_names):
        if name.startswith("Off"):
            values[i] += OFFSETS[int(name.removeprefix("Off")) - 1]
    return model.with_parameters(values)


def models(right: Mechanism) -> dict[str, tuple[bool, Mechanism]]:
    """Return models by what was done to them, and whether they are wrong."""

    def friction(name: str) -> bool:
        return name.startswith(_DISSIPATIVE)

    def body(name: str) -> bool:
        return not name.startswith(_TERMS)

    def last_body(name: str) -> bool:
        return body(name) and name.endswith("6")

    def pulled(*gravity: float) -> Mechanism:
        return right.with_gravity(gravity).with_parameters(right.parameters)

    return {
        "right": (False, right),
        "friction x 1.1": (False, scaled(right, 1.1, friction)),
        "friction x 0.9": (False, scaled(right, 0.9, friction)),
        "gravity upside down": (True, pulled(0.0, 0.0, 9.81)),
        "gravity sideways": (True, pulled(9.81, 0.0, 0.0)),
        "mass x 1.5": (True, scaled(right, 1.5, body)),
        "mass x 0.5": (True, scaled(right, 0.5, body)),
        "friction with the wrong sign": (True, scaled(right, -1.0, friction)),
        "everything x 5": (True, scaled(right, 5.0, lambda _name: True)),
        "everything x 0.2": (True, scaled(right, 0.2, lambda _name: True)),
        "offsets": (True, with_offsets(right)),
        "everything with the wrong sign": (True, scaled(right, -1.0, lambda _name: True)),
        "a tool of 1.8 kg": (True, scaled(right, 20.0, last_body)),
    }


def noticed_after(work: Work, longest: float) -> float | None:
    """Return the time until the model is found to be wrong [s]; None where it is not."""
    start, end = work.now, work.now + longest * 1e9
    while work.now < end:
        left = work.go() + PAUSE
        while left > 0:
            left -= max(1, work.run(min(left, LOOK)))
            law = work.robot.law
            if law is not None and law.inactive_reason == _core.InactiveReason.model_wrong:
                return (work.now - start) * 1e-9
    return None


def main() -> None:
    """Run the trials, and print a line of JSON for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hours", type=float, default=1.0, help="of motion with right models")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    robot = load_robot("puma560", overrides=["collision.torque_error_enable=false"])
    for name, (wrong, model) in models(identified(robot)).items():
        work = Work(robot, model, arguments.seed)
        time = noticed_after(work, LONGEST if wrong else 3600 * arguments.hours)
        print(json.dumps({"model": name, "wrong": wrong, "noticed_after_s": time}), flush=True)


if __name__ == "__main__":
    main()
