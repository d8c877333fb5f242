"""Drives that are derived from bodies and limits, for a profile without ``simulation``."""

from __future__ import annotations

import re

import numpy as np
import pytest
from support.small_robot import URDF

from dynid.dynamics.joint_terms import TermSettings
from dynid.errors import ConfigurationError
from dynid.identification.identify import identify
from dynid.profile import load_robot, make_robot
from dynid.robot.robot import Robot
from dynid.simulation.build import plant_arguments
from dynid.simulation.derived import derived_simulation, deviating_bodies
from dynid.simulation.rehearsal import rehearsal
from dynid.simulation.settings import SimulationSettings
from dynid.simulation.simulate import simulate

CONTENT = {"robot": "duo", "urdf": "duo.urdf", "joints": ["shoulder", "elbow"]}
LIMITS = {"position": [[-2.0, 2.0]] * 2, "velocity": [4.0, 5.0]}


def duo(urdf: str = URDF, **limits: object) -> Robot:
    return make_robot({**CONTENT, "limits": {**LIMITS, **limits}}, urdf)


def test_a_rotor_has_the_inertia_of_its_load() -> None:
    robot = load_robot("pendulum")  # its inertia about the joint is 1.6708 in every position
    derived = derived_simulation(robot)
    assert derived.parameters["Ia1"] == pytest.approx(0.42083 + 5 * 0.5**2, rel=1e-3)


def test_rated_torque_is_the_root_mean_square_of_gravity_and_inertia() -> None:
    derived = derived_simulation(load_robot("pendulum"))
    # means over uniform distributions: of q in 2.5, of an acceleration in 2 pi 1/s * pi rad/s
    gravity = (5 * 9.81 * 0.5) ** 2 * (0.5 - np.sin(5.0) / 10)
    inertia = (2 * 1.6708 * 2 * np.pi * np.pi) ** 2 / 3
    assert derived.rated_torque is not None
    # 500 random states: 3 % is the standard deviation of such a mean square
    assert derived.rated_torque[0] == pytest.approx(np.sqrt(gravity + inertia), rel=0.1)
    assert derived.parameters["Fc1"] == pytest.approx(0.1 * derived.rated_torque[0], rel=1e-3)
    assert derived.parameters["Fv1"] == pytest.approx(derived.parameters["Fc1"] / np.pi, rel=1e-3)


def test_a_robot_of_twice_the_mass_has_twice_the_drives() -> None:
    def doubled(found: re.Match[str]) -> str:
        return f'{found[1]}="{2 * float(found[2])}"'

    heavy = re.sub(r'(value|i[xyz][xyz])="([-\d.]+)"', doubled, URDF)
    light, twice = (derived_simulation(duo(urdf)) for urdf in (URDF, heavy))
    for name, value in light.parameters.items():
        assert twice.parameters[name] == pytest.approx(2 * value, rel=1e-3)
    assert np.allclose(twice.torque_noise, 2 * np.array(light.torque_noise), rtol=1e-3)
    assert twice.following_error == light.following_error


def test_rated_torque_is_that_of_the_drives_and_within_torque_max() -> None:
    assert derived_simulation(duo(torque_max=[0.5, 0.25])).rated_torque == (0.5, 0.25)
    drives = {"torque_constant": 0.1, "rated_current_ma": 2000, "gear_ratio": [100, -50]}
    robot = make_robot({**CONTENT, "limits": LIMITS, "drives": drives}, URDF)
    assert derived_simulation(robot).rated_torque == pytest.approx((20.0, 10.0))


def test_derived_drives_have_rotors_whatever_terms_the_model_has() -> None:
    robot = duo().with_terms([TermSettings(kind="viscous")])
    made = plant_arguments(robot, control_rate=1000.0)
    true = dict(zip(made.mechanism.parameter_names, made.parameters.tolist(), strict=True))
    assert {name: true[name] for name in derived_simulation(robot).parameters} == pytest.approx(
        derived_simulation(robot).parameters
    )


@pytest.mark.parametrize("name", ["scara", "delta_3", "axis_linear"])
def test_the_bodies_of_a_rehearsal_are_5_to_15_percent_off_those_of_the_urdf(name: str) -> None:
    robot = load_robot(name).without_settings(SimulationSettings)
    mechanism = robot.mechanism()
    stated = dict(zip(mechanism.parameter_names, mechanism.urdf_parameters.tolist(), strict=True))
    true = deviating_bodies(robot)
    assert true.keys() == {key for key, value in stated.items() if value and key in true}
    factors = {key: value / stated[key] for key, value in true.items()}
    for body in {re.sub(r"\D", "", key) for key in true}:
        of_body = [value for key, value in factors.items() if re.sub(r"\D", "", key) == body]
        assert np.allclose(of_body, of_body[0], rtol=1e-3)
        assert 0.049 < abs(of_body[0] - 1) < 0.151
    parameters = rehearsal(robot).robot.settings(SimulationSettings).parameters
    assert {key: parameters[key] for key in true} == true
    assert deviating_bodies(robot) == true


