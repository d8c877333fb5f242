"""One case from its seed to its judgement."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from threadpoolctl import threadpool_limits

from dynid.errors import DynidError, EstimationError
from dynid.identification.diagnose import diagnose_recordings
from dynid.identification.identify import identify

from .cases import JudgedCase, kinds_of, make_case
from .equivalents import equal_answers
from .kinds import CLEAN
from .margin import Margin, margin_of, reason_to_drop
from .scoring import Judgement, answers, score

PAIR = "pair"


@dataclass(frozen=True)
class JudgedOutcome:
    """What became of a case, as it is written to JSON.

    Attributes:
        seed: of the case, for ``--only``.
        robot: its name.
        kind: of its fault, ``pair`` or ``clean``.
        faults: each with its kind, joints, size etc.
        dropped: why the case is no test; empty for one that is kept.
        margin: of the effect of its faults.
        judgement: of the first finding; None of a case that is dropped.
        listed, hedged: see ``scoring.Score``.
        success: whether the verdict is good.
        first: cause of the first finding about a fault.
        findings: all, each with severity, cause, joints and sentence.
        error: that dynid raised; empty if it did not.
        seconds: of CPU for dynid; ``making``: for the case.
        real: whether the recordings are of a real robot.
    """

    seed: int
    robot: str
    kind: str
    faults: list[dict[str, Any]]
    dropped: str
    margin: dict[str, float]
    judgement: Judgement | None = None
    listed: bool = False
    hedged: bool = False
    success: bool = False
    first: str = ""
    findings: list[dict[str, Any]] = field(default_factory=list)
    error: str = ""
    seconds: float = 0.0
    making: float = 0.0
    real: bool = False


def judge_seed(seed: int) -> JudgedOutcome:
    """Make the case of a seed, and judge what dynid says of it."""
    begun = time.process_time()
    with threadpool_limits(1, user_api="blas"):
        case = make_case(seed, kinds_of(seed))
        return judge_case(case, begun)


def judge_case(case: JudgedCase, begun: float) -> JudgedOutcome:
    """Judge what dynid says of a case, which was begun at a CPU time [s]."""
    margin = margin_of(case)
    dropped = reason_to_drop(case, margin) or _idle_part(case)
    about = _about(case, margin, dropped)
    if dropped:
        return JudgedOutcome(**about, making=time.process_time() - begun)
    extra = equal_answers(case, margin)
    made = time.process_time()
    findings, success, error = _said(case)
    seconds = time.process_time() - made
    judged = score(findings, case.faults, case.drawn.joints, success=success, extra=extra)
    refused = bool(error) and not findings
    return JudgedOutcome(
        **about,
        judgement="refused" if refused else judged.judgement,
        listed=judged.listed,
        hedged=judged.hedged,
        success=success,
        first="" if judged.first is None else str(getattr(findings[judged.first], "cause", "")),
        findings=[_entry(finding) for finding in findings],
        error=error,
        seconds=seconds,
        making=made - begun,
    )


def _idle_part(case: JudgedCase) -> str:
    """Return why a fault of a pair would be no test alone; empty if each is."""
    if len(case.faults) < 2:
        return ""
    kinds = [fault.kind for fault in case.faults]
    parts = (make_case(case.seed, kinds, alone=number) for number in range(len(kinds)))
    return next(filter(None, (reason_to_drop(part, margin_of(part)) for part in parts)), "")


def _about(case: JudgedCase, margin: Margin, dropped: str) -> dict[str, Any]:
    names = [fault.kind for fault in case.faults]
    return {
        "seed": case.seed,
        "robot": case.drawn.name,
        "kind": PAIR if len(names) > 1 else names[0] if names else CLEAN,
        "faults": [asdict(fault) for fault in case.faults],
        "dropped": dropped,
        "margin": asdict(margin),
    }


def _said(case: JudgedCase) -> tuple[Sequence[object], bool, str]:
    """Return dynid's findings, whether its verdict is good, and its error if it raised one."""
    recordings = case.recordings()
    try:
        identification = identify(case.profile, recordings)
    except EstimationError as error:
        try:
            diagnosis = diagnose_recordings(case.profile, recordings)
        except DynidError as again:
            return (), False, str(again)
        return diagnosis.findings, False, str(error)
    except DynidError as error:
        return (), False, str(error)
    return identification.findings, identification.verdict.success, ""


def _entry(finding: object) -> dict[str, Any]:
    spoken = list(answers(finding))
    return {
        "severity": getattr(finding, "severity", None),
        "cause": spoken[0].cause,
        "joints": spoken[0].names,
        "alternatives": [asdict(answer) for answer in spoken[1:]],
        "sentence": getattr(finding, "sentence", ""),
    }
