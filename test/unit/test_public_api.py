"""``import dynid``: public names, cost of the import, and representation of results."""

from __future__ import annotations

import ast
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from types import UnionType
from typing import Annotated, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
import pytest
from support.synthetic import ARM_URDF, arm_recording, arm_robot

import dynid
from dynid.api.identification import IdentificationKeywords
from dynid.dynamics.joint_terms import TermSettings
from dynid.identification.settings import IdentificationSettings

HEAVY = ("clarabel", "matplotlib", "numpy", "pinocchio", "pydantic", "rosbags", "scipy", "yaml")


@pytest.fixture(scope="module")
def result() -> dynid.Identification:
    return dynid.identify(arm_robot(), arm_recording(noise=0.05))


def test_every_public_name_can_be_imported() -> None:
    for name in dynid.__all__:
        assert getattr(dynid, name) is not None
    assert set(dynid.__all__) <= set(dir(dynid))
    with pytest.raises(AttributeError, match="no attribute 'load_robots'"):
        _ = dynid.load_robots


def test_type_checkers_see_the_names_that_are_imported_when_used() -> None:
    tree = ast.parse(Path(dynid.__file__).read_text("utf-8"))
    (block,) = (node for node in tree.body if isinstance(node, ast.If))
    typed = {
        alias.name: node.module
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert set(dynid.__all__) == set(typed)
    for name, module in typed.items():
        found = getattr(dynid, name)
        assert f"dynid.{dynid._WHERE[name]}" == module
        assert found.__module__.startswith("dynid.")


def test_importing_it_imports_no_numerical_library() -> None:
    script = f"import sys, dynid; print([name for name in {HEAVY!r} if name in sys.modules])"
    command = [sys.executable, "-c", script]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_settings_by_keyword_replace_those_of_the_robot(result: dynid.Identification) -> None:
    robot, recording = arm_robot(), arm_recording(noise=0.05)
    again = dynid.identify(robot, recording, estimator="ols", cutoff_hz=20)
    assert again.provenance.estimator == "ols"
    assert again.provenance.cutoff_hz == 20
    assert result.provenance.estimator == "wls"
    with pytest.raises(dynid.ConfigurationError, match="did you mean 'cutoff_hz'"):
        dynid.identify(robot, recording, cutof_hz=20)


USER = """
import dynid

result = dynid.identify("arm.urdf", ["a.mcap"], cutoff_hz=20, terms=["viscous"], estimator="ols")
torque, band = result.model.predict("a.mcap")
dynid.validate(result, "b.mcap").plot()
dynid.identify("arm.urdf", "a.mcap", cutof_hz=20)
dynid.identify("arm.urdf", "a.mcap", cutoff_hz="high")
result.rmse
"""


@pytest.mark.thorough
def test_a_type_checker_of_users_finds_wrong_keywords_and_names(tmp_path: Path) -> None:
    api = pytest.importorskip("mypy.api", reason="mypy: pip install mypy")
    (tmp_path / "user.py").write_text(USER)
    printed, _, _ = api.run(["--ignore-missing-imports", str(tmp_path / "user.py")])
    errors = [line for line in printed.splitlines() if "user.py" in line and " error: " in line]
    assert [line.split(":")[1] for line in errors] == ["7", "8", "9"]


def test_keywords_of_type_checkers_are_the_settings() -> None:
    hints = get_type_hints(IdentificationKeywords)
    terms = hints.pop("terms")
    assert TermSettings in get_args(terms)
    assert hints.keys() == IdentificationSettings.model_fields.keys()
    for name, field in IdentificationSettings.model_fields.items():
        # a mapping stands for a group of settings, and a class for an estimator
        assert kinds(hints[name]) - {Mapping, type} == kinds(field.annotation), name


def kinds(annotation: object) -> set[object]:
    """Return the types in an annotation, without their bounds."""
    origin = get_origin(annotation)
    if origin in (Union, UnionType):
        return {kind for part in get_args(annotation) for kind in kinds(part)}
    if origin is Annotated:
        return kinds(get_args(annotation)[0])
    return {annotation if origin in (None, Literal) else origin}


def test_a_saved_model_is_the_one_that_was_identified(
    result: dynid.Identification, tmp_path: Path
) -> None:
    result.model.save(tmp_path / "model.yaml")
    model = dynid.load_model(tmp_path / "model.yaml")
    np.testing.assert_array_equal(model.parameters, result.model.parameters)
    np.testing.assert_allclose(
        model.base.covariance,
        result.model.base.covariance,
        atol=1e-12 * np.abs(result.model.base.covariance).max(),
    )
    q, dq, ddq = np.random.default_rng(0).normal(size=(3, 5, 3))
    torque = model.inverse_dynamics(q, dq, ddq)
    np.testing.assert_array_equal(torque, result.model.inverse_dynamics(q, dq, ddq))
    parts = model.mass_matrix(q) @ ddq[..., None] + model.coriolis_matrix(q, dq) @ dq[..., None]
    np.testing.assert_allclose(
        torque, parts[..., 0] + model.gravity(q) + model.friction(dq), atol=1e-9
    )
    np.testing.assert_allclose(model.forward_dynamics(q, dq, torque), ddq, atol=1e-9)


def test_results_are_short_as_text_and_tables_in_a_notebook(
    result: dynid.Identification,
) -> None:
    robot, recording = arm_robot(), arm_recording(noise=0.05, seed=3)
    validation = dynid.validate(result.model, recording)
    shown = [robot, recording, result, result.model, validation, result.signals[0]]
    for one in shown:
        text = repr(one)
        assert len(text) < 1000
        assert "array(" not in text
    assert "relative error" in result._repr_html_()
    assert "± " in result._repr_html_()
    for joint in robot.joints:
        assert joint in result.model._repr_html_()
        assert joint in repr(result)
        assert joint in repr(validation)


def test_frames_need_pandas(result: dynid.Identification, monkeypatch) -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is optional")
    frame = result.model.to_frame()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame["name"]) == list(result.model.parameter_names)
    assert len(result.to_frame()) == len(result.base_parameters)


