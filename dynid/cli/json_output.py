"""The output of ``--json``: one object, and nothing else."""

from __future__ import annotations

from typing import Any

import typer

from dynid.json_text import json_text


def print_json(content: dict[str, Any]) -> None:
    """Print one JSON object; what is not a finite number is null."""
    typer.echo(json_text(content))
