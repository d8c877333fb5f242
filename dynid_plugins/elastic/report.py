"""Elastic joints as tables and sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from dynid.report.terminal.console import print_sentences, print_text, roomy
from dynid.report.terminal.tables import table
from dynid.text import percent, significant

if TYPE_CHECKING:
    from rich.console import Console

    from dynid_plugins.elastic.arm_stiffness import ArmStiffness
    from dynid_plugins.elastic.flatness_trial import FlatnessTrial
    from dynid_plugins.elastic.identification import DeflectionErrors
    from dynid_plugins.elastic.resonance import Resonances
    from dynid_plugins.elastic.result import ElasticIdentification, ElasticJoint, Estimated

_HALF_TURN = 2.0  # order of a wave that an encoder may have, too
_SEEN = 2.0  # standard deviations
_UNEXPLAINED = 0.3  # of the torque at waves


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
            _not_negative(joint.damping),
            _not_negative(joint.backlash, 1e3),
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


def _shown(quantity: Estimated | None, factor: float = 1.0) -> str:
    if quantity is None:
        return "—"
    value, deviation = (factor * number for number in quantity)
    return f"{significant(value, 3)} ± {significant(deviation, 2)}"


def _not_negative(quantity: Estimated | None, factor: float = 1.0) -> str:
    """Return the text of a quantity that cannot be negative: a limit where it may be zero."""
    if quantity is None or _impossible(quantity):
        return "—"
    if quantity.value > _SEEN * quantity.deviation:
        return _shown(quantity, factor)
    most = max(quantity.value, 0.0) + _SEEN * quantity.deviation
    return f"at most {significant(factor * most, 2)}"


def _impossible_values(joint: ElasticJoint) -> Iterator[str]:
    for name, found, factor, where in (
        ("damping", joint.damping, 1.0, "with the rate of the load"),
        ("backlash", joint.backlash, 1e3, "where the load changes its sign"),
    ):
        if _impossible(found):
            yield (
                f"{joint.name}: a {name} of {_shown(found, factor)} is not possible; what moves "
                f"the link against its motor {where} is something else, such as friction between "
                "them or the encoders' delay."
            )


def _impossible(quantity: Estimated | None) -> bool:
    """Whether a quantity that cannot be negative is so beyond chance."""
    return quantity is not None and quantity.value < -_SEEN * quantity.deviation


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
        yield from _impossible_values(joint)
    if joint.hardening is not None:
        yield f"{joint.name} hardens: cubic stiffness {_shown(joint.hardening)}."
    if joint.friction_share is not None:
        share, deviation = (percent(number) for number in joint.friction_share)
        yield (
            f"{joint.name}: {share} (± {deviation}) of its friction acts behind the elasticity and "
            "bends the gear; at rest it holds what the motor has wound up."
        )
    if joint.scale is not None:
        yield (
            f"{joint.name}: without load its motor turns {percent(joint.scale.value)} further than "
            f"its link (± {percent(joint.scale.deviation)}); check drives.gear_ratio and the "
            "factors of both columns."
        )
    if joint.eccentricity is not None:
        yield (
            f"{joint.name}: an encoder is eccentric by "
            f"{significant(1e3 * joint.eccentricity, 3)} {unit} over a turn."
        )
    if joint.encoder_error is not None:
        yield (
            f"{joint.name}: over the recorded positions the encoders differ by "
            f"{significant(1e3 * joint.encoder_error, 3)} {unit} more, whatever the load; other "
            "positions may have other errors."
        )
    for wave in (*joint.ripple, *joint.harmonics):
        source = "gear" if wave in joint.ripple and wave.order != _HALF_TURN else "gear or encoder"
        amplitude = _shown(wave.size, 1e3)
        yield (
            f"{joint.name}: a wave of {significant(wave.order)} periods a turn, "
            f"{amplitude} {unit}, of {source}."
        )


def print_flatness(console: Console, trial: FlatnessTrial) -> None:
    """Print the path error of each feedforward, the reference's delay, and what was limited."""
    console = roomy(console)
    print_text(console, f"{trial.robot}: tool's error of the filtered path", "bold")
    rows = table("feedforward", "rms [mm]", "of the rigid one")
    for row in trial.rows():
        rows.add_row(row["feedforward"], significant(1e3 * row["rms"], 3), percent(row["ratio"]))
    console.print(rows)
    notes = [f"The filter delays the reference by {significant(1e3 * trial.delay, 3)} ms."]
    notes += [
        f"{row['feedforward']}: limits.torque_max bounds {percent(row['limited'])} of the samples; "
        "make the motion slower or --cutoff lower."
        for row in trial.rows()
        if row["limited"] > 0
    ]
    print_sentences(console, "Notes", notes, "")


