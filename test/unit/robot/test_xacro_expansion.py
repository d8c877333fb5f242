from pathlib import Path

import pytest
from support.synthetic import ARM_URDF

from dynid.errors import ConfigurationError
from dynid.packages import Packages
from dynid.profile import load_robot
from dynid.robot.description import read_description


def expand(tmp_path: Path, body: str) -> str:
    path = tmp_path / "robot.xacro"
    path.write_text(f'<robot name="r" xmlns:xacro="http://ros.org/wiki/xacro">{body}</robot>')
    return read_description(path)


def test_a_xacro_is_a_robot_wherever_a_urdf_is(tmp_path: Path) -> None:
    text = ARM_URDF.replace('<robot name="arm">', "").replace("</robot>", "")
    expand(
        tmp_path, '<xacro:property name="length" value="0.3"/>' + text.replace("0.3", "${length}")
    )
    robot = load_robot(tmp_path / "robot.xacro")
    (tmp_path / "arm.urdf").write_text(ARM_URDF)
    expected = load_robot(tmp_path / "arm.urdf").mechanism().urdf_parameters
    assert robot.mechanism().urdf_parameters.tolist() == expected.tolist()


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (
            "<link name='${x}'/>",
            "robot.xacro: cannot be expanded by xacro: name 'x' is not defined",
        ),
        ("<xacro:include filename='gone.xacro'/>", r"gone\.xacro"),
        ("<xacro:include filename='$(find gone)/a.xacro'/>", "package 'gone' was not found"),
        ("<xacro:nothing/>", "nothing"),
        ("<link", "not well-formed|invalid token|unclosed"),
    ],
)
def test_what_cannot_be_expanded_is_refused_in_a_sentence(
    tmp_path: Path, body: str, sentence: str
) -> None:
    with pytest.raises(ConfigurationError, match=sentence):
        expand(tmp_path, body)


def test_a_result_without_bounds_ends_in_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DYNID_MAX_TEXT_BYTES", "1000")
    with pytest.raises(ConfigurationError, match=r"the result has more than 1000 characters"):
        expand(tmp_path, "<link name=\"${'x' * 3000}\"/>")


def test_packages_are_found_in_the_other_repositories_of_a_workspace(tmp_path: Path) -> None:
    for repository, package in (("arms", "arm"), ("common", "materials"), ("a/deep", "gripper")):
        (tmp_path / "ws" / "src" / repository / package).mkdir(parents=True)
    (tmp_path / "other" / "elsewhere").mkdir(parents=True)
    source = tmp_path / "ws" / "src"
    packages = Packages(beside=source / "arms" / "arm" / "urdf" / "arm.xacro")
    assert packages.find("materials") == source / "common" / "materials"
    assert packages.find("gripper") == source / "a" / "deep" / "gripper"
    assert packages.find("elsewhere") is None
    (source / "common" / "materials" / "link.stl").touch()
    found = packages.resolve("package://materials/link.stl")
    assert found == source / "common" / "materials" / "link.stl"
    outside = tmp_path / "other" / "arm.xacro"
    assert Packages(beside=outside).find("materials") is None
    assert Packages(beside=outside).searched() == "around the file"


def test_packages_are_found_by_their_manifest_their_name_and_around_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    checkout = tmp_path / "src" / "Vendor_Repository"
    checkout.mkdir(parents=True)
    (checkout / "package.xml").write_text("<package><name>vendor_arm</name></package>")
    assert Packages([tmp_path / "src"]).find("vendor_arm") == checkout
    assert Packages([checkout]).find("vendor_arm") == checkout
    assert Packages([tmp_path]).find("vendor_arm") == checkout
    assert Packages([tmp_path]).find("Vendor_Repository") is None
    assert Packages(beside=checkout / "urdf" / "arm.xacro").find("vendor_arm") == checkout
    (tmp_path / "share" / "plain").mkdir(parents=True)
    monkeypatch.setenv("AMENT_PREFIX_PATH", f"/nowhere:{tmp_path}")
    assert Packages().find("plain") == tmp_path / "share" / "plain"
    (checkout / "arm.stl").touch()
    monkeypatch.setenv("DYNID_PACKAGE_PATH", str(checkout))
    assert Packages().resolve("package://vendor_arm/arm.stl") == checkout / "arm.stl"
    assert Packages().resolve("package://vendor_arm/gone.stl") is None


@pytest.mark.parametrize("name", ["gone.xacro", "sub/gone.xacro", "../gone.xacro", "$(cwd)/gone"])
def test_a_file_that_is_missing_is_named_once(tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigurationError) as refused:
        expand(tmp_path, f"<xacro:include filename='{name}'/>")
    assert str(refused.value).count("gone") == 1
    assert "there is no file /" in str(refused.value)
    assert "Errno" not in str(refused.value)
