"""A payload as tables, as header lines of its file, and as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console

from dynid.identification.payload.identification import PayloadIdentification
from dynid.identification.payload.payload import Payload, PayloadRow
from dynid.identification.payload.static import StaticPayload
from dynid.report.terminal.console import (
    NOT_IDENTIFIABLE,
    print_outcome,
    print_sentences,
    print_text,
    roomy,
)
from dynid.report.terminal.tables import table
from dynid.text import percent, significant, unit


def print_payload(console: Console, payload: Payload) -> None:
    """Print mass, centre and inertia with uncertainties, and why some are not identifiable."""
    console = roomy(console)
    title = f"{payload.robot}: payload in the frame of joint '{payload.joint}'"
    print_text(console, title, "bold")
    rows = table("quantity", "value", "std. dev.", "unit")
    for name, value, shown, deviation in payload.rows:
        numbers = (NOT_IDENTIFIABLE, "")
        if deviation is not None:
            numbers = (significant(value, 4), significant(deviation, 2))
        rows.add_row(name, *numbers, unit(shown))
    console.print(rows)
    print_sentences(console, "Not identifiable", payload.reasons, "yellow")
    console.print()


def print_payload_identification(console: Console, identification: PayloadIdentification) -> None:
    """Print the payload, and torque errors without and with it."""
    print_payload(console, identification.payload)
    console = roomy(console)
    rows = table("joint", "RMSE [N·m, N]", "with payload", "relative", "with payload", "held out")
    pairs = zip(identification.without.joints, identification.verdict.joints, strict=True)
    for (before, after), held_out in zip(
        pairs, identification.held_out.relative_error, strict=True
    ):
        values = [
            *(significant(joint.rmse_torque, 3) for joint in (before, after)),
            *(percent(joint.relative_error) for joint in (before, after)),
            percent(held_out),
        ]
        rows.add_row(before.joint, *values)
    console.print(rows)
    verdict = identification.verdict
    print_sentences(console, "Failed because", verdict.reasons, "bold red")
    print_sentences(console, "Warnings", verdict.warnings, "yellow")
    print_sentences(console, "Notes", identification.notes, "")
    print_outcome(console, verdict.success)


def print_static_payload(console: Console, identification: StaticPayload) -> None:
    """Print the mass, and the friction at rest that limits its accuracy."""
    print_payload(console, identification.payload)
    console = roomy(console)
    rows = table("joint", "friction at rest [N·m, N]", "approached from both sides")
    joints = zip(
        identification.joints, identification.friction, identification.from_both_sides, strict=True
    )
    for joint, friction, both in joints:
        rows.add_row(joint, significant(friction, 3), "yes" if both else "no")
    console.print(rows)
    print_sentences(console, "Notes", identification.notes, "")
    print_text(
        console, identification.outcome, "bold green" if identification.success else "bold red"
    )


def payload_json(payload: Payload) -> dict[str, Any]:
    """Return what ``--json`` prints; standard deviations are null where not identifiable."""
    return {
        "robot": payload.robot,
        "joint": payload.joint,
        "base_model": {"name": payload.base.name, "sha256": payload.base.sha256},
        "payload": _figures(payload.quantities),
        "parameters": _figures(payload.about_joint),
        "not_identifiable": payload.not_identifiable,
    }


def _figures(rows: Iterable[PayloadRow]) -> dict[str, Any]:
    return {
        row.name.replace(" ", "_"): {
            "value": row.value,
            "standard_deviation": row.standard_deviation,
            "unit": row.unit,
        }
        for row in rows
    }


def payload_identification_json(identification: PayloadIdentification) -> dict[str, Any]:
    """Return what ``dynid payload identify --json`` prints: fractions, not percent."""
    rows = zip(
        identification.without.joints,
        identification.verdict.joints,
        identification.held_out.relative_error,
        strict=True,
    )
    return {
        **payload_json(identification.payload),
        "joints": {
            after.joint: {
                "rmse_torque_without": before.rmse_torque,
                "rmse_torque": after.rmse_torque,
                "relative_error_without": before.relative_error,
                "relative_error": after.relative_error,
                "held_out_relative_error": held_out,
            }
            for before, after, held_out in rows
        },
        "success": identification.verdict.success,
        "reasons": identification.verdict.reasons,
        "warnings": identification.verdict.warnings,
        "samples": identification.samples,
    }


def static_payload_json(identification: StaticPayload) -> dict[str, Any]:
    """Return what ``dynid payload measure --json`` prints."""
    rows = zip(
        identification.joints, identification.friction, identification.from_both_sides, strict=True
    )
    return {
        **payload_json(identification.payload),
        "mass": identification.mass,
        "mass_standard_deviation": identification.mass_standard_deviation,
        "dwells": len(identification.dwells),
        "joints": {
            joint: {"friction": friction, "from_both_sides": both} for joint, friction, both in rows
        },
        "success": identification.success,
        "impossible": identification.impossible,
    }


def identification_evidence(identification: PayloadIdentification) -> list[str]:
    """Return lines for the file's header: how it was identified, and torque errors."""
    cutoff = "none" if identification.cutoff_hz is None else f"{identification.cutoff_hz:g} Hz"
    pairs = list(zip(identification.without.joints, identification.verdict.joints, strict=True))
    width = max(len(joint.joint) for joint in identification.verdict.joints)
    return [
        *(f"  note: {warning}" for warning in identification.verdict.warnings),
        f"Low-pass filter's cut-off frequency: {cutoff}; samples: {identification.samples}",
        "Torque error relative to measured torque, without and with payload:",
        *(
            f"  {before.joint:<{width}}  {100 * before.relative_error:6.2f} %"
            f"  {100 * after.relative_error:6.2f} %"
            for before, after in pairs
        ),
    ]


def static_evidence(identification: StaticPayload) -> list[str]:
    """Return lines for the file's header: the number of dwells."""
    return [f"From gravity in {len(identification.dwells)} dwells at rest."]