def print_resonances(console: Console, found: Resonances) -> None:
    """Print frequencies, inertias and stiffness of each joint, and what cannot be separated."""
    console = roomy(console)
    print_text(console, f"{found.robot}: resonances, from the motors alone", "bold")
    rows = table("joint", "locked [Hz]", "free [Hz]", "rotor", "link", "stiffness")
    notes = [
        f"{joint}: no span in which it alone is excited and its velocity follows from its torque; "
        "excite it by itself."
        for joint in found.silent
    ]
    for joint in found.joints:
        separable = joint.separable
        rows.add_row(
            joint.name,
            _shown(joint.locked if separable != "none" else None),
            _shown(joint.free if separable == "all" else None),
            *(_shown(joint.quantity(name)) for name in ("rotor", "link", "stiffness")),
        )
        if separable == "locked":
            notes.append(
                f"{joint.name}: its resonance is beyond the coherent band, so that only stiffness "
                "over link inertia can be said, by the locked frequency; excite it faster."
            )
        elif not joint.fit.bends:
            notes.append(
                f"{joint.name}: one mass explains its response as well as two, so that no bending "
                "is seen. Excite it faster, and more where it may resonate."
            )
        elif separable == "none":
            notes.append(
                f"{joint.name}: its antiresonance is not in the coherent band; only the sum of "
                "rotor and link is seen. Excite it faster."
            )
        elif joint.rotor is not None:
            notes.append(f"{joint.name}: the known inertia of its rotor sets the scale.")
    console.print(rows)
    print_sentences(console, "Joints", notes, "")


def print_multisines(console: Console, robot: str, joints: Iterable[Mapping[str, Any]]) -> None:
    """Print size and duration of the multisine of each joint."""
    console = roomy(console)
    print_text(console, f"{robot}: a multisine for each joint, in SI units", "bold")
    names = ("duration", "waves", "swing", "rms_velocity", "rms_acceleration")
    rows = table("joint", "duration", "waves", "swing ±", "rms velocity", "rms acceleration")
    for row in joints:
        rows.add_row(row["joint"], *(significant(row[name], 3) for name in names))
    console.print(rows)


def print_arm(console: Console, found: ArmStiffness) -> None:
    """Print rotors and gears of each excited joint, and what cannot be said."""
    console = roomy(console)
    print_text(console, f"{found.robot.name}: gears, from the motors' encoders alone", "bold")
    rows = table("joint", "rotor", "stiffness", "damping", "torque not explained")
    notes = []
    for joint in found.excited:
        name, error = found.robot.joints[joint], found.error(joint)
        quantities = (found.rotor(joint), found.stiffness(joint), found.damping(joint))
        rows.add_row(name, *map(_shown, quantities), percent(error))
        if joint not in found.fit.elastic:
            notes.append(
                f"{name}: no bending is seen up to {significant(found.highest_hz, 3)} Hz: waves "
                "left out are predicted as well without."
            )
        elif quantities[1] is None:
            notes.append(
                f"{name}: bends, or a joint whose axis is near to parallel does: its stiffness is "
                "uncertain. Choose another excitation.centre, or more periods."
            )
        if error > _UNEXPLAINED:
            notes.append(
                f"{name}: {percent(error)} of the torque at its waves is not explained: by "
                "friction, or by the model of the links; --model takes an identified one."
            )
    notes.append(
        f"Torque is late by {significant(1e3 * found.fit.gears.delay, 3)} ± "
        f"{significant(1e3 * found.fit.delay_deviation, 2)} ms against positions."
    )
    console.print(rows)
    print_sentences(console, "Joints", notes, "")
