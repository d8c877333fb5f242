"""Faults against causes: what the diagnosis finds in recordings with one known fault each.

    python benchmarks/diagnosis_matrix.py [--seeds N] [--first-seed N] [--robot R] [--fault C]
        [--workers 2 | --scheduler ADDRESS]

Prints how often each cause was found for each fault, and precision and recall of each cause. A
finding that is only a note counts as none.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass

from faulty_recordings import FAULTS, ROBOTS, does_it_apply, make_subject
from seeds import add_options, trials

from dynid.errors import DynidError, EstimationError
from dynid.evaluation.diagnosis.causes import CAUSES
from dynid.identification.diagnose import diagnose_recordings
from dynid.identification.identify import identify

_ANY = "any"

COMPANIONS: Mapping[tuple[str, str], Mapping[str, str]] = {
    ("too_slow", _ANY): {
        "ill_conditioned": "inertia is not in the data",
        "friction_terms": "at low speed Stribeck friction, which is no term, is most of the error",
    },
    ("too_short", _ANY): {
        "ill_conditioned": "few poses at few speeds",
        "over_fit": "few samples for as many parameters",
        "small_region": "a joint has not been everywhere yet",
        "overlapping_frequencies": "joints that turn once have turned together",
    },
    ("one_direction", _ANY): {
        "too_short": "a stroke is half a cycle",
        "ill_conditioned": "few poses at few speeds",
        "over_fit": "few samples for as many parameters",
        "small_region": "a joint has not been everywhere yet",
        "overlapping_frequencies": "joints that turn once have turned together",
    },
    ("small_region", _ANY): {
        "ill_conditioned": "weight over a small angle is an offset",
        "friction_terms": "at low speed Stribeck friction, which is no term, is most of the error",
        "quantised_feedback": "an encoder's steps are coarse in a small motion",
    },
    ("small_region", "one joint"): {"too_slow": "in a small region no joint gets fast"},
    ("overlapping_frequencies", _ANY): {
        "ill_conditioned": "parameters of joints that move together are found apart badly"
    },
    ("overlapping_frequencies", "repeating"): {
        "small_region": "a joint at a high frequency must not go far"
    },
    ("flipped_sign", "position"): {"beyond_limits": "limits are those of the other sign"},
    ("position_factor", "before a screw"): {"beyond_limits": "a motor turns further than a slide"},
    ("noise", _ANY): {"over_fit": "parameters fit the noise"},
    ("quantised_feedback", _ANY): {"noise": "steps are noise"},
    ("held_position", _ANY): {
        "time_shift": "what is held is late by half the time it is",
        "quantised_feedback": "what is held is coarse",
        "effort": "effort is held too",
        "noise": "steps are noise",
    },
    ("effort", _ANY): {"spikes": "effort jumps at the threshold"},
    ("lost_samples", _ANY): {"ill_conditioned": "motion that jumps has large errors"},
    ("spikes", _ANY): {"noise": "spikes are noise"},
    ("spikes", "all joints, clipped"): {"saturation": "they are clipped"},
    ("unmodelled_coupling", _ANY): {
        "torque_crosstalk": "a motor that moves two joints has its torque in both",
        "ill_conditioned": "a joint with large errors has little weight in the estimate",
        "over_fit": "the model is overfitted to data that contradict it",
    },
    ("torque_crosstalk", _ANY): {
        "ill_conditioned": "a joint with large errors has little weight in the estimate",
        "over_fit": "the model is overfitted to data that contradict it",
    },
    ("ill_conditioned", "hardly moves"): {
        "too_slow": "it hardly moves",
        "small_region": "it hardly moves",
        "friction_terms": "at low speed Stribeck friction, which is no term, is most of the error",
        "quantised_feedback": "an encoder's steps are coarse in a small motion",
    },
    ("over_fit", _ANY): {
        "too_short": "few samples are a short recording",
        "noise": "noise is what is fitted",
        "ill_conditioned": "few poses at few speeds",
        "small_region": "a joint has not been everywhere yet",
        "overlapping_frequencies": "joints that turn once have turned together",
    },
}
"""Further causes that follow from a fault, and why; not counted for or against a cause."""


@dataclass(frozen=True)
class Outcome:
    """Findings in one recording.

    Attributes:
        robot, fault, variant, seed: of the trial.
        found: causes, without notes.
        failure: why there was no diagnosis; None if there was one.
        passed: whether the verdict on the model is a success.
    """

    robot: str
    fault: str
    variant: str
    seed: int
    found: tuple[str, ...]
    failure: str | None = None
    passed: bool = False


def outcome(name: str, fault: str, variant: str, seed: int) -> Outcome:
    """Inject one fault into one recording, and diagnose it."""
    trial = FAULTS[fault][variant](make_subject(name), seed)
    recordings, passed = [trial.recording, *trial.others], False
    try:
        identification = identify(trial.robot, recordings)
        findings, passed = identification.findings, identification.verdict.success
    except EstimationError:
        findings = diagnose_recordings(trial.robot, recordings).findings
    except DynidError as error:
        return Outcome(name, fault, variant, seed, (), str(error))
    # of spikes, which are left out of the fit, only a note remains
    found = {one.cause for one in findings if one.severity != "note" or one.cause == "spikes"}
    return Outcome(name, fault, variant, seed, tuple(sorted(found)), passed=passed)


def companions(fault: str, variant: str) -> set[str]:
    """Further causes that are expected to follow from a fault."""
    return {*COMPANIONS.get((fault, _ANY), {}), *COMPANIONS.get((fault, variant), {})}


def figures(outcomes: Iterable[Outcome]) -> dict[str, dict[str, float]]:
    """Precision and recall of each cause, and the counts behind them."""
    counts: dict[str, Counter[str]] = {c: Counter() for c in (*CAUSES, *FAULTS) if c != "none"}
    for one in outcomes:
        if one.fault in counts:
            counts[one.fault]["true" if one.fault in one.found else "missed"] += 1
        for cause in set(one.found) - {one.fault} - companions(one.fault, one.variant):
            counts[cause]["false"] += 1
    return {
        cause: {
            "precision": _share(count["true"], count["false"]),
            "recall": _share(count["true"], count["missed"]),
            **{kind: count[kind] for kind in ("true", "missed", "false")},
        }
        for cause, count in counts.items()
    }


def _share(part: int, rest: int) -> float:
    return part / (part + rest) if part + rest else float("nan")


def matrix(outcomes: list[Outcome]) -> str:
    """Faults with their variants in rows, causes found in columns: in how many recordings."""
    causes = list(CAUSES)
    lines = [" ".join(f"{number + 1}={cause}" for number, cause in enumerate(causes)), ""]
    lines.append(f"{'fault':<47}" + "".join(f"{number + 1:>4}" for number in range(len(causes))))
    for fault, variants in FAULTS.items():
        for variant in variants:
            here = [o for o in outcomes if (o.fault, o.variant) == (fault, variant)]
            if here:
                cells = [_cell(here, fault, variant, cause) for cause in causes]
                lines.append(f"{f'{fault}: {variant} ({len(here)})':<47}" + "".join(cells))
    return "\n".join(lines)


def _cell(here: list[Outcome], fault: str, variant: str, cause: str) -> str:
    count = sum(cause in one.found for one in here)
    if not count:
        return f"{'.':>4}"
    text = f"({count})" if cause != fault and cause in companions(fault, variant) else str(count)
    return f"{text:>4}"


def main() -> None:
    """Print the matrix, and precision and recall."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=2, help="random motions for each fault")
    parser.add_argument(
        "--first-seed", type=int, default=101, help="thresholds were set with 0 to 5"
    )
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    parser.add_argument("--robot", action="append", choices=ROBOTS, help="only that one")
    parser.add_argument("--fault", action="append", choices=FAULTS, help="only that one")
    add_options(parser)
    wanted = parser.parse_args()
    work = [
        (name, fault, variant, seed)
        for name in wanted.robot or ROBOTS
        for fault in wanted.fault or FAULTS
        for variant in FAULTS[fault]
        if does_it_apply(name, variant)
        for seed in range(wanted.first_seed, wanted.first_seed + wanted.seeds)
    ]
    outcomes = trials(wanted, outcome, work)
    found = figures(outcomes)
    if wanted.json:
        json.dump({"figures": found, "outcomes": [asdict(o) for o in outcomes]}, sys.stdout)
        return
    print(matrix(outcomes))
    print("\n(n): a declared companion of the fault, which counts neither way")
    for one in outcomes:
        unexpected = set(one.found) - {one.fault} - companions(one.fault, one.variant)
        missed = one.fault != "none" and one.fault not in one.found
        if unexpected or missed:
            print(
                f"{one.robot}, {one.fault}: {one.variant}, seed {one.seed}:"
                f"{' MISSED' if missed else ''} {' '.join(sorted(unexpected))} {one.failure or ''}"
            )
    print(f"\n{'cause':<26}{'precision':>10}{'recall':>8}{'true':>6}{'missed':>8}{'false':>7}")
    for cause, f in found.items():
        print(
            f"{cause:<26}{f['precision']:>10.3f}{f['recall']:>8.3f}"
            f"{f['true']:>6.0f}{f['missed']:>8.0f}{f['false']:>7.0f}"
        )


if __name__ == "__main__":
    main()
