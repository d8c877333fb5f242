"""Names and cells of a file are quoted in part, so that a refusal stays one readable sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from dynid.errors import RecordingError
from dynid.recording.load import read_samples
from dynid.text import shown, shown_names

from .conftest import ONE_JOINT

LONG = "x" * 5000


def test_an_excerpt_has_at_most_80_characters() -> None:
    assert shown("y" * 80) == "y" * 80
    assert shown(LONG) == "x" * 79 + "…"


def test_the_name_of_a_file_is_whole() -> None:
    assert shown(Path("folder") / ("n" * 200)) == "n" * 200


def test_short_names_are_listed_up_to_20() -> None:
    assert shown_names(f"q{i}" for i in range(20)).endswith("q18, q19")
    assert shown_names(f"q{i}" for i in range(22)).endswith("q19, … (2 more)")


@pytest.mark.parametrize(
    ("content", "joints"),
    [
        ("t," + ",".join(f"{i}{LONG}" for i in range(30)) + "\n" + "1," * 30 + "2\n", None),
        ("t,q,e\n1,1,1\n2,3,4\n", [LONG]),
        (f"t,q,e\n1,{LONG},1\n", None),
    ],
    ids=["header", "joint", "cell"],
)
def test_a_refusal_is_short(tmp_path: Path, content: str, joints: list[str] | None) -> None:
    path = tmp_path / "log.csv"
    path.write_text(content)
    with pytest.raises(RecordingError) as refusal:
        read_samples(path, joints, columns=ONE_JOINT)
    assert "x" * 80 not in str(refusal.value)
    assert len(str(refusal.value)) < 1200
