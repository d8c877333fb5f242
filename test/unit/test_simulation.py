"""The simulated robot obeys mechanics, stands still truly, and is measured as a real one."""

from __future__ import annotations

import re
from functools import cache

import numpy as np
import pinocchio
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynid.configuration import parse
from dynid.demo import dry
from dynid.errors import ConfigurationError, SimulationError
from dynid.excitation import Excitation, FourierSettings, SineSettings, build_excitation
from dynid.limits import Limits
from dynid.mechanism import JointTerm, Mechanism
from dynid.profile import load_profile
from dynid.simulation import (
    DryFriction,
    SimulatedMotion,
    SimulationSettings,
    integrate,
    measure,
    simulate,
    true_parameters,
)

PROFILE, URDF = load_profile("puma560")
TWIN = PROFILE.simulation or SimulationSettings()
MECHANISM = dry(PROFILE).mechanism(URDF)
NO_FRICTION = SimulationSettings(
    parameters={name: value for name, value in TWIN.parameters.items() if name.startswith("Ia")}
)

PENDULUM = """
<robot name="pendulum">
  <link name="base"/>
  <link name="bob"><inertial><mass value="2"/><origin xyz="0.5 0 0"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="axis" type="revolute"><parent link="base"/><child link="bob"/>
    <axis xyz="0 1 0"/><limit lower="-3" upper="3" velocity="9" effort="99"/></joint>
</robot>
"""


def pendulum(*terms: JointTerm, gravity: float = -9.81) -> Mechanism:
    return Mechanism(PENDULUM, ["axis"], gravity=(0, 0, gravity), terms=terms)


@cache
def short_excitation() -> Excitation:
    settings = FourierSettings(base_frequency=0.5, harmonics=3, periods=1, ramp=0.5, seed=2)
    return build_excitation(settings, PROFILE.limits, PROFILE.joints)


def resting(position: float, joints: int = 1) -> Excitation:
    settings = SineSettings(start=position, target=position, frequency=1, duration=1, ramp=0.1)
    return build_excitation(settings, Limits(), [str(i) for i in range(joints)])


def swinging(target: float, frequency: float = 0.5) -> Excitation:
    settings = SineSettings(start=0, target=target, frequency=frequency, duration=4, ramp=0.5)
    return build_excitation(settings, Limits(), ["axis"])


@cache
def puma_motion() -> SimulatedMotion:
    return integrate(MECHANISM, short_excitation(), TWIN, 1000.0)


def residual(motion: SimulatedMotion, mechanism: Mechanism, true: np.ndarray) -> np.ndarray:
    """Return what motor torque is not explained by the true model at the true state (N, n)."""
    state = (motion.position, motion.velocity, motion.acceleration)
    return motion.torque - mechanism.torque(*state, true)


def largest(values: np.ndarray) -> float:
    return float(np.max(np.abs(values)))


# --- mechanics -------------------------------------------------------------------------------


def test_the_motion_obeys_the_true_model_while_joints_move() -> None:
    settings = TWIN.model_copy(update={"stribeck_torque": (0.0,)})
    motion = integrate(MECHANISM, short_excitation(), settings, 1000.0)
    errors = residual(motion, MECHANISM, true_parameters(MECHANISM, settings))
    # the scheme's error is of the order of (step / shortest time constant)^2 of the torques
    moving = np.abs(motion.velocity) > 0.05
    assert largest(errors[moving]) < 1e-3 * largest(motion.torque)


def test_the_integration_is_of_second_order() -> None:
    errors = []
    for rate in (1000.0, 2000.0):
        settings = NO_FRICTION.model_copy(update={"integration_rate": rate})
        motion = integrate(MECHANISM, short_excitation(), settings, 1000.0)
        errors.append(largest(residual(motion, MECHANISM, true_parameters(MECHANISM, settings))))
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.2)


