"""Results in Python: prediction, plots, reports and exports are those of the rest of dynid."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from matplotlib import pyplot as plt
from support.synthetic import arm_recording, arm_robot

import dynid
from dynid.profile import write_profile
from dynid.robot.model import nominal_model
from dynid.xml_tree import xml_tree

ROOT = Path(__file__).parents[2]
RATE = 100


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A robot and a recording in files."""
    folder = tmp_path_factory.mktemp("results")
    robot = arm_robot(identification={"cutoff_hz": 20, "parallel_filter": None})
    write_profile(robot, folder / "arm.yaml", note="of a test")
    (folder / "arm.urdf").write_text(robot.urdf_xml)
    recording = arm_recording(samples=500, rate=RATE, noise=0.05)
    recording.save(folder / "work.npz")
    return folder


@pytest.fixture(scope="module")
def result(folder: Path) -> dynid.Identification:
    return dynid.identify(folder / "arm.yaml", folder / "work.npz")


@pytest.fixture
def recording(folder: Path) -> dynid.Recording:
    return dynid.load_recording(folder / "work.npz", folder / "arm.yaml")


@pytest.fixture(autouse=True)
def no_figures() -> Iterator[None]:
    yield
    plt.close("all")


def test_predicted_torque_is_that_of_the_report_at_the_recorded_times(
    result: dynid.Identification, recording: dynid.Recording
) -> None:
    torque, band = result.model.predict(recording)
    assert torque.shape == band.shape == recording.effort.shape
    signals = result.signals[0]
    rows = np.rint(signals.time * RATE).astype(int)
    np.testing.assert_allclose(torque[rows], result.model_torque[0], atol=1e-9)
    np.testing.assert_allclose(band[rows], result.model.torque_interval(signals.velocity))
    # filters settle for 1 / cutoff_hz at both ends, which are in motion
    assert np.isnan(torque[0]).all()
    assert np.isfinite(torque[RATE // 20 : -RATE // 20]).all()
    covered = np.abs(torque - recording.effort) < band
    assert np.nanmean(covered[rows]) > 0.94


def test_rest_is_predicted_too(result: dynid.Identification, recording: dynid.Recording) -> None:
    hold = np.repeat(recording.position[:1], 100, axis=0)
    still = dynid.Recording(np.arange(100) / RATE, hold, np.zeros((100, 3)))
    torque, _ = result.model.predict(still)
    np.testing.assert_allclose(
        torque[20:-20], result.model.inverse_dynamics(hold, 0 * hold, 0 * hold)[20:-20], atol=1e-9
    )


def test_the_band_of_a_model_that_was_not_identified_is_not_known(
    recording: dynid.Recording,
) -> None:
    torque, band = nominal_model(arm_robot()).predict(recording)
    assert np.isfinite(torque).all()
    assert np.isnan(band).all()


def test_columns_without_names_are_those_of_the_robot_and_a_note_says_so(
    result: dynid.Identification, recording: dynid.Recording
) -> None:
    bare = dynid.Recording(recording.time, recording.position, recording.effort)
    validation = dynid.validate(result, bare)
    assert any("shoulder, elbow, wrist, in this order" in note for note in validation.notes)
    two = dynid.Recording(recording.time, recording.position[:, :2], recording.effort[:, :2])
    with pytest.raises(dynid.PreprocessingError, match="joints are joint_1, joint_2, but"):
        dynid.validate(result, two)


def test_axes_have_a_curve_for_measured_and_model_torque(
    result: dynid.Identification, recording: dynid.Recording
) -> None:
    axes = result.plot()
    assert len(axes) == len(result.joints)
    for joint, cell in enumerate(axes):
        measured, model = (line.get_ydata() for line in cell.lines)
        np.testing.assert_array_equal(measured, result.measured_torque[0][:, joint])
        np.testing.assert_array_equal(model, result.model_torque[0][:, joint])
        assert result.joints[joint] in cell.get_ylabel()
    assert recording.plot().shape == (3, 3)
    assert dynid.Recording(recording.time, recording.position, recording.effort).plot().shape == (
        2,
        3,
    )


def test_a_report_never_replaces_what_it_is_of(result: dynid.Identification, folder: Path) -> None:
    before = {path: path.read_bytes() for path in folder.iterdir()}
    validation = dynid.validate(result, folder / "work.npz")
    writers = {
        "work.npz": result.report,
        "arm.yaml": validation.report,
        "arm.urdf": result.model.export,
    }
    for name, write in writers.items():
        with pytest.raises(dynid.WriteError, match="is an input"):
            write(folder / name)
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_an_exported_urdf_has_the_identified_mass(
    result: dynid.Identification, tmp_path: Path
) -> None:
    result.model.export(tmp_path / "ARM.URDF")
    text = (tmp_path / "ARM.URDF").read_text()
    names = result.model.parameter_names
    masses = [result.model.parameters[names.index(f"M{number}")] for number in (1, 2, 3)]
    tree = xml_tree(text, "ARM.URDF")
    written = [float(mass.get("value", "nan")) for mass in tree.iter("mass")]
    np.testing.assert_allclose(written, masses, rtol=1e-6)


@pytest.mark.parametrize("name", ["model.json", "model", "model.yaml", "model.usdz"])
def test_an_export_names_the_endings_that_there_are(
    result: dynid.Identification, tmp_path: Path, name: str
) -> None:
    with pytest.raises(dynid.ConfigurationError, match=r"one of \.urdf, \.xml, \.sdf, \.usda"):
        result.model.export(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_what_methods_use_of_packages_above_exists() -> None:
    places = [
        place
        for path in (ROOT / "dynid").rglob("*.py")
        for place in re.findall(r'"(dynid\.[\w.]+:\w+)"', path.read_text("utf-8"))
    ]
    assert len(places) > 5
    for place in places:
        module, _, name = place.partition(":")
        assert callable(getattr(import_module(module), name)), place


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("friction", "terms"),
        ("coulomb", "terms"),
        ("lowpass", "cutoff_hz"),
        ("cut_off", "cutoff_hz"),
        ("method", "estimator"),
        ("n_folds", "folds"),
        ("torque_filter", "filter_torque"),
        ("threshold", "velocity_threshold"),
        ("trim", "trim_rest"),
    ],
)
def test_a_guessed_keyword_is_answered_by_the_right_one(
    recording: dynid.Recording, key: str, meant: str
) -> None:
    with pytest.raises(dynid.ConfigurationError, match=f"'{key}'; did you mean '{meant}'"):
        dynid.identify(arm_robot(), recording, **{key: 1})  # type: ignore[arg-type]


@pytest.mark.parametrize("key", ["gravity", "joints", "x" * 500])
def test_a_keyword_that_is_near_nothing_is_answered_by_all(
    recording: dynid.Recording, key: str
) -> None:
    with pytest.raises(
        dynid.ConfigurationError, match="known keys are bootstrap, border, "
    ) as refusal:
        dynid.identify(arm_robot(), recording, **{key: 1})  # type: ignore[arg-type]
    assert "x" * 81 not in str(refusal.value)
