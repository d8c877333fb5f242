"""dynid: identification of a robot's dynamic model from its motion, and use of the model.

    import dynid

    robot = dynid.load_robot("my_robot.yaml")
    recording = dynid.load_recording("work.mcap", robot)
    result = dynid.identify(robot, recording, cutoff_hz=20)
    result.model.save("model.yaml")

Names are imported on first use, so that ``import dynid`` is fast.
"""

from importlib import import_module as _import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dynid.api import (
        design_excitation,
        diagnose,
        estimate_wrench,
        predict_uncertainty,
        tune_collision,
    )
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
    from dynid.evaluation.diagnosis.finding import Finding
    from dynid.evaluation.model_comparison import ModelComparison, compare_models
    from dynid.identification.friction.selection import select_friction
    from dynid.identification.identify import identify
    from dynid.identification.payload.identification import identify_payload
    from dynid.identification.payload.payload import Payload
    from dynid.identification.result import Identification
    from dynid.identification.validate import Validation, validate
    from dynid.profile import load_model, load_robot
    from dynid.recording.model import Recording
    from dynid.robot.model import Model
    from dynid.robot.recordings import load_recording
    from dynid.robot.robot import Robot
    from dynid.signals.signals import Signals
    from dynid.simulation.simulate import simulate

__version__ = "0.2.0"

_WHERE = {
    "ArgumentError": "errors",
    "ClosedChain": "dynamics.closed_chain",
    "ConfigurationError": "errors",
    "DynidError": "errors",
    "EstimationError": "errors",
    "ExcitationError": "errors",
    "ExternalWrench": "control.wrench.estimation",
    "Finding": "evaluation.diagnosis.finding",
    "Identification": "identification.result",
    "JointTerm": "dynamics.joint_terms",
    "Mechanism": "dynamics.mechanism",
    "MechanismError": "errors",
    "Model": "robot.model",
    "ModelComparison": "evaluation.model_comparison",
    "ModelFileError": "errors",
    "ModelFileWarning": "errors",
    "Payload": "identification.payload.payload",
    "PlaybackError": "errors",
    "PreprocessingError": "errors",
    "Recording": "recording.model",
    "RecordingError": "errors",
    "Robot": "robot.robot",
    "Signals": "signals.signals",
    "SimulationError": "errors",
    "TaskError": "errors",
    "Validation": "identification.validate",
    "WriteError": "errors",
    "compare_models": "evaluation.model_comparison",
    "design_excitation": "api",
    "diagnose": "api",
    "estimate_wrench": "api",
    "identify": "identification.identify",
    "identify_payload": "identification.payload.identification",
    "load_model": "profile",
    "load_recording": "robot.recordings",
    "load_robot": "profile",
    "predict_uncertainty": "api",
    "select_friction": "identification.friction.selection",
    "simulate": "simulation.simulate",
    "tune_collision": "api",
    "validate": "identification.validate",
}

_RENAMED = {"OutputError": "WriteError"}
"""Old public names and the new ones; they are accepted for one release."""

__all__ = [
    "ArgumentError",
    "ClosedChain",
    "ConfigurationError",
    "DynidError",
    "EstimationError",
    "ExcitationError",
    "ExternalWrench",
    "Finding",
    "Identification",
    "JointTerm",
    "Mechanism",
    "MechanismError",
    "Model",
    "ModelComparison",
    "ModelFileError",
    "ModelFileWarning",
    "Payload",
    "PlaybackError",
    "PreprocessingError",
    "Recording",
    "RecordingError",
    "Robot",
    "Signals",
    "SimulationError",
    "TaskError",
    "Validation",
    "WriteError",
    "__version__",
    "compare_models",
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
        value = _import_module("dynid.plugins").public_name(name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return all public names, including those not imported yet."""
    plugins = _import_module("dynid.plugins")
    return sorted({*globals(), *_WHERE, *plugins.registered(plugins.NAMES)})
