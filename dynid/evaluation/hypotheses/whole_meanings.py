"""Words for what concerns the whole robot: gravity and contact."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dynid.arrays import Array
from dynid.evaluation.diagnosis.finding import Finding
from dynid.text import listed

_NO_GRAVITY = Finding(
    "wrong_gravity",
    (),
    "problem",
    "the torque contains no gravity. Probably the robot's controller compensates it, and "
    "reports the rest.",
    "Set 'gravity: by_robot' in the profile.",
    evidence={"gravity [m/s^2]": 0.0},
    settings={"gravity": "by_robot"},
)


def gravity_meaning(gravity: Array, present: Array) -> Finding:
    """Return the meaning of another direction (3,) of gravity than the present one [m/s^2]."""
    if not gravity.any():
        return _NO_GRAVITY
    size = float(np.linalg.norm(gravity) * np.linalg.norm(present))
    tilt = float(np.arccos(np.clip(gravity @ present / size, -1, 1))) if size > 0 else np.pi
    entry = [float(f"{v:.3g}") for v in np.round(gravity, 2) + 0.0]
    return Finding(
        "wrong_gravity",
        (),
        "problem",
        f"the torque fits gravity {_vector(gravity)} m/s^2 and not {_vector(present)} m/s^2 of "
        f"the profile; the angle between them is {np.degrees(tilt):.0f} deg.",
        "Set 'gravity' in the profile to its direction in the frame of the URDF's root link: "
        f"gravity: [{', '.join(f'{v:g}' for v in entry)}].",
        evidence={
            "tilt [rad]": tilt,
            **{f"gravity {a} [m/s^2]": float(g) for a, g in zip("xyz", gravity, strict=True)},
        },
        settings={"gravity": entry},
    )


def contact_meaning(
    spans: Sequence[tuple[int, float, float]], joint: str, recordings: Sequence[str]
) -> Finding:
    """Return the meaning of a contact in spans (recording, start [s], stop [s]) at a joint."""
    several = len(recordings) > 1
    texts = [
        f"{start:.1f} to {stop:.1f} s" + (f" of {recordings[number]}" if several else "")
        for number, start, stop in spans
    ]
    return Finding(
        "contact",
        (joint,),
        "warning",
        f"{joint}: something besides the robot acts from {listed(texts)}, such as a contact.",
        "Leave these times out (--start and --stop), or record again without contact.",
        evidence={
            f"{end} {number} [s]": time
            for number, (_, *times) in enumerate(spans, start=1)
            for end, time in zip(("start", "stop"), times, strict=True)
        },
    )


def _vector(values: Array) -> str:
    rounded = np.round(values, 2) + 0.0  # + 0.0: no minus before a zero
    return "(" + ", ".join(f"{v:g}" for v in rounded) + ")"
