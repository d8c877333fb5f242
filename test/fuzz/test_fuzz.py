"""A fixed number of cases of every reader, and tests of the harness."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from random import Random

import numpy as np
import pytest
from support.deadlines import LONGEST

from dynid.errors import ConfigurationError
from fuzz import targets
from fuzz.batch import Tally, run_cases
from fuzz.case import Seeds, case
from fuzz.mutation import mutated
from fuzz.targets import SilentChangeError, Target

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("times", ["0.01", pytest.param("1", marks=pytest.mark.thorough)])
def test_every_reader_gives_a_result_or_a_sentence_for_every_case(
    times: str, tmp_path: Path
) -> None:
    # the same cases in every run; the limit of `make fuzz` would depend on the machine
    options = ["--times", times, "--cpu-seconds", str(LONGEST), "--save", str(tmp_path / "faults")]
    command = [sys.executable, "-m", "fuzz", *options]
    paths = [str(ROOT), str(ROOT / "test")]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(paths)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "together" in done.stdout


def planted(number: int) -> object:
    """Behaviour of a reader in a case."""
    answers = {
        1: lambda: (_ for _ in ()).throw(ConfigurationError("f: is wrong.")),
        2: lambda: {}["key"],
        3: lambda: [np.nan],
        4: lambda: os.kill(os.getpid(), signal.SIGSEGV),
        5: lambda: bytearray(64 * 2**30),
        6: lambda: (_ for _ in ()).throw(ConfigurationError("")),
        7: lambda: (_ for _ in ()).throw(SilentChangeError("numbers")),
        8: lambda: signal.raise_signal(signal.SIGPROF),
        9: lambda: signal.raise_signal(signal.SIGALRM),
    }
    return answers.get(number, lambda: [1.0])()


@pytest.fixture(scope="module")
def tally(tmp_path_factory: pytest.TempPathFactory) -> Tally:
    def read(path: Path, folder: Path) -> object:
        found = planted(int(path.read_text()))
        return found if isinstance(found, list) else []

    folder = tmp_path_factory.mktemp("planted")
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(targets.TARGETS, "planted", Target(read, 1))
        return run_cases("planted", range(12), lambda number: ("f", str(number).encode()), folder)


def test_planted_faults_are_found_and_the_run_continues(tally: Tally) -> None:
    found = {signature: number for signature, (number, _) in tally.faults.items()}
    kinds = {signature.partition(" at ")[0]: number for signature, number in found.items()}
    assert kinds == {
        "KeyError": 2,
        "numbers are not finite": 3,
        "signal SIGSEGV": 4,
        "MemoryError": 5,
        "an empty message": 6,
        "SilentChangeError": 7,
        "time": 8,
    }
    assert tally.counts == {"fault": 8, "refused": 1, "accepted": 3}


def test_tallies_survive_their_text(tally: Tally) -> None:
    again = Tally.from_json(tally.as_json())
    assert (again.counts, again.faults) == (tally.counts, tally.faults)
    assert json.loads(tally.as_json())


def test_a_case_is_a_function_of_reader_seed_and_number() -> None:
    seeds = Seeds(("a.yaml", "b.yaml"), (b"a: [1, 2]\nb: {c: 3}\n", b"d: 4\n"))
    first = [case(seeds, "profile", 1, number) for number in range(200)]
    assert first == [case(seeds, "profile", 1, number) for number in range(200)]
    assert first[:2] == list(zip(seeds.names, seeds.contents, strict=True))
    assert len(set(first)) > 150
    assert first != [case(seeds, "profile", 2, number) for number in range(200)]


@pytest.mark.parametrize("data", [b"", b"\0", b"a", b"PK", b"a: 1\n", b"\0" * 300])
def test_any_data_can_be_mutated(data: bytes) -> None:
    for number in range(300):
        assert isinstance(mutated(data, Random(number), [data]), bytes)
