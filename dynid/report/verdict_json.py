"""A verdict as JSON, for other programs, and its conversion back."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import Any

from pydantic import TypeAdapter

from dynid.errors import ModelFileError
from dynid.evaluation.verdict import Verdict
from dynid.identification.quantities import Quantity
from dynid.identification.result import Identification
from dynid.identification.validate import Validation
from dynid.json_text import json_by
from dynid.report.card import Card, NamedInputs
from dynid.robot.provenance import BaseEstimate

_VERDICT = TypeAdapter(Verdict)
_QUANTITIES = TypeAdapter(tuple[Quantity, ...])


def verdict_json(
    card: Card,
    *,
    condition_number: float,
    base_parameters: int,
    samples: int,
    quantities: Sequence[Quantity] = (),
) -> dict[str, Any]:
    """Return what ``--json`` prints: fractions, not percent; ``quantities`` if there are any."""
    verdict = card.verdict
    optional = {"quantities": json_by("name", quantities)} if quantities else {}
    return {
        "summary": card.summary,
        "joints": json_by("joint", verdict.joints, without=["sliding", "of_several"]),
        "success": verdict.success,
        "mean_error": verdict.mean_error,
        "mean_urdf_error": verdict.mean_urdf_error,
        "comparison": {bar.name: [bar.low, bar.high] for bar in card.bars},
        "against_urdf": card.against_urdf,
        "uses": card.uses,
        "next": card.next,
        "reasons": verdict.reasons,
        "warnings": verdict.warnings,
        "condition_number": condition_number,
        "base_parameters": base_parameters,
        "samples": samples,
        **optional,
    }


def read_card(text: str) -> Card:
    """Return the card in the text of a :func:`verdict_json`; null becomes NaN.

    Raises:
        ModelFileError: the text is not a verdict.
    """
    with _sentence(text):
        content = json.loads(text)
        joints = [{**values, "joint": name} for name, values in content["joints"].items()]
        verdict = _VERDICT.validate_python({**content, "joints": joints})
        return Card(verdict, summary=str(content["summary"]), next=str(content["next"]))


def read_quantities(text: str) -> tuple[Quantity, ...]:
    """Return the quantities in the text of a :func:`verdict_json`; null becomes NaN.

    Raises:
        ModelFileError: the text is not a verdict.
    """
    with _sentence(text):
        content = json.loads(text).get("quantities", {})
        return _QUANTITIES.validate_python(
            [{**entry, "name": name} for name, entry in content.items()]
        )


@contextmanager
def _sentence(text: str) -> Iterator[None]:
    """Convert errors raised within the block to a ModelFileError."""
    try:
        yield
    except (AttributeError, KeyError, TypeError, ValueError):
        start = text if len(text) <= 60 else f"{text[:57]}..."
        raise ModelFileError(
            f"a verdict must be the JSON object that dynid identify --json prints, got: {start}"
        ) from None


def identification_json(
    identification: Identification,
    evaluated: Identification | Validation,
    named: NamedInputs | None = None,
) -> dict[str, Any]:
    """Return the verdict of an identification, or of a validation of its model."""
    signs = {"torque_signs": identification.signs.as_json()} if identification.signs else {}
    chosen = identification.filters
    filters = {"filters": asdict(chosen)} if chosen else {}
    selection = identification.term_selection
    terms = {"term_selection": json_by("joint", selection.joints)} if selection else {}
    content = verdict_json(
        Card.of(evaluated, named),
        condition_number=identification.provenance.condition_number,
        base_parameters=len(identification.base_parameters),
        samples=evaluated.samples,
        quantities=identification.quantities,
    )
    intervals = {
        parameter.name: parameter.interval
        for parameter in identification.base_parameters
        if parameter.interval
    }
    bootstrapped = {"intervals": intervals} if intervals else {}
    base = _base_json(identification.model.base)
    return content | signs | filters | terms | bootstrapped | {"base": base}


def _base_json(base: BaseEstimate) -> dict[str, Any]:
    """Return the identifiable base parameters with their covariance, row by row."""
    return {
        "names": base.names,
        "values": base.values.tolist(),
        "standard_deviations": base.standard_deviations.tolist(),
        "covariance": None if base.covariance is None else base.covariance.tolist(),
        "friction_repeatability": base.friction_repeatability,
        "friction_repeatability_origin": base.friction_repeatability_origin,
    }
