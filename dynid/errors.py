"""Exceptions for errors that a user can correct; the text of each is one complete sentence.

The command line prints the sentence and exits with 2; a node returns it. ``ValueError`` and
``TypeError`` are for programming errors.
"""

from dynid.text import printable

_LONGEST_MESSAGE = 2000
_ENDING_LENGTH = 300


class DynidError(Exception):
    r"""Base of all errors that a user can cause and correct.

    Its text may quote a file: control characters, which could change a terminal's display, are
    shown as ``\x1b`` and the like, and a very long text is shortened in the middle.
    """

    def __str__(self) -> str:
        """Return the text, printable and shortened."""
        text = super().__str__()
        if len(text) > _LONGEST_MESSAGE:
            text = f"{text[: _LONGEST_MESSAGE - _ENDING_LENGTH]} … {text[-_ENDING_LENGTH:]}"
        return printable(text, kept="\n")


class ArgumentError(DynidError, TypeError):
    """An argument of a public function has the wrong type or value."""


class ConfigurationError(DynidError):
    """A profile, column map or other YAML file has an unknown, missing or invalid entry."""


class RecordingError(DynidError):
    """A recording cannot be read, or its contents cannot be repaired."""


class MechanismError(DynidError):
    """A URDF, joint list, coupling or joint terms do not define a valid mechanism."""


class ExcitationError(DynidError):
    """A motion would exceed the robot's limits, or does not start and end at rest."""


class SimulationError(DynidError):
    """The simulated robot cannot follow, or cannot be simulated."""


class PreprocessingError(DynidError):
    """A filter, threshold or time span does not match the recording."""


class EstimationError(DynidError):
    """The data are not sufficient for the requested estimation."""


class WriteError(DynidError):
    """A result cannot be written to its file."""


class ModelFileError(DynidError):
    """A model.yaml is missing, incomplete or invalid."""


class ModelFileWarning(UserWarning):
    """A model.yaml was read, but could not be checked completely."""


class TaskError(DynidError):
    """A step of a sequence on the robot was rejected, or failed."""


class PlaybackError(DynidError):
    """A trajectory cannot be followed, or a motion must not start in the current state."""
