"""Excitation of a robot with the joints of a humanoid: memory, and time to a first motion.

    python benchmarks/excite_humanoid.py [--harmonics 5] [--steps 3]

The robot is made here: a pelvis that does not move, legs of six joints, a waist of three, arms of
seven, 29 in all, with a capsule or ball for every large link. Each line: processor time since the
robot was loaded, condition number of the base regressor, and the largest memory so far. The last
line is the proof that the first motion is within all limits at every instant.
"""

from __future__ import annotations

import argparse
import resource
import time
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from dynid.excitation.checks import check_motion
from dynid.excitation.design.design import ExcitationSpec, make_design
from dynid.excitation.design.optimise import propose_series
from dynid.excitation.prediction.precision import torque_noise
from dynid.profile import make_robot
from dynid.robot.model import nominal_model


class Joint(NamedTuple):
    """A joint and its link: origin in the link before, axis, mass [kg], length down from it [m]."""

    name: str
    origin: tuple[float, float, float]
    axis: str
    mass: float
    length: float


def _leg(side: str, y: float) -> list[Joint]:
    return [
        Joint(f"{side}_hip_pitch", (0, y, -0.1), "y", 1.4, 0),
        Joint(f"{side}_hip_roll", (0, 0, 0), "x", 1.5, 0),
        Joint(f"{side}_hip_yaw", (0, 0, 0), "z", 1.7, 0.25),
        Joint(f"{side}_knee", (0, 0, -0.32), "y", 1.9, 0.22),
        Joint(f"{side}_ankle_pitch", (0, 0, -0.3), "y", 0.1, 0),
        Joint(f"{side}_ankle_roll", (0, 0, 0), "x", 0.6, 0.05),
    ]


def _arm(side: str, y: float) -> list[Joint]:
    return [
        Joint(f"{side}_shoulder_pitch", (0, y, 0.25), "y", 0.7, 0),
        Joint(f"{side}_shoulder_roll", (0, 0, 0), "x", 0.6, 0),
        Joint(f"{side}_shoulder_yaw", (0, 0, 0), "z", 0.7, 0.14),
        Joint(f"{side}_elbow", (0, 0, -0.2), "y", 0.6, 0.07),
        Joint(f"{side}_wrist_roll", (0, 0, -0.1), "z", 0.1, 0),
        Joint(f"{side}_wrist_pitch", (0, 0, 0), "y", 0.5, 0),
        Joint(f"{side}_wrist_yaw", (0, 0, 0), "x", 0.3, 0.06),
    ]


WAIST = [
    Joint("waist_yaw", (0, 0, 0.05), "z", 0.2, 0),
    Joint("waist_roll", (0, 0, 0), "x", 0.1, 0),
    Joint("waist_pitch", (0, 0, 0), "y", 8.0, -0.2),
]
CHAINS = [
    ("pelvis", _leg("left", 0.12)),
    ("pelvis", _leg("right", -0.12)),
    ("pelvis", WAIST),
    ("waist_pitch_link", _arm("left", 0.22)),
    ("waist_pitch_link", _arm("right", -0.22)),
]
RADIUS = 0.05  # [m] of the capsules
AXES = {"x": "1 0 0", "y": "0 1 0", "z": "0 0 1"}


def urdf() -> str:
    """Return the robot's URDF."""
    parts = ['<link name="pelvis"/>']
    for carrier, chain in CHAINS:
        parent = carrier
        for joint in chain:
            parts += [_joint(parent, joint), _link(joint)]
            parent = f"{joint.name}_link"
    return f'<robot name="humanoid">{"".join(parts)}</robot>'


def _joint(parent: str, joint: Joint) -> str:
    return (
        f'<joint name="{joint.name}" type="revolute"><parent link="{parent}"/>'
        f'<child link="{joint.name}_link"/><axis xyz="{AXES[joint.axis]}"/>'
        f'<origin xyz="{" ".join(map(str, joint.origin))}"/>'
        '<limit lower="-1.2" upper="1.2" effort="150" velocity="8"/></joint>'
    )


def _link(joint: Joint) -> str:
    middle = f'<origin xyz="0 0 {-joint.length / 2}"/>'
    moment = joint.mass * (joint.length**2 / 12 + RADIUS**2 / 2)
    inertia = f'ixx="{moment}" iyy="{1.1 * moment}" izz="{0.7 * moment}" ixy="0" ixz="0" iyz="0"'
    shapes = ""
    if joint.length:
        ends = (0.0, -joint.length)
        balls = "".join(
            f'<collision><origin xyz="0 0 {end}"/><geometry><sphere radius="{RADIUS}"/></geometry>'
            "</collision>"
            for end in ends
        )
        form = f'<cylinder radius="{RADIUS}" length="{abs(joint.length)}"/>'
        shapes = f"<collision>{middle}<geometry>{form}</geometry></collision>{balls}"
    return (
        f'<link name="{joint.name}_link"><inertial>{middle}<mass value="{joint.mass}"/>'
        f"<inertia {inertia}/></inertial>{shapes}</link>"
    )


def profile() -> dict[str, object]:
    """Return the content of its profile."""
    return {
        "robot": "humanoid",
        "urdf": "humanoid.urdf",
        "joints": [joint.name for _, chain in CHAINS for joint in chain],
        "limits": {
            "position": [[-1.2, 1.2]],
            "velocity": [8.0],
            "acceleration": [60.0],
            "torque_max": [150.0],
        },
        "terms": [{"kind": kind} for kind in ("viscous", "coulomb", "offset", "rotor_inertia")],
    }


def main() -> None:
    """Print the lines."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--harmonics", type=int, default=5)
    parser.add_argument("--duration", type=float, default=10.0)
    parser.add_argument("--steps", type=int, default=3)
    given = parser.parse_args()
    robot = make_robot(profile(), urdf())
    model = nominal_model(robot)
    noise = torque_noise(robot, model.mechanism, np.zeros((1, len(robot.joints))))
    settings = propose_series(robot, duration=given.duration, harmonics=given.harmonics)
    begun = time.process_time()

    def report(what: str, condition: float | None = None) -> None:
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        number = "" if condition is None else f", condition number {condition:.4g}"
        spent = time.process_time() - begun
        print(f"{what}: {spent:.1f} s, {memory:.0f} MB{number}", flush=True)

    with threadpool_limits(1, user_api="blas"):
        design = make_design(model, ExcitationSpec(settings), noise.standard_deviation)
        report(f"problem, {len(design.information.columns)} base parameters")
        print(f"{len(design.workspace.pairs)} distances")
        random = np.random.default_rng(0)
        descent = design.descent(design.pose(random, elsewhere=False))
        first = y = design.begin(descent, random)
        space = descent.barrier.space
        report("first motion", design.condition_number(space.excitation(y, settings.periods)))
        for number, y in descent.steps(first):
            excitation = space.excitation(y, settings.periods)
            report(f"step {number}", design.condition_number(excitation))
            if number >= given.steps:
                break
        excitation = space.excitation(first, settings.periods)
        check_motion(excitation, robot.limits, model.mechanism, design.workspace)
        report("proof of the first motion")


if __name__ == "__main__":
    main()