def test_motor_work_is_stored_or_lost_to_friction() -> None:
    motion = puma_motion()
    step = motion.time[1]
    true = true_parameters(MECHANISM, TWIN)
    body = MECHANISM.with_parameters(true)
    velocity = motion.velocity
    kinetic = np.einsum("ti,tij,tj->t", velocity, body.mass_matrix(motion.position), velocity) / 2
    model = pinocchio.buildModelFromXML(URDF)
    data = model.createData()
    potential = [pinocchio.computePotentialEnergy(model, data, q) for q in motion.position]
    energy = kinetic + np.array(potential)
    friction = body.term_torque(motion.position, velocity, np.zeros_like(velocity))
    excess = np.exp(-((velocity / TWIN.stribeck_velocity[0]) ** 2)) * np.sign(velocity)
    lost = friction + np.array(TWIN.stribeck_torque) * excess
    power = np.sum((motion.torque - lost) * velocity, axis=1)
    work = np.concatenate([[0.0], np.cumsum((power[1:] + power[:-1]) / 2 * step)])
    assert largest(work - (energy - energy[0])) < 1e-3 * np.ptp(energy)


def test_a_pendulum_held_level_takes_the_torque_of_its_weight() -> None:
    motion = integrate(pendulum(), resting(0.0), SimulationSettings(), 1000.0)
    assert motion.torque[-1, 0] == pytest.approx(-2 * 9.81 * 0.5)  # about y, x points down


def test_motor_and_joint_friction_slow_the_joints_that_the_coupling_names() -> None:
    coupling = np.eye(6)
    coupling[5, 4] = 1.0
    terms = (JointTerm("coulomb", 5, side="motor"), JointTerm("coulomb", 0))
    mechanism = Mechanism(URDF, PROFILE.joints, coupling=coupling, terms=terms)
    true = mechanism.with_parameters([*mechanism.urdf_parameters[:60], 1.5, 2.0])
    friction = DryFriction(true, np.zeros(6), np.ones(6))
    velocity = np.array([0.3, 0, 0, 0, 0.4, -0.1])
    torque = true.term_torque(np.zeros(6), velocity, np.zeros(6))
    surfaces = friction.solve(friction.directions.T @ velocity, 1e-9 * np.eye(2))
    assert np.allclose(friction.directions @ surfaces, torque)


# --- dry friction -----------------------------------------------------------------------------


@given(seed=st.integers(0, 10_000), smoothing=st.sampled_from([0.0, 0.01, 0.3]))
def test_friction_fits_the_velocity_it_leads_to(seed: int, smoothing: float) -> None:
    random = np.random.default_rng(seed)
    terms = [JointTerm("coulomb", joint, smoothing=smoothing) for joint in range(6)]
    mechanism = Mechanism(URDF, PROFILE.joints, terms=terms)
    level = random.uniform(0.1, 2.0, 6)
    true = mechanism.with_parameters([*mechanism.urdf_parameters[:60], *level])
    friction = DryFriction(true, np.zeros(6), np.ones(6))
    root = random.normal(size=(6, 6))
    mobility = root @ root.T / 6 + 0.1 * np.eye(6)
    for _ in range(3):  # the second and third step start from the torques of the one before
        free = random.normal(size=6) * random.choice([0.1, 1.0, 10.0])
        torque = friction.solve(free, mobility)
        velocity = free - mobility @ torque
        if smoothing:
            # the solver's tolerance of 1e-9, through slow convergence and a steep tanh
            assert np.allclose(torque, level * np.tanh(velocity / smoothing), atol=1e-4)
        else:
            assert np.all(np.abs(torque) <= level + 1e-9)
            slides = np.abs(velocity) > 1e-6
            assert np.allclose(torque[slides], (level * np.sign(velocity))[slides], atol=1e-6)


def test_a_load_below_coulomb_friction_does_not_creep() -> None:
    mechanism = pendulum(JointTerm("coulomb", 0))
    settings = SimulationSettings(parameters={"Fc1": 12.0}, feedforward="none", bandwidth_hz=1)
    motion = integrate(mechanism, resting(0.0), settings, 1000.0)
    assert not motion.velocity.any()  # 9.81 N m of weight against 12 N m


def test_a_load_above_coulomb_friction_moves_the_joint() -> None:
    mechanism = pendulum(JointTerm("coulomb", 0))
    settings = SimulationSettings(parameters={"Fc1": 8.0}, feedforward="none", bandwidth_hz=1)
    motion = integrate(mechanism, resting(0.0), settings, 1000.0)
    assert motion.acceleration[0, 0] == pytest.approx((9.81 - 8.0) / 0.51, rel=1e-6)


