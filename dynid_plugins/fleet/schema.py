"""The tables of a fleet's data set, as Arrow schemas; their version rises when a column changes."""

from __future__ import annotations

import pyarrow as pa

VERSION = 1

_KEY = [
    pa.field("robot", pa.string(), nullable=False),
    pa.field("type", pa.string(), nullable=False),
    pa.field("recording", pa.string(), nullable=False),
]
_CONTENT = [pa.field("content_sha256", pa.string()), pa.field("settings_sha256", pa.string())]
_PER_JOINT = pa.list_(pa.float64())

RECORDINGS = pa.schema(
    [
        pa.field("schema_version", pa.int32(), nullable=False),
        *_KEY,
        pa.field("recorded_at", pa.timestamp("us", tz="UTC")),
        pa.field("duration", pa.float64()),
        pa.field("samples", pa.int64()),
        pa.field("temperature", pa.float64()),
        pa.field("fingerprint", pa.string(), nullable=False),
        *_CONTENT,
        pa.field("status", pa.string(), nullable=False),
        pa.field("verdict", pa.string()),
        pa.field("message", pa.string()),
        pa.field("joints", pa.list_(pa.string())),
        pa.field("relative_error", _PER_JOINT),
        pa.field("held_out_error", _PER_JOINT),
        pa.field("torque_error", _PER_JOINT),
        pa.field("covariance", pa.list_(pa.float64())),
        pa.field("friction_repeatability", pa.float64()),
        pa.field("model", pa.string()),
        pa.field("dynid_version", pa.string(), nullable=False),
        pa.field("finished_at", pa.timestamp("us", tz="UTC"), nullable=False),
        pa.field("seconds", pa.float64(), nullable=False),
    ]
)
"""One row for each recording: docs/fleet.md describes the columns."""

PARAMETERS = pa.schema(
    [
        *_KEY,
        *_CONTENT,
        pa.field("index", pa.int32(), nullable=False),
        pa.field("parameter", pa.string(), nullable=False),
        pa.field("regrouping", pa.string(), nullable=False),
        pa.field("kind", pa.string(), nullable=False),
        pa.field("joint", pa.string()),
        pa.field("unit", pa.string(), nullable=False),
        pa.field("value", pa.float64(), nullable=False),
        pa.field("standard_deviation", pa.float64(), nullable=False),
    ]
)
"""One row for each base parameter that a recording determines."""

TABLES = {"recordings": RECORDINGS, "parameters": PARAMETERS}