def shaped(shape: str, inertial: str = "", effort: float = 300.0) -> str:
    """Return the URDF with a shape at each moving link, and another ``<inertial>`` or none."""
    urdf = re.sub('effort="[0-9.]+"', f'effort="{effort}"', URDF)
    geometry = f'<origin xyz="0.1 0 0"/><geometry>{shape}</geometry>'
    return re.sub(
        r"<inertial>.*?</inertial>",
        f"{inertial}<collision>{geometry}</collision>",
        urdf,
        flags=re.DOTALL,
    )


@pytest.mark.parametrize(
    ("shape", "volume"),
    [
        ('<box size="0.3 0.1 0.1"/>', 3e-3),
        ('<cylinder radius="0.05" length="0.3"/>', np.pi * 0.05**2 * 0.3),
        ('<sphere radius="0.1"/>', 4 / 3 * np.pi * 1e-3),
    ],
)
def test_bodies_without_inertia_have_that_of_their_shapes(shape: str, volume: float) -> None:
    parameters = derived_simulation(duo(shaped(shape))).parameters
    for body in (1, 2):
        assert parameters[f"M{body}"] == pytest.approx(1000 * volume, rel=1e-3)
        assert parameters[f"MX{body}"] == pytest.approx(100 * volume, rel=1e-3)
    assert parameters["Ia2"] == pytest.approx(parameters["ZZ2"], rel=1e-3)


def test_assumed_bodies_are_as_light_as_the_drives_need() -> None:
    strong, weak, weakest = (
        derived_simulation(duo(shaped('<box size="0.3 0.1 0.1"/>', effort=effort))).parameters
        for effort in (300.0, 6.0, 3.0)
    )
    assert strong["M1"] > weak["M1"]
    assert weak["M1"] == pytest.approx(2 * weakest["M1"], rel=1e-3)
    assert weak["MX2"] / strong["MX2"] == pytest.approx(weak["M1"] / strong["M1"], rel=1e-3)


@pytest.mark.parametrize(
    "inertia",
    [
        '<inertia ixx="0" iyy="0" izz="0" ixy="0" ixz="0" iyz="0"/>',
        '<inertia ixx="0" iyy="0" izz="-9" ixy="0" ixz="0" iyz="0"/>',
    ],
    ids=["zero", "negative"],
)
def test_bodies_with_a_mass_alone_keep_it(inertia: str) -> None:
    inertial = f'<inertial><mass value="2"/><origin xyz="0 0 0.01"/>{inertia}</inertial>'
    urdf = shaped('<box size="0.3 0.1 0.1"/>', inertial)
    parameters = derived_simulation(duo(urdf)).parameters
    assert (parameters["M2"], parameters["MZ2"]) == pytest.approx((2.0, 0.02))
    assert parameters["ZZ2"] == pytest.approx(2 / 12 * (0.3**2 + 0.1**2), rel=1e-3)


def test_bodies_without_inertia_and_shapes_have_that_of_the_capsules_drawn() -> None:
    massless = re.sub(r"<inertial>.*?</inertial>", "", URDF, flags=re.DOTALL)
    parameters = derived_simulation(duo(massless)).parameters
    assert min(parameters[name] for name in ("M1", "M2", "Ia1", "Ia2")) > 0


def test_a_massless_body_that_a_joint_does_not_lack_stays_massless() -> None:
    massless = re.sub(r"<inertial>.*?</inertial>", "", URDF, count=1, flags=re.DOTALL)
    assert not {"M1", "M2"} & derived_simulation(duo(massless)).parameters.keys()


def test_a_joint_that_moves_no_inertia_is_named() -> None:
    flat = shaped('<box size="0.3 0.1 0"/>')
    with pytest.raises(ConfigurationError, match=r"'shoulder': the bodies .* add their <inertial>"):
        derived_simulation(duo(flat))


@pytest.mark.thorough
def test_a_robot_without_inertia_is_rehearsed_and_identified() -> None:
    made = rehearsal(duo(shaped('<box size="0.3 0.1 0.1"/>')))
    (sentence,) = (one for one in made.assumed if "no complete <inertial>" in one)
    assert "shoulder and elbow carry" in sentence
    assert "6 kg together" in sentence
    assert not any("differs from the URDF's" in one for one in made.assumed)
    assert identify(made.robot, simulate(made.robot)).verdict.success


def test_what_is_assumed_is_stated_and_only_that() -> None:
    assert rehearsal(load_robot("puma560")).assumed == ()
    robot = load_robot("puma560").without_settings(SimulationSettings)
    (sentence,) = rehearsal(robot).assumed
    assert "derived from bodies and limits, not measured" in sentence
    assert "each mass differs from the URDF's" in sentence
    made = rehearsal(duo())
    assert len(made.assumed) == 2
    assert made.robot.find(SimulationSettings) is not None
    assert "Limits kept" in made.assumed[0]


def test_a_urdf_alone_is_simulated_and_identified() -> None:
    robot = duo(torque_max=[60.0, 30.0])
    terms = ("viscous", "coulomb", "rotor_inertia")
    robot = robot.with_terms([TermSettings(kind=kind) for kind in terms])
    identification = identify(robot, simulate(robot))
    assert identification.verdict.success
    assert max(joint.relative_error for joint in identification.verdict.joints) < 0.05
