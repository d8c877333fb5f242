"""Joints that move together, and motion that repeats after too few cycles."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import scipy

from dynid.arrays import Array
from dynid.evaluation.diagnosis.case import Case
from dynid.evaluation.diagnosis.finding import Finding, Plot, Trace
from dynid.evaluation.diagnosis.projection import of_unit_norm, products_beyond
from dynid.evaluation.diagnosis.too_short import FEWEST_CYCLES, strokes
from dynid.signals.repetition import repetition_period
from dynid.text import listed

_SHARE_OF_COMMON_MOTION = 0.95  # of the squared velocity; random series of few harmonics reach 0.9
_FEWEST_SAMPLES_IN_MOTION = 30  # samples in motion
_ONE_LINE = 0.8  # of the squared velocity at one frequency: a single sine
_REMEDY = (
    "Use another frequency for each joint, in ratios such as 1.1 : 1.3 : 1.5 (dynid excite "
    "--type sine proposes them), or a Fourier series of several harmonics."
)


def overlapping_frequencies(case: Case) -> Iterator[Finding]:
    """Look for joints that move together, and for motion that repeats early."""
    if case.mechanism.semi_static:
        return  # gravity torque depends on poses only
    groups = list(_groups(case))
    yield from groups
    if not groups:
        yield from _repetition(case)


def _groups(case: Case) -> Iterator[Finding]:
    """Find the pairs of joints that move together, and join pairs that share a joint."""
    decimated, shares = case.decimated, dict[tuple[int, int], float]()
    explained = _explained(case)
    for i, j in combinations(range(len(case.joints)), 2):
        both = decimated.moving[:, i] & decimated.moving[:, j]
        if both.sum() < _FEWEST_SAMPLES_IN_MOTION or both.mean() < 0.1:
            continue
        share = min(explained[i, j], explained[j, i])
        if share > _SHARE_OF_COMMON_MOTION:
            shares[i, j] = share
    linked = np.zeros((len(case.joints), len(case.joints)))
    for pair in shares:
        linked[pair] = 1
    _, group = scipy.sparse.csgraph.connected_components(linked, directed=False)
    for number in dict.fromkeys(group[i] for i, _ in shares):
        yield _together(case, {pair: s for pair, s in shares.items() if group[pair[0]] == number})


def _explained(case: Case) -> Array:
    """Return the share of each joint's squared velocity that another's motion explains (n, n).

    The rows are the joints explained; a phase between the two does not matter.
    """
    decimated, joints = case.decimated, len(case.joints)
    motion = np.concatenate(
        [decimated.velocity, decimated.acceleration, decimated.position], axis=1
    )
    rows = np.concatenate([motion - motion.mean(axis=0), decimated.velocity], axis=1)
    products, _ = of_unit_norm(rows.T @ rows)
    of = 3 * joints + np.arange(joints)
    explained = np.zeros((joints, joints))
    for by in range(joints):
        at = np.concatenate([by + joints * np.arange(3), of])
        explained[:, by] = 1 - np.diag(products_beyond(products[np.ix_(at, at)], 3))
    return explained


def _together(case: Case, shares: dict[tuple[int, int], float]) -> Finding:
    """Return the finding on joints that are linked by pairs (i, j), each with its share."""
    velocity, position = case.decimated.velocity, case.decimated.position
    names = [case.joints[j] for j in sorted({joint for pair in shares for joint in pair})]
    (i, j), share = max(shares.items(), key=lambda pair: pair[1])
    correlation = float(np.corrcoef(velocity[:, i], velocity[:, j])[0, 1])
    pairs = {} if len(shares) == 1 else shares
    return Finding(
        cause="overlapping_frequencies",
        joints=tuple(names),
        severity="warning",
        sentence=(
            f"{listed(names)} move together: the motion of one explains "
            f"{'up to ' if pairs else ''}{100 * share:.0f} % of the squared velocity of "
            f"{'an' if pairs else 'the '}other (correlation {correlation:.2f}), so their "
            "parameters can hardly be separated."
        ),
        advice=_REMEDY,
        evidence={
            "share of velocity in common": share,
            "correlation": correlation,
            **{f"share of {case.joints[a]} and {case.joints[b]}": s for (a, b), s in pairs.items()},
        },
        plot=Plot(
            x_label=f"position of {case.joints[i]}",
            y_label=f"position of {case.joints[j]}",
            traces=(Trace(position[:, i], position[:, j], "recorded", "dots"),),
        ),
    )


def _repetition(case: Case) -> Iterator[Finding]:
    """Look for a period of single sines with too few cycles."""
    longest = case.longest
    period = repetition_period(longest)
    if period is None or len(case.signals) > 1:
        return
    samples = round(period * longest.sampling_rate)
    begin = (len(longest.time) - samples) // 2  # without ramps
    velocity = longest.velocity[begin : begin + samples]
    cycles = strokes(velocity) / 2
    moving = np.flatnonzero(case.decimated.moves)
    if any(_largest_line(velocity[:, j]) < _ONE_LINE for j in moving):
        return  # several harmonics reach more poses than single sines
    few = min(moving, key=lambda j: cycles[j])
    if cycles[few] >= FEWEST_CYCLES:
        return
    yield Finding(
        cause="overlapping_frequencies",
        joints=(),
        severity="warning",
        sentence=(
            f"the motion repeats every {period:.3g} s, which is {max(1, round(cycles[few]))} "
            f"cycle(s) of {case.joints[few]}: a longer recording adds no information."
        ),
        advice=_REMEDY,
        evidence={"period [s]": period, f"cycles of {case.joints[few]}": float(cycles[few])},
        plot=Plot(
            x_label="time [s]",
            y_label=f"position of {case.joints[few]}",
            traces=(Trace(longest.time, longest.position[:, few], "recorded"),),
        ),
    )


def _largest_line(velocity: Array) -> float:
    """Return the share of a period's squared velocity at its strongest frequency."""
    power = np.abs(np.fft.rfft(velocity - velocity.mean())) ** 2
    return float(power.max() / max(power.sum(), 1e-300))
