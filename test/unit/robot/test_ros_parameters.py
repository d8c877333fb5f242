from __future__ import annotations

import math

import pytest

from dynid.errors import ConfigurationError
from dynid.profile import make_robot
from dynid.robot.model_file import parse_model
from dynid.robot.parameter_file import ros_parameters


def test_every_entry_of_a_model_is_a_parameter_of_its_full_name(identification):
    text = identification.model.text()
    found = ros_parameters(text, "model.yaml")
    model = parse_model(text, "model.yaml", make_robot)
    assert found["model.robot"] == model.robot.name
    assert found["model.parameters"] == model.parameters.tolist()
    assert found["model.terms.kinds"] == [term.kind for term in model.mechanism.terms]
    assert found["model.versions.dynid"] == model.provenance.versions["dynid"]
    assert found["model.urdf"] == model.robot.urdf_xml
    assert all(name.startswith("model.") for name in found)


def test_a_list_keeps_one_type_and_what_is_not_a_number(identification):
    found = ros_parameters(identification.model.text(), "model.yaml")
    lists = [value for value in found.values() if isinstance(value, list)]
    assert all(len({type(item) for item in values}) == 1 for values in lists)
    assert math.isnan(found["model.errors.r_squared"][0])


def test_refuses_what_is_not_yaml():
    with pytest.raises(ConfigurationError, match=r"model\.yaml: is not valid YAML"):
        ros_parameters("a: [", "model.yaml")


@pytest.mark.parametrize("content", ["text", "[1, 2]", "3"])
def test_refuses_parameters_that_are_no_group(content):
    with pytest.raises(ConfigurationError, match=r"f\.yaml: 'ros__parameters' must be a group"):
        ros_parameters(f"/**: {{ros__parameters: {content}}}", "f.yaml")