def test_without_pandas_a_frame_is_refused_in_a_sentence(
    result: dynid.Identification, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(
        dynid.ConfigurationError, match=r"to_frame\(\) needs .* pip install 'pandas'"
    ):
        result.to_frame()


def test_a_urdf_alone_makes_a_robot(tmp_path: Path) -> None:
    (tmp_path / "arm.urdf").write_text(ARM_URDF)
    robot = dynid.load_robot(tmp_path / "arm.urdf")
    assert robot.joints == ("shoulder", "elbow", "wrist")
    assert robot.limits.position == ((-3, 3),) * 3
    assert robot.limits.torque_max == (100, 100, 50)
    assert robot.mechanism().joints == robot.joints
    follower = '<joint name="elbow" type="revolute"><mimic joint="shoulder"/>'
    text = ARM_URDF.replace('<joint name="elbow" type="revolute">', follower)
    (tmp_path / "mimic.urdf").write_text(text)
    coupled = dynid.load_robot(tmp_path / "mimic.urdf")
    assert coupled.joints == ("shoulder", "wrist")
    assert coupled.mechanism().moving_joints == ("shoulder", "wrist", "elbow")
    (tmp_path / "broken.urdf").write_text("<robot")
    with pytest.raises(dynid.ConfigurationError, match=r"broken\.urdf: is not well-formed XML"):
        dynid.load_robot(tmp_path / "broken.urdf")


def test_it_identifies_in_a_thread(result: dynid.Identification) -> None:
    found: list[dynid.Identification] = []

    def work() -> None:
        found.append(dynid.identify(arm_robot(), arm_recording(noise=0.05)))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    np.testing.assert_array_equal(found[0].model.parameters, result.model.parameters)


@pytest.mark.thorough
def test_it_runs_in_a_script_from_standard_input(tmp_path: Path) -> None:
    script = """
import dynid
robot = dynid.load_robot("scara_2r")
motion = dynid.design_excitation(robot, duration=5, starts=2, save_to="excitation.yaml")
recording = dynid.simulate(robot, motion, seed=1)
result = dynid.identify(robot, recording)
print(dynid.diagnose(result, recording))
print(dynid.predict_uncertainty(robot, motion))
print(dynid.tune_collision(result.model, recording).settings())
"""
    command = [sys.executable, "-"]
    ran = subprocess.run(
        command, input=script, capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert ran.returncode == 0, ran.stderr
    assert "Diagnosis of scara_2r" in ran.stdout
    assert (tmp_path / "excitation.yaml").exists()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda r, m, x: dynid.identify(r, 5), "must be a Recording"),
        (lambda r, m, x: dynid.identify(5, x), "must be a Robot"),
        (lambda r, m, x: dynid.identify(r, []), "at least one"),
        (lambda r, m, x: dynid.validate(5, x), "must be a Model"),
        (lambda r, m, x: dynid.validate(m, []), "at least one"),
        (lambda r, m, x: dynid.diagnose(5, x), "must be a Model"),
        (lambda r, m, x: dynid.load_recording("work.mcap", 5), "must be a Robot"),
        (lambda r, m, x: dynid.load_model(None), "path of a file"),
        (lambda r, m, x: dynid.compare_models(m, r), "second must be a Model"),
        (lambda r, m, x: dynid.simulate(r, 5), "excitation must be a Excitation"),
        (lambda r, m, x: dynid.load_robot(5), "path of a file"),
        (lambda r, m, x: dynid.select_friction(r, []), "at least one"),
        (lambda r, m, x: dynid.identify_payload(r, x), "must be a Model"),
        (lambda r, m, x: dynid.predict_uncertainty(r, 5), "must be a Excitation"),
        (lambda r, m, x: dynid.design_excitation(r, duration=-1), "above 0, got -1"),
        (lambda r, m, x: dynid.design_excitation(r, duration="20"), "above 0, got '20'"),
        (lambda r, m, x: dynid.design_excitation(r, duration=float("nan")), "got nan"),
        (lambda r, m, x: dynid.design_excitation(r, starts=0), "1 or more, got 0"),
        (lambda r, m, x: dynid.design_excitation(r, starts=1.5), "integer of 1 or more, got 1.5"),
        (lambda r, m, x: dynid.design_excitation(r, objective="best"), "determinant, both"),
        (lambda r, m, x: dynid.design_excitation(r, save_to="/no/such/x.yaml"), "folder"),
        (
            lambda r, m, x: dynid.design_excitation(dynid.load_robot("scara"), model=m),
            "model is of",
        ),
    ],
)
def test_a_wrong_argument_is_an_error_in_one_sentence(
    result: dynid.Identification, call, words: str
) -> None:
    with pytest.raises(dynid.DynidError, match=words):
        call(arm_robot(), result.model, arm_recording())


def test_payload_and_friction_take_one_recording(result: dynid.Identification) -> None:
    payload = dynid.identify_payload(result.model, arm_recording(noise=0.05))
    assert len(repr(payload)) < 1500
    assert "mass" in repr(payload)


def test_a_renamed_exception_is_accepted_by_its_old_name() -> None:
    with pytest.warns(DeprecationWarning, match=r"dynid\.WriteError.*removed in 0\.4"):
        assert dynid.OutputError is dynid.WriteError  # type: ignore[attr-defined]
