"""The report put together from tables, figures and words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import yaml

from dynid.files import write_text
from dynid.report import tables, words
from dynid.report.diagnosis import finding_rows
from dynid.report.pages import render
from dynid.report.plots import Motion, coverage_plot, friction_plot, torque_plot
from dynid.robot.model_file import iso_time
from dynid.text import count, significant

if TYPE_CHECKING:
    from pathlib import Path

    from dynid.identification.identify import Identification
    from dynid.identification.validate import Validation


def write_report(identification: Identification, path: Path) -> None:
    """Write an identification's report: one HTML file that loads nothing from anywhere.

    Raises:
        OutputError: The file cannot be written.
    """
    write_text(path, report_html(identification))


def write_validation_report(validation: Validation, path: Path) -> None:
    """Write the report on a model that was held against other recordings.

    Raises:
        OutputError: The file cannot be written.
    """
    motion = _motion(validation)
    content = _common(validation, motion)
    content |= {
        "title": f"{validation.profile.robot}: validation of its dynamic model",
        "verdict": words.verdict(validation.judgement, content["allowed"], held_out=True),
        "identification": None,
        "created": None,
    }
    write_text(path, render("template.html.j2", content))


def report_html(identification: Identification) -> str:
    """Return the text of an identification's report."""
    motion = _motion(identification)
    content = _common(identification, motion)
    judgement = identification.judgement
    content |= {
        "title": f"{identification.profile.robot}: identification of its dynamic model",
        "verdict": words.verdict(judgement, content["allowed"], held_out=False),
        "identification": identification,
        "created": iso_time(identification.created),
        "steps": content["steps"] + words.estimation_steps(identification),
        "quantity_rows": [tables.quantity_row(one) for one in identification.quantities],
        "sign_rows": identification.signs.drives if identification.signs else (),
        "base_rows": [tables.base_row(p) for p in identification.base_parameters],
        "body_header": tables.body_header(identification),
        "body_rows": tables.body_rows(identification),
        "terms": tables.term_table(identification),
    }
    content["facts"] += [
        (significant(identification.condition_number, 3), "condition number"),
        (str(len(identification.base_parameters)), "base parameters"),
        ("yes" if identification.physically_consistent else "no", "physically consistent"),
    ]
    return render("template.html.j2", content)


def _motion(result: Identification | Validation) -> Motion:
    prismatic = result.mechanism.prismatic
    return Motion(result.signals, result.measured_torque, result.model_torque, prismatic)


def _common(result: Identification | Validation, motion: Motion) -> dict[str, Any]:
    """Return what both kinds of report show."""
    profile, judgement = result.profile, result.judgement
    allowed = profile.identification.max_relative_torque_error
    held_out = getattr(result, "held_out", None)
    joints = [
        {
            "name": joint.joint,
            "errors": tables.error_row(joint, allowed, number, held_out),
            "plot": torque_plot(motion, number),
            "coverage": tables.coverage_row(motion, profile.limits, number),
        }
        for number, joint in enumerate(judgement.joints)
    ]
    settings = yaml.safe_dump(profile.model_dump(mode="json"), sort_keys=False, allow_unicode=True)
    return {
        "success": judgement.success,
        "reasons": judgement.reasons,
        "warnings": judgement.warnings,
        "notes": result.notes,
        "allowed": allowed,
        "error_header": tables.error_header(judgement.joints[0], held_out=held_out is not None),
        "joints": joints,
        "findings": finding_rows(result.findings),
        "friction": friction_plot(motion, result.mechanism),
        "coverage": coverage_plot(motion, profile.limits),
        "steps": words.recording_steps(profile, result.signals, result.samples),
        "facts": [
            (str(len(result.signals)), "recordings" if len(result.signals) > 1 else "recording"),
            (f"{significant(sum(motion.lengths), 3)} s", "of motion"),
            (count(result.samples), "samples"),
        ],
        "sources": result.sources,
        "versions": getattr(result, "versions", {}),
        "settings": settings,
    }
