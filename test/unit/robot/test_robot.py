"""A robot and the settings of its tasks; robots, mechanisms and models sent to other processes."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from support.small_robot import ROBOT, URDF
from support.synthetic import arm_robot

from dynid.dynamics.mechanism import Mechanism
from dynid.errors import ConfigurationError
from dynid.estimation.settings import EstimationSettings
from dynid.excitation.settings import FourierSettings, SineSettings, find_excitation
from dynid.identification.settings import IdentificationSettings
from dynid.profile import load_robot, make_robot
from dynid.recording.settings import RecordingSettings
from dynid.robot.model import nominal_model
from dynid.robot.robot import Robot
from dynid.robot_files import shipped_profiles
from dynid.signals.settings import SignalSettings
from dynid.simulation.settings import SimulationSettings

SINE = SineSettings(start=0.0, target=1.0, frequency=1.0, duration=5.0)


@pytest.fixture(scope="module")
def duo() -> Robot:
    return make_robot(ROBOT, URDF)


# --- settings -----------------------------------------------------------------------------------


def test_settings_of_a_task_are_found_by_their_class(duo):
    assert duo.settings(IdentificationSettings).cutoff_hz == 15.0
    assert duo.settings(SimulationSettings).bandwidth_hz == (16.0,)
    assert duo.find(SimulationSettings) is duo.settings(SimulationSettings)


def test_a_task_that_needs_a_part_of_the_settings_gets_all_that_there_are(duo):
    own = duo.settings(IdentificationSettings)
    assert duo.settings(SignalSettings) is own
    assert duo.settings(EstimationSettings) is own


def test_settings_that_a_robot_does_not_carry_are_the_defaults_or_none():
    bare = Robot(robot="bare", urdf="bare.urdf", joints=("hip",))
    assert bare.tasks == ()
    assert bare.settings(RecordingSettings) == RecordingSettings()
    assert bare.find(RecordingSettings) is None
    assert arm_robot().find(SimulationSettings) is None
    assert find_excitation(arm_robot()) is None


def test_settings_are_replaced_in_a_copy(duo):
    faster = duo.settings(IdentificationSettings).model_copy(update={"cutoff_hz": 40.0})
    changed = duo.with_settings(faster)
    assert changed.settings(IdentificationSettings) is faster
    assert duo.settings(IdentificationSettings).cutoff_hz == 15.0
    assert changed.settings(SimulationSettings) is duo.settings(SimulationSettings)
    assert len(changed.tasks) == len(duo.tasks)
    assert changed.urdf_xml == duo.urdf_xml


def test_settings_of_another_type_take_the_place_of_those_with_the_same_key(duo):
    assert isinstance(find_excitation(duo), FourierSettings)
    changed = duo.with_settings(SINE)
    assert find_excitation(changed) is SINE
    assert changed.find(FourierSettings) is None


def test_of_two_settings_of_a_task_the_last_counts(duo):
    first, last = (RecordingSettings(topic=topic) for topic in ("/first", "/last"))
    assert duo.with_settings(first, last).settings(RecordingSettings) is last


def test_the_same_settings_make_the_same_robot(duo):
    assert duo.with_settings(duo.settings(IdentificationSettings)) == duo
    assert duo.with_settings(SINE) != duo
    assert duo.with_urdf(URDF + " ") != duo


def test_settings_are_left_out_in_a_copy(duo):
    changed = duo.without_settings(SimulationSettings)
    assert changed.find(SimulationSettings) is None
    assert changed.settings(SimulationSettings) == SimulationSettings()
    assert len(changed.tasks) == len(duo.tasks) - 1
    assert duo.find(SimulationSettings) is not None
    assert "simulation" not in changed.yaml_content()
    assert changed.without_settings(SimulationSettings) == changed


def test_a_robot_cannot_be_changed(duo):
    with pytest.raises(ConfigurationError, match="'name' of Robot cannot be changed"):
        duo.name = "other"


# --- as a profile -------------------------------------------------------------------------------


def test_what_was_not_given_can_be_left_out(duo):
    content = duo.yaml_content(exclude_unset=True)
    assert set(content) == set(ROBOT)
    assert make_robot(content, URDF) == duo


def test_a_model_carries_what_recordings_and_the_controller_need(duo):
    content = duo.yaml_content(with_model_only=True)
    assert {"recording", "identification", "workspace", "feedforward", "collision"} <= set(content)
    assert not {"excitation", "simulation"} & set(content)


# --- in a session -------------------------------------------------------------------------------


def test_a_robot_is_printed_in_a_line(duo):
    assert repr(duo) == str(duo) == "Robot('duo', 2 joints, urdf='duo.urdf')"


def test_a_model_is_printed_in_two_lines(identification, failed):
    first, second = repr(identification.model).split("\n")
    assert first == "Model of arm: 3 joints, 43 parameters (2 of 3 base parameters determined)"
    assert second == (
        "identification succeeded, 2026-01-31, estimator wls, "
        '800 samples of first.mcap, se"cond <b>.csv'
    )
    assert "identification FAILED" in repr(failed.model)
    assert repr(nominal_model(arm_robot())) == (
        "Model of arm: 3 joints, 39 parameters, not identified"
    )


def test_a_notebook_gets_the_errors_as_a_table(identification):
    page = identification.model._repr_html_()
    assert "se&quot;cond &lt;b&gt;.csv" in page
    assert "<td>elbow &amp; co</td><td>3.18 %</td><td>5.00 %</td>" in page
    assert "<table" not in nominal_model(arm_robot())._repr_html_()


# --- in another process -------------------------------------------------------------------------


def sent(one):
    return pickle.loads(pickle.dumps(one))  # noqa: S301  our own


@pytest.mark.parametrize("name", shipped_profiles())
def test_a_robot_survives_pickling(name):
    robot = load_robot(name)
    found = sent(robot)
    assert found == robot
    assert found.tasks == robot.tasks
    assert found.urdf_xml == robot.urdf_xml


def assert_same_mechanism(found: Mechanism, expected: Mechanism) -> None:
    assert found.parameters.tobytes() == expected.parameters.tobytes()
    assert not found.parameters.flags.writeable
    for name in ("joints", "moving_joints", "parameter_names", "terms", "chain", "semi_static"):
        assert getattr(found, name) == getattr(expected, name)
    assert found.locked == expected.locked
    assert found.payload_body == expected.payload_body
    np.testing.assert_array_equal(found.gravity, expected.gravity)
    np.testing.assert_array_equal(found.coupling, expected.coupling)
    np.testing.assert_array_equal(found.urdf_parameters, expected.urdf_parameters)


@pytest.mark.parametrize("name", ["tx40", "delta_3", "palletiser", "puma560_static", "yumi"])
def test_a_mechanism_survives_pickling(name):
    mechanism = load_robot(name).mechanism()
    values = np.random.default_rng(0).uniform(0.1, 1.0, len(mechanism.parameters))
    mechanism = mechanism.with_parameters(mechanism.parameters + values)
    assert_same_mechanism(sent(mechanism), mechanism)


def test_a_model_survives_pickling(identification):
    model = identification.model
    found = sent(model)
    assert_same_mechanism(found.mechanism, model.mechanism)
    assert found.robot == model.robot
    assert found.provenance == model.provenance
    assert found.source == model.source
    assert found.determined == model.determined
    for name in ("errors", "quantities", "base"):
        np.testing.assert_equal(vars(getattr(found, name)), vars(getattr(model, name)))
    assert found.text() == model.text()


# --- joint terms --------------------------------------------------------------------------------

SLIDING = URDF.replace('type="revolute"', 'type="prismatic"', 1)


def without_terms(urdf: str = URDF) -> Robot:
    return make_robot({name: value for name, value in ROBOT.items() if name != "terms"}, urdf)


def test_terms_are_chosen_by_the_recordings_where_a_profile_has_none():
    robot = without_terms()
    assert robot.terms == "auto"
    kinds = [term.kind for term in robot.explicit_terms]
    assert kinds == ["viscous", "coulomb", "offset", "rotor_inertia"]
    assert robot.explicit_terms[1].smoothing == 0.01


def test_smoothing_of_a_prismatic_joint_is_a_linear_velocity():
    first, second = without_terms(SLIDING).joints
    terms = without_terms(SLIDING).explicit_terms
    found = {term.joints: term.smoothing for term in terms if term.kind == "coulomb"}
    assert found == {(second,): 0.01, (first,): 0.003}


def test_a_model_has_explicit_terms():
    model = nominal_model(without_terms())
    assert model.robot.terms == without_terms().explicit_terms
    assert len(model.mechanism.terms) == 8


def test_explicit_terms_of_a_profile_stay(duo):
    assert duo.terms != "auto"
    assert duo.explicit_terms == duo.terms
    assert duo.with_explicit_terms() is duo
