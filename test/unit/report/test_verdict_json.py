from __future__ import annotations

import json
import math
from dataclasses import replace
from io import StringIO

import numpy as np
import pytest
from rich.console import Console

from dynid.errors import ModelFileError
from dynid.report.terminal.results import print_judgement
from dynid.report.verdict_json import judgement_json, read_judgement

JOINT_KEYS = {
    "rmse",
    "unit",
    "rmse_torque",
    "rmse_raw",
    "nrmse",
    "relative_error",
    "r_squared",
    "max_relative_torque_error",
    "mean_relative_torque_error",
    "samples",
    "moving_samples",
    "velocity_threshold",
}


def as_json(judgement):
    content = judgement_json(judgement, condition_number=42.5, base_parameters=3, samples=800)
    return json.loads(json.dumps(content, allow_nan=False))


def test_json_has_exactly_the_promised_keys(identification):
    content = as_json(identification.judgement)
    assert content.keys() == {
        "joints",
        "success",
        "reasons",
        "warnings",
        "condition_number",
        "base_parameters",
        "samples",
    }
    assert list(content["joints"]) == ["shoulder", "elbow & co", "lift"]
    assert all(joint.keys() == JOINT_KEYS for joint in content["joints"].values())


def test_json_holds_fractions_and_counts(identification):
    content = as_json(identification.judgement)
    lift = content["joints"]["lift"]
    assert lift["max_relative_torque_error"] == 0.1386
    assert lift["unit"] == "A"
    assert lift["moving_samples"] == 702
    assert isinstance(lift["moving_samples"], int)
    assert content["success"] is True
    assert (content["base_parameters"], content["samples"]) == (3, 800)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_not_a_number_is_null_in_json(identification, value):
    joints = identification.judgement.joints
    first = replace(joints[0], relative_error=value, rmse=np.float64(value))
    judgement = replace(identification.judgement, joints=(first, *joints[1:]))
    found = as_json(judgement)["joints"]["shoulder"]
    assert found["relative_error"] is None
    assert found["rmse"] is None


def test_a_condition_number_of_infinity_is_null_in_json(identification):
    content = judgement_json(
        identification.judgement, condition_number=math.inf, base_parameters=3, samples=1
    )
    assert content["condition_number"] is None


def test_failure_and_reasons_are_in_json(failed):
    content = as_json(failed.judgement)
    assert content["success"] is False
    assert content["reasons"] == list(failed.judgement.reasons)


def text_of(judgement):
    return json.dumps(
        judgement_json(judgement, condition_number=42.5, base_parameters=3, samples=800)
    )


def printed(judgement):
    console = Console(file=StringIO(), width=100)
    print_judgement(console, judgement)
    return console.file.getvalue()


@pytest.mark.parametrize("name", ["identification", "failed"])
def test_a_judgement_read_back_prints_the_same_table(request, name):
    judgement = request.getfixturevalue(name).judgement
    assert printed(read_judgement(text_of(judgement))) == printed(judgement)


def test_a_judgement_read_back_is_the_same(identification):
    judgement = identification.judgement
    finite = tuple(replace(joint, r_squared=0.75) for joint in judgement.joints)
    judgement = replace(judgement, joints=finite, warnings=("look here.",))
    assert read_judgement(text_of(judgement)) == judgement


def test_what_is_not_a_number_comes_back_as_nan(identification):
    judgement = identification.judgement
    first = replace(judgement.joints[0], relative_error=math.inf)
    read = read_judgement(text_of(replace(judgement, joints=(first, *judgement.joints[1:]))))
    assert math.isnan(read.joints[0].relative_error)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"joints": {"a": {}}}', '{"joints": [1]}', "x" * 99]
)
def test_refuses_what_is_no_judgement(text):
    with pytest.raises(ModelFileError, match="a judgement must be the JSON object"):
        read_judgement(text)
