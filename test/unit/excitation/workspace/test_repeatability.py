"""The same input gives the same bits: distances, and proofs by them."""

from __future__ import annotations

import os
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pinocchio
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pinocchio import coal
from support.walled_arm import BOX, JOINTS, LIMITS, WALL, walled, walled_robot

from dynid.excitation.build import build_excitation
from dynid.excitation.checks import examine_motion
from dynid.excitation.motion import Motion
from dynid.excitation.settings import FourierSettings
from dynid.excitation.workspace.distances import Distance, Distances
from dynid.excitation.workspace.meshes import Solid, convex_hull
from dynid.excitation.workspace.workspace import Workspace
from dynid.profile import load_robot

ROOT = Path(__file__).parents[4]
DEADLINE = 600.0  # [s] for a command to end
SEEDS = st.integers(0, 2**32 - 1)
SETTINGS = {"self_collision": True, "planes": WALL, "boxes": BOX}


def _hull(corners: int) -> coal.Convex:
    """An ellipsoid, nearly; coal climbs along edges to the support of one of many corners."""
    on_ball = np.random.default_rng(corners).standard_normal((corners, 3))
    on_ball /= np.linalg.norm(on_ball, axis=1, keepdims=True)
    return convex_hull(on_ball * [0.15, 0.1, 0.05])


FORMS = (
    coal.Sphere(0.05),
    coal.Capsule(0.04, 0.3),
    coal.Cylinder(0.05, 0.3),
    coal.Box(0.2, 0.1, 0.3),
    _hull(12),
    _hull(200),
    coal.Halfspace(np.array([0.0, 0.6, 0.8]), -0.3),
)


def _every_pair() -> list[Distance]:
    """Of every form, on one of the arm's last two bodies, to every form in the root's frame."""
    wanted = []
    for (i, one), (j, other) in product(enumerate(FORMS[:-1]), enumerate(FORMS)):
        tilted = pinocchio.SE3(pinocchio.exp3(np.array([0.3 * i, 0.5, 0.2 * j])), np.zeros(3))
        at_elbow = pinocchio.SE3(np.eye(3), np.array([0.5, 0.0, 0.2]))
        pair = (Solid(one, tilted), Solid(other, at_elbow))
        wanted.append(Distance((f"form {i}", f"form {j}"), (3 + (i + j) % 2, 0), (pair,)))
    return wanted


KINEMATICS = walled_robot().kinematics()
DISTANCES = _every_pair()
USED = Distances(KINEMATICS, DISTANCES)  # by every example, one after the other


class States(NamedTuple):
    """Positions (N, 4) of the arm, and another order of them."""

    positions: np.ndarray
    order: np.ndarray


def _states(seed: int) -> States:
    random = np.random.default_rng(seed)
    positions = random.uniform([-0.5, -3, -2.6, -2], [0.5, 3, 2.6, 2], (12, 4))
    positions[4:8] = positions[3] + random.uniform(-1e-7, 1e-7, (4, 4))  # as along a slow motion
    positions[8] = np.nan  # must not affect later results either
    return States(positions, random.permutation(len(positions)))


def assert_same_bits(found: np.ndarray, expected: np.ndarray) -> None:
    assert found.shape == expected.shape
    assert found.tobytes() == expected.tobytes()


@given(SEEDS)
def test_distances_are_the_same_in_any_order_of_states(seed: int) -> None:
    positions, order = _states(seed)
    expected = Distances(KINEMATICS, DISTANCES).at(positions)
    assert_same_bits(USED.at(positions[order]), expected[order])
    assert_same_bits(np.vstack([USED.at(one[np.newaxis]) for one in positions]), expected)


@given(SEEDS)
def test_a_distance_does_not_depend_on_the_other_distances_computed(seed: int) -> None:
    positions, _ = _states(seed)
    chosen = np.random.default_rng(seed).permutation(len(DISTANCES))[:7].tolist()
    some = Distances(KINEMATICS, [DISTANCES[number] for number in chosen])
    assert_same_bits(some.at(positions), USED.at(positions)[:, chosen])


@given(SEEDS)
def test_slopes_and_nearest_points_are_the_same_in_any_order_of_states(seed: int) -> None:
    positions, order = _states(seed)
    finite = np.isfinite(positions).all(axis=1)
    positions, order = positions[finite], np.argsort(order[finite])
    wanted = np.random.default_rng(seed).random((len(positions), len(DISTANCES))) < 0.3
    fresh = Distances(KINEMATICS, DISTANCES)
    expected, found = np.zeros((2, *wanted.shape, KINEMATICS.model.nv))
    expected[wanted] = fresh.slopes_at(positions, wanted)
    found[wanted[order]] = USED.slopes_at(positions[order], wanted[order])
    assert_same_bits(found, expected[order])
    number = int(order[0])
    for found, point in zip(
        USED.nearest(number, positions[-1]), fresh.nearest(number, positions[-1]), strict=True
    ):
        assert_same_bits(np.asarray(found), np.asarray(point))


@pytest.mark.parametrize("name", ["scara_coupled", "delta_3", "palletiser"])
def test_margins_are_the_same_in_any_order_of_calls(name: str) -> None:
    """A call closes loops along its positions, from none that an earlier call has reached."""
    robot = load_robot(name, overrides=["workspace.planes.floor={point: [0, 0, -0.9]}"])
    mechanism = robot.mechanism()
    states = np.random.default_rng(0).uniform(-0.3, 0.3, (3, 3, 8, len(robot.joints)))
    motions = [Motion(*state) for state in states]
    fresh = [Workspace(robot, robot.mechanism()).margins(motion) for motion in motions]
    used = Workspace(robot, mechanism)
    for number in (2, 0, 1, 1, 0, 2):
        mechanism.reachable(motions[number].position[::-1])
        assert_same_bits(used.margins(motions[number]), fresh[number])


@pytest.mark.parametrize("seed", range(3))
def test_a_proof_is_the_same_whatever_was_proven_before(seed: int) -> None:
    settings = FourierSettings(base_frequency=0.5, harmonics=2, periods=1, ramp=0.8, seed=seed)
    motion = build_excitation(settings, LIMITS, JOINTS)
    other = build_excitation(settings.model_copy(update={"seed": seed + 1}), LIMITS, JOINTS)
    robot = walled_robot(**SETTINGS)
    results = []
    for before in ((), (other,), (motion, other)):
        mechanism, workspace = robot.mechanism(), walled(**SETTINGS)
        for one in before:
            examine_motion(one, LIMITS, mechanism, workspace)
        results.append(repr(examine_motion(motion, LIMITS, mechanism, workspace)))
    assert results == [results[0]] * 3


@pytest.mark.thorough
def test_a_check_has_the_same_result_in_every_process(tmp_path: Path) -> None:
    file = tmp_path / "excitation.yaml"
    file.write_text(
        "excitation: {type: fourier, base_frequency: 0.2, harmonics: 3, periods: 1, ramp: 1, "
        "span: 0.4}\n"
    )
    options = ["--set", "workspace.self_collision=true", "--set", "workspace.tool_speed=2"]
    command = [sys.executable, "-m", "dynid", "check", str(file), "-p", "puma560", "--json"]
    results = [
        subprocess.run(
            [*command, *options],
            capture_output=True,
            text=True,
            timeout=DEADLINE,
            check=True,
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("1", "2")
    ]
    assert '"pairs"' in results[0]
    assert results[0] == results[1]
