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
    from dynid.api.control import estimate_wrench as estimate_wrench
    from dynid.api.control import tune_collision as tune_collision
    from dynid.api.identification import compare_models as compare_models
    from dynid.api.identification import cross_validate as cross_validate
    from dynid.api.identification import diagnose as diagnose
    from dynid.api.identification import identify as identify
    from dynid.api.identification import identify_payload as identify_payload
    from dynid.api.identification import select_friction as select_friction
    from dynid.api.identification import validate as validate
    from dynid.api.inputs import load_recording as load_recording
    from dynid.api.motions import design_excitation as design_excitation
    from dynid.api.motions import predict_uncertainty as predict_uncertainty
    from dynid.api.motions import simulate as simulate
    from dynid.control.tuning import Tuning as Tuning
    from dynid.control.wrench.estimation import ExternalWrench as ExternalWrench
    from dynid.dynamics.closed_chain import ClosedChain as ClosedChain
    from dynid.dynamics.joint_terms import JointTerm as JointTerm
    from dynid.dynamics.mechanism import Mechanism as Mechanism
    from dynid.errors import ArgumentError as ArgumentError
    from dynid.errors import ConfigurationError as ConfigurationError
    from dynid.errors import DynidError as DynidError
    from dynid.errors import EstimationError as EstimationError
    from dynid.errors import ExcitationError as ExcitationError
    from dynid.errors import MechanismError as MechanismError
    from dynid.errors import ModelFileError as ModelFileError
    from dynid.errors import ModelFileWarning as ModelFileWarning
    from dynid.errors import PlaybackError as PlaybackError
    from dynid.errors import PreprocessingError as PreprocessingError
    from dynid.errors import RecordingError as RecordingError
    from dynid.errors import SimulationError as SimulationError
    from dynid.errors import TaskError as TaskError
    from dynid.errors import WriteError as WriteError
    from dynid.estimation.cross_validation import HeldOut as HeldOut
    from dynid.estimation.least_squares import (
        IterativelyReweightedLeastSquares as IterativelyReweightedLeastSquares,
    )
    from dynid.estimation.least_squares import OrdinaryLeastSquares as OrdinaryLeastSquares
    from dynid.estimation.least_squares import WeightedLeastSquares as WeightedLeastSquares
    from dynid.estimation.recursive import RecursiveLeastSquares as RecursiveLeastSquares
    from dynid.evaluation.diagnosis.finding import Finding as Finding
    from dynid.evaluation.model_comparison import ModelComparison as ModelComparison
    from dynid.excitation.fourier import FourierExcitation as FourierExcitation
    from dynid.excitation.prediction.prediction import Prediction as Prediction
    from dynid.identification.diagnose import Diagnosis as Diagnosis
    from dynid.identification.friction.selection import FrictionSelection as FrictionSelection
    from dynid.identification.payload.identification import (
        PayloadIdentification as PayloadIdentification,
    )
    from dynid.identification.payload.payload import Payload as Payload
    from dynid.identification.result import Identification as Identification
    from dynid.identification.validate import Validation as Validation
    from dynid.profile import load_model as load_model
    from dynid.profile import load_robot as load_robot
    from dynid.recording.model import Recording as Recording
    from dynid.robot.model import Model as Model
    from dynid.robot.model import PredictedTorque as PredictedTorque
    from dynid.robot.robot import Robot as Robot
    from dynid.robot_files import shipped_profiles as shipped_profiles
    from dynid.signals.signals import Signals as Signals

__version__ = "0.3.0"

_NAMES = {
    "api.control": "estimate_wrench tune_collision",
    "api.identification": (
        "compare_models cross_validate diagnose identify identify_payload select_friction validate"
    ),
    "api.inputs": "load_recording",
    "api.motions": "design_excitation predict_uncertainty simulate",
    "control.tuning": "Tuning",
    "control.wrench.estimation": "ExternalWrench",
    "dynamics.closed_chain": "ClosedChain",
    "dynamics.joint_terms": "JointTerm",
    "dynamics.mechanism": "Mechanism",
    "errors": (
        "ArgumentError ConfigurationError DynidError EstimationError ExcitationError "
        "MechanismError ModelFileError ModelFileWarning PlaybackError PreprocessingError "
        "RecordingError SimulationError TaskError WriteError"
    ),
    "estimation.cross_validation": "HeldOut",
    "estimation.least_squares": (
        "IterativelyReweightedLeastSquares OrdinaryLeastSquares WeightedLeastSquares"
    ),
    "estimation.recursive": "RecursiveLeastSquares",
    "evaluation.diagnosis.finding": "Finding",
    "evaluation.model_comparison": "ModelComparison",
    "excitation.fourier": "FourierExcitation",
    "excitation.prediction.prediction": "Prediction",
    "identification.diagnose": "Diagnosis",
    "identification.friction.selection": "FrictionSelection",
    "identification.payload.identification": "PayloadIdentification",
    "identification.payload.payload": "Payload",
    "identification.result": "Identification",
    "identification.validate": "Validation",
    "profile": "load_model load_robot",
    "recording.model": "Recording",
    "robot.model": "Model PredictedTorque",
    "robot.robot": "Robot",
    "robot_files": "shipped_profiles",
    "signals.signals": "Signals",
}
"""Public names by the module of dynid that has them."""

_WHERE = {name: module for module, names in _NAMES.items() for name in names.split()}

_RENAMED = {"OutputError": "WriteError"}
"""Old public names and the new ones."""

__all__ = list(_WHERE)


def __getattr__(name: str) -> object:
    """Import a public name, of the core or of a plug-in, when it is first used."""
    value: object
    if name in _RENAMED:
        new = _RENAMED[name]
        message = _import_module("dynid.guessed_names").renamed(f"dynid.{name}", f"dynid.{new}")
        _import_module("warnings").warn(message, DeprecationWarning, stacklevel=2)
        return getattr(_import_module("dynid"), new)
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
