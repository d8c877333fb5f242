"""Identification from recordings to a verdict, on robots with known parameters."""

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from support.representatives import representatives
from support.searched_arm import JOINTS, RATE, crane, crane_parameters
from support.synthetic import ARM_URDF, arm_robot, recorded, swinging, true_parameters

from dynid.errors import ConfigurationError, EstimationError
from dynid.identification.identify import identify
from dynid.identification.validate import validate
from dynid.profile import load_model
from dynid.recording.model import Recording
from dynid.report.card import Card

PLAIN = {"cutoff_hz": None, "trim_rest": False, "velocity": "measured"}


def test_a_model_predicts_the_noise_free_torque_of_another_motion() -> None:
    robot = arm_robot(identification=PLAIN)
    mechanism = robot.mechanism()
    truth = true_parameters(mechanism)
    result = identify(robot, [recorded(mechanism, truth, noise=0.2)])
    other = validate(result.model, [recorded(mechanism, truth, seed=7)])
    assert all(joint.rmse < 0.05 for joint in other.verdict.joints)


def test_load_dependent_friction_is_identified_with_the_load() -> None:
    terms = [
        {"kind": "viscous"},
        {"kind": "coulomb"},
        {"kind": "coulomb_load", "joints": ["shoulder", "elbow"]},
    ]
    robot = arm_robot(terms=terms, identification=PLAIN)
    mechanism = robot.mechanism()
    truth = true_parameters(mechanism)
    for name, value in (("Fl1", 0.08), ("Fl2", 0.05)):
        truth[mechanism.parameter_names.index(name)] = value
    # a URDF with a wrong load
    wrong = ARM_URDF.replace('mass value="2.0"', 'mass value="3.0"')
    result = identify(robot.with_urdf(wrong), [recorded(mechanism, truth, noise=0.05)])
    found = {parameter.name: parameter.value for parameter in result.parameters}
    assert found["Fl1"] == pytest.approx(0.08, abs=0.004)
    assert found["Fl2"] == pytest.approx(0.05, abs=0.004)


@pytest.mark.thorough
def test_torque_of_the_wrong_sign_at_a_vertical_slide_is_diagnosed() -> None:
    # the estimate has a negative mass while friction is chosen
    slide = ARM_URDF.replace('name="shoulder" type="revolute"', 'name="shoulder" type="prismatic"')
    slide = slide.replace('rpy="1.5708 0 0"', "")
    robot = arm_robot(terms="auto", identification=PLAIN).with_urdf(slide)
    mechanism = robot.mechanism()
    one = recorded(mechanism, true_parameters(mechanism), samples=2000, noise=0.2)
    reversed_effort = one.effort * [-1, 1, 1]
    result = identify(robot, [replace(one, effort=reversed_effort)])
    assert any("shoulder: torque has the opposite sign" in text for text in result.verdict.warnings)
    # no body has the parameters that predict this torque
    assert result.held_out.relative_error[0] > 0.9 * result.verdict.joints[0].relative_error > 0.1


def test_presliding_friction_is_identified() -> None:
    terms = [{"kind": "viscous"}, {"kind": "presliding", "scale": 0.05}]
    robot = arm_robot(terms=terms, identification=PLAIN)
    mechanism = robot.mechanism()
    truth = true_parameters(mechanism)
    truth[mechanism.parameter_names.index("Fh1")] = 5.0
    result = identify(robot, [recorded(mechanism, truth, noise=0.1)])
    found = {parameter.name: parameter.value for parameter in result.parameters}
    assert found["Fh1"] == pytest.approx(5.0, rel=0.02)


def test_held_out_error_shows_overfitting_of_noise() -> None:
    robot = arm_robot(identification=PLAIN)
    mechanism = robot.mechanism()
    recording = recorded(mechanism, true_parameters(mechanism), samples=60, noise=3.0)
    result = identify(robot, [recording])
    fitted = np.array([joint.relative_error for joint in result.verdict.joints])
    assert np.all(np.array(result.held_out.relative_error) > 1.2 * fitted)


@pytest.mark.thorough
def test_two_recordings_give_smaller_standard_deviations_than_one() -> None:
    robot = arm_robot(identification=PLAIN)
    mechanism = robot.mechanism()
    truth = true_parameters(mechanism)
    both = [recorded(mechanism, truth, noise=0.5, seed=seed) for seed in (0, 3)]
    one, two = (identify(robot, both[:count]) for count in (1, 2))
    deviations = [
        np.array([parameter.standard_deviation for parameter in result.base_parameters])
        for result in (one, two)
    ]
    assert np.median(deviations[1] / deviations[0]) < 0.85


