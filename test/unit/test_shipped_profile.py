"""The profile that users copy explains every key there is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import get_args

from pydantic import BaseModel

from dynid.profile import _Profile
from dynid.recording.columns import ColumnMap

ROBOTS = Path(__file__).parents[2] / "config" / "robots"
TEXT = (ROBOTS / "puma560.yaml").read_text()
# that file names these for what a PUMA does not have
OTHERS = ("scara", "delta_3", "axis_rotary")


def groups(annotation: object) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from groups(part)


def keys(group: type[BaseModel]) -> Iterator[str]:
    for name, field in group.model_fields.items():
        yield field.alias or name
        for nested in groups(field.annotation):
            if nested is not ColumnMap:  # docs/recordings.md explains it
                yield from keys(nested)


def test_the_pumas_profile_names_every_key() -> None:
    explained = TEXT + "".join((ROBOTS / f"{name}.yaml").read_text() for name in OTHERS)
    # a file can show only one alternative; sine's keys are documented elsewhere
    alternatives = {"start", "target", "frequency", "duration", "axes", "length"}
    absent = {key for key in keys(_Profile) if key not in explained} - alternatives
    assert not absent
    assert all(f"{name}.yaml" in TEXT for name in OTHERS)
