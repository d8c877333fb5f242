"""BAM's friction models m1 to m6 in dynid's terms (docs/encoder-only.md has what does not map)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from types import MappingProxyType

from dynid.dynamics.joint_terms import TermSettings
from dynid.errors import ConfigurationError
from dynid_plugins.servo.rig import RigIdentification, identify_rig
from dynid_plugins.servo.rig_runs import RigRun

BAM_KINDS = MappingProxyType(
    {
        "m1": ("viscous", "coulomb"),
        "m2": ("viscous", "coulomb", "stribeck"),
        "m3": ("viscous", "coulomb", "coulomb_load"),
        "m4": ("viscous", "coulomb", "coulomb_load", "stribeck"),
        "m5": ("viscous", "coulomb", "coulomb_load", "stribeck"),
        "m6": ("viscous", "coulomb", "coulomb_load", "stribeck"),
    }
)
"""Kinds of dynid's terms by BAM's name; m5 and m6 differ from m4 in what dynid does not have."""

_STRIBECK = (0.05, 0.1, 0.2, 0.4, 0.8)  # [rad/s] velocities that are tried


def identify_friction(runs: Sequence[RigRun], model: str) -> RigIdentification:
    """Identify a servo with one of BAM's friction models and a rotor inertia.

    The Stribeck velocity with the smallest error of the fit is taken.

    Raises:
        ConfigurationError: there is no such model.
        EstimationError: the runs do not determine the parameters.
    """
    if model not in BAM_KINDS:
        raise ConfigurationError(
            f"there is no friction model '{model}'; expected one of {', '.join(BAM_KINDS)}."
        )
    kinds = BAM_KINDS[model]
    found = [
        identify_rig(with_friction(runs, kinds, scale))
        for scale in (_STRIBECK if "stribeck" in kinds else (0.0,))
    ]
    return min(found, key=lambda one: sum(error**2 for error in one.relative_errors))


def with_friction(runs: Sequence[RigRun], kinds: Sequence[str], scale: float) -> list[RigRun]:
    """Return runs whose robot has these terms and a rotor inertia; scale is that of stribeck."""
    terms = [
        TermSettings(kind=kind, scale=scale if kind == "stribeck" else 0.0)
        for kind in (*kinds, "rotor_inertia")
    ]
    return [replace(run, robot=run.robot.with_terms(terms)) for run in runs]
