"""Two simulated robots as public recordings, with a registry of their own."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from support.stored_recording import stored

from dynid.playback.plan import make_plan
from dynid.profile import load_robot
from dynid.recording.model import digest
from dynid.simulation.simulate import simulate

OWN_TOOLS = """
import os
import numpy as np
from dynid_plugins.bench.contenders.interface import Contender, FittedModel

def zero(task):
    print("what a tool prints is no result")
    return FittedModel(lambda signals: np.zeros_like(signals.torque), keys=3)

def endless(task):
    while True:
        pass

def crash(task):
    os._exit(3)

def wrong(task):
    return {}["parameter"]

ZERO = Contender("no torque", zero, (), "none")
ENDLESS, CRASH, WRONG = (ZERO._replace(fit=one) for one in (endless, crash, wrong))
"""


@pytest.fixture(scope="session")
def bench_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the recordings of a pendulum, its registry, and tools in ``own.py``."""
    folder = tmp_path_factory.mktemp("bench")
    robot = load_robot("pendulum")
    made = simulate(robot, make_plan(robot, seed=1).excitation, seed=1)
    file = stored(made, folder / "pendulum.npz")
    entry = {
        "title": "Simulated pendulum",
        "source": "test",
        "licence": "none stated",
        "citation": "none",
        "units": "rad, N·m",
        "profile": "pendulum",
        "cutoff_hz": 10.0,
        "files": {file.name: {"sha256": digest(file)}},
        "published": {"error_percent": 1.5, "of": "another motion"},
    }
    split = {
        "note": "first 20 s, rest",
        "fit": [{"path": file.name, "stop": 20.0}],
        "held_out": [{"path": file.name, "start": 20.0}],
    }
    absent = {**entry, "files": {"absent.npz": {"sha256": 64 * "0"}}}
    for name, content in (
        ("recordings", {"swing": entry, "absent": absent}),
        ("splits", {"swing": split, "absent": split}),
    ):
        (folder / f"{name}.yaml").write_text(yaml.safe_dump(content, sort_keys=False), "utf-8")
    (folder / "own.py").write_text(OWN_TOOLS, "utf-8")
    return folder
