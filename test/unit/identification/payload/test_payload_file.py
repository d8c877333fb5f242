"""payload.yaml."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from dynid_docs.parameter_tables import controller_parameters
from support.carried_body import arm_with_payload, found_on

from dynid.errors import WriteError
from dynid.identification.payload.identification import PayloadIdentification
from dynid.identification.payload.payload import payload_text, write_payload
from dynid.report.terminal.payload import identification_evidence
from dynid.robot.parameter_file import ros_parameters


@pytest.fixture(scope="module")
def found() -> PayloadIdentification:
    return found_on(arm_with_payload(0.2))


def text(found: PayloadIdentification) -> str:
    return payload_text(found.payload, identification_evidence(found))


def test_contains_only_parameters_of_the_controller(found: PayloadIdentification) -> None:
    declared = controller_parameters("feedforward_controller")["payload"]
    parameters = ros_parameters(text(found), "payload.yaml")
    assert set(parameters) == {f"payload.{name}" for name in declared}
    assert isinstance(parameters["payload.mass"], float)
    assert len(parameters["payload.centre"]) == 3
    assert len(parameters["payload.inertia"]) == 6


def test_contains_the_identified_body(found: PayloadIdentification) -> None:
    parameters = ros_parameters(text(found), "payload.yaml")
    body = found.payload.body
    assert parameters["payload.mass"] == body.mass
    np.testing.assert_array_equal(parameters["payload.centre"], body.centre)
    np.testing.assert_array_equal(parameters["payload.inertia"], body.inertia)


def test_ros2_param_load_reads_it_for_the_controller(
    found: PayloadIdentification, tmp_path: Path
) -> None:
    rclpy_parameter = pytest.importorskip("rclpy.parameter")
    path = tmp_path / "payload.yaml"
    write_payload(found.payload, [], path)
    # the name of the controller is arbitrary
    parameters = rclpy_parameter.parameter_dict_from_yaml_file(str(path), use_wildcard=True)
    assert set(parameters) == {"payload.mass", "payload.centre", "payload.inertia"}
    assert parameters["payload.mass"].value.double_value == found.payload.body.mass


def test_header_contains_the_provenance(found: PayloadIdentification) -> None:
    header = [line for line in text(found).splitlines() if line.startswith("#")]
    joined = "\n".join(header)
    for words in ("mass", "model.yaml, SHA-256 000", "Written by: dynid", "wrist", "samples: 2000"):
        assert words in joined
    assert "Date and time: 20" in joined


def test_it_is_written_whole_or_not_at_all(found: PayloadIdentification, tmp_path: Path) -> None:
    (tmp_path / "payload.yaml").mkdir()
    with pytest.raises(WriteError, match=r"payload\.yaml: is a folder"):
        write_payload(found.payload, [], tmp_path / "payload.yaml")
    assert list((tmp_path / "payload.yaml").iterdir()) == []
