"""LuGre friction in MuJoCo's DC motors, stepped along a motion, against the core."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize_scalar
from support.simulator_models import USERS_MJCF, model_with_terms, random_motion

from dynid.dynamics.joint_terms import JointTerm
from dynid.excitation.motion import Motion
from dynid.robot.model import Model
from dynid_plugins.simulators import simulated_terms
from dynid_plugins.simulators.export import export_along
from dynid_plugins.simulators.mujoco_model import MujocoModel

mujoco = pytest.importorskip("mujoco")

LUGRE = "{kind: lugre, scale: 0.003, static_ratio: 0.4, stribeck_velocity: 0.05}"
STEP = 0.001


def model_with_bristles(friction: str = LUGRE) -> Model:
    return model_with_terms(terms=f"[viscous, rotor_inertia, {friction}]")


def swinging(model: Model, count: int = 400) -> Motion:
    """A motion that reverses, whose velocity at a sample is that since the one before."""
    time = STEP * np.arange(count)[:, None]
    rates = 2 * np.pi * (2.0 + np.arange(len(model.robot.joints)))
    position = 0.3 * np.sin(rates * time)
    velocity = np.vstack([np.zeros_like(position[:1]), np.diff(position, axis=0) / STEP])
    return Motion(position, velocity, -(rates**2) * position)


def torque_in_mujoco(text: str, joints: tuple[str, ...], motion: Motion) -> np.ndarray:
    """Return torques that move a file's robot, with the friction of its actuators along it."""
    read = MujocoModel(text, Path("robot.xml"))
    torque = read.inverse_dynamics(joints, motion)
    model, data = read.model, mujoco.MjData(read.model)
    model.opt.timestep = STEP
    for number, (_, after) in enumerate(pairwise(range(len(torque))), start=1):
        data.qpos[:] = motion.position[number - 1]
        data.qvel[:] = motion.velocity[after]  # kept until the next sample
        mujoco.mj_step(model, data)
        mujoco.mj_forward(model, data)
        torque[number] -= data.qfrc_actuator
    return torque


@pytest.mark.parametrize(
    ("robot", "terms"),
    [
        ("spatial_3r", f"[viscous, rotor_inertia, {LUGRE}]"),
        ("scara_coupled", f"[{LUGRE[:-1]}, side: motor}}]"),  # of a motor, act on its joint
    ],
)
def test_mujoco_computes_the_torque_of_the_model_with_lugre_friction(
    robot: str, terms: str
) -> None:
    model = model_with_terms(robot, terms=terms)
    motion = swinging(model)
    export = export_along(model, "mujoco-dcmotor", motion)
    if robot == "spatial_3r":
        assert export.exported.replaced == ()
        assert export.exported.error.max() < 1e-9
        assert export.difference < 1e-9  # of inverse dynamics, which has no actuators
    found = torque_in_mujoco(export.text, model.mechanism.joints, motion)
    wanted = model.mechanism.inverse_dynamics(*motion)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-6 * np.abs(wanted).max())


@pytest.mark.parametrize(
    ("friction", "sentence"),
    [
        ("{kind: presliding, scale: 0.01}", "LuGre friction in place of presliding friction"),
        (LUGRE.replace("}", ", dead_band: 0.001}"), "no play of presliding friction"),
    ],
)
def test_friction_that_a_dc_motor_has_only_nearly_is_named_with_its_error(
    friction: str, sentence: str
) -> None:
    model = model_with_bristles(friction)
    motion = swinging(model)
    export = export_along(model, "mujoco-dcmotor", motion)
    assert any(sentence in one for one in export.exported.replaced)
    # what MuJoCo computes has the error that the export states
    found = torque_in_mujoco(export.text, model.mechanism.joints, motion)
    difference = found - model.mechanism.inverse_dynamics(*motion)
    error = np.sqrt(np.mean(difference**2, axis=0))
    np.testing.assert_allclose(error, export.exported.error, rtol=1e-6)
    plain = export_along(model, "mjcf", motion)
    assert (export.exported.error < 0.5 * plain.exported.error).all()


def test_a_users_file_gets_them_once_among_its_own_actuators() -> None:
    model = model_with_bristles()
    motion = random_motion(model)
    text = USERS_MJCF
    names = {f"joint_{number}": f"arm/joint_{number}" for number in (1, 2, 3)}
    for _ in range(2):
        export = export_along(
            model, "mujoco-dcmotor", motion, into=(text, Path("mine.xml")), names=names
        )
        text = export.text
    assert '<position joint="arm/joint_1" kp="10"/>' in text
    assert text.count("<dcmotor") == 3
    assert text.count('joint="arm/joint_2"') == 1


def test_bristles_in_place_of_a_stop_have_the_least_squared_difference() -> None:
    stretch = np.linspace(0.0, 20.0, 200001)
    stop = JointTerm("presliding", 0, scale=1.0)

    def difference(stiffness: float) -> float:
        bristles = JointTerm("lugre", 0, scale=1.0 / stiffness)
        columns = [
            one.column(velocity=np.ones_like(stretch), position=stretch) for one in (stop, bristles)
        ]
        return float(np.mean((columns[0] - columns[1]) ** 2))

    best = minimize_scalar(difference, bounds=(1.0, 3.0), method="bounded").x
    assert best == pytest.approx(simulated_terms._STOP_AS_BRISTLES, abs=0.002)
