"""Recordings of real robots: read, mended where that is safe, and evenly sampled."""

from dynid.recording.columns import ColumnMap, SignalColumns, TimeColumn
from dynid.recording.load import load_recording
from dynid.recording.model import Recording, Source

__all__ = [
    "ColumnMap",
    "Recording",
    "SignalColumns",
    "Source",
    "TimeColumn",
    "load_recording",
]
