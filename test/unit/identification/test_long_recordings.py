"""Identification and validation of recordings that are too long to keep all samples."""

import pytest
from support.synthetic import arm_robot, recorded, true_parameters

from dynid.dynamics.base_parameters import base_parameterization
from dynid.errors import EstimationError
from dynid.identification import diagnose
from dynid.identification.identify import identify
from dynid.identification.validate import validate

RATE, NOISE = 1000.0, 0.3
FILTERED = {"cutoff_hz": 10.0, "friction_repeatability": 0.0}


@pytest.fixture
def at_most(monkeypatch):
    """Set how many samples of the three joints are kept."""

    def set_most(samples: int) -> None:
        monkeypatch.setattr("dynid.recording.averaging.MOST_NUMBERS", 3 * samples)

    return set_most


@pytest.mark.parametrize(
    ("kept", "notes"),
    [
        (20_000, ()),
        (4000, ("means of 5 samples are used, 200 Hz",)),
        (1500, ("means of 10 samples are used, 100 Hz", "7 spans of 1.07 s")),
    ],
)
def test_means_and_spans_have_the_parameters_of_all_samples(at_most, kept, notes) -> None:
    robot = arm_robot(identification=FILTERED)
    mechanism = robot.mechanism()
    truth = true_parameters(mechanism)
    recordings = [
        recorded(mechanism, truth, samples=10_000, rate=RATE, noise=NOISE, seed=seed)
        for seed in (0, 5)
    ]
    at_most(kept)
    result = identify(robot, recordings)
    base = result.model.base
    true_base = base_parameterization(result.model.mechanism).project(truth)
    expected = dict(zip(base.names, true_base, strict=True))
    for name, value, deviation in zip(
        base.names, base.values, base.standard_deviations, strict=True
    ):
        assert value == pytest.approx(expected[name], abs=6 * deviation + 0.01), name
    found = [note for note in result.notes if "means of" in note or "spans of" in note]
    assert all(any(text in note for note in found) for text in notes)
    assert bool(found) == bool(notes)
    assert result.provenance.raw_samples == pytest.approx(20_000, rel=0.3 if kept < 2000 else 1e-3)


def test_a_long_recording_is_validated_by_its_means(at_most) -> None:
    robot = arm_robot(identification=FILTERED)
    mechanism = robot.mechanism()
    truth = true_parameters(mechanism)
    model = identify(robot, [recorded(mechanism, truth, rate=RATE, noise=NOISE)]).model
    other = recorded(mechanism, truth, samples=8000, rate=RATE, noise=NOISE, seed=7)
    whole = validate(model, [other])
    at_most(1600)
    means = validate(model, [other])
    assert means.signals[0].sampling_rate == 200.0
    for one, all_samples in zip(means.verdict.joints, whole.verdict.joints, strict=True):
        assert one.relative_error == pytest.approx(all_samples.relative_error, abs=0.005)
    (note,) = [note for note in means.notes if "means of" in note]
    assert "200 Hz" in note


def test_without_a_model_a_long_recording_is_diagnosed_by_its_means(at_most, monkeypatch) -> None:
    def fails(*_, **__):
        raise EstimationError("no joint moves.")

    seen = []
    monkeypatch.setattr(diagnose, "identify", fails)
    monkeypatch.setattr(diagnose, "diagnose", lambda case: seen.append(case) or ())
    robot = arm_robot(identification=FILTERED)
    mechanism = robot.mechanism()
    other = recorded(mechanism, true_parameters(mechanism), samples=8000, rate=RATE)
    at_most(1600)
    assert diagnose.diagnose_recordings(robot, [other]).no_model == "no joint moves."
    assert seen[0].signals[0].sampling_rate == 200.0
