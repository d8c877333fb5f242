"""Elastic joints as tables and sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from dynid.report.terminal.console import print_sentences, print_text, roomy
from dynid.report.terminal.tables import table
from dynid.text import significant

if TYPE_CHECKING:
    from rich.console import Console

    from dynid_plugins.elastic.result import ElasticIdentification, ElasticJoint, Quantity
    from dynid_plugins.elastic.validation import DeflectionErrors

_SEEN = 2.0  # standard deviations


def print_elastic(
    console: Console,
    identification: ElasticIdentification,
    errors: Mapping[str, DeflectionErrors],
) -> None:
    """Print stiffness, damping and backlash with standard deviations, then sentences.

    Args:
        console: to print to.
        identification: of the joints.
        errors: of the deflection in other recordings, by their names.
    """
    console = roomy(console)
    print_text(console, f"{identification.robot}: elastic joints", "bold")
    rows = table("joint", "stiffness", "damping", "backlash", "delay [ms]", "verdict")
    for joint in identification.joints:
        rows.add_row(
            f"{joint.name} [{_torque_unit(joint)}, {'mm' if joint.prismatic else 'mrad'}]",
            _shown(joint.stiffness),
            _shown(joint.damping),
            _shown(joint.backlash, 1e3),
            _shown(joint.delay, 1e3),
            {"unknown": "cannot be said"}.get(joint.verdict, joint.verdict),
        )
    console.print(rows)
    notes = [note for joint in identification.joints for note in _notes(joint)]
    print_sentences(console, "Joints", notes, "")
    for name, found in errors.items():
        _print_errors(console, identification, name, found)


def _print_errors(
    console: Console, identification: ElasticIdentification, name: str, found: DeflectionErrors
) -> None:
    print_text(console, f"Deflection in {name}, which was not fitted [mrad or mm]", "bold")
    rows = table("joint", "rms error", "range")
    for joint in identification.joints:
        numbers = (found.rms[joint.name], found.range[joint.name])
        rows.add_row(joint.name, *(significant(1e3 * number) for number in numbers))
    console.print(rows)


def _shown(quantity: Quantity | None, factor: float = 1.0) -> str:
    if quantity is None:
        return "—"
    value, deviation = (factor * number for number in quantity)
    return f"{significant(value, 3)} ± {significant(deviation, 2)}"


def _torque_unit(joint: ElasticJoint) -> str:
    return "N/m" if joint.prismatic else "N m/rad"


def _notes(joint: ElasticJoint) -> Iterator[str]:
    """Yield what a joint's row does not show."""
    unit = "mm" if joint.prismatic else "mrad"
    moved = significant(1e3 * joint.deflection_range, 3)
    if joint.has_wrong_sign:
        yield (
            f"{joint.name}: the link is ahead of its motor under load: the two encoders are "
            "swapped, or torque has the wrong sign."
        )
    elif joint.verdict == "unknown":
        bound = f"at least {significant(joint.least_stiffness, 2)} {_torque_unit(joint)}"
        yield (
            f"{joint.name}: stiffness cannot be said, but is {bound}: load bends it by {moved} "
            f"{unit}, with too large an uncertainty of the link torque and an error of "
            f"{significant(1e3 * joint.fit.residual, 3)} {unit}. Record faster motion, or motion "
            "with more gravity torque."
        )
    else:
        allowed = significant(1e3 * joint.tolerance, 3)
        compared = "more" if joint.verdict == "elastic" else "less"
        yield (
            f"{joint.name} bends by {moved} {unit} in these motions, {compared} than the "
            f"{allowed} {unit} of elastic.largest_deflection; the rest of the deflection is "
            f"{significant(1e3 * joint.held_out, 3)} {unit} (rms, left out)."
        )
        if joint.backlash is None:
            yield f"{joint.name}: its torque keeps its sign, so that backlash cannot be said."
    if joint.hardening is not None:
        yield f"{joint.name} hardens: cubic stiffness {_shown(joint.hardening)}."
    if joint.link_friction is not None:
        yield f"{joint.name}: friction between gear and link {_shown(joint.link_friction)}."
    if joint.eccentricity is not None:
        yield (
            f"{joint.name}: an encoder is eccentric by "
            f"{significant(1e3 * joint.eccentricity, 3)} {unit} over a turn."
        )
    for wave in joint.harmonics:
        yield (
            f"{joint.name}: a wave of {significant(wave.order)} periods a turn, "
            f"{significant(1e3 * wave.amplitude, 3)} {unit}, of gear or encoder."
        )
