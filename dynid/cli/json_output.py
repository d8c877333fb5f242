"""What ``--json`` prints: one object, and nothing else."""

from __future__ import annotations

import json
from typing import Any

import typer


def print_json(content: dict[str, Any]) -> None:
    """Print one JSON object, without numbers that JSON has not."""
    typer.echo(json.dumps(content, allow_nan=False))
