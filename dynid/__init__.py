"""dynid: identification of a robot's dynamic model from its motion, and use of the model.

    import dynid

    result = dynid.identify("my_robot.yaml", "work.mcap", cutoff_hz=20)
    result.report("report.html")
    result.model.save("model.yaml")

Robots, models and recordings may be given as files wherever a function takes one. Names are
imported on first use, so that ``import dynid`` is fast.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dynid.api.control import estimate_wrench, tune_collision
    from dynid.api.identification import (
        compare_models,
        cross_validate,
        diagnose,
        identify,
        identify_payload,
        select_friction,
        validate,
    )
    from dynid.api.inputs import load_recording
    from dynid.api.motions import design_excitation, predict_uncertainty, simulate
    from dynid.control.tuning import Tuning
    from dynid.control.wrench.estimation import ExternalWrench
    from dynid.dynamics.closed_chain import ClosedChain
    from dynid.dynamics.joint_terms import JointTerm
    from dynid.dynamics.mechanism import Mechanism
    from dynid.errors import (
        ArgumentError,
        ConfigurationError,
        DynidError,
        EstimationError,
        ExcitationError,
        MechanismError,
        ModelFileError,
        ModelFileWarning,
        PlaybackError,
        PreprocessingError,
        RecordingError,
        SimulationError,
        TaskError,
        WriteError,
    )
    from dynid.estimation.cross_validation import HeldOut
    from dynid.estimation.least_squares import (
        IterativelyReweightedLeastSquares,
        OrdinaryLeastSquares,
        WeightedLeastSquares,
    )
    from dynid.estimation.recursive import RecursiveLeastSquares
    from dynid.evaluation.diagnosis.finding import Finding
    from dynid.evaluation.model_comparison import ModelComparison
    from dynid.excitation.fourier import FourierExcitation
    from dynid.excitation.prediction.prediction import Prediction
    from dynid.identification.diagnose import Diagnosis
    from dynid.identification.friction.selection import FrictionSelection
    from dynid.identification.payload.identification import PayloadIdentification
    from dynid.identification.payload.payload import Payload
    from dynid.identification.result import Identification
    from dynid.identification.validate import Validation
    from dynid.profile import load_model, load_robot
    from dynid.recording.model import Recording
    from dynid.robot.model import Model, PredictedTorque
    from dynid.robot.robot import Robot
    from dynid.robot_files import shipped_profiles
    from dynid.signals.signals import Signals

__version__ = "0.2.0"

_WHERE = {
    "ArgumentError": "errors",
    "ClosedChain": "dynamics.closed_chain",
    "ConfigurationError": "errors",
    "Diagnosis": "identification.diagnose",
    "DynidError": "errors",
    "EstimationError": "errors",
    "ExcitationError": "errors",
    "ExternalWrench": "control.wrench.estimation",
    "Finding": "evaluation.diagnosis.finding",
    "FourierExcitation": "excitation.fourier",
    "FrictionSelection": "identification.friction.selection",
    "HeldOut": "estimation.cross_validation",
    "Identification": "identification.result",
    "IterativelyReweightedLeastSquares": "estimation.least_squares",
    "JointTerm": "dynamics.joint_terms",
    "Mechanism": "dynamics.mechanism",
    "MechanismError": "errors",
    "Model": "robot.model",
    "ModelComparison": "evaluation.model_comparison",
    "ModelFileError": "errors",
    "ModelFileWarning": "errors",
    "OrdinaryLeastSquares": "estimation.least_squares",
    "Payload": "identification.payload.payload",
    "PayloadIdentification": "identification.payload.identification",
    "PlaybackError": "errors",
    "PredictedTorque": "robot.model",
    "Prediction": "excitation.prediction.prediction",
    "PreprocessingError": "errors",
    "Recording": "recording.model",
    "RecordingError": "errors",
    "RecursiveLeastSquares": "estimation.recursive",
    "Robot": "robot.robot",
    "Signals": "signals.signals",
    "SimulationError": "errors",
    "TaskError": "errors",
    "Tuning": "control.tuning",
    "Validation": "identification.validate",
    "WeightedLeastSquares": "estimation.least_squares",
    "WriteError": "errors",
    "compare_models": "api.identification",
    "cross_validate": "api.identification",
    "design_excitation": "api.motions",
    "diagnose": "api.identification",
    "estimate_wrench": "api.control",
    "identify": "api.identification",
    "identify_payload": "api.identification",
    "load_model": "profile",
    "load_recording": "api.inputs",
    "load_robot": "profile",
    "predict_uncertainty": "api.motions",
    "select_friction": "api.identification",
    "shipped_profiles": "robot_files",
    "simulate": "api.motions",
    "tune_collision": "api.control",
    "validate": "api.identification",
}

_RENAMED = {"OutputError": "WriteError"}
"""Old public names and the new ones; they are accepted for one release."""

__all__ = [
    "ArgumentError",
    "ClosedChain",
    "ConfigurationError",
    "Diagnosis",
    "DynidError",
    "EstimationError",
    "ExcitationError",
    "ExternalWrench",
    "Finding",
    "FourierExcitation",
    "FrictionSelection",
    "HeldOut",
    "Identification",
    "IterativelyReweightedLeastSquares",
    "JointTerm",
    "Mechanism",
    "MechanismError",
    "Model",
    "ModelComparison",
    "ModelFileError",
    "ModelFileWarning",
    "OrdinaryLeastSquares",
    "Payload",
    "PayloadIdentification",
    "PlaybackError",
    "PredictedTorque",
    "Prediction",
    "PreprocessingError",
    "Recording",
    "RecordingError",
    "RecursiveLeastSquares",
    "Robot",
    "Signals",
    "SimulationError",
    "TaskError",
    "Tuning",
    "Validation",
    "WeightedLeastSquares",
    "WriteError",
    "__version__",
    "compare_models",
    "cross_validate",
    "design_excitation",
    "diagnose",
    "estimate_wrench",
    "identify",
    "identify_payload",
    "load_model",
    "load_recording",
    "load_robot",
    "predict_uncertainty",
    "select_friction",
    "shipped_profiles",
    "simulate",
    "tune_collision",
    "validate",
]


def __getattr__(name: str) -> object:
    """Import a public name, of the core or of a plug-in, when it is first used."""
    value: object
    if name in _RENAMED:
        return getattr(_import_module("dynid"), _RENAMED[name])
    if name in _WHERE:
        value = getattr(_import_module(f"dynid.{_WHERE[name]}"), name)
    elif name.startswith("_"):
        raise AttributeError(f"module 'dynid' has no attribute '{name}'", name=name)
    else:
        value = _import_module("dynid.plugins").public_name(name, _WHERE)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return all public names, including those not imported yet."""
    plugins = _import_module("dynid.plugins")
    return sorted({*globals(), *_WHERE, *plugins.registered(plugins.NAMES)})