def test_parameters_without_excitation_are_named() -> None:
    robot = arm_robot(identification=PLAIN)
    mechanism = robot.mechanism()
    recording = recorded(mechanism, true_parameters(mechanism), noise=0.05)
    position, velocity = recording.position.copy(), np.array(recording.velocity)
    position[:, 2], velocity[:, 2] = 0.4, 0.0
    still = replace(recording, position=position, velocity=velocity)
    result = identify(robot, [still])
    assert any("cannot be identified" in w and "Fv3" in w for w in result.verdict.warnings)
    assert [joint.state for joint in result.verdict.joints] == ["good", "good", "not_moved"]
    assert result.verdict.success


def test_encoder_noise_of_a_joint_at_rest_is_no_motion() -> None:
    """Held by torque of the other joints' motion, friction times the sign of noise explains it."""
    robot = arm_robot(identification=PLAIN)
    mechanism = robot.mechanism()
    recording = recorded(mechanism, true_parameters(mechanism), noise=0.05)
    position, velocity = recording.position.copy(), np.array(recording.velocity)
    noise = 1e-5 * np.random.default_rng(0).standard_normal(len(position))
    position[:, 2], velocity[:, 2] = 0.4 + noise, 1e-3 * noise
    result = identify(robot, [replace(recording, position=position, velocity=velocity)])
    friction = {p.name: p.value for p in result.parameters if p.name in ("Fv3", "Fc3")}
    assert friction == pytest.approx({"Fv3": 0.0, "Fc3": 0.0}, abs=1e-3)


def test_flipped_torque_fails_with_its_cause_named() -> None:
    robot = arm_robot()
    mechanism = robot.mechanism()
    recording = recorded(mechanism, true_parameters(mechanism), noise=0.05)
    result = identify(robot, [replace(recording, effort=-recording.effort)])
    assert not result.verdict.success
    assert result.provenance.physically_consistent
    (reason,) = (r for r in result.verdict.reasons if "opposite sign" in r)
    assert reason.startswith("the torque of every joint has the opposite sign")
    assert any(reason in warning for warning in result.verdict.warnings)


@pytest.mark.parametrize("shift", representatives([-12, 30, 5], 1))
def test_shifted_torque_is_named_although_the_fit_adapts_to_it(shift: int) -> None:
    robot = arm_robot()
    mechanism = robot.mechanism()
    recording = recorded(mechanism, true_parameters(mechanism), noise=0.05)
    moved = replace(recording, effort=np.roll(recording.effort, shift, axis=0))
    result = identify(robot, [moved])
    (finding,) = (one for one in result.findings if one.cause == "time_shift")
    assert finding.evidence["delay [s]"] == pytest.approx(0.005 * shift, rel=0.06)
    direction = "later" if shift > 0 else "earlier"
    assert any(direction in warning for warning in result.verdict.warnings)


def test_aligned_torque_gives_no_time_shift() -> None:
    robot = arm_robot()
    mechanism = robot.mechanism()
    recording = recorded(mechanism, true_parameters(mechanism), noise=1.0)
    warnings = identify(robot, [recording]).verdict.warnings
    assert not any("torque comes" in warning for warning in warnings)


@pytest.mark.parametrize("share", [1e-2, 1e-4])
def test_a_urdf_with_far_too_small_masses_does_not_bias_the_consistent_fit(share: float) -> None:
    robot = arm_robot(identification=PLAIN)
    mechanism = robot.mechanism()
    recording = recorded(mechanism, true_parameters(mechanism), noise=0.2)
    light = re.sub(
        r'(mass value|i[xyz]{2})="([^"]+)"',
        lambda m: f'{m[1]}="{float(m[2]) * share:.9g}"',
        ARM_URDF,
    )
    errors = [
        np.array([joint.rmse for joint in identify(one, [recording]).verdict.joints])
        for one in (robot, robot.with_urdf(light))
    ]
    assert np.all(errors[1] < 1.02 * errors[0])


def test_held_out_errors_include_rest() -> None:
    robot = arm_robot(
        identification=PLAIN | {"velocity_threshold": {"fraction": 0.5, "fit": "moving"}}
    )
    mechanism = robot.mechanism()
    recording = recorded(mechanism, true_parameters(mechanism), noise=0.5)
    result = identify(robot, [recording])
    whole = [joint.rmse_torque for joint in result.verdict.joints]
    np.testing.assert_allclose(result.held_out.rmse_torque, whole, rtol=0.1)


def test_errors_of_a_prismatic_joint_are_forces() -> None:
    sliding = ARM_URDF.replace('name="wrist" type="revolute"', 'name="wrist" type="prismatic"')
    robot = arm_robot(identification=PLAIN).with_urdf(sliding)
    mechanism = robot.mechanism()
    result = identify(robot, [recorded(mechanism, true_parameters(mechanism), noise=0.1)])
    assert [joint.unit for joint in result.verdict.joints] == ["N*m", "N*m", "N"]


def test_refuses_to_identify_from_rest() -> None:
    robot = arm_robot()
    still = Recording(
        time=np.arange(100) / 100,
        position=np.full((100, 3), 0.2),
        velocity=None,
        effort=np.ones((100, 3)),
        joint_names=robot.joints,
        sampling_rate=100.0,
    )
    with pytest.raises(EstimationError, match="no joint moves"):
        identify(robot, [still])


