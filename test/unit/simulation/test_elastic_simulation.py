"""Simulated robots whose joints bend."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.link_encoders import save_both_encoders, simulate_both_encoders
from support.simulated_puma import EXACT, RATE, ROBOT, largest, puma, short_excitation, targets

from dynid import _core
from dynid.control.ros2_hardware import hardware_tag
from dynid.errors import ConfigurationError
from dynid.profile import load_robot
from dynid.robot.elastic import ElasticSettings
from dynid.robot.robot import Robot
from dynid.simulation.build import plant_arguments
from dynid.simulation.robot import SimulatedRobot
from dynid.simulation.settings import SimulationSettings
from dynid.simulation.simulate import simulate
from dynid_plugins.elastic.identification import identify_elastic
from dynid_plugins.elastic.simulated_arm import ArmState, ElasticArm, simulate_arm
from dynid_plugins.elastic.two_encoders import load_two_encoders

STIFFNESS = np.array([60e3, 60e3, 30e3, 5e3, 5e3, 3e3])
DAMPING = np.array([30.0, 30, 15, 1, 1, 0.1])


def bending(robot: Robot, **changed: object) -> Robot:
    values = {"stiffness": tuple(STIFFNESS), "damping": tuple(DAMPING)} | changed
    return robot.with_settings(ElasticSettings.model_validate(values))


def test_a_robot_at_rest_is_bent_by_gravity_and_stays_so() -> None:
    for changed in ({}, {"backlash": 1e-3}, {"stiffness": 1e11}):
        robot = bending(puma(**EXACT), **changed)
        simulated = SimulatedRobot(robot)
        begin = simulated.truth
        moved = 0.0
        for _ in range(1000):
            state = simulated.step(simulated.home)
            now = simulated.truth
            moved = max(
                moved,
                largest(now.position - begin.position),
                largest(now.motor_position - begin.motor_position),
            )
        assert moved < 1e-9
        np.testing.assert_array_equal(begin.motor_position, simulated.home)
        np.testing.assert_allclose(state.position, simulated.home, rtol=0, atol=1e-12)
        made = plant_arguments(robot, control_rate=RATE)
        links = made.mechanism.with_parameters(made.parameters)
        still = np.zeros(6)
        load = links.inverse_dynamics(begin.position, still, still)
        play = made.settings.joint_backlash / 2
        bent = load / made.settings.joint_stiffness + play * np.sign(load)
        np.testing.assert_allclose(begin.motor_position - begin.position, bent, rtol=0, atol=1e-12)


def reference_arm(robot: Robot) -> ElasticArm:
    """Return the elastic arm in Python with the robot's bodies, rotors and viscous friction."""
    made = plant_arguments(robot, control_rate=RATE)
    mechanism, parameters = made.mechanism, made.parameters.copy()
    first = mechanism.first_term
    viscous = np.zeros(6)
    for place, term in enumerate(mechanism.terms, start=first):
        if term.traits.inertial:
            parameters[place] = 0.0
        elif term.kind == "viscous":
            viscous[term.joint] = parameters[place]
            parameters[place] = 0.0
    none = np.zeros(6)
    return ElasticArm(
        links=mechanism.with_parameters(parameters),
        rotors=made.settings.rotor_inertia,
        stiffness=STIFFNESS,
        damping=DAMPING,
        backlash=none,
        hardening=made.settings.joint_hardening,
        viscous=viscous,
        coulomb=none,
    )


HARDENING = 0.3 * STIFFNESS**3 / np.array([40.0, 80, 20, 4, 4, 2]) ** 2
"""Adds 30 % to the torque of a gear that bends as a linear one does under these."""


def free_of_dry_friction(**changed: object) -> Robot:
    parameters = {
        name: 0.0 if name.startswith(("Fc", "Off")) else value
        for name, value in puma().settings(SimulationSettings).parameters.items()
    }
    return bending(puma(parameters=parameters, stribeck_torque=(0.0,), **EXACT), **changed)


