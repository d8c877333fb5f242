"""Files with elastic joints move as dynid's own simulated arm does, under the same torques."""

from __future__ import annotations

import numpy as np
import pytest
from support.elastic_rollouts import (
    ElasticCase,
    difference,
    elastic_case,
    locked_frequency,
    static_deflection,
    torques,
)
from support.small_robot import write_small_robot

CYCLES = 300
DUO = ("elastic.stiffness=[3000,1000]", "elastic.damping=[3,1]")
GRAVITY = "gravity=[-5.0,0.0,-8.4]"  # a tilt along the axis, too
AXIS = ("elastic.stiffness=2e5", "elastic.damping=100", "elastic.rotor_inertia=8", GRAVITY)
START = 0.3
SIZE = {"duo": 2.0, "axis": 100.0, "kr300": [3000, 3000, 2000, 10, 10, 3]}
EQUAL = 1e-3
"""Largest difference for each rms of the deflection: of two integrations by RK4, whose steps are up
to half the inverse of the fastest rate, and of the KR300's wrist, which is rigid in the file and
very stiff in dynid's arm."""


@pytest.fixture(scope="module", params=SIZE)
def moved(request, tmp_path_factory) -> tuple[str, ElasticCase, np.ndarray, np.ndarray]:
    return case_of(request.param, "mjcf", tmp_path_factory.mktemp("robot"))


def case_of(name, to, folder, rotors="[0.3,0.1]"):
    pytest.importorskip("mujoco")
    if name == "duo":
        profile = write_small_robot(folder)
        case = elastic_case(profile, to, *DUO, f"elastic.rotor_inertia={rotors}")
    elif name == "axis":
        case = elastic_case("axis_linear_tilted", to, *AXIS)
    else:
        case = elastic_case("kr300", to, "elastic.backlash=0")
    start = np.full(len(case.arm.rotors), START)
    return name, case, start, torques(case, start, CYCLES, np.asarray(SIZE[name]))


def test_motors_and_links_of_an_mjcf_move_as_the_simulated_arm(moved) -> None:
    _, case, start, torque = moved
    found = difference(case, start, torque)
    assert np.all(found.motor < EQUAL * found.deflection)
    assert np.all(found.link < EQUAL * found.deflection)
    assert np.all(found.travel > 2 * found.deflection)  # so that it is motion that is compared


def test_the_locked_joint_frequency_is_that_of_spring_and_link(moved) -> None:
    _, case, _, _ = moved
    for place in range(len(case.elastic)):
        simulated, expected = locked_frequency(case, place)
        assert simulated == pytest.approx(expected, rel=1e-5)


def test_the_static_deflection_is_gravity_torque_over_stiffness(moved) -> None:
    _, case, start, _ = moved
    found, expected = static_deflection(case, start)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-12)


def test_a_rotor_of_an_sdf_that_nothing_moves_is_exact(tmp_path) -> None:
    _, case, start, torque = case_of("axis", "sdf", tmp_path)
    found = difference(case, start, torque)
    assert np.all(found.link < EQUAL * found.deflection)


def test_the_error_of_an_sdf_is_that_of_carried_rotors(tmp_path) -> None:
    errors = []
    for rotor in (0.02, 0.002):
        _, case, start, torque = case_of("duo", "sdf", tmp_path, f"[0.3,{rotor}]")
        errors.append(difference(case, start, torque).link[0])
        simulated, expected = locked_frequency(case, 1)
        assert simulated == pytest.approx(expected, rel=1e-5)
    # the links' acceleration takes torque J/(J + M), with M = 0.04 kg m^2 here
    assert errors[1] < 0.3 * errors[0]
