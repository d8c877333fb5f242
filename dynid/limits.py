"""Limits on the size of input, with a setting for each.

A limit is far above the needs of robots, and far below the memory of a computer. Each has an
environment variable, because commands, nodes, launch files and Python programs read files.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from dynid.errors import ConfigurationError, DynidError


@dataclass(frozen=True)
class InputLimit:
    """Largest amount of input of one kind.

    Attributes:
        setting: environment variable that replaces the default.
        default: the limit without that variable.
    """

    setting: str
    default: int

    @property
    def most(self) -> int:
        """The limit.

        Raises:
            ConfigurationError: the environment variable is not a whole number above 0.
        """
        given = os.environ.get(self.setting, "").strip()
        if not given:
            return self.default
        if not (given.isascii() and given.isdigit() and len(given) < 19 and int(given) > 0):
            message = f"{self.setting}: must be a whole number above 0, got '{given[:40]}'."
            raise ConfigurationError(message)
        return int(given)

    def check(self, amount: float, what: str, error: type[DynidError] = ConfigurationError) -> None:
        """Raise ``error`` if an amount is too large.

        Args:
            amount: found or needed.
            what: start of the sentence, such as ``arm.yaml: has 7 levels``.
            error: type of the error.
        """
        if not amount <= self.most:
            self.refuse(what, error)

    def refuse(self, what: str, error: type[DynidError] = ConfigurationError) -> None:
        """Raise ``error`` with a sentence that starts with ``what`` and names the setting."""
        raise error(
            f"{what}, but at most {self.most} are allowed; if this is intended, set "
            f"{self.setting} to a larger number."
        )


TEXT_BYTES = InputLimit("DYNID_MAX_TEXT_BYTES", 50_000_000)
"""Bytes of a text file: YAML, URDF, SRDF, CSV of points; also of an expanded xacro."""

YAML_NODES = InputLimit("DYNID_MAX_YAML_NODES", 500_000)
"""Keys, values, lists and groups in a YAML text."""

YAML_DEPTH = InputLimit("DYNID_MAX_YAML_DEPTH", 50)
"""Levels of nested lists and groups."""

YAML_REPEATED = InputLimit("DYNID_MAX_YAML_REPEATED", 10_000)
"""Nodes repeated by aliases, counted each time."""

XML_ELEMENTS = InputLimit("DYNID_MAX_XML_ELEMENTS", 100_000)
"""Elements of a URDF or SRDF."""

XML_DEPTH = InputLimit("DYNID_MAX_XML_DEPTH", 50)
"""Levels of nested elements."""

URDF_LINKS = InputLimit("DYNID_MAX_URDF_LINKS", 500)
"""Links of a URDF, and also joints."""

MESH_BYTES = InputLimit("DYNID_MAX_MESH_BYTES", 100_000_000)
"""Bytes of a mesh file."""

XACRO_SECONDS = InputLimit("DYNID_MAX_XACRO_SECONDS", 20)
"""Processor time for the expansion of a xacro file [s]."""

XACRO_MEMORY = InputLimit("DYNID_MAX_XACRO_MEMORY", 2**30)
"""Bytes of memory for the expansion of a xacro file."""

MOTION_SECONDS = InputLimit("DYNID_MAX_MOTION_SECONDS", 3600)
"""Duration of a motion [s]; it is sampled, predicted and played at up to 1000 Hz."""

MOTION_NUMBERS = InputLimit("DYNID_MAX_MOTION_NUMBERS", 50_000_000)
"""Samples used to prove that a motion keeps its limits."""

MOTION_COEFFICIENTS = InputLimit("DYNID_MAX_MOTION_COEFFICIENTS", 2_000)
"""Coefficients of a Fourier series: harmonics times joints."""

# an hour of seven joints at 1 kHz is accepted in every format (0.6 GiB of numbers)
RECORDING_MEMORY = InputLimit("DYNID_MAX_RECORDING_MEMORY", 2 * 2**30)
"""Bytes of the numbers in a recording, 8 each."""

RECORDING_FILES = InputLimit("DYNID_MAX_RECORDING_FILES", 10_000)
"""Files and folders in the folder of a recording of a fleet, all of which are read."""

RECORDING_CSV_BYTES = InputLimit("DYNID_MAX_RECORDING_CSV_BYTES", 4 * 2**30)
"""Bytes of a recording in CSV."""

RECORDING_LINE_BYTES = InputLimit("DYNID_MAX_RECORDING_LINE_BYTES", 2**20)
"""Characters of a line of a recording in CSV."""

RECORDING_UNPACKED_BYTES = InputLimit("DYNID_MAX_RECORDING_UNPACKED_BYTES", 16 * 2**30)
"""Bytes of one decompressed file of a recording."""

RECORDING_COMPRESSION_RATIO = InputLimit("DYNID_MAX_RECORDING_COMPRESSION_RATIO", 200)
"""Decompressed size of a recording over the size of its file, beyond 16 MiB."""

RECORDING_CHUNK_BYTES = InputLimit("DYNID_MAX_RECORDING_CHUNK_BYTES", 256 * 2**20)
"""Bytes of a decompressed chunk of an MCAP file, and of its index."""

RECORDING_MESSAGE_BYTES = InputLimit("DYNID_MAX_RECORDING_MESSAGE_BYTES", 2**20)
"""Joints in a message of joint states."""

RECORDING_COLUMNS = InputLimit("DYNID_MAX_RECORDING_COLUMNS", 10_000)
"""Columns of a recording in CSV."""

RECORDING_JOINTS = InputLimit("DYNID_MAX_RECORDING_JOINTS", 1_000)
"""Joints in a message, array or column map."""

RECORDING_TOPICS = InputLimit("DYNID_MAX_RECORDING_TOPICS", 10_000)
"""Topics of a bag."""

HISTORY_MODELS = InputLimit("DYNID_MAX_HISTORY_MODELS", 20_000)
"""Models in the history of a robot, all of which are in memory."""

ALL = tuple(value for value in tuple(globals().values()) if isinstance(value, InputLimit))
"""All limits; docs/security.md lists them, too."""
