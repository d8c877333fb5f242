"""Names that users guess, and those that exist: attributes, functions and keys of settings.

Most guesses are near a name that exists. The rest are words of other libraries for the same thing.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from difflib import get_close_matches

REMOVED_IN = "0.4"
"""Release that no longer accepts the former names."""

_GUESSES = {
    "IterativelyReweightedLeastSquares": "IRLS",
    "OrdinaryLeastSquares": "OLS LeastSquares LinearRegression",
    "RecursiveLeastSquares": "RLS",
    "WeightedLeastSquares": "WLS",
    "coriolis_matrix": "C coriolis",
    "cutoff_hz": "bandwidth cutoff_frequency fc low_pass lowpass",
    "design_excitation": "excitation excite trajectory",
    "effort": "current tau torque torques",
    "errors": "error mae mse nrmse r2 relative_error rmse score",
    "estimate_wrench": "wrench",
    "estimator": "algorithm method solver",
    "folds": "cv kfold",
    "gravity": "G g gravity_vector",
    "identify": "fit",
    "inverse_dynamics": "id rnea tau torque torques",
    "joints": "dof joint_count n_joints names ndof njoints nq",
    "load_recording": "load load_bag load_csv open_bag read_bag read_csv read_mcap",
    "load_robot": "load_urdf read_urdf",
    "mass_matrix": "H M inertia inertia_matrix",
    "parameters": "coef_ coefficients params",
    "passed": "ok success valid",
    "physical": "consistent physical_consistency physically_consistent",
    "export": "to_mjcf to_sdf to_urdf",
    "plot": "plot_torques residuals show",
    "position": "positions q",
    "provenance": "condition_number cond",
    "quantities": "mass",
    "sampling_rate": "frequency fs hz rate",
    "save": "to_csv write",
    "shipped_profiles": "list_robots robots",
    "summary": "describe info",
    "terms": "coulomb friction viscous",
    "to_dict": "to_json",
    "to_frame": "head to_dataframe to_pandas",
    "tune_collision": "collision collisions",
    "velocity": "dq qd velocities",
    "verdict": "error errors nrmse r2 rmse score",
}
"""Words of other libraries, of the field and of the command line, by dynid's own."""

_ELSEWHERE = {
    "dynid.identify(robot, recording) makes a model": "fit fit_transform identify train",
    "dynid.validate(model, recording) compares them": "evaluate score test validate",
    "dynid.cross_validate(robot, recordings) returns errors on unseen data": "cross_validate",
    "dynid.simulate(robot, motion) records a simulated robot": "simulate",
    "the command `dynid demo ROBOT` runs it": "demo",
    "results and recordings have .plot(); `dynid view ROBOT` shows a robot": "plot show view",
    "a span in seconds is recording[2:8]": "iloc loc split train_test_split window",
    "dynid filters and decimates by itself, at cutoff_hz": "decimate downsample filter resample",
    "dynid differentiates positions by itself": "acceleration ddq derivative differentiate qdd",
    "functions take several recordings as a list": "append concat concatenate extend merge",
    "use .to_frame().to_csv(FILE)": "to_csv",
    "use position.shape": "shape",
    "its model's .export(FILE) writes one": "export to_mjcf to_sdf to_urdf",
    "a result's .model.save(FILE) writes it": "save",
    "use the .regressor(q, dq, ddq) of robot.mechanism()": "W Y regressor",
    "use the .torque(q, dq, ddq, parameters) of robot.mechanism()": "inverse_dynamics rnea torque",
    "use the .mass_matrix(q) of robot.mechanism()": "H M inertia_matrix mass_matrix",
    "use robot.kinematics()": "fk forward_kinematics jacobian links",
}
"""What does the work of a name, in clauses, where the object itself has nothing for it."""

# with less, difflib takes other words for misspelt ones: 'friction' for 'criterion'
_LEAST_SIMILARITY = 0.66


def renamed(former: str, present: str) -> str:
    """Return the sentence on a former name, which is accepted until REMOVED_IN."""
    return f"{former} is now {present}; the old name will be removed in {REMOVED_IN}."


def meant_name(name: str, available: Collection[str]) -> str | None:
    """Return the available name that is meant, or None; those of parts have a dot."""
    words = set(name.split("_"))
    # classes are not meant by names of functions
    alike = [other for other in available if other[:1].isupper() == name[:1].isupper()]
    near = [
        *_of_guess(name, _GUESSES),
        *(other for other in available if other.endswith(f".{name}")),
        *(other for other in alike if words <= set(other.split("_"))),
        *get_close_matches(name, alike, n=1, cutoff=_LEAST_SIMILARITY),
    ]
    near = [other for other in near if other in available]
    return near[0] if near else None


def unknown_name(owner: str, name: str, available: Collection[str]) -> str:
    """Return the sentence on a name that an object or a module does not have."""
    own = any(meant in available for meant in _of_guess(name, _GUESSES))
    elsewhere = [] if own else _of_guess(name, _ELSEWHERE)
    meant = meant_name(name, available)
    hints = [*elsewhere, *([f"did you mean '{meant}'?"] if meant else [])]
    return "; ".join([f"{owner} has no attribute '{name}'", *hints[:1]])


def _of_guess(name: str, guesses: Mapping[str, str]) -> list[str]:
    """Return what a table has for a guess."""
    return [meant for meant, words in guesses.items() if name in words.split()]
