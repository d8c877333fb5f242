from xml.etree import ElementTree as ET

import numpy as np
import pytest

from dynid.dynamics.joint_terms import JointTerm
from dynid.dynamics.mechanism import Mechanism
from dynid.errors import MechanismError
from dynid.robot.urdf_export import identified_urdf, kinematic_urdf


def rebuilt(identification, xml):
    return identification.robot.with_urdf(xml).mechanism()


def parsed(text):
    return ET.fromstring(text)  # noqa: S314  dynid wrote it


def states(count=50):
    rng = np.random.default_rng(3)
    return rng.uniform(-1, 1, (3, count, 3))


@pytest.mark.parametrize("factor", [None, 2.0])
def test_exported_urdf_gives_the_identified_parameters_or_others(identification, factor):
    mechanism = identification.model.mechanism
    other = None if factor is None else factor * mechanism.parameters
    text = identified_urdf(identification.robot.urdf_xml, mechanism, other)
    expected = (mechanism.parameters if other is None else other)[:30]
    found = rebuilt(identification, text).urdf_parameters[:30]
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13)


def test_attached_links_lose_their_inertia_and_say_where_it_went(identification):
    text = identified_urdf(identification.robot.urdf_xml, identification.model.mechanism)
    links = {link.get("name"): link for link in parsed(text).findall("link")}
    with_inertia = {name for name, link in links.items() if link.find("inertial") is not None}
    assert with_inertia == {"base", "upper", "fore", "slide"}
    assert "<!-- Its inertia is part of link upper. -->" in text
    assert "<!-- With all that is attached to it: finger, tip. -->" in text


def test_visuals_comments_and_the_fixed_base_are_kept(identification):
    text = identified_urdf(identification.robot.urdf_xml, identification.model.mechanism)
    root = parsed(text)
    assert "Licence of the description" in text
    assert root.find("link[@name='upper']/visual/geometry/box") is not None
    assert root.find("link[@name='base']/inertial/mass").get("value") == "9"
    assert root.find("material").get("name") == "blå"


def test_friction_at_the_joint_becomes_damping_and_friction(identification):
    mechanism = identification.model.mechanism
    named = dict(zip(mechanism.parameter_names, mechanism.parameters, strict=True))
    root = parsed(identified_urdf(identification.robot.urdf_xml, mechanism))
    for number, name in enumerate(mechanism.joints, start=1):
        dynamics = root.find(f"joint[@name='{name}']/dynamics")
        assert float(dynamics.get("damping")) == named[f"Fv{number}"]
        assert float(dynamics.get("friction")) == named[f"Fc{number}"]


def test_asymmetric_friction_becomes_its_mean_and_driving_friction_none(identification):
    terms = [
        JointTerm("viscous_positive", 0),
        JointTerm("viscous_negative", 0),
        JointTerm("coulomb", 0),
        JointTerm("viscous", 0, "motor"),
    ]
    mechanism = Mechanism(identification.robot.urdf_xml, ["shoulder"], terms=terms)
    parameters = np.concatenate([mechanism.urdf_parameters[:10], [2.0, 4.0, -1.0, 99.0]])
    root = parsed(identified_urdf(identification.robot.urdf_xml, mechanism, parameters))
    dynamics = root.find("joint[@name='shoulder']/dynamics")
    assert dynamics.attrib == {"damping": "3.0", "friction": "0.0"}


@pytest.mark.parametrize("mass", [0.0, -1.0])
def test_refuses_a_body_without_positive_mass(identification, mass):
    parameters = identification.model.mechanism.parameters.copy()
    parameters[10] = mass
    with pytest.raises(MechanismError, match=r"behind joint 'elbow & co' has a mass of .* kg"):
        identified_urdf(identification.robot.urdf_xml, identification.model.mechanism, parameters)


@pytest.mark.parametrize(
    ("urdf", "parameters", "sentence"),
    [
        ("<robot name='other'/>", None, "no joint 'shoulder'"),
        ("<robot", None, "not well-formed XML"),
        (None, [1, 2, 3], "There are 3 parameters"),
    ],
)
def test_refuses_what_is_not_of_this_robot(identification, urdf, parameters, sentence):
    with pytest.raises(MechanismError, match=sentence):
        identified_urdf(
            urdf or identification.robot.urdf_xml, identification.model.mechanism, parameters
        )


def test_stripped_urdf_builds_the_very_same_mechanism(identification):
    stripped = kinematic_urdf(identification.robot.urdf_xml)
    original = rebuilt(identification, identification.robot.urdf_xml)
    again = rebuilt(identification, stripped)
    q, dq, ddq = states()
    np.testing.assert_array_equal(again.urdf_parameters, original.urdf_parameters)
    np.testing.assert_array_equal(again.regressor(q, dq, ddq), original.regressor(q, dq, ddq))


def test_stripped_urdf_holds_nothing_to_look_at(identification):
    stripped = kinematic_urdf(identification.robot.urdf_xml)
    assert stripped.isascii()
    for word in ("visual", "material", "transmission", "<!--"):
        assert word not in stripped
