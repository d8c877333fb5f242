"""Faults that users make, on recordings of a simulated arm: each named, and none where none is."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from synthetic import ARM_URDF, arm_profile, recorded, true_parameters

from dynid.judging.checks import check_against_urdf, check_gravity, check_residuals
from dynid.judging.comparison import compare, relative_errors
from dynid.judging.judgement import Comparison
from dynid.mechanism import Mechanism
from dynid.preprocessing.preprocess import preprocess
from dynid.profile import RobotProfile
from dynid.recording import Recording

RATE = 200.0
PLAIN_TERMS = [{"kind": "viscous"}, {"kind": "coulomb"}, {"kind": "offset"}]

TURNTABLE_URDF = """
<robot name="turntable"><link name="base"/>
  <link name="table"><inertial><mass value="1"/><origin xyz="0.02 0 0"/>
    <inertia ixx="0.003" iyy="0.003" izz="0.003" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="turn" type="revolute"><parent link="base"/><child link="table"/>
    <axis xyz="0 0 1"/><limit lower="-3" upper="3" velocity="5" effort="50"/></joint>
</robot>
"""


def truth(mechanism: Mechanism, **terms: float) -> np.ndarray:
    parameters = true_parameters(mechanism)
    for name, value in terms.items():
        parameters[mechanism.parameter_names.index(name)] = value
    return parameters


def compared(
    recording: Recording, profile: RobotProfile, parameters: np.ndarray, urdf: str = ARM_URDF
) -> tuple[Mechanism, tuple[Comparison, ...]]:
    mechanism = profile.mechanism(urdf)
    signals = [preprocess(recording, profile)]
    model = mechanism.with_parameters(parameters)
    return mechanism, compare(model, signals, profile.identification)


def all_warnings(mechanism: Mechanism, comparisons: tuple[Comparison, ...]) -> list[str]:
    return check_against_urdf(mechanism, comparisons) + check_residuals(mechanism, comparisons)


def arm(noise: float = 0.05, seed: int = 0) -> tuple[RobotProfile, np.ndarray, Recording]:
    profile = arm_profile()
    mechanism = profile.mechanism(ARM_URDF)
    parameters = true_parameters(mechanism)
    return profile, parameters, recorded(mechanism, parameters, noise=noise, rate=RATE, seed=seed)


# --- no fault ---------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("noise", [0.0, 0.05, 0.5])
def test_good_data_raise_nothing(noise: float, seed: int) -> None:
    profile, parameters, recording = arm(noise, seed)
    assert all_warnings(*compared(recording, profile, parameters)) == []


def test_large_rotors_raise_nothing() -> None:
    profile = arm_profile(terms=[*PLAIN_TERMS, {"kind": "rotor_inertia"}])
    mechanism = profile.mechanism(ARM_URDF)
    parameters = truth(mechanism, Ia1=20.0, Ia2=10.0, Ia3=2.0)
    recording = recorded(mechanism, parameters, noise=0.05)
    assert all_warnings(*compared(recording, profile, parameters)) == []


def test_rotor_a_hundred_times_the_link_is_no_wrong_unit() -> None:
    profile = arm_profile(joints=["turn"], terms=[{"kind": "rotor_inertia"}])
    mechanism = profile.mechanism(TURNTABLE_URDF)
    parameters = truth(mechanism, Ia1=0.3)
    recording = recorded(mechanism, parameters)
    compared_pair = compared(recording, profile, parameters, TURNTABLE_URDF)
    assert all_warnings(*compared_pair) == []


def test_urdf_masses_off_by_a_third_raise_nothing() -> None:
    profile, parameters, _ = arm()
    parameters[:30] *= 1.33
    recording = recorded(profile.mechanism(ARM_URDF), parameters, noise=0.05)
    assert all_warnings(*compared(recording, profile, parameters)) == []


def test_urdf_without_masses_raises_nothing() -> None:
    profile, parameters, recording = arm()
    massless = ARM_URDF
    for mass in ("4.0", "2.0", "0.8"):
        massless = massless.replace(f'<mass value="{mass}"/>', '<mass value="0"/>')
    massless = "".join(
        part if i % 2 == 0 else '"0"' for i, part in enumerate(_inertia_values(massless))
    )
    mechanism, comparisons = compared(recording, profile, parameters, massless)
    assert not mechanism.urdf_parameters.any()
    assert all_warnings(mechanism, comparisons) == []


def _inertia_values(urdf: str) -> list[str]:
    """Split around the values of moments of inertia, which come at odd places."""
    return re.split(r'(?<=i[xyz][xyz]=)("[^"]*")', urdf)


# --- sign -------------------------------------------------------------------------------------


@pytest.mark.parametrize("joint", [0, 1, 2])
def test_flipped_torque_is_named_and_its_joint_alone(joint: int) -> None:
    profile, parameters, recording = arm()
    signs = np.where(np.arange(3) == joint, -1.0, 1.0)
    flipped = replace(recording, effort=recording.effort * signs)
    (warning,) = check_against_urdf(*compared(flipped, profile, parameters))
    assert warning.startswith(f"{profile.joints[joint]}: torque runs against")
    assert "sign" in warning


def test_flipped_torque_of_a_joint_ruled_by_friction_is_named() -> None:
    profile = arm_profile()
    mechanism = profile.mechanism(ARM_URDF)
    parameters = truth(mechanism, Fv2=20.0, Fc2=30.0)
    recording = recorded(mechanism, parameters, noise=0.05)
    flipped = replace(recording, effort=recording.effort * [1.0, -1.0, 1.0])
    (warning,) = check_against_urdf(*compared(flipped, profile, parameters))
    assert warning.startswith("elbow: torque runs against")


def test_all_torques_flipped_are_signs_and_not_gravity() -> None:
    profile, parameters, recording = arm()
    flipped = replace(recording, effort=-recording.effort)
    warnings = check_against_urdf(*compared(flipped, profile, parameters))
    assert [w.split(":")[0] for w in warnings] == ["shoulder", "elbow", "wrist"]
    assert all("sign" in w for w in warnings)


def test_flipped_turntable_is_named_though_it_has_no_weight() -> None:
    profile = arm_profile(joints=["turn"], terms=[{"kind": "offset"}])
    mechanism = profile.mechanism(TURNTABLE_URDF)
    recording = recorded(mechanism, mechanism.urdf_parameters)
    flipped = replace(recording, effort=-recording.effort)
    compared_pair = compared(flipped, profile, mechanism.urdf_parameters, TURNTABLE_URDF)
    (warning,) = check_against_urdf(*compared_pair)
    assert warning.startswith("turn: torque runs against")


# --- unit -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("factor", "words"),
    [(1000.0, "N mm or mA"), (180 / np.pi, "degrees"), (np.pi / 180, "degrees"), (300.0, "")],
)
def test_torque_off_by_a_factor_is_named(factor: float, words: str) -> None:
    profile, parameters, recording = arm()
    scaled = replace(recording, effort=factor * recording.effort)
    warnings = check_against_urdf(*compared(scaled, profile, parameters))
    assert [w.split(":")[0] for w in warnings] == ["shoulder", "elbow", "wrist"]
    for warning in warnings:
        assert words in warning
        ratio = float(warning.split(" is ")[1].split(" times")[0])
        # a joint's torque beyond friction and noise is that of its masses
        assert ratio == pytest.approx(factor, rel=0.15)


def test_positions_in_degrees_are_named() -> None:
    profile, parameters, recording = arm()
    degrees = replace(recording, position=np.degrees(recording.position))
    (warning,) = check_against_urdf(*compared(degrees, profile, parameters))
    assert "degrees" in warning
    assert "unit of position" in warning


# --- gravity ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mounted", "assumed"),
    [
        ((0, 0, -9.81), (0, 0, 9.81)),
        ((0, 0, -9.81), (9.81, 0, 0)),
        ((0, 0, 9.81), (0, 0, -9.81)),
        ((0, -9.81, 0), (0, 0, -9.81)),
        ((9.81, 0, 0), (0, 6.93672, -6.93672)),
    ],
)
def test_wrong_gravity_is_named(mounted: tuple[float, ...], assumed: tuple[float, ...]) -> None:
    real = arm_profile(gravity=list(mounted)).mechanism(ARM_URDF)
    parameters = true_parameters(real)
    recording = recorded(real, parameters, noise=0.05)
    profile = arm_profile(gravity=list(assumed))
    mechanism, comparisons = compared(recording, profile, parameters)
    # that is the cause, and the only warning; joints' signs are not to be doubted besides
    (warning,) = check_against_urdf(mechanism, comparisons)
    named = warning.split("gravity (")[1].split(")")[0]
    np.testing.assert_allclose([float(v) for v in named.split(",")], mounted, atol=1e-3)
    assert "-0," not in named


def test_tilted_gravity_is_not_doubted_where_it_is_right() -> None:
    profile = arm_profile(gravity=[0, 6.93672, -6.93672])
    mechanism = profile.mechanism(ARM_URDF)
    recording = recorded(mechanism, true_parameters(mechanism), noise=0.05)
    # a poor model: without its friction
    pair = compared(recording, profile, mechanism.urdf_parameters)
    assert relative_errors(pair[1]).max() > 0.3
    assert check_gravity(*pair) == []


def test_gravity_is_not_doubted_where_the_fit_is_good() -> None:
    real = arm_profile(gravity=[0, -9.81, 0]).mechanism(ARM_URDF)
    recording = recorded(real, true_parameters(real))
    mechanism, comparisons = compared(recording, arm_profile(), true_parameters(real))
    assert check_gravity(mechanism, comparisons) != []
    explained = tuple(replace(c, model=c.measured) for c in comparisons)
    assert check_gravity(mechanism, explained) == []


def test_torque_in_far_too_small_a_unit_is_not_taken_for_gravity_along_the_axis() -> None:
    # where gravity does not act on the joint nothing is expected, which is close to hardly anything
    profile = arm_profile(joints=["shoulder"], terms=[{"kind": "viscous"}])
    mechanism = profile.mechanism(ARM_URDF)
    parameters = truth(mechanism, Fv1=0.5)
    recording = recorded(mechanism, parameters)
    small = replace(recording, effort=1e-3 * recording.effort)
    pair = compared(small, profile, parameters)
    assert check_gravity(*pair) == []
    (warning,) = check_against_urdf(*pair)
    assert "0.001 times" in warning


# --- time shift -------------------------------------------------------------------------------


@pytest.mark.parametrize(("shift", "word"), [(5, "later"), (-5, "earlier"), (12, "later")])
def test_time_shift_is_named_with_samples_and_direction(shift: int, word: str) -> None:
    profile, parameters, recording = arm()
    shifted = replace(recording, effort=np.roll(recording.effort, shift, axis=0))
    warnings = check_residuals(*compared(shifted, profile, parameters))
    late = [w for w in warnings if "samples" in w]
    assert {w.split(":")[0] for w in late} >= {"elbow", "wrist"}
    milliseconds = abs(shift) / RATE * 1e3
    for warning in late:
        assert f"{abs(shift)} samples ({milliseconds:.3g} ms) {word} than the motion" in warning


# --- friction ---------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", ["Fc", "Fv"])
def test_friction_that_is_not_described_is_named(missing: str) -> None:
    profile, parameters, recording = arm()
    names = profile.mechanism(ARM_URDF).parameter_names
    without = np.where([name.startswith(missing) for name in names], 0.0, parameters)
    warnings = check_residuals(*compared(recording, profile, without))
    assert {w.split(":")[0] for w in warnings} >= {"elbow", "wrist"}
    assert all("friction is not described by the chosen terms" in w for w in warnings)
    assert all("of the squared error depends on velocity alone" in w for w in warnings)


def test_missing_offset_is_not_called_friction() -> None:
    profile, parameters, _ = arm()
    mechanism = profile.mechanism(ARM_URDF)
    recording = recorded(mechanism, truth(mechanism, Off1=20.0, Off2=-20.0, Off3=20.0), noise=0.05)
    assert check_residuals(*compared(recording, profile, parameters)) == []


def test_noise_is_not_called_friction() -> None:
    profile, parameters, recording = arm(noise=5.0)
    pair = compared(recording, profile, parameters)
    assert relative_errors(pair[1]).max() > 0.3
    assert check_residuals(*pair) == []


def test_longer_recordings_get_the_same_answers() -> None:
    profile = arm_profile()
    mechanism = profile.mechanism(ARM_URDF)
    parameters = true_parameters(mechanism)
    # beyond 20 000 samples only every other one is looked at
    recording = recorded(mechanism, parameters, samples=45_000, noise=0.05)
    flipped = replace(recording, effort=recording.effort * [1.0, -1.0, 1.0])
    (warning,) = check_against_urdf(*compared(flipped, profile, parameters))
    assert warning.startswith("elbow")
