"""Profiles: shipped ones, user's own, overrides on the command line, and errors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import yaml
from support.synthetic import ARM_URDF

from dynid.errors import ConfigurationError
from dynid.identification.settings import IdentificationSettings
from dynid.profile import load_robot, make_robot
from dynid.recording.settings import RecordingSettings
from dynid.robot.drives import Drives
from dynid.robot_files import shipped_profiles

ARM = {
    "robot": "arm",
    "urdf": "arm.urdf",
    "joints": ["shoulder", "elbow", "wrist"],
    "drives": {"effort": "current", "torque_constant": 0.1, "gear_ratio": [100, 80, 50]},
}


@pytest.fixture
def arm(tmp_path: Path) -> Path:
    """Return the path of a profile with its URDF beside it."""
    (tmp_path / "arm.urdf").write_text(ARM_URDF)
    path = tmp_path / "arm.yaml"
    path.write_text(yaml.safe_dump(ARM))
    return path


def refusal(path: Path, *overrides: str, **changes: object) -> str:
    path.write_text(yaml.safe_dump(ARM | changes))
    with pytest.raises(ConfigurationError) as caught:
        load_robot(str(path), overrides=overrides)
    return str(caught.value)


# --- shipped ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", shipped_profiles())
def test_shipped_profile_makes_its_mechanism(name: str) -> None:
    robot = load_robot(name)
    mechanism = robot.mechanism()
    assert robot.name == name
    assert mechanism.joints == robot.joints
    assert len(mechanism.terms) == len(robot.joint_terms())
    assert np.all(np.isfinite(mechanism.urdf_parameters))
    # the bodies of the da Vinci's tool are not modelled
    assert (mechanism.without_terms().physical_problem() == "") == (name != "dvrk_psm")
    assert "<mesh" not in robot.urdf_xml, "needs files beside it"
    np.testing.assert_array_equal(mechanism.gravity, robot.gravity)
    expected = np.eye(len(robot.joints)) if robot.coupling is None else robot.coupling
    np.testing.assert_array_equal(mechanism.coupling, expected)


@pytest.mark.parametrize("name", shipped_profiles())
def test_shipped_profile_survives_a_round_trip_through_yaml(name: str) -> None:
    robot = load_robot(name)
    content = yaml.safe_load(yaml.safe_dump(robot.yaml_content()))
    assert make_robot(content, robot.urdf_xml, where="model.yaml") == robot


@pytest.mark.parametrize("name", ["robot", "robot.png"])
def test_a_file_or_folder_that_is_no_profile_is_named(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.mkdir() if "." not in name else path.write_bytes(b"\x89PNG")
    with pytest.raises(ConfigurationError, match=rf"{name}: is no profile; expected a file"):
        load_robot(path)


def test_a_model_in_place_of_a_profile_is_named(tmp_path: Path) -> None:
    path = tmp_path / "model.yaml"
    path.write_text("/**:\n  ros__parameters:\n    model: {format: 2}\n")
    with pytest.raises(ConfigurationError, match=r"a model\.yaml goes to --model"):
        load_robot(path)


# --- files ------------------------------------------------------------------------------------


def test_urdf_is_found_beside_the_profile(arm: Path) -> None:
    robot = load_robot(str(arm))
    assert robot.urdf_xml == ARM_URDF
    assert robot.mechanism().joints == ("shoulder", "elbow", "wrist")


def test_urdf_beside_the_profile_comes_before_a_shipped_one(arm: Path) -> None:
    (arm.parent / "ur10.urdf").write_text(ARM_URDF)
    arm.write_text(yaml.safe_dump(ARM | {"urdf": "ur10.urdf"}))
    assert load_robot(str(arm)).urdf_xml == ARM_URDF


def test_own_profile_may_use_a_shipped_urdf(arm: Path) -> None:
    arm.write_text(yaml.safe_dump(ARM | {"urdf": "ur10.urdf"}))
    assert "shoulder_pan_joint" in load_robot(str(arm)).urdf_xml


def test_a_given_urdf_replaces_the_profiles(arm: Path, tmp_path: Path) -> None:
    other, text = tmp_path / "other.urdf", "<robot name='other'><link name='base'/></robot>"
    other.write_text(text)
    robot = load_robot(str(arm), urdf=other)
    assert robot.urdf_xml == text
    assert robot.urdf == "other.urdf"


def test_the_error_of_a_missing_urdf_names_the_option(arm: Path) -> None:
    (arm.parent / "arm.urdf").unlink()
    with pytest.raises(ConfigurationError, match=r"arm\.urdf .*beside arm\.yaml.*--urdf"):
        load_robot(str(arm))


def test_missing_given_urdf_is_named(arm: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"gone\.urdf: there is no such file"):
        load_robot(str(arm), urdf=tmp_path / "gone.urdf")


# --- refusals ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"jionts": []}, "arm.yaml: unknown key 'jionts'; did you mean 'joints'."),
        (
            {"identification": {"cutof_hz": 3}},
            "arm.yaml: unknown key 'identification.cutof_hz'; did you mean 'cutoff_hz'.",
        ),
        (
            {"drives": {"gear_ratio": [1, 2]}},
            "arm.yaml: 'gear_ratio' has 2 values, expected 1 or 3 (one per joint).",
        ),
        (
            {"limits": {"velocity": [1, 2, 3, 4]}},
            "arm.yaml: 'velocity' has 4 values, expected 1 or 3 (one per joint).",
        ),
        (
            {"identification": {"velocity_threshold": {"absolute": [0.1, 0.2]}}},
            "arm.yaml: 'absolute' has 2 values, expected 1 or 3 (one per joint).",
        ),
        (
            {"identification": {"velocity_threshold": {"upper": [0.1, 0.2]}}},
            "arm.yaml: 'upper' has 2 values, expected 1 or 3 (one per joint).",
        ),
        (
            {"terms": [{"kind": "viscous", "joints": ["elbw"]}]},
            "arm.yaml: term 'viscous' names joint 'elbw', which is not in 'joints'.",
        ),
        (
            {"coupling": [[1, 0], [0, 1]]},
            "arm.yaml: 'coupling' must be a 3 x 3 matrix (motor to joint).",
        ),
        (
            {"coupling": [[1, 0, 0], [0, 1, 0], [0, 1]]},
            "arm.yaml: 'coupling' must be a 3 x 3 matrix (motor to joint).",
        ),
        ({"joints": ["elbow", "elbow"]}, "arm.yaml: a joint is listed twice in 'joints'."),
        (
            {"drives": {"effort": "current"}},
            "arm.yaml: key 'drives': effort 'current' requires torque_constant [N m/A].",
        ),
        (
            {"drives": {"effort": "rated_current_permille", "torque_constant": 1}},
            "arm.yaml: key 'drives': effort 'rated_current_permille' requires rated_current_ma "
            "[mA].",
        ),
        (
            {"drives": {"gear_ratio": [1, 0, 1]}},
            "arm.yaml: key 'drives': gear_ratio must not be 0.",
        ),
        (
            {"limits": {"position": [[1, -1]]}},
            "arm.yaml: key 'limits': position [1, -1] must be [lower, upper].",
        ),
        (
            {"identification": {"median": {"order": 4}}},
            "arm.yaml: key 'identification.median': the median's order must be odd, got 4.",
        ),
        (
            {"identification": {"estimator": "lms"}},
            "arm.yaml: key 'identification.estimator': must be 'ols', 'wls', 'irls', 'rls', "
            "'clie', 'cloe', 'didim', 'ekf', 'iv', 'ml', 'rls_joint', 'srukf' or 'tls', got 'lms'.",
        ),
    ],
)
def test_impossible_profile_is_refused_in_a_sentence(
    arm: Path, changes: dict[str, object], expected: str
) -> None:
    assert refusal(arm, **changes) == expected


def test_a_hint_has_the_keys_of_the_selected_excitation(arm: Path) -> None:
    fourier = refusal(arm, excitation={"type": "fourier", "harmonic": 3})
    assert fourier == "arm.yaml: unknown key 'excitation.harmonic'; did you mean 'harmonics'."
    sine = refusal(arm, excitation={"type": "sine", "harmonic": 3})
    assert sine.startswith("arm.yaml: unknown key 'excitation.harmonic'; known keys are ")
    assert "harmonics" not in sine


# --- overrides --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("override", "read"),
    [
        ("robot=other", lambda r: r.name == "other"),
        (
            "identification.cutoff_hz=20",
            lambda r: r.settings(IdentificationSettings).cutoff_hz == 20.0,
        ),
        (
            "identification.cutoff_hz=null",
            lambda r: r.settings(IdentificationSettings).cutoff_hz is None,
        ),
        ("drives.gear_ratio=[1, 2, 3]", lambda r: r.drives.gear_ratio == (1, 2, 3)),
        ("drives.gear_ratio=7", lambda r: r.drives.gear_ratio == (7,)),
        (
            "identification.velocity_threshold.absolute=0.1",
            lambda r: r.settings(IdentificationSettings).velocity_threshold.absolute == 0.1,
        ),
        (
            "identification.parallel_filter.decimation=4",
            lambda r: r.settings(IdentificationSettings).parallel_filter.decimation == 4,
        ),
        (
            "identification={median: {order: 7}}",
            lambda r: r.settings(IdentificationSettings).median.order == 7,
        ),
        ("locked.gripper=0.2", lambda r: r.locked == {"gripper": 0.2}),
        ("recording.topic=/a=b", lambda r: r.settings(RecordingSettings).topic == "/a=b"),
    ],
)
def test_override_reaches_its_key(arm: Path, override: str, read: object) -> None:
    robot = load_robot(str(arm), overrides=[override])
    assert read(robot)  # type: ignore[operator]
    # the rest stays
    assert robot.drives.torque_constant == (0.1,)


def test_override_without_a_value_is_refused_where_null_may_be_meant(arm: Path) -> None:
    with pytest.raises(ConfigurationError, match="cutoff_hz=null omits an optional step"):
        load_robot(str(arm), overrides=["identification.cutoff_hz="])


def test_a_key_given_twice_is_refused(arm: Path) -> None:
    arm.write_text(arm.read_text() + "\nrobot: another\n")
    with pytest.raises(ConfigurationError, match="key 'robot' is given twice"):
        load_robot(str(arm))


def test_an_override_creates_a_group_that_is_null(arm: Path) -> None:
    arm.write_text(yaml.safe_dump(ARM | {"identification": {"median": None}}))
    robot = load_robot(str(arm), overrides=["identification.median.order=7"])
    assert robot.settings(IdentificationSettings).median is not None
    assert robot.settings(IdentificationSettings).median.order == 7


def test_later_override_wins(arm: Path) -> None:
    overrides = ["identification.cutoff_hz=5", "identification.cutoff_hz=6"]
    robot = load_robot(str(arm), overrides=overrides)
    assert robot.settings(IdentificationSettings).cutoff_hz == 6.0


@pytest.mark.parametrize(
    ("override", "expected"),
    [
        ("cutoff", "--set cutoff: must be key=value"),
        ("=3", "--set =3: must be key=value"),
        ("identification..a=3", "must be key=value"),
        ("identification.=3", "must be key=value"),
        ("robot=[", "--set robot=[: is not valid YAML at line "),
        ("robot.name=3", "--set robot.name=3: 'robot' is not a group of settings."),
        ("drives.gear_ratio.0=3", "'gear_ratio' is not a group of settings."),
        ("identification.cutoff_hz=fast", "key 'identification.cutoff_hz': must be a number"),
        ("identification.cutof_hz=3", "did you mean 'cutoff_hz'"),
        ("identifcation.cutoff_hz=3", "did you mean 'identification'"),
    ],
)
def test_impossible_override_is_refused_in_a_sentence(
    arm: Path, override: str, expected: str
) -> None:
    assert expected in refusal(arm, override)


# --- what a profile means ---------------------------------------------------------------------


def test_terms_come_in_the_order_of_the_profile_joint_by_joint() -> None:
    terms = [
        {"kind": "viscous"},
        {"kind": "coulomb", "joints": ["wrist", "elbow"], "smoothing": 0.1},
        {"kind": "stribeck", "joints": ["elbow"], "side": "motor", "scale": 0.2},
    ]
    robot = make_robot(ARM | {"terms": terms}, ARM_URDF)
    found = [(t.kind, t.joint, t.side, t.smoothing, t.scale) for t in robot.joint_terms()]
    assert found == [
        ("viscous", 0, "joint", 0.0, 0.0),
        ("viscous", 1, "joint", 0.0, 0.0),
        ("viscous", 2, "joint", 0.0, 0.0),
        ("coulomb", 2, "joint", 0.1, 0.0),
        ("coulomb", 1, "joint", 0.1, 0.0),
        ("stribeck", 1, "motor", 0.0, 0.2),
    ]
    names = robot.mechanism().parameter_names
    assert names[30:] == ("Fv1", "Fv2", "Fv3", "Fc3", "Fc2", "Fsm2")


@pytest.mark.parametrize(
    ("effort", "unit"),
    [("torque", "N*m"), ("current", "A"), ("rated_current_permille", "permille")],
)
def test_effort_has_the_unit_of_its_source(effort: str, unit: str) -> None:
    drives = Drives.model_validate(
        {"effort": effort, "torque_constant": 0.1, "rated_current_ma": 1000}
    )
    assert drives.effort_unit == unit


def test_number_counts_for_every_joint() -> None:
    drives = Drives.model_validate({"effort": "current", "torque_constant": 2, "gear_ratio": 3})
    np.testing.assert_array_equal(drives.torque_factor(4), [6.0, 6.0, 6.0, 6.0])


def test_gravity_coupling_and_locked_joints_reach_the_mechanism() -> None:
    content = ARM | {
        "joints": ["shoulder", "wrist"],
        "locked": {"elbow": 0.5},
        "gravity": [1, 2, 3],
        "coupling": [[1, 0], [-1, 1]],
        "drives": {},
    }
    mechanism = make_robot(content, ARM_URDF).mechanism()
    np.testing.assert_array_equal(mechanism.gravity, [1, 2, 3])
    np.testing.assert_array_equal(mechanism.coupling, [[1, 0], [-1, 1]])
    straight = make_robot(content | {"locked": {}}, ARM_URDF).mechanism()
    assert not np.allclose(mechanism.urdf_parameters, straight.urdf_parameters)
