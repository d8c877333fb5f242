"""``dynid fleet drift`` over model files: a table of times, a sentence for each change."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from pathlib import Path

import numpy as np
import pytest
from support.command_line import run_dynid
from support.synthetic import arm_robot, recorded, true_parameters

import dynid
from dynid.errors import ConfigurationError, EstimationError
from dynid.recording.model import Recording, Source
from dynid.recording.temperature import Temperature
from dynid.robot.model import nominal_model
from dynid_plugins.fleet.drift.history import DAY
from dynid_plugins.fleet.drift.history_table import read_history_table

PAYLOAD = 0.5  # [kg]
AFTER = 6
FIRST = datetime(2026, 3, 1, 8, tzinfo=timezone.utc)


def as_bag(recording: Recording, day: int, celsius: float | None) -> Recording:
    """Return a recording with the date of a bag, and the same temperature at each joint."""
    stamp = int((FIRST + timedelta(days=day)).timestamp()) * 1_000_000_000
    heat = None
    if celsius is not None:
        heat = Temperature(np.array([0.0, 1.0]), np.full((2, len(recording.joint_names)), celsius))
    source = Source(f"{day}.mcap", f"{day:064x}", "rosbag2 mcap", start_time=stamp)
    return replace(recording, sources=(source,), temperature=heat)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write models of bags of ten days, the last four with a payload, and their table."""
    folder = tmp_path_factory.mktemp("days")
    robot = arm_robot()
    mechanism = robot.mechanism()
    lines = ["model,time"]
    for number in range(10):
        parameters = true_parameters(mechanism)
        if number >= AFTER:
            parameters[10 * mechanism.payload_body] += PAYLOAD
        plain = recorded(mechanism, parameters, samples=1500, noise=0.3, seed=number)
        recording = as_bag(plain, number, 20.0 + number % 3)
        dynid.identify(robot, recording).model.save(folder / f"{number}.yaml", force=True)
        lines.append(f"{number}.yaml,2026-03-{number + 1:02d}T08:00:00Z")
    path = folder / "days.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.fixture
def run(capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch):
    """Return a function that calls the command, and returns its exit code, output and errors."""

    def call(*words: object) -> tuple[int, str, str]:
        code = run_dynid(monkeypatch, "fleet", "drift", *words)
        out, err = capsys.readouterr()
        return code, out, err

    return call


@pytest.mark.thorough
def test_a_payload_of_full_identifications_is_found(table: Path, run) -> None:
    arguments = ("--table", str(table), "--reference", "5", "--simulations", "50")
    code, out, _ = run(*arguments, "--json")
    printed = json.loads(out)
    assert code == 0
    change = printed["changes"][0]
    assert change["since"] == change["detected"] == "2026-03-07"
    cause = change["causes"][0]
    assert cause["cause"] == "payload"
    assert abs(cause["size"] - PAYLOAD) < 5 * cause["standard_deviation"]
    assert len(printed["changes"]) == 1
    # the models alone have the same dates
    models = [str(table.parent / f"{number}.yaml") for number in reversed(range(10))]
    text = " ".join(run(*models, *arguments[2:])[1].split())
    assert "Payload or tool changed: mass +" in text
    assert "since 2026-03-07" in text


@pytest.mark.thorough
def test_temperatures_that_some_recordings_lack_are_not_used(table: Path) -> None:
    models = [dynid.load_model(table.parent / f"{number}.yaml") for number in range(3)]
    history = dynid.history_of_models(models)
    np.testing.assert_allclose(history.temperatures, [20.0, 21.0, 22.0])
    np.testing.assert_allclose(history.times, FIRST.timestamp() + DAY * np.arange(3))
    (source,) = models[1].provenance.sources
    cold = replace(models[1].provenance, sources=(replace(source, temperature=None),))
    mixed = dynid.history_of_models([models[0], replace(models[1], provenance=cold), models[2]])
    assert mixed.temperatures is None
    assert mixed.notes == ("Temperatures are not used, because they are not recorded in: 1.mcap.",)


@pytest.mark.parametrize("stamp", [None, 0])
def test_models_of_recordings_without_dates_need_a_table(
    stamp: int | None, tmp_path: Path, run
) -> None:
    robot = arm_robot()
    plain = recorded(robot.mechanism(), true_parameters(robot.mechanism()), samples=1500)
    source = Source("a.mcap", "0" * 64, "rosbag2 mcap", start_time=stamp)  # 0: a simulator's clock
    recording = replace(plain, sources=(source,))
    dynid.identify(robot, recording).model.save(tmp_path / "model.yaml", force=True)
    code, _, err = run(tmp_path / "model.yaml")
    printed = " ".join(err.split())
    assert code == 2
    assert "a.mcap: has no date" in printed
    assert "--table" in printed


def test_models_of_two_robots_are_refused() -> None:
    models = [nominal_model(arm_robot()), nominal_model(dynid.load_robot("scara_2r"))]
    with pytest.raises(EstimationError, match="a history is of one robot"):
        dynid.history_of_models(models, [0.0, 1.0])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "expected 'model,time'"),
        ("model,when\na.yaml,2026-01-01", "expected 'model,time'"),
        ("model,time\na.yaml", "line 2: 1 cells, expected 2"),
        ("model,time\na.yaml,yesterday", "'yesterday' is not a date"),
        ("model,time\na.yaml,0001-01-01T00:00+14:00", "T00:00.14:00' is not a date"),
        # of a clock that was not set
        ("model,time\na.yaml,0001-01-01", "is not between the years 1980 and 2200"),
        ("model,time\na.yaml,1970-01-01T00:00:10Z", "is not between the years 1980 and 2200"),
        ("model,time\na.yaml,9999-12-31", "is not between the years 1980 and 2200"),
        ("model,time,temperature\na.yaml,2026-01-01,nan", "'nan' is not a number"),
        ("model,time,temperature\na.yaml,2026-01-01,1e308", "'1e308' is not a number from -100"),
        ("model,time\n" + "a.yaml,2026-01-01\n" * 20_000, "20001 lines, .*MAX_HISTORY_MODELS"),
    ],
)
def test_faulty_tables_are_refused(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "days.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigurationError, match=said):
        read_history_table(path)


def test_a_table_has_models_beside_it_and_times_in_utc(tmp_path: Path) -> None:
    path = tmp_path / "days.csv"
    path.write_text("model,time,temperature\na.yaml,2000-01-02,21.5\n\n", encoding="utf-8")
    (row,) = read_history_table(path)
    assert (row.model, row.time, row.temperature) == (tmp_path / "a.yaml", 946771200.0, 21.5)
    assert np.isfinite(row.time)


def test_a_model_that_is_listed_twice_is_refused(table: Path, run) -> None:
    lines = table.read_text().splitlines()
    lines[3] = lines[2].replace("03-02", "03-03")
    twice = table.with_name("twice.csv")
    twice.write_text("\n".join(lines))
    code, _, err = run("--table", twice)
    assert code == 2
    assert "is the same model as" in err
