"""payload.yaml: a payload as the parameters that the controller takes while it runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from dynid.files import write_text
from dynid.identification.payload.payload import Payload
from dynid.robot.model_file import iso_time
from dynid.robot.parameter_file import Value, parameter_file


def write_payload(payload: Payload, evidence: Sequence[str], path: Path) -> None:
    """Write ``payload.yaml``, whole or not at all; ``evidence`` are lines for its header.

    Raises:
        OutputError: the file cannot be written.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, payload_text(payload, evidence))


def payload_text(payload: Payload, evidence: Sequence[str]) -> str:
    """Return the text of ``payload.yaml``: nothing but parameters that the controller declares."""
    body = payload.body
    values: dict[str, Value] = {
        "mass": float(body.mass),
        "centre": [float(value) for value in body.centre],
        "inertia": [float(value) for value in body.inertia],
    }
    return parameter_file({"payload": values}, [*_header(payload), *evidence])


def _header(payload: Payload) -> list[str]:
    base = payload.base
    width = max(len(row.name) for row in payload.rows)
    rows = [
        f"  {name:<{width}} not told; below it is {value:.6g} {unit}"
        if deviation is None
        else f"  {name:<{width}} {value:.6g} +- {deviation:.2g} {unit}"
        for name, value, unit, deviation in payload.rows
    ]
    versions = ", ".join(f"{name} {version}" for name, version in payload.versions.items())
    return [
        f"Payload of {payload.robot} in the frame of joint '{payload.joint}', its inertia about "
        "its centre of mass:",
        *rows,
        *(f"  {sentence}" for sentence in payload.reasons),
        "Load it with: ros2 param load /feedforward_controller payload.yaml",
        f"Date and time: {iso_time(payload.created)}",
        f"Model without payload: {base.name}, SHA-256 {base.sha256}",
        *(f"Recording: {source.name}, SHA-256 {source.sha256}" for source in payload.sources),
        f"Written by: {versions}",
    ]