@pytest.mark.parametrize("hardening", [0.0, tuple(HARDENING)], ids=["linear", "hardening"])
def test_motion_converges_to_that_of_the_arm_in_python(hardening: object) -> None:
    """Of second order: a quarter of the error with half the step."""
    robot = free_of_dry_friction(hardening=hardening)
    arm = reference_arm(robot)
    cycles = 200
    time = np.arange(cycles)[:, None] / RATE
    torque = np.array([20.0, 30, 10, 2, 2, 1]) * np.sin(2 * np.pi * 4 * time)
    start = SimulatedRobot(robot).truth
    still = np.zeros((1, 6))
    at_rest = ArmState(start.motor_position[None], start.position[None], still, still)
    finest = 4  # of the reference: cycles in a ms
    run = simulate_arm(
        arm,
        at_rest,
        lambda k, _: torque[None, min(k // finest, cycles - 1)],
        finest * cycles + 1,
        1e-3 / finest,
    )
    errors = []
    for rate in (4e3, 8e3):
        simulation = robot.settings(SimulationSettings).model_copy(
            update={"integration_rate": rate, "command_delay": 0.0, "bandwidth_hz": (1.0,)}
        )
        simulated = SimulatedRobot(robot.with_settings(simulation), mode=_core.DriveMode.torque)
        for now in torque:
            simulated.step(simulated.home, now)
        truth = simulated.truth
        errors.append(
            max(
                largest(truth.position - run.link[-1, 0]),
                largest(truth.motor_position - run.motor[-1, 0]),
            )
        )
    assert largest(run.link[-1] - run.link[0]) > 0.01
    assert errors[0] < 1e-5
    assert 3.5 < errors[0] / errors[1] < 4.5


def test_drives_and_encoders_are_at_the_motors() -> None:
    simulated = SimulatedRobot(bending(puma(feedback_delay=0.0, **EXACT)))
    aims = targets()
    simulated.reset(aims[0])
    bent = 0.0
    for aim in aims:
        state = simulated.step(aim)
        truth = simulated.truth
        np.testing.assert_allclose(state.position, truth.motor_position, rtol=0, atol=1e-12)
        bent = max(bent, largest(truth.motor_position - truth.position))
    assert simulated.fault is None
    assert bent > 5e-4


def test_only_the_named_joints_bend() -> None:
    names = (ROBOT.joints[1], ROBOT.joints[2])
    robot = bending(puma(**EXACT), joints=names, stiffness=(60e3, 30e3), damping=(0.0,))
    simulated = SimulatedRobot(robot)
    simulated.run(targets())
    bent = simulated.truth.motor_position - simulated.truth.position
    assert np.all(bent[[0, 3, 4, 5]] == 0.0)
    assert np.all(bent[[1, 2]] != 0.0)


def test_rotors_are_those_of_the_profile_or_else_of_the_terms() -> None:
    terms = plant_arguments(bending(ROBOT), control_rate=RATE).settings.rotor_inertia
    true = puma().settings(SimulationSettings).parameters
    np.testing.assert_allclose(terms, [true[f"Ia{j + 1}"] for j in range(6)])
    given = plant_arguments(bending(ROBOT, rotor_inertia=2e-4), control_rate=RATE)
    ratios = np.abs(np.array(ROBOT.drives.gear_ratio))
    np.testing.assert_allclose(given.settings.rotor_inertia, 2e-4 * ratios**2)


def test_a_rotor_without_inertia_is_refused() -> None:
    true = puma().settings(SimulationSettings).parameters
    robot = bending(puma(parameters={n: v for n, v in true.items() if n != "Ia2"}))
    with pytest.raises(ConfigurationError, match=r"joint_2.*elastic.rotor_inertia.*'Ia2'"):
        SimulatedRobot(robot)


def test_ros2_control_gets_the_elastic_joints() -> None:
    def written(robot: Robot) -> dict[str | None, str | None]:
        tag = hardware_tag(robot, "simulated", control_rate=RATE)
        return {element.get("name"): element.text for element in tag.iter("param")}

    settings = plant_arguments(bending(ROBOT), control_rate=RATE).settings
    members = ("joint_stiffness", "joint_hardening", "joint_damping", "joint_backlash")
    for name in (*members, "rotor_inertia"):
        values = [float(value) for value in (written(bending(ROBOT))[name] or "").split()]
        assert values == list(getattr(settings, name))
        assert name not in written(ROBOT)


def test_a_profile_with_published_stiffness_is_simulated() -> None:
    simulated = SimulatedRobot(load_robot("kr300"))
    begin = simulated.truth
    bent = begin.motor_position - begin.position
    assert np.all(bent[3:] == 0.0)
    for _ in range(200):
        simulated.step(simulated.home)
    np.testing.assert_allclose(simulated.truth.position, begin.position, rtol=0, atol=1e-9)


@pytest.mark.parametrize("bag", [False, True], ids=["table", "bag"])
def test_identification_finds_the_joint_of_a_simulated_recording(tmp_path: Path, bag: bool) -> None:
    (name,) = load_robot("pendulum").joints
    in_table = "{columns: [link], factor: 1.0e-3, sign: -1.0, offset: 0.1}"
    in_bag = f"{{columns: ['/link_states/position[{name}]']}}"
    robot = load_robot(
        "pendulum",
        overrides=[
            "elastic={rotor_inertia: 0.5, stiffness: 5000, damping: 10, backlash: 4.0e-4}",
            f"elastic.link_position={in_bag if bag else in_table}",
            "drives.gear_ratio=1",
            "identification.cutoff_hz=20",
            "excitation.periods=1",
        ],
    )
    file = tmp_path / ("bag" if bag else "both.csv")
    if bag:
        simulate(robot).save(file)
    else:
        save_both_encoders(*simulate_both_encoders(robot), robot, file)
    (joint,) = identify_elastic(robot, [load_two_encoders(file, robot)]).joints
    assert joint.verdict == "elastic"
    found = [estimate.value for estimate in (joint.stiffness, joint.damping, joint.backlash)]
    assert np.all(np.abs(np.divide(found, [5000, 10, 4e-4]) - 1) < [0.03, 0.1, 0.03])


def test_links_are_those_of_the_motors_where_nothing_bends() -> None:
    robot = puma(**EXACT)
    recording, links = simulate_both_encoders(robot, short_excitation())
    np.testing.assert_allclose(links, recording.position, rtol=0, atol=1e-12)
    once = simulate(robot, short_excitation())
    np.testing.assert_array_equal(recording.effort, once.effort)


def test_a_delay_of_the_link_encoder_leaves_what_both_have(tmp_path: Path) -> None:
    gears = "elastic={rotor_inertia: 0.5, stiffness: 5000, damping: 10}"
    settings = (gears, "drives.gear_ratio=1", "excitation.periods=1")

    def robot(delay: float) -> Robot:
        encoders = f"elastic.link_position={{columns: [link], delay: {delay}}}"
        return load_robot("pendulum", overrides=(*settings, encoders))

    file = tmp_path / "both.csv"
    save_both_encoders(*simulate_both_encoders(robot(0.0)), robot(0.0), file)
    whole = load_two_encoders(file, robot(0.0))
    count = len(whole) - 3
    for delay, motor, link in ((3e-3, 0, 3), (-3e-3, 3, 0)):
        found = load_two_encoders(file, robot(delay))
        for part, of, first in (
            (found.position, whole.position, motor),
            (found.link_position, whole.link_position, link),
        ):
            np.testing.assert_allclose(part, of[first : first + count], rtol=0, atol=1e-6)
