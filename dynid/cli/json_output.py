"""What ``--json`` prints: one object, and nothing else."""

from __future__ import annotations

import json
import math
from typing import Any

import typer


def print_json(content: dict[str, Any]) -> None:
    """Print one JSON object, without numbers that JSON has not."""
    typer.echo(json.dumps(content, allow_nan=False))


def finite_or_none(value: float) -> float | None:
    """Return a number, or None for one that JSON has not."""
    return value if math.isfinite(value) else None
