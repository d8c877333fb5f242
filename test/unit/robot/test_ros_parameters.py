from __future__ import annotations

import math

import pytest

from dynid.errors import ConfigurationError
from dynid.robot.model_file import model_text
from dynid.robot.model_reader import parse_model
from dynid.robot.ros_parameters import ros_parameters


def test_every_entry_of_a_model_is_a_parameter_of_its_full_name(identification):
    text = model_text(identification)
    found = ros_parameters(text, "model.yaml")
    entries = parse_model(text, "model.yaml").entries
    assert found["model.robot"] == entries.robot
    assert tuple(found["model.parameters"]) == entries.parameters
    assert tuple(found["model.terms.kinds"]) == entries.terms.kinds
    assert found["model.versions.dynid"] == entries.versions["dynid"]
    assert found["model.urdf"] == entries.urdf
    assert all(name.startswith("model.") for name in found)


def test_a_list_keeps_one_type_and_what_is_not_a_number(identification):
    found = ros_parameters(model_text(identification), "model.yaml")
    lists = [value for value in found.values() if isinstance(value, list)]
    assert all(len({type(item) for item in values}) == 1 for values in lists)
    assert math.isnan(found["model.errors.r_squared"][0])


def test_refuses_what_is_not_yaml():
    with pytest.raises(ConfigurationError, match=r"model\.yaml: is not valid YAML"):
        ros_parameters("a: [", "model.yaml")
