"""``dynid new``: a profile from a URDF or a xacro."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from support.command_line import output_of
from support.mobile_arm import mobile_arm
from support.synthetic import ARM_URDF
from support.walled_arm import URDF as WALLED_URDF
from typer.testing import CliRunner

from dynid import cli
from dynid.errors import DynidError
from dynid.excitation.settings import FourierSettings, find_excitation
from dynid.excitation.workspace.settings import WorkspaceSettings
from dynid.playback.plan import make_plan
from dynid.profile import load_robot

XACRO = """<robot name="made" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:include filename="$(find parts)/urdf/arm.xacro"/>
  <link name="base"/>
  <xacro:arm length="${2 * $(arg size)}"/>
</robot>
"""
PART = """<robot xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:macro name="arm" params="length">
    <joint name="elbow" type="revolute"><parent link="base"/><child link="arm"/>
      <origin xyz="0 0 ${length}"/><axis xyz="0 1 0"/>
      <limit lower="-1" upper="1" velocity="2" effort="3"/></joint>
    <link name="arm"><inertial><mass value="1"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  </xacro:macro>
</robot>
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("arm.urdf").write_text(ARM_URDF)
    Path("mobile.urdf").write_text(mobile_arm())
    return tmp_path


def test_the_profile_has_the_urdfs_joints_and_limits(folder: Path) -> None:
    printed = output_of("new", "arm.urdf")
    robot = load_robot("arm.yaml")
    assert robot.joints == ("shoulder", "elbow", "wrist")
    assert robot.limits.torque_max == (100, 100, 50)
    assert robot.limits.position == ((-3, 3),) * 3
    assert robot.mechanism().joints == robot.joints
    assert "no limit of acceleration" in printed
    assert "wrote arm.yaml" in printed
    assert "dynid excite arm.yaml" in printed
    assert robot.terms == "auto"


def test_the_motion_of_a_new_profile_avoids_collisions(folder: Path) -> None:
    Path("walled.urdf").write_text(WALLED_URDF)
    output_of("new", "walled.urdf")
    robot = load_robot("walled.yaml")
    assert find_excitation(robot) is None
    assert make_plan(robot).verdict.startswith("Limits kept")
    with pytest.raises(DynidError, match=r"`dynid excite .* finds another motion"):
        make_plan(robot.with_settings(FourierSettings(seed=1)))


def test_what_a_data_sheet_has_is_marked(folder: Path) -> None:
    output_of("new", "arm.urdf")
    marked = [line for line in Path("arm.yaml").read_text().splitlines() if "FILL IN" in line]
    for word in ("acceleration", "effort", "currents", "planes"):
        assert any(word in line for line in marked), word


def test_an_entry_that_is_filled_in_loads(folder: Path) -> None:
    output_of("new", "arm.urdf")
    text = Path("arm.yaml").read_text()
    for key in ("acceleration", "torque_constant", "gear_ratio", "rated_current_ma", "names"):
        assert f"  # {key}: " in text
        text = text.replace(f"  # {key}: ", f"  {key}: ")
    Path("arm.yaml").write_text(text)
    robot = load_robot("arm.yaml")
    assert robot.limits.acceleration == (1, 1, 1)
    assert robot.drives.gear_ratio == (1, 1, 1)


def test_nothing_is_replaced_unless_forced(folder: Path) -> None:
    Path("arm.yaml").write_text("mine")
    with pytest.raises(DynidError, match=r"arm\.yaml: already exists; --force replaces it"):
        output_of("new", "arm.urdf")
    assert Path("arm.yaml").read_text() == "mine"
    output_of("new", "arm.urdf", "--force")
    assert load_robot("arm.yaml").name == "arm"


def test_of_several_chains_one_must_be_chosen(folder: Path) -> None:
    with pytest.raises(DynidError, match=r"2 chains .*--tip head .*--tip arm_2 .*--joints"):
        output_of("new", "mobile.urdf")
    assert not Path("mobile_arm.yaml").exists()
    output_of("new", "mobile.urdf", "--tip", "arm_2", "-o", "chosen.yaml", "--name", "lifted")
    robot = load_robot("chosen.yaml")
    assert robot.name == "lifted"
    assert robot.joints == ("lift_joint", "arm_1_joint", "arm_2_joint")
    assert robot.locked["second_pad_joint"] == pytest.approx(0.1)
    assert set(robot.locked) >= {"wheel_left_joint", "head_joint", "gripper_joint"}
    robot.mechanism()


