"""Recordings of real robots: read, mended where that is safe, and evenly sampled."""

from dynid.recording.columns import ColumnMap, SignalColumns, TimeColumn
from dynid.recording.convert import convert, write_bag
from dynid.recording.info import RecordingInfo, describe
from dynid.recording.load import load_recording
from dynid.recording.model import Recording, Source

__all__ = [
    "ColumnMap",
    "Recording",
    "RecordingInfo",
    "SignalColumns",
    "Source",
    "TimeColumn",
    "convert",
    "describe",
    "load_recording",
    "write_bag",
]
