from __future__ import annotations

import json
import math
from dataclasses import replace
from io import StringIO

import numpy as np
import pytest
from markupsafe import escape
from rich.console import Console

from dynid.errors import ModelFileError
from dynid.json_text import json_content, json_text
from dynid.report.card import Card
from dynid.report.report import report_html
from dynid.report.terminal.results import print_identification, print_verdict
from dynid.report.verdict_json import identification_json, read_card, verdict_json

KEYS = """
    summary joints success mean_error mean_urdf_error comparison against_urdf uses next reasons
    warnings condition_number base_parameters samples
"""
JOINT_KEYS = """
    rmse unit rmse_torque rmse_raw nrmse relative_error r_squared max_relative_torque_error
    mean_relative_torque_error samples moving_samples velocity_threshold largest_error_time
    largest_error_recording held_out_error noise_share unexplained_error plain_error urdf_error
    detectable_torque detectable_share static_friction moving_error rest_rmse rest_error
    rest_error_share rest_share constant_error explained_variance explained_variance_uncertainty
    payload_share moving_interval resting_interval coverage state uses feedforward collision
"""


def as_json(verdict):
    return json.loads(text_of(verdict))


def test_json_has_exactly_the_promised_keys(identification):
    content = as_json(identification.verdict)
    assert content.keys() == set(KEYS.split())
    assert list(content["joints"]) == ["shoulder", "elbow & co", "lift"]
    assert all(joint.keys() == set(JOINT_KEYS.split()) for joint in content["joints"].values())


def test_json_holds_fractions_and_counts(identification):
    content = as_json(identification.verdict)
    lift = content["joints"]["lift"]
    assert lift["max_relative_torque_error"] == 0.1386
    assert lift["unit"] == "A"
    assert lift["moving_samples"] == 702
    assert isinstance(lift["moving_samples"], int)
    assert content["success"] is True
    assert (content["base_parameters"], content["samples"]) == (3, 800)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_not_a_number_is_null_in_json(identification, value):
    joints = identification.verdict.joints
    first = replace(joints[0], relative_error=value, rmse=np.float64(value))
    verdict = replace(identification.verdict, joints=(first, *joints[1:]))
    found = as_json(verdict)["joints"]["shoulder"]
    assert found["relative_error"] is None
    assert found["rmse"] is None


def test_a_condition_number_of_infinity_is_null_in_json(identification):
    content = verdict_json(
        card_of(identification.verdict), condition_number=math.inf, base_parameters=3, samples=1
    )
    assert json_content(content)["condition_number"] is None


def test_failure_and_reasons_are_in_json(failed):
    content = as_json(failed.verdict)
    assert content["success"] is False
    assert content["reasons"] == list(failed.verdict.reasons)


def compared(identification, *errors):
    """Return the verdict with the errors of (model, URDF) at each joint."""
    joints = [
        replace(joint, held_out_error=model, urdf_error=urdf, state=state)
        for joint, (model, urdf, state) in zip(identification.verdict.joints, errors, strict=True)
    ]
    return replace(identification.verdict, joints=tuple(joints))


def test_model_and_urdf_are_compared_in_one_number(identification):
    verdict = compared(
        identification, (0.02, 0.2, "good"), (0.5, 0.4, "noise"), (0.03, math.nan, "good")
    )
    content = as_json(verdict)
    assert (content["mean_error"], content["mean_urdf_error"]) == pytest.approx((0.26, 0.3))
    sentences = card_of(verdict).against_urdf
    assert content["against_urdf"] == sentences
    assert all(sentence in printed(verdict).replace("\n", " ") for sentence in sentences)
    assert sentences == [
        "Mean torque error of the joints: 26.0 % with the model, 30.0 % with the masses of the "
        "URDF and friction fitted to them.",
        "Not clearly better than the URDF: elbow & co (50.0 % instead of 40.0 %); its torque is "
        "hardly more than noise.",
    ]


