"""A fault of a case."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class InjectedFault:
    """One fault of a case.

    Attributes:
        kind: its name in ``kinds.KINDS``.
        joints: numbers of the joints that it concerns.
        size: of the fault: a factor, a delay [s], a share of torque, an angle [rad]; see
            ``draws.py``.
        recording: number of the only recording that has it; None: all have it.
        place: between 0 and 1, where in a recording it is.
        direction: (3,) unit vector, of those that have one.
    """

    kind: str
    joints: tuple[int, ...]
    size: float
    recording: int | None = None
    place: float = 0.5
    direction: tuple[float, float, float] = (0.0, 0.0, 1.0)
