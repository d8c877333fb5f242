"""Small Denavit-Hartenberg tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from dynid.robot.dh.chain import chains_of
from dynid.robot.dh.table import DhTable, read_table
from dynid.robot.dh.urdf import urdf_of

POINT = {"mass": 1, "centre": [1001, 0, 0]}
KHALIL = {"alpha": 0, "d": 1, "r": 0, "theta": 0}
CRAIG = {"alpha": 0, "a": 1, "d": 0, "theta": 0}


def table_of(content: dict[str, Any], folder: Path) -> DhTable:
    path = folder / "table.yaml"
    path.write_text(yaml.safe_dump(content))
    return read_table(path)


def urdf_from(content: dict[str, Any], folder: Path) -> str:
    table = table_of(content, folder)
    return urdf_of(table.robot, chains_of(table, "table.yaml"), "table.yaml")


def one_row(**changes: object) -> dict[str, Any]:
    head = {"robot": "one", "convention": "modified", "angles": "degrees", "lengths": "mm"}
    return head | {"rows": [{"alpha": 0, "a": 100, "d": 0, "theta": 0} | changes]}
