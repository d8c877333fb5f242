"""Validation: an unseen recording with the profile's filters and all samples."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.synthetic import arm_robot, recorded, swinging, true_parameters

from dynid.identification.identify import identify
from dynid.identification.validate import validate
from dynid.recording.model import Recording, Source
from dynid.robot.model import Model, nominal_model


def true_model() -> Model:
    robot = arm_robot()
    return nominal_model(robot, true_parameters(robot.mechanism()))


def test_error_of_the_true_model_is_noise() -> None:
    model = true_model()
    recording = recorded(model.mechanism, model.parameters, noise=0.2, rate=500.0)
    result = validate(model, [recording])
    assert result.verdict.success
    for joint in result.verdict.joints:
        # error of the standard deviation of 4000 samples: 1.1 %, and that of derivatives
        assert joint.rmse_torque == pytest.approx(0.2, rel=0.1)


def test_model_torque_is_that_of_the_mechanism_along_the_signals() -> None:
    model = true_model()
    result = validate(model, [recorded(model.mechanism, model.parameters, samples=400)])
    (signals,), (torque,) = result.signals, result.model_torque
    again = model.inverse_dynamics(signals.position, signals.velocity, signals.acceleration)
    np.testing.assert_allclose(torque, again, atol=1e-9)


def test_wrong_model_fails_and_names_the_joint() -> None:
    model = true_model()
    parameters = model.parameters.copy()
    parameters[model.parameter_names.index("Fc2")] += 20.0
    wrong = nominal_model(model.robot, parameters)
    result = validate(wrong, [recorded(model.mechanism, model.parameters)])
    assert not result.verdict.success
    assert any(reason.startswith("elbow: held-out relative") for reason in result.verdict.reasons)
    assert any("elbow" in w and "friction" in w for w in result.verdict.warnings)


def test_friction_has_changed_only_where_it_was_identified() -> None:
    truth = true_model()
    known = recorded(truth.mechanism, truth.parameters)
    motion = [values * [1.0, 1.0, 0.0] for values in swinging(4000, 3, 200.0, 0)]
    torque = truth.mechanism.torque(*motion, truth.parameters)
    still = replace(known, position=motion[0], velocity=motion[1], effort=torque)
    more = truth.parameters.copy()
    for joint in (2, 3):
        more[truth.parameter_names.index(f"Fc{joint}")] *= 3.0
    model = identify(truth.robot, still).model
    warnings = validate(model, recorded(truth.mechanism, more, seed=1)).verdict.warnings
    (changed,) = [warning for warning in warnings if "has changed" in warning]
    assert changed.startswith("elbow")
    assert any("wrist" in one and "not identified reliably" in one for one in warnings)


def test_allowed_error_is_that_of_the_profile() -> None:
    model = true_model()
    recording = recorded(model.mechanism, model.parameters, noise=0.2)
    for allowed, success in ((0.9, True), (0.001, False)):
        identification = {"cutoff_hz": None, "max_relative_torque_error": allowed}
        robot = arm_robot(identification=identification)
        assert validate(model.with_robot(robot), [recording]).verdict.success is success


def test_borders_count_in_an_evaluation() -> None:
    model = true_model()
    recording = recorded(model.mechanism, model.parameters, samples=1000)
    identification = {"cutoff_hz": None, "trim_rest": False, "border": 1.0}
    result = validate(model.with_robot(arm_robot(identification=identification)), [recording])
    assert result.samples == 1000
    assert result.verdict.joints[0].samples == 1000


@pytest.mark.thorough
def test_model_and_measurement_pass_the_same_parallel_filter() -> None:
    model = true_model()
    recording = recorded(model.mechanism, model.parameters, noise=2.0)
    identification = {"cutoff_hz": None, "trim_rest": False}
    plain = validate(model.with_robot(arm_robot(identification=identification)), [recording])
    identification["parallel_filter"] = {"cutoff_hz": 2.0}
    smooth = validate(model.with_robot(arm_robot(identification=identification)), [recording])
    # the filter passes 2 Hz of 100 Hz of white noise, and all of the model torque
    expected = 2.0 * np.sqrt(2.0 / 100.0)
    for before, after in zip(plain.verdict.joints, smooth.verdict.joints, strict=True):
        assert before.rmse_torque == pytest.approx(2.0, rel=0.1)
        assert after.rmse_torque == pytest.approx(expected, rel=0.25)


def test_several_recordings_are_evaluated_together() -> None:
    model = true_model()
    first = recorded(model.mechanism, model.parameters, samples=600, noise=0.1, seed=1)
    second = recorded(model.mechanism, model.parameters, samples=900, noise=0.4, seed=2)
    source = Source(name="a.db3", sha256="0" * 64, kind="rosbag2 sqlite3")
    first = replace(first, sources=(source,), repairs=("2 samples were repeated.",))
    result = validate(model, [first, second])
    parts = [validate(model, [one]).verdict.joints[0] for one in (first, second)]
    pooled = np.sqrt((600 * parts[0].rmse_torque ** 2 + 900 * parts[1].rmse_torque ** 2) / 1500)
    assert result.verdict.joints[0].rmse_torque == pytest.approx(pooled)
    assert result.samples == 1500
    assert [len(torque) for torque in result.model_torque] == [600, 900]
    assert result.sources == (source,)
    assert "2 samples were repeated." in result.notes


def test_a_recording_of_a_pose_is_evaluated_as_without_motion() -> None:
    model = true_model()
    recording = recorded(model.mechanism, model.parameters, samples=200)
    still = replace(recording, position=np.full((200, 3), 0.1))
    robot = arm_robot(identification={"cutoff_hz": 10.0, "trim_rest": True})
    verdict = validate(model.with_robot(robot), [still]).verdict
    assert verdict.joints[0].moving_samples == 0
    assert all(joint.static_friction > 0 for joint in verdict.joints)
    # the torque is that of a motion which the positions do not show
    assert all("at rest" in reason for reason in verdict.reasons)
    assert all(joint.rmse > 0 for joint in verdict.joints)


def at_rest(share: float, factor: float = 1.0) -> tuple[Model, Recording]:
    """A pose held by ``factor`` times the model's torque, and by a share of Coulomb friction."""
    model = true_model()
    recording = recorded(model.mechanism, model.parameters, samples=400)
    position = np.repeat(recording.position[100:101], 400, axis=0)
    held = [model.parameters[model.parameter_names.index(f"Fc{n}")] for n in (1, 2, 3)]
    resting = model.mechanism.torque(position, 0 * position, 0 * position, model.parameters)
    effort = factor * resting + share * np.array(held)
    return model, replace(recording, position=position, velocity=0 * position, effort=effort)