def test_a_terminal_is_asked_for_the_chain(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dynid.cli.new._interactive", lambda: True)
    printed = output_of("new", "mobile.urdf", answer="9\n2\n")
    assert "A number from 1 to 3" in printed
    assert load_robot("mobile_arm.yaml").joints[-1] == "arm_2_joint"
    output_of("new", "mobile.urdf", "--force", answer="3\n")
    assert len(load_robot("mobile_arm.yaml").joints) == 4


def test_joints_are_given_in_drive_order_and_by_pattern(folder: Path) -> None:
    output_of("new", "mobile.urdf", "--joints", "head_joint, arm_*")
    assert load_robot("mobile_arm.yaml").joints == ("head_joint", "arm_1_joint", "arm_2_joint")
    with pytest.raises(DynidError, match="--joints 'leg_1' matches no movable joint"):
        output_of("new", "mobile.urdf", "--joints", "leg_1", "--force")


def test_a_joint_that_turns_without_end_has_an_assumed_range(folder: Path) -> None:
    printed = output_of("new", "mobile.urdf", "--joints", "arm_*")
    assert "assumed, the URDF has no limit" in Path("mobile_arm.yaml").read_text()
    assert "±180° for arm_2_joint" in printed
    position = load_robot("mobile_arm.yaml").limits.position
    assert position is not None
    assert position[1] == pytest.approx((-3.14159, 3.14159))


def test_a_urdf_without_limits_leaves_them_to_fill_in(folder: Path) -> None:
    Path("bare.urdf").write_text(
        '<robot name="bare"><link name="a"/><link name="b"/><joint name="slide" type="prismatic">'
        '<parent link="a"/><child link="b"/><limit velocity="0" effort="0"/></joint></robot>'
    )
    output_of("new", "bare.urdf")
    assert "limits: {}                 # FILL IN" in Path("bare.yaml").read_text()
    assert load_robot("bare.yaml").limits.position is None


@pytest.fixture
def package(folder: Path) -> Path:
    part = folder / "elsewhere" / "some_checkout"
    (part / "urdf").mkdir(parents=True)
    (part / "urdf" / "arm.xacro").write_text(PART)
    (part / "package.xml").write_text("<package><name>parts</name></package>")
    Path("made.urdf.xacro").write_text(XACRO)
    return part.parent


def test_a_xacro_becomes_a_urdf_beside_the_profile(package: Path) -> None:
    printed = output_of(
        "new", "made.urdf.xacro", "size:=0.25", "--package-path", package, "-o", "my.yaml"
    )
    assert "wrote my.urdf" in printed
    assert 'xyz="0 0 0.5"' in Path("my.urdf").read_text()
    robot = load_robot("my.yaml")
    assert (robot.name, robot.urdf, robot.joints) == ("made", "my.urdf", ("elbow",))


def test_a_xacro_that_lacks_something_is_refused_with_what_to_give(package: Path) -> None:
    with pytest.raises(DynidError, match=r"argument size .*; give it as NAME:=VALUE"):
        output_of("new", "made.urdf.xacro", "--package-path", package)
    with pytest.raises(DynidError, match=r"package 'parts' was not found; .*--package-path"):
        output_of("new", "made.urdf.xacro", "size:=1")
    with pytest.raises(DynidError, match="must be NAME:=VALUE"):
        output_of("new", "made.urdf.xacro", "size=1")
    with pytest.raises(DynidError, match=r"'size:=1': is for a xacro; arm\.urdf is a URDF"):
        output_of("new", "arm.urdf", "size:=1")


def test_meshes_of_a_package_are_found(package: Path) -> None:
    mesh = '<visual><geometry><mesh filename="package://parts/arm.stl"/></geometry></visual>'
    Path("arm.urdf").write_text(
        ARM_URDF.replace('<link name="base"/>', f'<link name="base">{mesh}</link>')
    )
    output_of("new", "arm.urdf", "--package-path", package)
    text = yaml.safe_load(Path("arm.yaml").read_text())
    assert text["workspace"]["mesh_folder"] == "elsewhere/some_checkout"


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("gone.urdf",), r"gone\.urdf: there is no such file"),
        (("arm.yaml",), r"must be a URDF that ends in \.urdf, a xacro"),
        (("arm.urdf", "-o", "arm.txt"), r"--output arm\.txt: must end in \.yaml"),
        (("arm.urdf", "-o", "no/arm.yaml"), r"its folder does not exist"),
        (("arm.urdf", "--name", "a/b"), r"--name is used as a file name"),
        (("arm.urdf", "--tip", "tool"), r"--tip tool: the URDF has no such link"),
        (("arm.urdf", "--joints", " , "), r"--joints: names no joint"),
    ],
)
def test_bad_input_is_one_sentence(folder: Path, arguments: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(DynidError, match=sentence):
        output_of("new", *arguments)


def test_a_command_says_what_it_assumes_of_a_urdf_alone(folder: Path) -> None:
    result = CliRunner().invoke(cli.app, ["model", "base", "-p", "arm.urdf"])
    assert result.exit_code == 0
    assert result.stderr.count("note:") == 1
    assert (
        "arm.urdf is no profile, so assumed are joints shoulder, elbow and wrist" in result.stderr
    )
    assert "limits of position, velocity and torque from the URDF" in result.stderr
    assert "dynid new arm.urdf -o arm.yaml" in result.stderr
    output_of("new", "arm.urdf")
    assert CliRunner().invoke(cli.app, ["model", "base", "-p", "arm.yaml"]).stderr == ""


def test_a_joint_that_follows_a_moving_one_is_coupled(folder: Path) -> None:
    text = ARM_URDF.replace(
        '<joint name="wrist" type="revolute">',
        '<joint name="wrist" type="revolute"><mimic joint="elbow" multiplier="-2" offset="0.1"/>',
    )
    assert text != ARM_URDF
    Path("geared.urdf").write_text(text)
    output_of("new", "geared.urdf", "-o", "geared.yaml")
    for robot in (load_robot("geared.yaml"), load_robot("geared.urdf")):
        assert robot.joints == ("shoulder", "elbow")
        assert robot.closed_chain.passive == {"wrist": 0.1}
        moved = robot.mechanism().moving_positions([[0.3, 0.4]])
        assert moved[0].tolist() == pytest.approx([0.3, 0.4, 0.1 - 2 * 0.4])


MESH = '<visual><geometry><mesh filename="{}"/></geometry></visual>'


@pytest.mark.parametrize(
    ("named", "found"),
    [
        ("package://parts/arm.stl", "elsewhere/some_checkout"),
        ("arm.stl", "elsewhere/some_checkout/urdf"),
        ("../arm.stl", "elsewhere/some_checkout/urdf"),
    ],
)
@pytest.mark.parametrize("absolute", [True, False])
def test_meshes_are_found_where_the_xacro_of_a_urdf_is(
    package: Path, named: str, found: str, absolute: bool
) -> None:
    source = package / "some_checkout" / "urdf" / "arm.urdf.xacro"
    source.write_text("<robot/>")
    for place in (source.parents[1] / "arm.stl", source.parent / "arm.stl"):
        place.write_text("solid a\nendsolid a\n")
    stated = source if absolute else source.relative_to(Path.cwd())
    head = f"<!-- ====== -->\n<!-- |  This document was autogenerated by xacro from {stated}  | -->"
    link = f'<link name="base">{MESH.format(named)}</link>'
    text = ARM_URDF.replace('<link name="base"/>', link)
    Path("arm.urdf").write_text(f"{head}\n{text}")
    output_of("new", "arm.urdf")
    folder = yaml.safe_load(Path("arm.yaml").read_text())["workspace"]["mesh_folder"]
    assert Path(folder).resolve() == Path(found).resolve()
    assert load_robot("arm.urdf").settings(WorkspaceSettings).mesh_folder is not None


def test_a_urdf_that_states_a_xacro_that_is_gone_is_read(folder: Path) -> None:
    text = Path("arm.urdf").read_text()
    head = "<!-- |  This document was autogenerated by xacro from /gone/arm.xacro | -->\n"
    Path("arm.urdf").write_text(head + text.lstrip())
    output_of("new", "arm.urdf")
    assert "mesh_folder" not in Path("arm.yaml").read_text()


def test_missing_meshes_are_named(folder: Path) -> None:
    link = f'<link name="base">{MESH.format("package://gone/arm.stl")}</link>'
    Path("arm.urdf").write_text(ARM_URDF.replace('<link name="base"/>', link))
    assert "mesh 'package://gone/arm.stl' of base (set workspace.mesh" in output_of(
        "new", "arm.urdf"
    )


def test_an_srdf_goes_into_the_profile(folder: Path) -> None:
    pair = '<disable_collisions link1="upper" link2="{}" reason="Adjacent"/>'
    Path("moveit").mkdir()
    Path("moveit/arm.srdf").write_text(f'<robot name="arm">{pair.format("hand")}</robot>')
    output_of("new", "arm.urdf", "--srdf", "moveit/arm.srdf")
    srdf = load_robot("arm.yaml").settings(WorkspaceSettings).srdf
    assert srdf is not None
    assert Path(srdf) == Path("moveit/arm.srdf").absolute()
    Path("moveit/other.srdf").write_text(f'<robot name="arm">{pair.format("tail")}</robot>')
    for name, words in (("other", "SRDF of the same robot"), ("gone", "no such file")):
        with pytest.raises(DynidError, match=words):
            output_of("new", "arm.urdf", "--srdf", f"moveit/{name}.srdf", "-o", "second.yaml")
        assert not Path("second.yaml").exists()