def test_without_masses_in_the_urdf_there_is_no_comparison(identification):
    verdict = compared(identification, *[(0.02, math.nan, "good")] * 3)
    assert card_of(verdict).against_urdf == []
    assert as_json(verdict)["mean_urdf_error"] is None


def card_of(verdict):
    return Card(verdict, "It is good.", "dynid go on")


def text_of(verdict):
    card = card_of(verdict)
    return json_text(verdict_json(card, condition_number=42.5, base_parameters=3, samples=800))


def printed(verdict):
    console = Console(file=StringIO(), width=100)
    print_verdict(console, card_of(verdict))
    return console.file.getvalue()


@pytest.mark.parametrize("name", ["identification", "failed"])
def test_a_verdict_read_back_prints_the_same_table(request, name):
    verdict = request.getfixturevalue(name).verdict
    assert printed(read_card(text_of(verdict)).verdict) == printed(verdict)


def test_a_verdict_read_back_is_the_same(identification):
    verdict = identification.verdict
    finite = tuple(replace(joint, r_squared=0.75) for joint in verdict.joints)
    verdict = replace(verdict, joints=finite, warnings=("look here.",))
    assert repr(read_card(text_of(verdict))) == repr(card_of(verdict))  # nan is not itself


def test_what_is_not_a_number_comes_back_as_nan(identification):
    verdict = identification.verdict
    first = replace(verdict.joints[0], relative_error=math.inf)
    read = read_card(text_of(replace(verdict, joints=(first, *verdict.joints[1:])))).verdict
    assert math.isnan(read.joints[0].relative_error)


@pytest.mark.parametrize(
    "text",
    [
        *("", "[]", "{}", '{"joints": {"a": {}}}', '{"joints": [1]}', "x" * 99),
        '{"joints": {}, "success": "perhaps", "reasons": [], "warnings": []}',
        '{"joints": {}, "success": true, "reasons": [1], "warnings": []}',
        '{"joints": {}, "success": true, "reasons": [], "warnings": null}',
    ],
)
def test_refuses_text_that_is_not_a_verdict(text):
    with pytest.raises(ModelFileError, match="a verdict must be the JSON object"):
        read_card(text)


def test_terminal_report_and_json_have_the_same_card(identification):
    verdict = identification.verdict
    text = StringIO()
    print_identification(Console(file=text, width=100), identification)
    page = " ".join(report_html(identification).split())
    content = json.loads(json_text(identification_json(identification, identification)))
    assert content["comparison"] == {bar.name: [bar.low, bar.high] for bar in card_of(verdict).bars}
    for bar in card_of(verdict).bars:
        (line,) = (line for line in text.getvalue().splitlines() if line.startswith(bar.name))
        assert line.endswith(bar.number)
        assert f"<dt>{escape(bar.name)}</dt>" in page
        assert f"<span>{bar.number}</span>" in page
    for sentence in (content["summary"], *content["against_urdf"], *content["uses"]):
        assert sentence in text.getvalue()
        assert str(escape(sentence)) in page


def test_a_model_that_no_urdf_is_compared_with_is_compared_with_none(identification):
    joints = tuple(replace(j, urdf_error=math.nan) for j in identification.verdict.joints)
    first, second, _ = card_of(replace(identification.verdict, joints=joints)).bars
    assert (first.name, first.number) == ("no model", "100 %")
    errors = [joint.held_out_error for joint in joints if math.isfinite(joint.held_out_error)]
    assert second.high == pytest.approx(np.mean(errors))


def test_bars_are_as_long_as_their_errors(identification):
    joints = tuple(
        replace(joint, urdf_error=0.2, held_out_error=0.05)
        for joint in identification.verdict.joints
    )
    text = StringIO()
    print_verdict(
        Console(file=text, width=100),
        card_of(replace(identification.verdict, joints=joints)),
    )
    lengths = [line.count("█") for line in text.getvalue().splitlines() if "█" in line]
    assert lengths == [40, 10]
    (usual,) = (line for line in text.getvalue().splitlines() if line.startswith("typical"))
    assert (usual.index("─") - len("typical of real robots "), usual.count("─")) == (4, 16)
