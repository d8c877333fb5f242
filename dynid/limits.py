"""How much dynid reads: for each way in which a file can be too large a limit, and its setting.

A limit is far above what robots need, and far below what a computer has. Each is an environment
variable, because files are read by commands, nodes, launch files and Python alike.
"""

from __future__ import annotations

import os
from dataclasses import dataclass

from dynid.errors import ConfigurationError, DynidError


@dataclass(frozen=True)
class InputLimit:
    """The most of something that dynid reads.

    Attributes:
        setting: environment variable that replaces the number.
        default: the most, where that is not set.
    """

    setting: str
    default: int

    @property
    def most(self) -> int:
        """The most that is read.

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
        """Raise ``error`` where an amount is too large.

        Args:
            amount: that was found, or would be needed.
            what: opens the sentence, such as ``arm.yaml: has 7 levels``.
            error: type of the error.
        """
        if not amount <= self.most:
            self.refuse(what, error)

    def refuse(self, what: str, error: type[DynidError] = ConfigurationError) -> None:
        """Raise ``error`` with a sentence that opens with ``what`` and names the setting."""
        message = (
            f"{what}, but at most {self.most} are allowed; if it is meant so, set "
            f"{self.setting} to a larger number."
        )
        raise error(message)


TEXT_BYTES = InputLimit("DYNID_MAX_TEXT_BYTES", 50_000_000)
"""Of a text file: YAML, URDF, SRDF, CSV of points."""

YAML_NODES = InputLimit("DYNID_MAX_YAML_NODES", 500_000)
"""Keys, values, lists and groups in a YAML text."""

YAML_DEPTH = InputLimit("DYNID_MAX_YAML_DEPTH", 50)
"""Lists and groups in each other."""

YAML_REPEATED = InputLimit("DYNID_MAX_YAML_REPEATED", 10_000)
"""Nodes that aliases repeat, counted as often as they are."""

XML_ELEMENTS = InputLimit("DYNID_MAX_XML_ELEMENTS", 100_000)
"""Elements of a URDF or SRDF."""

XML_DEPTH = InputLimit("DYNID_MAX_XML_DEPTH", 50)
"""Elements in each other."""

URDF_LINKS = InputLimit("DYNID_MAX_URDF_LINKS", 500)
"""Links of a URDF, and joints too."""

MESH_BYTES = InputLimit("DYNID_MAX_MESH_BYTES", 100_000_000)
"""Of a mesh that a URDF names."""

MOTION_SECONDS = InputLimit("DYNID_MAX_MOTION_SECONDS", 3600)
"""Time that a motion lasts [s]; it is sampled, predicted and played at up to 1000 Hz."""

MOTION_NUMBERS = InputLimit("DYNID_MAX_MOTION_NUMBERS", 50_000_000)
"""Positions in the samples by which a motion is proven to keep its limits."""

MOTION_COEFFICIENTS = InputLimit("DYNID_MAX_MOTION_COEFFICIENTS", 2_000)
"""Of a Fourier series: harmonics times joints."""

# an hour of seven joints at 1 kHz passes in every format (0.6 GiB of numbers)
RECORDING_MEMORY = InputLimit("DYNID_MAX_RECORDING_MEMORY", 2 * 2**30)
"""Bytes that the numbers of a recording take, 8 each."""

RECORDING_CSV_BYTES = InputLimit("DYNID_MAX_RECORDING_CSV_BYTES", 4 * 2**30)
"""Of a recording in CSV."""

RECORDING_LINE_BYTES = InputLimit("DYNID_MAX_RECORDING_LINE_BYTES", 2**20)
"""Characters of a line of it."""

RECORDING_UNPACKED_BYTES = InputLimit("DYNID_MAX_RECORDING_UNPACKED_BYTES", 16 * 2**30)
"""That one compressed file of a recording unpacks to."""

RECORDING_COMPRESSION_RATIO = InputLimit("DYNID_MAX_RECORDING_COMPRESSION_RATIO", 200)
"""Times as large as its file that a recording may become, beyond 16 MiB."""

RECORDING_CHUNK_BYTES = InputLimit("DYNID_MAX_RECORDING_CHUNK_BYTES", 256 * 2**20)
"""Of a chunk of an MCAP file, unpacked; also of its index."""

RECORDING_MESSAGE_BYTES = InputLimit("DYNID_MAX_RECORDING_MESSAGE_BYTES", 2**20)
"""Of a message of joint states."""

RECORDING_COLUMNS = InputLimit("DYNID_MAX_RECORDING_COLUMNS", 10_000)
"""Of a recording in CSV."""

RECORDING_JOINTS = InputLimit("DYNID_MAX_RECORDING_JOINTS", 1_000)
"""Of a message, array or column map."""

RECORDING_TOPICS = InputLimit("DYNID_MAX_RECORDING_TOPICS", 10_000)
"""Of a bag."""

ALL = (
    TEXT_BYTES,
    YAML_NODES,
    YAML_DEPTH,
    YAML_REPEATED,
    XML_ELEMENTS,
    XML_DEPTH,
    URDF_LINKS,
    MESH_BYTES,
    MOTION_SECONDS,
    MOTION_NUMBERS,
    MOTION_COEFFICIENTS,
    RECORDING_MEMORY,
    RECORDING_CSV_BYTES,
    RECORDING_LINE_BYTES,
    RECORDING_UNPACKED_BYTES,
    RECORDING_COMPRESSION_RATIO,
    RECORDING_CHUNK_BYTES,
    RECORDING_MESSAGE_BYTES,
    RECORDING_COLUMNS,
    RECORDING_JOINTS,
    RECORDING_TOPICS,
)
"""Every limit; docs/security.md lists them, too."""
