"""Changes of each robot over its own history, and differences from its type, from the data set."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow.compute as pc
import pytest
from support.arm_fleet import write_dated_fleet

import dynid
from dynid.errors import EstimationError
from dynid_plugins.fleet.dataset import FleetResults, load
from dynid_plugins.fleet.drift.history import DAY, History, history_of_models
from dynid_plugins.fleet.histories import robot_history
from dynid_plugins.fleet.identify import identify_fleet
from dynid_plugins.fleet.peers import FEWEST, find_unusual, unusual_sentence
from dynid_plugins.fleet.settings import Fleet
from dynid_plugins.fleet.watch import watch_fleet

if TYPE_CHECKING:
    from distributed import Client

DAYS, CHANGED, REFERENCE, PAYLOAD = 9, 6, 5, 0.5


@pytest.fixture(scope="module")
def results(client: Client, tmp_path_factory: pytest.TempPathFactory) -> FleetResults:
    """Return results of robots of which one carries a payload since day 6, and one has two days."""
    folder = tmp_path_factory.mktemp("fleet")
    payloads = {"quiet": [0.0] * DAYS, "new": [0.0, 0.0]}
    payloads["carrying"] = [PAYLOAD if day >= CHANGED else 0.0 for day in range(DAYS)]
    path = write_dated_fleet(folder, payloads)
    (folder / "quiet-08.npz").write_bytes(b"nothing")
    identify_fleet(Fleet(path), client)
    return load(folder / "fleet")


@pytest.mark.thorough
def test_a_history_is_that_of_the_models(results):
    history, rows = robot_history(results, "carrying")
    models = [dynid.load_model(results.folder / row["model"]) for row in rows]
    expected = history_of_models(models, list(history.times))
    assert history.names == expected.names
    np.testing.assert_allclose(history.values, expected.values, rtol=1e-8)
    scale = np.sqrt(np.einsum("ri,rj->rij", *(2 * [expected.covariances.diagonal(0, 1, 2)])))
    np.testing.assert_allclose(history.covariances / scale, expected.covariances / scale, atol=1e-6)


def test_robots_are_sorted_by_what_needs_a_person(results, client):
    seen = []
    states = watch_fleet(
        results,
        client,
        reference=REFERENCE,
        simulations=50,
        progress=lambda done, count: seen.append((done, count)),
    )
    assert [one.robot for one in states] == ["carrying", "quiet", "new"]
    carrying, quiet, new = states
    change = carrying.drift.changes[0]
    assert change.best.cause.kind == "payload"
    assert abs(change.best.size - PAYLOAD) < 5 * change.best.standard_deviation
    assert carrying.sentences[0].startswith("Payload or tool changed: mass +")
    assert carrying.last_recorded == "2026-03-09"
    assert quiet.sentences == ("1 of 9 recordings were not identified.",)
    assert not quiet.drift.changes
    assert "2 recordings, but a reference of 5 needs at least 6" in new.sentences[0]
    assert (new.recordings, new.failed, new.last_recorded) == (2, 0, "")
    assert seen[-1] == (3, 3)


def test_a_robot_without_usable_recordings_or_model_does_not_end_the_others(
    results, client, tmp_path
):
    recordings = results.recordings
    undated = recordings.set_column(
        recordings.schema.get_field_index("recorded_at"),
        "recorded_at",
        pc.if_else(pc.equal(recordings["robot"], "new"), None, recordings["recorded_at"]),
    )
    elsewhere = FleetResults(tmp_path, undated, results.parameters)
    with pytest.raises(EstimationError, match=r"new: 0 recordings are usable.*2 .* have no date"):
        robot_history(elsewhere, "new")
    states = watch_fleet(elsewhere, client, reference=REFERENCE, simulations=50)
    problems = {one.robot: one.problem for one in states}
    assert "2 recordings that have no date" in problems["new"]
    assert ".yaml: " in problems["quiet"]  # no models there
    assert all(one.needs_a_person for one in states)


def test_a_parameter_with_another_regrouping_is_left_out(results):
    parameters = results.parameters
    column = parameters.schema.get_field_index("regrouping")
    first = parameters["recording"][0].as_py()
    other = pc.if_else(
        pc.and_(pc.equal(parameters["recording"], first), pc.equal(parameters["parameter"], "Fc2")),
        "Fc2 + something",
        parameters["regrouping"],
    )
    changed = parameters.set_column(column, parameters.schema.field(column), other)
    robot = parameters["robot"][0].as_py()
    before, _ = robot_history(results, robot)
    after, _ = robot_history(FleetResults(results.folder, results.recordings, changed), robot)
    assert set(before.names) - set(after.names) == {"Fc2"}


def histories(count: int, seed: int = 0, *, width: int = 4, days: int = 6) -> dict[str, History]:
    """Return robots whose parameters differ by a standard deviation of 1, known to 0.1."""
    random = np.random.default_rng(seed)
    covariances = np.repeat(0.01 * np.eye(width)[None], days, axis=0)
    return {
        f"robot_{number}": History(
            f"robot_{number}",
            DAY * np.arange(days),
            tuple(f"Fc{one}" for one in range(width)),
            random.normal(size=width) + 0.1 * random.normal(size=(days, width)),
            covariances,
        )
        for number in range(count)
    }


UNITS = {f"Fc{one}": "Nm" for one in range(4)}


def _with(table, row, **changed):
    rows = table.to_pylist()
    rows[row] = rows[row] | {name: change(rows[row][name]) for name, change in changed.items()}
    return type(table).from_pylist(rows, schema=table.schema)


@pytest.mark.parametrize(
    ("table", "changed"),
    [
        ("recordings", {"covariance": lambda old: old[:-1]}),
        ("recordings", {"covariance": lambda _: None}),
        ("recordings", {"covariance": lambda old: [None, *old[1:]]}),
        ("recordings", {"covariance": lambda old: [np.nan, *old[1:]]}),
        ("recordings", {"temperature": lambda _: np.inf}),
        ("recordings", {"friction_repeatability": lambda _: np.nan}),
        ("parameters", {"index": lambda _: 1000}),
        ("parameters", {"index": lambda old: old + 1}),
        ("parameters", {"parameter": lambda _: "MX1"}),
        ("parameters", {"value": lambda _: np.inf}),
        ("parameters", {"standard_deviation": lambda _: np.nan}),
    ],
)
def test_numbers_that_contradict_each_other_are_said_in_a_sentence(results, table, changed):
    mine = results.of_robot("new")
    altered = replace(mine, **{table: _with(getattr(mine, table), 0, **changed)})
    if "parameter" in changed:  # the name of another one
        altered = replace(altered, parameters=_with(altered.parameters, 1, **changed))
    with pytest.raises(EstimationError, match=r"new: the parameters of recording .* do not agree"):
        robot_history(altered, "new")


def unusual(shift, *, robots: int = 12, uncertainty: float = 1.0):
    """Return what is found where robot_3 differs from the others."""
    fleet = histories(robots)
    odd = fleet["robot_3"]
    values, covariances = odd.values + np.asarray(shift), uncertainty * odd.covariances
    fleet["robot_3"] = replace(odd, values=values, covariances=covariances)
    found = find_unusual(fleet, UNITS)
    assert not any(mine for robot, mine in found.items() if robot != "robot_3")
    return found["robot_3"]


def test_a_robot_unlike_its_type_is_found():
    (one,) = unusual([0.0, 30.0, 0.0, 0.0])
    assert one.parameter == "Fc1"
    assert abs(one.value - one.others - 30) < 6
    assert unusual_sentence([one]).startswith("Unlike the other robots of its type: Fc1")
    assert "N·m (others" in unusual_sentence([one])


@pytest.mark.thorough
def test_robots_of_one_distribution_are_seldom_unusual():
    trials, level = 200, 0.2
    false = sum(
        any(find_unusual(histories(8, seed, days=1), UNITS, level=level).values())
        for seed in range(trials)
    )
    # at most 40 expected; the bound has a chance of 1e-4 in a binomial distribution
    assert 0 < false <= 64


def test_a_robot_that_is_known_badly_is_not_unusual():
    assert not unusual([0.0, 30.0, 0.0, 0.0], uncertainty=1e5)


def test_few_robots_are_not_compared():
    assert not unusual(1e6, robots=FEWEST - 1)


def test_a_sentence_names_three_parameters():
    found = unusual(50.0)
    assert len(found) == 4
    assert unusual_sentence(found).endswith("and 1 more parameter.")
