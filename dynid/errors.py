"""What a user can get wrong, as exceptions whose text is one whole sentence.

The command line prints the sentence and exits with 2; a node answers with it. ``ValueError`` and
``TypeError`` are left for mistakes of the programmer.
"""

from dynid.text import printable

_LONGEST = 2000
_ENDING = 300


class DynidError(Exception):
    r"""Root of every error that a user can cause and mend.

    Its text may quote a file: control characters, which could change what a terminal shows, are
    shown as ``\x1b`` and the like, and a very long text loses its middle.
    """

    def __str__(self) -> str:
        """Return the sentence."""
        text = super().__str__()
        if len(text) > _LONGEST:
            text = f"{text[: _LONGEST - _ENDING]} … {text[-_ENDING:]}"
        return printable(text, kept="\n")


class ArgumentError(DynidError, TypeError):
    """A public function is given something else than it takes."""


class ConfigurationError(DynidError):
    """A profile, column map or other YAML file has an unknown, missing or impossible entry."""


class RecordingError(DynidError):
    """A recording cannot be read, or what it holds cannot be repaired."""


class MechanismError(DynidError):
    """A URDF, joint list, coupling or joint term does not make a mechanism."""


class ExcitationError(DynidError):
    """A motion would leave the robot's limits, or does not begin and end at rest."""


class SimulationError(DynidError):
    """The simulated robot cannot follow, or cannot be simulated."""


class PreprocessingError(DynidError):
    """A filter, threshold or time span does not fit the recording."""


class EstimationError(DynidError):
    """The data do not allow the estimation that was asked for."""


class OutputError(DynidError):
    """A result cannot be written where it should go."""


class ModelFileError(DynidError):
    """A model.yaml is missing, incomplete, or not what it claims to be."""


class ModelFileWarning(UserWarning):
    """A model.yaml is read, but something about it cannot be checked."""


class TaskError(DynidError):
    """A step of a sequence on the robot was refused, or failed."""


class PlaybackError(DynidError):
    """A trajectory cannot be followed, or a motion must not start as things are."""
