"""The profile that users copy explains every key there is."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import get_args

from pydantic import BaseModel

from dynid.profile import RobotProfile
from dynid.recording import ColumnMap

TEXT = (Path(__file__).parents[2] / "config" / "robots" / "puma560.yaml").read_text()


def groups(annotation: object) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from groups(part)


def keys(group: type[BaseModel]) -> Iterator[str]:
    for name, field in group.model_fields.items():
        yield name
        for nested in groups(field.annotation):
            if nested is not ColumnMap:  # docs/recordings.md explains it
                yield from keys(nested)


def test_the_pumas_profile_names_every_key() -> None:
    # of alternatives it can show only one: sine's own keys are named where a user looks for them,
    # those of a tracked line in scara.yaml
    alternatives = {"start", "target", "frequency", "duration", "settle_window", "settle_time"}
    absent = {key for key in keys(RobotProfile) if key not in TEXT} - alternatives
    assert not absent
