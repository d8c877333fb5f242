"""Names that users guess, and those that exist: attributes, functions and keys of settings.

Most guesses are near a name that exists. The rest are words of other libraries for the same thing.
"""

from __future__ import annotations

from collections.abc import Collection
from difflib import get_close_matches

_MEANT = {
    "algorithm": "estimator",
    "bandwidth": "cutoff_hz",
    "collisions": "tune_collision",
    "consistent": "physical",
    "coulomb": "terms",
    "cutoff_frequency": "cutoff_hz",
    "cv": "folds",
    "describe": "summary",
    "dof": "joints",
    "error": "verdict",
    "errors": "verdict",
    "excitation": "design_excitation",
    "excite": "design_excitation",
    "fc": "cutoff_hz",
    "fit": "identify",
    "friction": "terms",
    "fs": "sampling_rate",
    "head": "to_frame",
    "info": "summary",
    "kfold": "folds",
    "low_pass": "cutoff_hz",
    "lowpass": "cutoff_hz",
    "mass": "quantities",
    "method": "estimator",
    "n_joints": "joints",
    "names": "joints",
    "ndof": "joints",
    "nrmse": "verdict",
    "physical_consistency": "physical",
    "physically_consistent": "physical",
    "plot_torques": "plot",
    "r2": "verdict",
    "rate": "sampling_rate",
    "read_bag": "load_recording",
    "read_csv": "load_recording",
    "read_urdf": "load_robot",
    "residuals": "plot",
    "rmse": "verdict",
    "score": "verdict",
    "show": "plot",
    "solver": "estimator",
    "success": "passed",
    "to_csv": "save",
    "to_dataframe": "to_frame",
    "to_json": "to_dict",
    "to_pandas": "to_frame",
    "torque": "effort",
    "torques": "effort",
    "viscous": "terms",
    "wrench": "estimate_wrench",
}
"""Words of other libraries and of the field, by dynid's; those of the command line too."""

# with less, difflib takes other words for misspelt ones: 'friction' for 'criterion'
_LEAST_SIMILARITY = 0.72


def meant_name(name: str, available: Collection[str]) -> str | None:
    """Return the name that is meant by one that does not exist, or None.

    Args:
        name: that was used.
        available: names that exist; those of an object's parts contain a dot.
    """
    if _MEANT.get(name) in available:
        return _MEANT[name]
    words = set(name.split("_"))
    near = [
        *(other for other in available if other.endswith(f".{name}")),
        *get_close_matches(name, available, n=1, cutoff=_LEAST_SIMILARITY),
        *(other for other in available if words <= set(other.split("_"))),
    ]
    return near[0] if near else None


def unknown_name(owner: str, name: str, available: Collection[str]) -> str:
    """Return the sentence on a name that an object or a module does not have.

    Args:
        owner: the object or module, as in ``module 'dynid'``.
        name: that was used.
        available: as of :func:`meant_name`.
    """
    meant = meant_name(name, available)
    return f"{owner} has no attribute '{name}'" + (f"; did you mean '{meant}'?" if meant else "")
