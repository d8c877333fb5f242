"""Excitations of dynid and optimal trajectories of FIGAROH, within the same limits.

    apt install coinor-libipopt-dev libmumps-seq-dev liblapack-dev libblas-dev gfortran pkg-config
    pip install figaroh cyipopt
    python benchmarks/excitation_against_figaroh.py [--starts 4] [--only TEXT]

A UR10e without geometry, 8 s, limits as in ``excitation_table.py``. Both minimise the condition
number of the base regressor from random starts: of rigid bodies, as it is, or with friction, rotor
inertia and offset of every joint (where dynid scales rows and columns). The best motion by a tool's
own condition number, of its own choice of base parameters, is evaluated by dynid's regressors at
100 Hz, and at 1 kHz by the share of every limit that it uses and its largest velocity and
acceleration at both ends. Time is CPU time of all processes and all starts, without imports.

FIGAROH has the settings of its example of the UR10, which plans 12 s with the same time between
waypoints: https://github.com/thanhndv212/figaroh-examples,
examples/ur10/config/ur10_unified_config.yaml. dynid uses the limits whole here, so FIGAROH also
runs without its margin, and with 9 waypoints. A start that fails is counted, and not
repeated by its setting ``segment_attempts``.
"""

from __future__ import annotations

import argparse
import os
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from excitation_table import FIGAROH, requested

from dynid.excitation.design.design import make_design
from dynid.excitation.design.optimise import optimise
from dynid.excitation.motion import Motion

if TYPE_CHECKING:
    from collections.abc import Callable

    from excitation_table import Case
    from figaroh_trajectory import SplineSettings

    from dynid.arrays import Array

_RATE = 1000  # [Hz] at which motions are sampled
_EVERY = 10  # of these samples enters condition numbers
_RIGID, _ALL_TERMS = FIGAROH
_MEASURES = (
    "condition: own", "rigid", "all terms", "scaled",
    "position", "velocity", "acceleration", "torque", "ends [rad/s]", "[rad/s^2]",
)  # fmt: skip


class Found(NamedTuple):
    """The best motion of all starts, if one succeeded.

    Attributes:
        motion: (N, n), at ``_RATE``; None if no start succeeded.
        condition_number: by the tool itself.
        succeeded: number of starts.
    """

    motion: Motion | None
    condition_number: float
    succeeded: int


def main() -> None:
    """Print a row for each search."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--starts", type=int, default=4)
    parser.add_argument("--only", default="", help="part of the name of the searches to run")
    given = parser.parse_args()
    print(_line("", "CPU time", "starts", _MEASURES))
    for name, search in searches().items():
        if given.only in name:
            begun = sum(os.times()[:4])
            found = search(given.starts)
            seconds = sum(os.times()[:4]) - begun  # of its worker processes as well
            values = () if found.motion is None else measures(found.motion, found.condition_number)
            cells = (f"{seconds:.1f} s", f"{found.succeeded}/{given.starts}")
            print(_line(name, *cells, values), flush=True)


def _line(name: str, seconds: str, starts: str, values: tuple[str, ...]) -> str:
    return f"{name:44s} {seconds:>9s} {starts:>6s}" + "".join(f" {value:>15s}" for value in values)


def searches() -> dict[str, Callable[[int], Found]]:
    """Return the searches by name; what is not installed is named and left out."""
    found: dict[str, Callable[[int], Found]] = {
        f"dynid, {name}": partial(by_dynid, case)
        for name, case in (("rigid", _RIGID), ("all terms", _ALL_TERMS))
    }
    try:
        name = f"FIGAROH {version('figaroh')}"
        version("cyipopt")
    except PackageNotFoundError as absent:
        print(f"skipped: FIGAROH, whose search needs the package {absent.name}")
        return found
    from figaroh_trajectory import SplineSettings

    example = SplineSettings(
        waypoints=5, between=2.0, frequency=20, soft_limit=0.1, iterations=100, attempts=500
    )
    whole = example._replace(soft_limit=0.0)
    denser = whole._replace(waypoints=9, between=1.0)
    found[f"{name}, rigid, whole limits"] = partial(by_figaroh, _RIGID, whole)
    found[f"{name}, rigid, its margin"] = partial(by_figaroh, _RIGID, example)
    found[f"{name}, all terms, whole limits"] = partial(by_figaroh, _ALL_TERMS, whole)
    found[f"{name}, rigid, 9 waypoints"] = partial(by_figaroh, _RIGID, denser)
    found[f"{name}, all terms, 9 waypoints"] = partial(by_figaroh, _ALL_TERMS, denser)
    return found


def by_dynid(case: Case, starts: int) -> Found:
    """Return the motion of dynid's search."""
    found = optimise(*requested(case, "condition"), starts=starts)
    excitation = found.excitation
    time = np.arange(round(excitation.duration * _RATE) + 1) / _RATE
    succeeded = int(np.isfinite(found.objectives).sum())
    return Found(excitation.evaluate(time), found.condition_number, succeeded)


def by_figaroh(case: Case, settings: SplineSettings, starts: int) -> Found:
    """Return the best trajectory of FIGAROH by its own objective."""
    from figaroh_trajectory import Request, trajectories

    robot = requested(case, "condition")[0].robot
    low, high, velocity, _, torque = _limits(case)
    request = Request(robot, low, high, velocity, torque, terms=case is _ALL_TERMS)
    found = trajectories(request, settings, starts, _RATE)
    if not found:
        return Found(None, np.nan, 0)
    best = min(found, key=lambda one: one.condition_number)
    return Found(best.motion, best.condition_number, len(found))


def measures(motion: Motion, condition_number: float) -> tuple[str, ...]:
    """Return the values of ``_MEASURES`` for a motion (N, n) and the tool's condition number."""
    return (
        f"{condition_number:.3g}",
        *(f"{number:.3g}" for number in _conditions(motion)),
        *(f"{100 * share:.1f} %" for share in _shares(motion)),
        *(f"{np.abs(part[[0, -1]]).max().round(9):.1g}" for part in motion[1:]),
    )


def _conditions(motion: Motion) -> list[float]:
    """Return condition numbers: rigid, with all terms as it is, with all terms scaled."""
    samples = Motion(*(part[::_EVERY] for part in motion))
    unscaled = _ALL_TERMS._replace(scaled=False)
    return [
        make_design(*requested(case, "condition")).information.condition_number(samples)
        for case in (_RIGID, unscaled, _ALL_TERMS)
    ]


def _shares(motion: Motion) -> list[float]:
    """Return the largest share of the limits of position, velocity, acceleration and torque."""
    model, *_ = requested(_RIGID, "condition")
    low, high, velocity, acceleration, torque_max = _limits(_RIGID)
    torque = model.mechanism.torque(*motion, model.mechanism.parameters)
    used = (
        (motion.position - (low + high) / 2) / ((high - low) / 2),
        motion.velocity / velocity,
        motion.acceleration / acceleration,
        torque / torque_max,
    )
    return [float(np.abs(share).max()) for share in used]


def _limits(case: Case) -> tuple[Array, Array, Array, Array, Array]:
    """Return lowest and highest position, largest velocity, acceleration, torque, (n,) each."""
    model, spec, noise = requested(case, "condition")
    low, high, velocity, acceleration, _ = make_design(model, spec, noise).bounds
    torque_max = model.robot.limits.of_joints(len(model.robot.joints)).torque
    return low, high, velocity, acceleration, torque_max


if __name__ == "__main__":
    main()