@pytest.mark.parametrize("share", [-0.9, 0.0, 0.9])
def test_static_friction_is_no_error_of_a_robot_at_rest(share: float) -> None:
    model, recording = at_rest(share)
    verdict = validate(model, recording).verdict
    assert verdict.success
    assert all(joint.feedforward is None for joint in verdict.joints)
    (warning,) = (w for w in verdict.warnings if "only torque at rest is rated" in w)
    assert "Static friction explains all of the difference" in warning


def test_a_wrong_weight_fails_at_rest() -> None:
    model, recording = at_rest(0.5, factor=4.0)
    verdict = validate(model, recording).verdict
    assert not verdict.success
    assert any("at rest" in reason and "static friction" in reason for reason in verdict.reasons)


def test_a_joint_without_motion_is_not_identified() -> None:
    model = true_model()
    recording = recorded(model.mechanism, model.parameters)
    position = recording.position.copy()
    position[:, 2] = 0.3
    verdict = identify(model.robot, replace(recording, position=position)).verdict
    assert [joint.state for joint in verdict.joints][2] == "not_moved"
    assert not any(reason.startswith("wrist") for reason in verdict.reasons)


def test_the_error_with_the_masses_of_the_urdf_is_shown_beside_that_of_the_model() -> None:
    model, heavier = with_the_terms_of_the_urdf()
    recording = recorded(heavier.mechanism, heavier.parameters, noise=0.05)
    good, poor = (validate(one, recording).verdict for one in (heavier, model))
    for joint, urdf in zip(good.joints, poor.joints, strict=True):
        # the true model has the URDF's masses
        assert joint.urdf_error == pytest.approx(urdf.relative_error)
        assert joint.relative_error < joint.urdf_error


def test_a_model_with_worse_masses_than_the_urdf_has_a_warning() -> None:
    model, heavier = with_the_terms_of_the_urdf()
    recording = recorded(model.mechanism, model.parameters, noise=0.05)
    warnings = validate(heavier, recording).verdict.warnings
    assert any("with the masses of the URDF" in warning for warning in warnings)


def test_a_model_without_terms_fitted_to_the_urdf_is_not_compared_with_it() -> None:
    model = true_model()
    recording = recorded(model.mechanism, model.parameters, noise=0.05)
    assert not validate(model, recording).verdict.compared


def with_the_terms_of_the_urdf() -> tuple[Model, Model]:
    """Return the true model, and one with heavier bodies; both have the true joint terms."""
    model = true_model()
    first = model.mechanism.first_term
    heavy = np.where(np.arange(len(model.parameters)) < first, 1.3, 1.0)
    terms = tuple(model.parameters[first:].tolist())
    heavier = nominal_model(model.robot, model.parameters * heavy)
    return replace(model, urdf_terms=terms), replace(heavier, urdf_terms=terms)