def test_a_joint_stands_still_between_reversals_instead_of_chattering() -> None:
    mechanism = pendulum(JointTerm("coulomb", 0), gravity=0.0)
    settings = SimulationSettings(parameters={"Fc1": 5.0})
    velocity = integrate(mechanism, swinging(1.0), settings, 1000.0).velocity[:, 0]
    signs = np.sign(velocity[velocity != 0])
    assert np.mean(velocity == 0) > 0.02
    assert np.count_nonzero(np.diff(signs)) <= 10  # a reversal each second, not each step


def test_friction_at_rest_exceeds_coulomb_friction_by_stribecks() -> None:
    mechanism = pendulum(JointTerm("coulomb", 0))
    settings = SimulationSettings(
        parameters={"Fc1": 8.0}, stribeck_torque=2.0, feedforward="none", bandwidth_hz=1
    )
    motion = integrate(mechanism, resting(0.0), settings, 1000.0)
    assert not motion.velocity.any()  # 8 N m alone would not hold 9.81 N m


def test_friction_may_differ_between_directions() -> None:
    terms = (JointTerm("coulomb_positive", 0), JointTerm("coulomb_negative", 0))
    mechanism = pendulum(*terms).with_parameters([*pendulum().urdf_parameters, 3.0, 5.0])
    for velocity, expected in ((1.0, 3.0), (-1.0, -5.0)):
        friction = DryFriction(mechanism, np.zeros(1), np.ones(1))
        assert friction.solve(np.array([velocity]), np.array([[0.01]]))[0] == expected


# --- the position loop --------------------------------------------------------------------------


def test_tracking_is_as_good_as_stiffness_allows_and_not_better() -> None:
    motion = puma_motion()
    error = np.abs(motion.reference.position - motion.position)
    body = MECHANISM.with_parameters(true_parameters(MECHANISM, TWIN))
    inertia = np.diagonal(body.mass_matrix(motion.reference.position), axis1=1, axis2=2)
    stiffness = inertia.mean(axis=0) * (2 * np.pi * TWIN.bandwidth_hz[0]) ** 2
    unaided = body.inverse_dynamics(*motion.reference)
    unaided = unaided - MECHANISM.gravity_torque(motion.reference.position)
    static = np.max(np.abs(unaided), axis=0) / stiffness
    assert np.all(error.max(axis=0) < 2 * static)
    assert np.all(error.max(axis=0) > 0.3 * static)


def test_a_better_feedforward_tracks_better() -> None:
    errors = []
    for feedforward in ("none", "gravity", "inverse_dynamics"):
        settings = NO_FRICTION.model_copy(update={"feedforward": feedforward})
        motion = integrate(MECHANISM, short_excitation(), settings, 1000.0)
        errors.append(np.sqrt(np.mean((motion.reference.position - motion.position)[:, 1] ** 2)))
    assert errors[0] > errors[1] > errors[2]


def test_a_lost_position_loop_is_told_in_a_sentence() -> None:
    settings = SimulationSettings(bandwidth_hz=900)
    with pytest.raises(SimulationError, match=r"joint 'axis': the simulated position loop lost"):
        integrate(pendulum(), swinging(1.0), settings, 1000.0)


def test_the_robot_rests_before_and_after() -> None:
    motion = puma_motion()
    assert motion.time[-1] == pytest.approx(short_excitation().duration + 2 * TWIN.rest)
    early = motion.time < TWIN.rest
    assert largest(motion.velocity[early]) < 1e-9


# --- the measurement ----------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_recording() -> None:
    first, second = (
        simulate(MECHANISM, short_excitation(), TWIN, sampling_rate=250.0, seed=5) for _ in range(2)
    )
    assert np.array_equal(first.effort, second.effort)
    assert np.array_equal(first.position, second.position)


def test_another_seed_gives_other_noise_on_the_same_motion() -> None:
    first, second = (
        measure(puma_motion(), TWIN, MECHANISM.joints, sampling_rate=1000.0, seed=seed)
        for seed in (0, 1)
    )
    assert np.array_equal(first.position, second.position)
    assert not np.array_equal(first.effort, second.effort)


