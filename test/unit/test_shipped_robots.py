"""The robots of papers: their base parameters are the papers', in number and in size."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from dynid.dynamics.base_parameters import base_parameterization
from dynid.dynamics.joint_terms import JointTerm
from dynid.dynamics.kinematics import Kinematics
from dynid.dynamics.mechanism import Mechanism
from dynid.files import share_directories
from dynid.profile import load_robot
from dynid.robot.dh.chain import chains_of
from dynid.robot.dh.table import DhTable, read_table
from dynid.simulation.settings import SimulationSettings
from dynid.simulation.true_parameters import true_parameters

G = 9.81


def table(robot: str) -> DhTable:
    return read_table(share_directories()[0] / "config" / "dh" / f"{robot}.yaml")


def true_base_parameters(name: str) -> dict[str, float]:
    """The base parameters of the simulated robot, by name."""
    robot = load_robot(name)
    mechanism = robot.mechanism()
    simulation = robot.find(SimulationSettings)
    assert simulation is not None
    base = base_parameterization(mechanism)
    values = base.project(true_parameters(mechanism, simulation))
    return dict(zip(base.names, values.tolist(), strict=True))


def test_the_pendulum_has_the_ground_truth_of_its_report() -> None:
    base = true_base_parameters("pendulum")
    assert G * base["MX1"] == pytest.approx(24.5250, abs=5e-5)
    assert base["ZZ1"] == pytest.approx(1.6708, abs=5e-5)
    assert base["MY1"] == pytest.approx(0.0, abs=1e-12)


def test_the_sice_arm_has_exactly_the_parameters_of_table_1() -> None:
    base = true_base_parameters("sice")
    expected = {
        "ZZ1R": 0.429,
        "ZZ2": 0.071,
        "MX2": 0.162 / 0.2,  # r over the length of link 1
        "MY2": 0.0,
        "Fv1": 5.236,
        "Fv2": 1.116,
        "Fc1": 3.208,
        "Fc2": 0.743,
    }
    assert base == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("name", ["sice", "scara_2r"])
def test_a_planar_arm_has_four_rigid_base_parameters(name: str) -> None:
    robot = load_robot(name)
    found = base_parameterization(Mechanism(robot.urdf_xml, robot.joints, gravity=robot.gravity))
    assert found.names == ("ZZ1R", "MX2", "MY2", "ZZ2")


# --- the spatial 3R robot ---------------------------------------------------------------------


@dataclass(frozen=True)
class Report:
    """Numbers of the report on the 3R robot, in its own letters, and its coefficients."""

    m2: float = 1.125
    m3: float = 0.75
    length_2: float = 0.3
    length_3: float = 0.2
    d2: float = 0.09
    b: float = 0.15
    c: float = 0.06
    d: float = 0.10

    def coefficients(self) -> list[float]:
        """π1 to π13, and a leading 0 so that they count from 1."""
        i1yy = 4.167e-3
        i2xx, i2yy, i2zz = (self.m2 * value for value in (4.167e-4, 7.708e-3, 7.708e-3))
        i3xx, i3yy, i3zz = (self.m3 * value for value in (4.167e-4, 3.542e-3, 3.542e-3))
        arm_2, arm_3 = self.length_2 - self.b, self.length_3 - self.d
        return [
            0.0,
            i1yy + self.m2 * (self.c + self.d2) ** 2 + self.m3 * self.d2**2,
            self.m2 * arm_2**2 + self.m3 * self.length_2**2 + i2yy,
            i2xx,
            i3yy + self.m3 * arm_3**2,
            i3xx,
            self.m3 * arm_3 * self.length_2,
            i2zz + self.m2 * arm_2**2 + i3zz + self.m3 * (self.length_2**2 + arm_3**2),
            self.m3 * arm_3**2 + i3zz,
            self.m2 * arm_2 * (self.c + self.d2) + self.m3 * self.length_2 * self.d2,
            self.m3 * arm_3 * self.d2,
            G * self.m2 * arm_2,
            G * self.m3 * arm_3,
            G * self.m3 * self.length_2,
        ]


def test_thirteen_coefficients_of_the_report_are_eight_base_parameters() -> None:
    robot = load_robot("spatial_3r")
    mechanism = Mechanism(robot.urdf_xml, robot.joints, gravity=robot.gravity)
    base = base_parameterization(mechanism)
    found = dict(zip(base.names, base.project(mechanism.urdf_parameters), strict=True))
    report = Report()
    p = report.coefficients()
    expected = {
        "ZZ1R": p[1] + p[2] + p[4],
        "MX2R": (p[11] + p[13]) / G,
        "XX2R": p[3] - p[2],
        "XZ2R": p[9] - report.d2 * (p[11] + p[13]) / G,
        "ZZ2R": p[7] - p[8],
        "MX3": p[12] / G,
        "XX3R": p[5] - p[4],
        "ZZ3": p[8],
    }
    assert len(found) == 15
    assert {name: found[name] for name in expected} == pytest.approx(expected, rel=1e-9)
    # two more coefficients are the eighth one again, times known lengths
    assert p[6] == pytest.approx(report.length_2 * p[12] / G)
    assert p[10] == pytest.approx(report.d2 * p[12] / G)
    # and the other seven base parameters are 0 in links as symmetric as the report's
    others = set(found) - set(expected)
    assert others == {"MY2", "XY2", "YZ2", "MY3", "XY3", "XZ3", "YZ3"}
    np.testing.assert_allclose([found[name] for name in others], 0.0, atol=1e-15)


# --- YuMi -------------------------------------------------------------------------------------

FRICTION = ("viscous", "coulomb", "offset")


def yumi_counts(gravity: np.ndarray | tuple[float, ...]) -> tuple[int, int, int]:
    """Base parameters of the bodies, with rotor inertias, and with friction and offsets as well."""
    robot = load_robot("yumi_arm")
    joints = range(len(robot.joints))
    rotors = [JointTerm("rotor_inertia", joint) for joint in joints]
    friction = [JointTerm(kind, joint) for kind in FRICTION for joint in joints]

    def count(terms: list[JointTerm]) -> int:
        mechanism = Mechanism(robot.urdf_xml, robot.joints, gravity=gravity, terms=terms)
        return len(base_parameterization(mechanism).names)

    return count([]), count(rotors), count(rotors + friction)


def test_a_tilted_yumi_arm_has_the_papers_50_of_77_parameters_and_71_with_friction() -> None:
    robot = load_robot("yumi_arm")
    assert yumi_counts(robot.gravity) == (45, 50, 71)


def test_an_upright_yumi_arm_has_two_fewer() -> None:
    (chain,) = chains_of(table("yumi_arm"), "yumi_arm.yaml")
    first_axis = chain.base.rotation[:, 2]
    assert yumi_counts(-G * first_axis) == (43, 48, 69)


def test_the_two_are_the_first_links_first_moments_which_the_paper_identified() -> None:
    # MXR1 and MYR1 are in the paper's Table 3
    robot = load_robot("yumi_arm")
    (chain,) = chains_of(table("yumi_arm"), "yumi_arm.yaml")
    upright = robot.model_copy(update={"gravity": tuple(-G * chain.base.rotation[:, 2])})
    tilted, straight = (
        {name.removesuffix("R") for name in base_parameterization(one.mechanism()).names}
        for one in (robot, upright)
    )
    assert tilted - straight == {"MX1", "MY1"}
    assert straight < tilted


def test_every_parameter_that_the_paper_identified_is_a_base_parameter() -> None:
    # Table 3 names with an R, for regrouped, also where nothing is
    table_3 = """
        ZZ1 MX1 MY1 XX2 XZ2 ZZ2 MX2 MY2 XX3 XY3 XZ3 YZ3 ZZ3 MX3 MY3 XX4 XY4 XZ4 MX4 MY4
        XX5 XY5 XZ5 ZZ5 MX5 MY5 XY6 XZ6 ZZ6 MX6 MY6 YZ7 ZZ7 MY7 Ia3 Ia4 Ia5"""
    robot = load_robot("yumi_arm")
    base = base_parameterization(robot.mechanism())
    assert set(table_3.split()) <= {name.removesuffix("R") for name in base.names}


def test_both_arms_have_twice_the_base_parameters_of_one() -> None:
    robot = load_robot("yumi")
    bodies = Mechanism(robot.urdf_xml, robot.joints, gravity=robot.gravity)
    assert len(base_parameterization(bodies).names) == 2 * 45


def test_the_arms_are_the_same_manipulator_with_two_mirrored_bases() -> None:
    (arm,) = table("yumi_arm").all_chains
    left, right = table("yumi").all_chains
    assert left.rows == right.rows == arm.rows
    assert right.base == arm.base
    mirror = np.diag([1.0, -1.0, 1.0])
    one, other = (chain.base for chain in chains_of(table("yumi"), "yumi.yaml"))
    np.testing.assert_allclose(mirror @ one.translation, other.translation, atol=1e-12)
    np.testing.assert_allclose(mirror @ one.rotation @ mirror, other.rotation, atol=1e-12)


# --- published arms ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "upper_arm", "forearm", "offsets"),
    [
        ("ur3e", 0.24355, 0.2132, (0.15185, 0.13105, 0.08535, 0.0921)),
        ("ur5e", 0.425, 0.3922, (0.1625, 0.1333, 0.0997, 0.0996)),
        ("ur10e", 0.6127, 0.57155, (0.1807, 0.17415, 0.11985, 0.11655)),
        ("ur16e", 0.4784, 0.36, (0.1807, 0.17415, 0.11985, 0.11655)),
        ("ur20", 0.862, 0.7287, (0.2363, 0.2010, 0.1593, 0.1543)),
    ],
)
def test_arms_of_universal_robots_reach_where_their_closed_form_does(
    name: str, upper_arm: float, forearm: float, offsets: tuple[float, ...]
) -> None:
    kinematics = Kinematics(load_robot(name).mechanism())
    d1, d4, d5, d6 = offsets
    # at zero the arm is stretched to the front, the flange to the left, the wrist down
    stretched = [upper_arm + forearm, d4 + d6, d1 - d5]
    # shoulder at -90 deg: upright, the wrist to the front
    upright = [d5, d4 + d6, d1 + upper_arm + forearm]
    found = kinematics.tool_path([np.zeros(6), [0, -np.pi / 2, 0, 0, 0, 0]])
    assert np.allclose(found, [stretched, upright], atol=1e-9)


def test_fr3_is_a_panda_with_other_limits() -> None:
    panda, fr3 = load_robot("panda"), load_robot("fr3")
    poses = [[0.1, -0.3, 0.2, -1.5, 0.4, 1.9, -0.2], [0.0, 0.0, 0.0, -0.5, 0.0, 1.0, 0.0]]
    paths = [Kinematics(one.mechanism()).tool_path(poses) for one in (panda, fr3)]
    assert np.allclose(*paths)
    assert fr3.limits.velocity != panda.limits.velocity


@pytest.mark.parametrize("name", ["fr3", "ur3e", "ur5e", "ur16e", "ur20"])
def test_profile_and_urdf_of_a_published_arm_have_the_limits_of_its_table(name: str) -> None:
    robot, (chain,) = load_robot(name), chains_of(table(name), name)
    assert robot.limits.velocity is not None
    assert robot.limits.position is not None
    for joint, link in enumerate(chain.links):
        limits = link.limits
        assert robot.joints[joint] == link.joint
        assert robot.limits.velocity[joint] == pytest.approx(limits.velocity, abs=0.006)
        assert robot.limits.position[joint] == pytest.approx(limits.position, abs=0.004)
        assert robot.limits.range_of("torque_max", joint) == pytest.approx(
            (-limits.torque, limits.torque)
        )
