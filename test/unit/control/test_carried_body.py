"""Reading of payload files."""

from __future__ import annotations

from pathlib import Path

import pytest

from dynid.control.build import control_model
from dynid.control.carried_body import read_carried_body
from dynid.errors import ConfigurationError
from dynid.profile import load_robot

GOOD = {"mass": "1.5", "centre": "[0.0, 0.1, 0.2]", "inertia": "[1.0, 0.0, 1.0, 0.0, 0.0, 1.0]"}


def written(folder: Path, **changes: str) -> Path:
    lines = "".join(f"      {name}: {value}\n" for name, value in (GOOD | changes).items())
    path = folder / "payload.yaml"
    path.write_text(f"/**:\n  ros__parameters:\n    payload:\n{lines}")
    return path


def test_reads_mass_centre_and_inertia(tmp_path: Path) -> None:
    body = read_carried_body(written(tmp_path))
    assert (body.mass, body.centre.tolist(), body.inertia[0, 0]) == (1.5, [0.0, 0.1, 0.2], 1.0)


@pytest.mark.parametrize(
    "changes",
    [
        {"mass": ".nan"},
        {"mass": "1e999"},
        {"mass": "[1.0]"},
        {"centre": "[0.0, .inf, 0.0]"},
        {"centre": "[0.0, 0.0]"},
        {"inertia": "[1.0, 0.0, 1.0, 0.0, 0.0, .nan]"},
        {"inertia": "text"},
        {"inertia": "[" + "1" * 90 + "]"},
    ],
    ids=str,
)
def test_refuses_files_without_a_body(tmp_path: Path, changes: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError, match="6 finite numbers; expected the payload"):
        read_carried_body(written(tmp_path, **changes))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"mass": "-1.0"}, "payload.mass has -1 kg; expected 0 to 1e"),
        ({"mass": "1e308"}, r"payload.mass has 1e\+308 kg"),
        ({"centre": "[0.0, 1e308, 0.0]"}, r"payload.centre has 1e\+308 m"),
        ({"inertia": "[1e300, 0.0, 1e300, 0.0, 0.0, 1e300]"}, r"payload.inertia has 1e\+300"),
        ({"inertia": "[-1.0, 0.0, 1.0, 0.0, 0.0, 1.0]"}, "principal moments -1, 1, 1 kg m"),
        ({"inertia": "[1.0, 0.0, 1.0, 0.0, 0.0, 3.0]"}, "larger than the sum of the other two"),
    ],
)
def test_refuses_numbers_that_no_body_has(
    tmp_path: Path, changes: dict[str, str], words: str
) -> None:
    with pytest.raises(ConfigurationError, match=words):
        read_carried_body(written(tmp_path, **changes))


@pytest.mark.parametrize(
    "inertia", ["[0.0, 0.0, 0.0, 0.0, 0.0, 0.0]", "[1.0, 0.0, 1.0, 0.0, 0.0, 2.0]"]
)
def test_the_controller_takes_whatever_is_read(tmp_path: Path, inertia: str) -> None:
    body = read_carried_body(written(tmp_path, mass="0.0", inertia=inertia))
    robot = load_robot("pendulum")
    control_model(robot, robot.mechanism()).set_payload(body.mass, body.centre, body.inertia)
