"""Reading of payload files."""

from __future__ import annotations

from pathlib import Path

import pytest

from dynid.control.carried_body import read_carried_body
from dynid.errors import ConfigurationError

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