AUTO = {"terms": "auto", "identification": PLAIN}


def loaded_arm(samples: int = 2000) -> Recording:
    """Record an arm whose elbow rubs in proportion to its load."""
    load = {"kind": "coulomb_load", "joints": ["elbow"], "smoothing": 0.02}
    robot = arm_robot(terms=[{"kind": "viscous"}, {"kind": "offset"}, load])
    mechanism = robot.mechanism()
    truth = true_parameters(mechanism)
    truth[mechanism.parameter_names.index("Fl2")] = 0.4
    return recorded(mechanism, truth, samples=samples, rate=100.0, noise=0.05)


def test_a_urdf_without_masses_is_identified_with_terms_that_the_recording_chooses() -> None:
    robot = arm_robot(terms="auto", identification=PLAIN)
    mechanism = robot.mechanism()
    truth = true_parameters(mechanism)
    massless = re.sub(r"<inertial>.*?</inertial>", "", ARM_URDF, flags=re.DOTALL)
    one = recorded(mechanism, truth, samples=1500, noise=0.1)
    result = identify(robot.with_urdf(massless), [one])
    other = validate(result.model, [recorded(mechanism, truth, samples=1500, seed=7)])
    assert result.verdict.success
    assert all(joint.rmse < 0.1 for joint in other.verdict.joints)


def test_terms_that_the_recording_chooses_are_those_of_the_model(tmp_path: Path) -> None:
    result = identify(arm_robot(**AUTO), loaded_arm())
    assert result.term_selection is not None
    assert [one.joint for one in result.term_selection.joints] == ["shoulder", "elbow", "wrist"]
    assert "load" in result.term_selection.joints[1].chosen
    assert result.term_selection.note() in result.notes
    assert result.provenance.estimator == "irls"
    result.model.save(tmp_path / "model.yaml")
    loaded = load_model(tmp_path / "model.yaml")
    assert loaded.robot.terms == result.robot.explicit_terms
    assert "coulomb_load" in {term.kind for term in loaded.mechanism.terms}


def test_terms_and_an_estimator_are_given_for_one_identification() -> None:
    recording = loaded_arm(samples=400)
    given = identify(arm_robot(**AUTO), recording, terms=[{"kind": "viscous"}])
    assert {term.kind for term in given.model.mechanism.terms} == {"viscous"}
    assert given.term_selection is None
    assert given.provenance.estimator == "wls"
    robot = arm_robot(identification=PLAIN)
    chosen = identify(robot, recording, terms="auto", estimator="wls")
    assert chosen.term_selection is not None
    assert chosen.provenance.estimator == "wls"


@pytest.mark.parametrize(
    ("terms", "sentence"),
    [
        ("automatic", r"identify\(\): key 'terms': 'automatic' is neither 'auto' nor"),
        ([{"kind": "viscous", "joints": ["hip"]}], "term 'viscous' names joint 'hip', which is"),
    ],
)
def test_refuses_terms_that_are_none(terms: object, sentence: str) -> None:
    with pytest.raises(ConfigurationError, match=sentence):
        identify(arm_robot(), loaded_arm(samples=100), terms=terms)


@pytest.mark.thorough
def test_torque_without_sign_is_used_to_choose_terms() -> None:
    robot = arm_robot(terms="auto", identification=PLAIN | {"unsigned_torque": True})
    mechanism = robot.mechanism()
    one = recorded(mechanism, true_parameters(mechanism), samples=1500, rate=100.0, noise=0.02)
    result = identify(robot, replace(one, effort=np.abs(one.effort)))
    assert result.signs is not None
    assert result.term_selection is not None
    assert max(result.held_out.relative_error) < 0.05


def test_a_joint_that_stands_still_keeps_its_reference_and_is_in_no_mean() -> None:
    """Columns of the still joint's body are rounding errors, of which no parameter is found."""
    robot = crane()
    mechanism, parameters = robot.mechanism(), crane_parameters(robot)
    still = np.array([1.0, 0.0, 1.0])
    q, dq, ddq = (values * still for values in swinging(2000, 3, RATE, seed=0))
    q[:, 1] = 0.2
    torque = mechanism.with_parameters(parameters).torque(q, dq, ddq, parameters)
    torque += 0.05 * np.random.default_rng(1).standard_normal(torque.shape)
    one = Recording(np.arange(2000) / RATE, q, torque, velocity=dq, joint_names=JOINTS)
    result = identify(robot, one)
    pan, lift, elbow = result.verdict.joints
    assert lift.state == "not_moved"
    assert lift.held_out_error == pytest.approx(lift.relative_error, rel=0.1)
    assert result.verdict.compared == (pan, elbow)
    bar = Card.of(result).bars[1]
    assert bar.high == pytest.approx((pan.held_out_error + elbow.held_out_error) / 2)
