"""Judgements as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import typer

from dynid.report.verdict_json import judgement_json

if TYPE_CHECKING:
    from dynid.identification.identify import Identification
    from dynid.identification.validate import Validation


def with_model(
    identification: Identification, judged: Identification | Validation
) -> dict[str, Any]:
    """The judgement of an identification, or of its model on other motion."""
    signs = {"torque_signs": identification.signs.as_json()} if identification.signs else {}
    found = judgement_json(
        judged.judgement,
        condition_number=identification.condition_number,
        base_parameters=len(identification.base_parameters),
        samples=judged.samples,
        quantities=identification.quantities,
    )
    return found | signs


def print_json(content: dict[str, Any]) -> None:
    """Print one JSON object, without numbers that JSON has not."""
    typer.echo(json.dumps(content, allow_nan=False))