def test_positions_and_efforts_are_whole_steps() -> None:
    motion = puma_motion()
    recording = measure(motion, TWIN, MECHANISM.joints, sampling_rate=1000.0)
    for values, step in (
        (recording.position, np.array(TWIN.position_resolution)),
        (recording.effort, np.array(TWIN.torque_resolution)),
    ):
        assert np.allclose(values / step, np.round(values / step), atol=1e-6)
    assert np.all(np.abs(recording.position - motion.position) <= step_half(TWIN))


def step_half(settings: SimulationSettings) -> np.ndarray:
    return np.array(settings.position_resolution) / 2 + 1e-12


def test_noise_has_the_deviation_that_was_asked_for() -> None:
    motion = puma_motion()
    settings = TWIN.model_copy(update={"torque_resolution": (0.0,)})
    noise = measure(motion, settings, MECHANISM.joints, sampling_rate=1000.0).effort - motion.torque
    # a deviation from N samples is uncertain by 1 / sqrt(2 N); four of these
    tolerance = 4 / np.sqrt(2 * len(motion.time))
    assert np.allclose(noise.std(axis=0) / settings.torque_noise, 1.0, atol=tolerance)


def test_without_noise_and_steps_the_recording_is_the_truth() -> None:
    motion = puma_motion()
    settings = SimulationSettings()
    recording = measure(motion, settings, MECHANISM.joints, sampling_rate=1000.0)
    assert np.array_equal(recording.position, motion.position)
    assert np.array_equal(recording.effort, motion.torque)
    assert recording.joint_names == MECHANISM.joints


def test_a_slower_recording_is_every_nth_sample_of_the_same_motion() -> None:
    slow = integrate(MECHANISM, short_excitation(), TWIN, 125.0)
    fast = puma_motion()
    assert np.allclose(slow.position, fast.position[::8], atol=1e-9)
    assert np.allclose(slow.torque, fast.torque[::8], atol=1e-6)


# --- settings -----------------------------------------------------------------------------------


def test_true_parameters_are_the_urdfs_but_for_those_named() -> None:
    settings = SimulationSettings(parameters={"Fv3": 4.0, "M6": 0.5})
    true = dict(zip(MECHANISM.parameter_names, true_parameters(MECHANISM, settings), strict=True))
    assert true["Fv3"] == 4.0
    assert true["M6"] == 0.5
    assert true["M2"] == 17.4
    assert true["Fc1"] == 0.0


def test_an_unknown_parameter_is_refused_with_the_nearest_name() -> None:
    settings = SimulationSettings(parameters={"Fvv3": 4.0})
    with pytest.raises(ConfigurationError, match="no parameter 'Fvv3' in this model; did you mean"):
        true_parameters(MECHANISM, settings)


def test_friction_that_drives_is_refused() -> None:
    settings = SimulationSettings(parameters={"Fc2": -1.0})
    with pytest.raises(ConfigurationError, match="coulomb friction of joint 2 is -1, but must not"):
        integrate(MECHANISM, short_excitation(), settings, 1000.0)


def test_friction_with_a_memory_is_refused() -> None:
    mechanism = pendulum(JointTerm("presliding", 0, scale=0.01))
    name = mechanism.parameter_names[-1]
    settings = SimulationSettings(parameters={name: 1.0})
    with pytest.raises(ConfigurationError, match=re.escape(f"{name} (presliding) cannot be")):
        integrate(mechanism, resting(0.0), settings, 1000.0)
    integrate(mechanism, resting(0.0), SimulationSettings(), 1000.0)  # 0 is no friction


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ({"torque_noise": [0.1, -0.1]}, "must not be negative, got -0.1"),
        ({"bandwith_hz": 3}, "unknown key 'bandwith_hz'; did you mean 'bandwidth_hz'"),
        ({"feedforward": "all"}, "feedforward"),
    ],
)
def test_impossible_settings_are_refused_in_a_sentence(content: dict, sentence: str) -> None:
    with pytest.raises(ConfigurationError, match=re.escape(sentence)):
        parse(SimulationSettings, content, "p.yaml")


def test_a_wrong_number_of_values_is_refused() -> None:
    settings = SimulationSettings(torque_noise=(0.1, 0.2))
    with pytest.raises(ConfigurationError, match="'torque_noise' has 2 values, expected 1 or 6"):
        measure(puma_motion(), settings, MECHANISM.joints, sampling_rate=1000.0)
